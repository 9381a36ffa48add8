"""Chains of n links: how the price of forward dynamics grows with the length.

Links hang on hinges that are perpendicular in turn, so that the chain moves in space. The same tree in Pinocchio
(`aba`, linear in n) is timed beside it. Longer chains are left out once writing the equations takes too long.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from unittest import mock

import numpy as np
import pinocchio as pin

from poinsot.engine import kernel
from poinsot.model.mechanism import build
from poinsot.system.system import start, system

from .measure import Table, interleave
from .peer_pinocchio import pinocchio_model

LENGTHS, SAMPLES, CALLS = (1, 10, 50, 100, 200), 4000, 50  # states in a batch, as for the hexapod; calls of a peer
TURN = 5e-3  # [s]
PATIENCE = 45.0  # for writing and compiling the next chain, which is taken to grow with the square of its length  [s]


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
    chains: dict[int, Written] = {}
    for n in LENGTHS:
        longest = max(chains, default=0)
        if longest and chains[longest].seconds * (n / longest) ** 2 > PATIENCE:
            break
        chains[n] = Written.of(n)
    calls = {f"{n} {who}": call for n, one in chains.items() for who, call in one.calls.items()}
    times = interleave(calls, repeats=25, turn=TURN)
    ours = {n: 1e6 * times[f"{n} ours"].best / SAMPLES / n for n in chains}
    aba = {n: 1e6 * times[f"{n} aba"].best / CALLS / n for n in chains}
    spread = max(ours.values()) / min(ours.values())
    rows = [(n, one.write, one.compile, one.instructions, ours[n], aba[n]) for n, one in chains.items()]
    rows += [(n, "left out: too long to write and compile", "", "", "", "") for n in LENGTHS if n not in chains]
    goal = f"time per link within a factor 2 from n = 1 to {max(chains)}: {spread:.2f}"
    return Table(
        f"forward dynamics of a chain of n links, batch of {SAMPLES}, one thread",
        ("n", "s to write", "s to compile", "instructions", "µs a link", "Pinocchio aba, µs a link"),
        tuple(rows),
        ((goal, len(chains) == len(LENGTHS) and spread <= 2),),
        {f"{n}: µs a link": t for n, t in ours.items()} | {f"{n}: Pinocchio, µs a link": t for n, t in aba.items()},
    )


@dataclass(frozen=True)
class Written:
    """A chain as native code."""

    write: float  # [s]
    compile: float  # [s]
    instructions: int
    calls: dict[str, Callable[[], Any]]  # "ours" for a batch, "aba" for so many calls

    @property
    def seconds(self) -> float:
        """From the model to the code."""
        return self.write + self.compile

    @classmethod
    def of(cls, n: int) -> Written:
        """Write and compile a chain, and check that Pinocchio's gives the same accelerations."""
        mechanism, begun = chain(n), time.perf_counter()
        compiled = system(mechanism)
        function = compiled.dynamics.forward
        written = time.perf_counter()
        forward = kernel(function)
        forward.wait()
        ready = time.perf_counter()
        q, v = np.random.default_rng(0).uniform(-1, 1, (2, SAMPLES, n))
        p = compiled.parameters(mechanism, start(mechanism, None).poses)
        peer, tau, u = pinocchio_model(mechanism), np.zeros(n), np.zeros(0)
        theirs, ours = pin.aba(peer.model, peer.data, q[0], v[0], tau), forward(q[0], v[0], u, p)[0]
        assert np.max(np.abs(theirs - ours)) < 1e-7 * np.max(np.abs(theirs))
        calls = {
            "ours": lambda: forward(q, v, u, p, threads=1),
            "aba": lambda: [pin.aba(peer.model, peer.data, q[k], v[k], tau) for k in range(CALLS)],
        }
        return cls(written - begun, ready - written, function.n_instructions(), calls)
