"""Accelerations at states: a pose not seen before, one state by its coordinates, many in one call; closed chains.

A closed chain of n rods hangs between two points: n − 2 freedoms and two constraints.
"""

from __future__ import annotations

import os
import tempfile
import time
from typing import Any
from unittest import mock

import numpy as np

import poinsot
from poinsot.engine import kernel
from poinsot.model.mechanism import build
from poinsot.system.system import system

from .measure import Table, interleave

LINKS, SAMPLES = (10, 50, 200), 2000
NEW_STATE = "EX800, accelerations at a pose not seen before"
NEW_START = "EX800, a millisecond simulated from a pose not seen before"
NEW_POSE = 1.0  # goal for a pose not seen before  [ms]


def closed_chain(n: int) -> Any:
    """n rods of 1 m along half a polygon."""
    angles = np.pi / 2 - np.pi / (n + 1) * (0.5 + np.arange(n))
    ends = np.cumsum(np.stack([np.cos(angles), np.sin(angles)], axis=1), axis=0)
    rod = {"mass": 1.0, "com": [0.5, 0.0], "inertia": 0.1, "frames": {"tip": [1.0, 0.0]}}
    bodies, joints = {}, {}
    for k in range(n):
        turn = {"sequence": "ZYX", "angles": [float(angles[k]), 0.0, 0.0]}
        place = ends[k - 1].tolist() if k else [0.0, 0.0]
        bodies[f"rod{k}"] = rod | {"placement": {"position": place, "rotation": turn}}
        joints[f"hinge{k}"] = {"type": "revolute", "between": [f"rod{k - 1}.tip" if k else "ground", f"rod{k}"]}
    fixed = {"body": "ground", "position": ends[-1].tolist()}
    joints["end"] = {"type": "revolute", "between": [fixed, f"rod{n - 1}.tip"], "closing": True}
    return build({"format": 1, "name": f"ring{n}", "planar": True, "bodies": bodies, "joints": joints}, "")


def run() -> Table:
    """Time states of the EX800 in turn, then closed chains, compiled afresh."""
    ex800 = poinsot.load("ex800")
    home = {"x": 0.0, "y": 0.0, "z": 0.3, "rz": 1.0, "rx": 0.0, "ry": 0.0}
    seen = iter(range(10**9))
    one = poinsot.State(q=poinsot.simulate(ex800, 1e-3, t=[0.0, 1e-3]).q[0])
    many = poinsot.State(q=np.tile(one.q, (SAMPLES, 1)))

    def elsewhere() -> Any:
        return poinsot.accelerations(ex800, poinsot.State(pose=home | {"x": 1e-6 * next(seen)}))

    def from_elsewhere() -> Any:
        return poinsot.simulate(ex800, 1e-3, t=[0.0, 1e-3], pose=home | {"x": 1e-6 * next(seen)})

    calls = {
        NEW_STATE: elsewhere,
        NEW_START: from_elsewhere,
        "EX800, a state by its coordinates": lambda: poinsot.accelerations(ex800, one),
        f"EX800, {SAMPLES} states in one call": lambda: poinsot.accelerations(ex800, many),
    }
    milli = {name: 1e3 * t.best for name, t in interleave(calls, repeats=20).items()}
    rows = [(name, value, "") for name, value in milli.items()]
    with tempfile.TemporaryDirectory() as directory, mock.patch.dict(os.environ, {"POINSOT_CACHE_DIR": directory}):
        chains = {n: _chain(n) for n in LINKS}
    rows += [
        (f"closed chain of {n} rods, a state in batch", t * 1e-3, f"{t / n:.4f} µs a link; start {s:.1f} s")
        for n, (t, s) in chains.items()
    ]
    per_link = [t / n for n, (t, _) in chains.items()]
    spread = max(per_link) / min(per_link)
    new = max(milli[NEW_STATE], milli[NEW_START])
    return Table(
        "accelerations at states",
        ("what", "ms", ""),
        tuple(rows),
        (
            (f"a pose not seen before in {NEW_POSE:g} ms: {new:.2f}", new <= NEW_POSE),
            (f"time per link of closed chains within a factor 2: {spread:.2f}", spread <= 2),
        ),
        milli | {f"closed chain of {n}: µs a state": t for n, (t, _) in chains.items()},
    )


def _chain(n: int) -> tuple[float, float]:
    """Microseconds a state in a batch, and seconds from the model to native code."""
    begun = time.perf_counter()
    mechanism = closed_chain(n)
    compiled = system(mechanism)
    forward = kernel(compiled.dynamics.forward)
    forward.wait()
    ready = time.perf_counter() - begun
    q = np.tile(compiled.dynamics.q_home, (SAMPLES, 1))
    v = np.random.default_rng(0).normal(size=q.shape)
    p = compiled.dynamics.p_nominal
    best = interleave({"batch": lambda: forward(q, v, np.zeros(0), p, threads=1)}, repeats=10)["batch"].best
    return 1e6 * best / SAMPLES, ready
