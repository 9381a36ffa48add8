"""Candidates and steps of a search on the EX800's leg forces, against re-evaluating with Pinocchio.

A candidate is the platform's mass and two inertias; its cost is over 500 samples of six leg forces. Pinocchio sets
the inertias and runs `rnea` for every sample, states and loop Jacobians being given to it: the least that it must do.
A step of Levenberg and Marquardt needs three candidates more, by differences; ours has exact derivatives.
"""

from __future__ import annotations

import os
from unittest import mock

import numpy as np
import pinocchio as pin

import poinsot
from poinsot.blas import one_blas_thread
from poinsot.estimate.problem import linear_problem
from poinsot.estimate.problems.forces import ForceResiduals, force_space
from poinsot.estimate.search.registry import SEARCHES
from poinsot.estimate.solution import rows_and_steps
from poinsot.estimate.study import study_of
from poinsot.estimate.unknowns import unknowns_in

from .inverse import FEW, WAVES, ClosedPeer
from .measure import Table, interleave
from .peer_pinocchio import pinocchio_model

SAMPLES, CANDIDATES = 500, 10_000
UNKNOWNS = {
    "platform.mass": {"bounds": [0, 10]},
    "Ixx": {"parameters": ["platform.inertia.xx", "platform.inertia.yy"], "bounds": [-1, 1]},
    "platform.inertia.zz": {"bounds": [-1, 1]},
}
TRUE = {"platform.mass": 6.8369, "platform.inertia.xx": 0.041585, "platform.inertia.yy": 0.041585}
TRUE |= {"platform.inertia.zz": 0.0829623}
HEAVY = {name: 1.1 * value for name, value in TRUE.items()}


def run() -> Table:
    """Time a batch of candidates, one candidate, a step and a whole swarm, after a check that costs agree."""
    problem, moved, ex800 = _problem()
    peer = _Peer(ClosedPeer(pinocchio_model(ex800), moved.kinematics, ex800), ex800)
    space = problem.space
    rng = np.random.default_rng(0)
    P = space.lower + rng.random((CANDIDATES, 3)) * (space.upper - space.lower)
    with one_blas_thread(), mock.patch.dict(os.environ, {"POINSOT_THREADS": "1"}):
        times = interleave(
            {
                "Poinsot, batch": lambda: problem.costs(P),
                "Poinsot, residuals": lambda: problem.residuals(space.start),
                "Poinsot, step": lambda: (problem.residuals(space.start), problem.jacobian(space.start)),
                "Poinsot, swarm": lambda: SEARCHES["swarm"](iterations=30, polish=False).solve(problem),
                "Pinocchio, candidate": lambda: peer.cost(1.0),
            },
            repeats=5,
        )
    micro = {
        "a candidate of 10⁴ in one batch": 1e6 * times["Poinsot, batch"].best / CANDIDATES,
        "a candidate of a swarm, pymoo included": 1e6 * times["Poinsot, swarm"].best / 900,
        "residuals of one candidate": 1e6 * times["Poinsot, residuals"].best,
        "residuals and exact derivatives": 1e6 * times["Poinsot, step"].best,
    }
    theirs = 1e6 * times["Pinocchio, candidate"].best * SAMPLES / FEW
    per = {name: (4 if "derivatives" in name else 1) * theirs / value for name, value in micro.items()}
    batch = per["a candidate of 10⁴ in one batch"]
    return Table(
        f"EX800, cost of {SAMPLES} samples of 6 leg forces (Pinocchio from {FEW}: {theirs:.0f} µs a candidate)",
        ("what", "µs", "Pinocchio / this"),
        tuple((name, value, per[name]) for name, value in micro.items()),
        ((f"candidates in a batch at least 100 × Pinocchio: {batch:.0f}", batch >= 100),),
        {f"{name} [µs]": value for name, value in micro.items()} | {"Pinocchio, a candidate [µs]": theirs},
    )


def _problem():
    """Leg forces of the waves as the problem of a search, and the motion."""
    ex800, t = poinsot.load("ex800"), np.linspace(0, 5, SAMPLES)
    moved = poinsot.inverse_dynamics(ex800, WAVES, t)
    values = {name: moved.kinematics.coordinates[name] for name in WAVES} | dict(moved.forces)
    study = study_of(
        ex800, poinsot.Recording.of(t, values), UNKNOWNS, None, processing={"cutoff": 20.0, "rate": 100.0}
    )
    asked = unknowns_in(study, study.unknowns)
    runs, _ = rows_and_steps(study, asked)
    linear = linear_problem(asked, runs, np.ones(runs[0].y.shape[1]))
    problem = ForceResiduals(force_space(linear), linear, linear.scale)
    true = np.array([6.8369, 0.041585, 0.0829623])
    assert np.sqrt(problem.costs(true[None])[0] / runs[0].y.size) < 1e-2 * np.std(runs[0].y)
    return problem, moved, ex800


class _Peer:
    """Costs of candidates by Pinocchio at the first samples, states and Jacobians of loops known."""

    def __init__(self, peer: ClosedPeer, ex800: poinsot.Mechanism):
        self.peer = peer
        self.known = [(q.copy(), v, a, np.hstack([peer.B, J[:-6].T])) for q, v, a, J in peer.states(FEW)]
        of = peer.peer
        self.pieces = [joint for name, (joint, _) in of.place.items() if of.body_of.get(name, name) == "platform"]
        self.inertias = [pin.Inertia(peer.model.inertias[k]) for k in self.pieces]
        heavy = poinsot.inverse_dynamics(ex800.with_parameters(HEAVY), WAVES, np.linspace(0, 5, SAMPLES))
        self.forces = np.stack(list(heavy.forces.values()), axis=1)[:FEW]
        assert self.cost(1.1) < 1e-12 * np.sum(self.forces**2) < 1e-3 * self.cost(1.0)

    def cost(self, heavier: float) -> float:
        """Sum of squared differences from leg forces, for a platform of so many times its mass and inertia."""
        model, data = self.peer.model, self.peer.data
        for k, I in zip(self.pieces, self.inertias):
            model.inertias[k] = pin.Inertia(heavier * I.mass, I.lever, heavier * I.inertia)
        found = 0.0
        for (q, v, a, A), u in zip(self.known, self.forces):
            found += np.sum((np.linalg.solve(A, pin.rnea(model, data, q, v, a))[:6] - u) ** 2)
        return found
