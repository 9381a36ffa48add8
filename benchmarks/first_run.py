"""What a user waits for: the first simulation of a new model in a new process, and the next start."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

from .measure import Table

MODELS = ("four_bar", "hexapod", "ex800")
_START = """
import sys, time
begun = time.perf_counter()
import poinsot
mechanism = poinsot.load(sys.argv[1])
loaded = time.perf_counter()
forces = dict.fromkeys(mechanism.actuators, 1.0)
poinsot.simulate(mechanism, 0.05, forces=forces)
first = time.perf_counter()
poinsot.simulate(mechanism, 0.05, forces=forces)
print(loaded - begun, first - loaded, time.perf_counter() - first)
"""


def run() -> Table:
    """Start processes with an empty cache, then with what the first left in it."""
    rows, figures = [], {}
    for name in MODELS:
        with tempfile.TemporaryDirectory() as directory:
            environment = os.environ | {"POINSOT_CACHE_DIR": directory}
            cold, _, warm = _process(name, environment), time.sleep(3), _process(name, environment)
        rows += [(name, "cold", *cold), ("", "warm", *warm)]
        figures |= {f"{name} cold [s]": cold[0], f"{name} warm [s]": warm[0]}
    cold, warm = (max(v for n, v in figures.items() if kind in n) for kind in ("cold", "warm"))
    return Table(
        "first simulation in a new process, seconds",
        ("model", "cache", "process", "import and load", "first simulation", "second simulation"),
        tuple(rows),
        (
            (f"a new model below 3 s: {cold:.2f} s", cold < 3),
            (f"the next start below 0.5 s: {warm:.2f} s", warm < 0.5),
        ),
        figures,
    )


def _process(name: str, environment: dict[str, str]) -> tuple[float, ...]:
    """Seconds of the whole process and of its parts."""
    begun = time.perf_counter()
    command = [sys.executable, "-c", _START, name]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return time.perf_counter() - begun, *map(float, done.stdout.split())
