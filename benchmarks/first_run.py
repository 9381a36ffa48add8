"""What a user waits for: the first simulation of a new model in a new process, and the next start.

Bytecode is there from the start, as pip leaves it; what the very first start takes without it is told as well.
"""

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


_COMMAND = ("-m", "poinsot.app.cli", "simulate")
COLD_STARTS, STARTS = 3, 5  # of which the quickest counts: other work on the machine only adds


def run() -> Table:
    """Start processes with an empty cache, then with what the first left in it, from Python and from the shell."""
    with tempfile.TemporaryDirectory() as bytecode:
        return _table(bytecode)


def _table(bytecode: str) -> Table:
    with tempfile.TemporaryDirectory() as directory:
        bare = _process(_environment(directory, bytecode), "-c", _START, MODELS[0])
    rows, figures = [(MODELS[0], "cold, without bytecode", *bare)], {}
    for name in MODELS:
        colds = []
        for _ in range(COLD_STARTS):
            with tempfile.TemporaryDirectory() as directory:
                colds.append(_process(_environment(directory, bytecode), "-c", _START, name))
        cold = min(colds)
        with tempfile.TemporaryDirectory() as directory:
            environment = _environment(directory, bytecode)
            _process(environment | {"POINSOT_ENGINE_WAIT": "1"}, "-c", _START, name)  # until all code is optimised
            _process(environment, *_COMMAND, name)
            warm = min(_process(environment, "-c", _START, name) for _ in range(STARTS))
            shell = min(_process(environment, *_COMMAND, name) for _ in range(STARTS))
        rows += [(name, "cold", *cold), ("", "warm", *warm), ("", "warm, poinsot simulate", *shell, "", "", "")]
        figures |= {f"{name} cold [s]": cold[0], f"{name} warm [s]": warm[0], f"{name} shell [s]": shell[0]}
    cold, warm, shell = (max(v for n, v in figures.items() if kind in n) for kind in ("cold", "warm", "shell"))
    return Table(
        "first simulation in a new process, seconds",
        ("model", "cache", "process", "import and load", "first simulation", "second simulation"),
        tuple(rows),
        (
            (f"a new model below 3 s: {cold:.2f} s", cold < 3),
            (f"the next start below 0.5 s: {warm:.2f} s", warm < 0.5),
            (f"the next start from the shell below 0.5 s: {shell:.2f} s", shell < 0.5),
        ),
        figures,
    )


def _environment(directory: str, bytecode: str) -> dict[str, str]:
    """A cache, and bytecode in a place of its own."""
    own = {"POINSOT_CACHE_DIR": directory, "PYTHONPYCACHEPREFIX": bytecode}
    return {name: v for name, v in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | own


def _process(environment: dict[str, str], *arguments: str) -> tuple[float, ...]:
    """Seconds of the whole process, and what it says about its parts."""
    begun = time.perf_counter()
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True, env=environment)
    seconds = time.perf_counter() - begun
    return (seconds, *map(float, done.stdout.split())) if _START in arguments else (seconds,)
