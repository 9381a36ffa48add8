"""What a user waits for: first code, optimised code, a warm start, the price of a call."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

import casadi as ca
import numpy as np

from . import stewart
from .measure import Table

_START = """
import time, sys
from benchmarks import stewart
from poinsot.engine import kernel
import casadi
f = stewart.forward_dynamics()
start = time.perf_counter()
k = kernel(f)
first = time.perf_counter() - start
k.wait()
print(first, time.perf_counter() - start, k.info.cached)
"""


def run() -> Table:
    """Start processes with an empty and with a filled cache."""
    with tempfile.TemporaryDirectory() as directory:
        environment = os.environ | {"POINSOT_CACHE_DIR": directory}
        cold, warm = (_process(environment) for _ in range(2))
    assert cold[2] == "False" and warm[2] == "True"
    call = _call_overhead()
    size = stewart.forward_dynamics().n_instructions()
    figures = {
        "quick code [s]": float(cold[0]),
        "optimised code [s]": float(cold[1]),
        "warm start [s]": float(warm[0]),
        "call [us]": call,
    }
    return Table(
        f"waiting for the Stewart kernel ({size} instructions)",
        ("what", "time"),
        (
            ("cold: until quick code runs", f"{figures['quick code [s]']:.2f} s"),
            ("cold: until optimised code runs", f"{figures['optimised code [s]']:.2f} s"),
            ("warm: until optimised code from the cache runs", f"{1e3 * figures['warm start [s]']:.0f} ms"),
            ("price of a call with one small sample", f"{call:.1f} µs"),
        ),
        (),
        figures,
    )


def _process(environment) -> list[str]:
    done = subprocess.run([sys.executable, "-c", _START], capture_output=True, text=True, check=True, env=environment)
    return done.stdout.split()


def _call_overhead() -> float:
    """Time a kernel that does next to nothing  [µs]."""
    from poinsot.engine import kernel

    x, y = ca.SX.sym("x", 12), ca.SX.sym("y", 12)
    add, values = kernel(ca.Function("add", [x, y], [x + y])), np.ones(12)
    best = float("inf")
    for _ in range(2000):
        start = time.perf_counter()
        add(values, values)
        best = min(best, time.perf_counter() - start)
    return 1e6 * best
