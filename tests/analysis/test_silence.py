"""Near singular poses the result says what happened, and nothing else is printed."""

from __future__ import annotations

import subprocess
import sys

STOPPING = """
import casadi, numpy as np, poinsot
bar = poinsot.load("four_bar")
stretched = bar.with_parameters({"ground.length": float(np.hypot(0.7, 1.1) + 1.3 - 0.3)})
runs = [
    poinsot.simulate(stretched, 0.1, velocity={"theta1": 30.0}, formulation=f, method=m, max_steps=1000)
    for f in ("joint", "rotation-matrix") for m in ("implicit",)
]
law = {"A": lambda t, s, v: casadi.sqrt(0.2 - t)}  # no number after 0.2 s
runs += [poinsot.simulate(bar, 0.3, forces=law, method=m, max_steps=1000) for m in ("implicit", "explicit")]
assert all(run.status and not run.finished for run in runs)
"""


def test_motions_that_stop_print_nothing():
    done = subprocess.run([sys.executable, "-c", STOPPING], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
