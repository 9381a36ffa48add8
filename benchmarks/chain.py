"""Chains of n links: how the price of forward dynamics grows with the length.

Links hang on hinges that are perpendicular in turn, so that the chain moves in space. The same tree in Pinocchio
(`aba`, linear in n) is timed beside it. Longer chains are left out once writing the equations takes too long.
"""

from __future__ import annotations

import os
import tempfile
import time
from unittest import mock

import numpy as np
import pinocchio as pin

from poinsot.analysis.system import start, system
from poinsot.engine import kernel
from poinsot.model.build import build

from .measure import Table, interleave
from .peer_pinocchio import pinocchio_model

LENGTHS, WORK, CALLS = (1, 10, 50, 100, 200), 6400, 50  # WORK: links in a batch
PATIENCE = (
    45.0  # for writing the equations; the next chain is expected to take 8 times as long at twice the length [s]
)


def chain(n: int):
    """A chain of n links of 0.1 m on hinges about y and x in turn."""
    bodies, joints = {}, {}
    for k in range(n):
        bodies[f"link{k}"] = {
            "mass": 0.2 + 0.001 * k,
            "com": [0, 0, -0.05],
            "inertia": [2e-4, 2e-4, 1e-5],
            "frames": {"end": [0, 0, -0.1]},
        }
        axis = [0, 1, 0] if k % 2 == 0 else [1, 0, 0]
        joints[f"hinge{k}"] = {
            "type": "revolute",
            "between": ["ground" if k == 0 else f"link{k - 1}.end", f"link{k}"],
            "axis": axis,
        }
    return build({"format": 1, "name": f"chain{n}", "gravity": [0, 0, -9.81], "bodies": bodies, "joints": joints}, "")


def run() -> Table:
    """Measure chains, compiled afresh, until they take too long."""
    with tempfile.TemporaryDirectory() as directory, mock.patch.dict(os.environ, {"POINSOT_CACHE_DIR": directory}):
        return _table()


def _table() -> Table:
    rows, figures, previous = [], {}, (1, 0.0)
    for n in LENGTHS:
        expected = previous[1] * (n / previous[0]) ** 2
        if expected > PATIENCE:
            rows.append((n, f"left out: about {expected:.0f} s to write and compile", "", "", "", ""))
            continue
        found = measured(n)
        rows.append((n, *found.values()))
        figures |= {f"{n}: {name}": value for name, value in found.items()}
        previous = (n, found["write [s]"] + found["compile [s]"])
    per_link = [figures[f"{n}: µs a link"] for n in LENGTHS if f"{n}: µs a link" in figures]
    spread = max(per_link) / min(per_link)
    complete = f"{LENGTHS[-1]}: µs a link" in figures
    return Table(
        "forward dynamics of a chain of n links, batch, one thread",
        ("n", "s to write", "s to compile", "instructions", "µs a link", "Pinocchio aba, µs a link"),
        tuple(rows),
        (
            (
                f"time per link within a factor 2 from n = 1 to 200: {spread:.1f}, as far as measured",
                complete and spread <= 2,
            ),
        ),
        figures,
    )


def measured(n: int) -> dict[str, float]:
    """Times of one chain."""
    mechanism, begun = chain(n), time.perf_counter()
    compiled = system(mechanism)
    function = compiled.dynamics.forward
    written = time.perf_counter()
    forward = kernel(function)
    forward.wait()
    ready = time.perf_counter()
    rng = np.random.default_rng(0)
    samples = max(64, WORK // n)
    q, v = rng.uniform(-1, 1, (2, samples, n))
    p = compiled.parameters(mechanism, start(mechanism, None).poses)
    peer = pinocchio_model(mechanism)
    tau = np.zeros(n)
    theirs = pin.aba(peer.model, peer.data, q[0], v[0], tau)
    ours = forward(q[0], v[0], np.zeros(0), p)[0]
    assert np.max(np.abs(theirs - ours)) < 1e-7 * np.max(np.abs(theirs))
    times = interleave(
        {
            "ours": lambda: forward(q, v, np.zeros(0), p, threads=1),
            "aba": lambda: [pin.aba(peer.model, peer.data, q[k], v[k], tau) for k in range(CALLS)],
        },
        repeats=7,
    )
    return {
        "write [s]": written - begun,
        "compile [s]": ready - written,
        "instructions": float(function.n_instructions()),
        "µs a link": 1e6 * times["ours"].best / samples / n,
        "Pinocchio, µs a link": 1e6 * times["aba"].best / CALLS / n,
    }
