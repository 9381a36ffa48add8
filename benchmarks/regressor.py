"""The regressor of the EX800's leg forces, closed loops included, against Pinocchio.

Pinocchio has no regressor of a closed loop. `computeJointTorqueRegressor` gives that of the tree without its loops,
which is less than was asked for; from it the leg forces follow by eliminating the loop forces, for every sample one
square system with the regressor on its right-hand side. States are given to both.
"""

from __future__ import annotations

import os
from unittest import mock

import numpy as np
import pinocchio as pin

import poinsot
from poinsot.blas import one_blas_thread
from poinsot.identifiability.regressor import evaluate_regressor
from poinsot.identifiability.states import States
from poinsot.motion.kinematics import solve_path

from .inverse import FEW, SAMPLES, WAVES, ClosedPeer
from .measure import Table, interleave
from .peer_pinocchio import pinocchio_model

GOAL = 5  # times faster than the same by Pinocchio's functions


def run() -> Table:
    """Time 5000 samples, and 200 of Pinocchio's, after a check that both give the forces of inverse dynamics."""
    ex800, t = poinsot.load("ex800"), np.linspace(0.0, 5.0, SAMPLES)
    path = solve_path(ex800, WAVES, t)
    states = States(path.system, path.t, path.q, path.v, path.a, path.p, 1.0)
    moved = poinsot.inverse_dynamics(ex800, WAVES, t)
    forces = np.stack(list(moved.forces.values()), axis=1)
    peer = _Peer(ClosedPeer(pinocchio_model(ex800), moved.kinematics, ex800))
    assert np.max(np.abs(evaluate_regressor(ex800, states).values - forces)) < 1e-10
    assert np.max(np.abs(peer.closed() @ peer.parameters - forces[:FEW])) < 1e-8
    with one_blas_thread(), mock.patch.dict(os.environ, {"POINSOT_THREADS": "1"}):
        times = interleave(
            {
                "Poinsot": lambda: evaluate_regressor(ex800, states),
                "Pinocchio, loops eliminated": peer.closed,
                "Pinocchio, the tree without loops": peer.tree,
            },
            repeats=5,
        )
    milli = {n: 1e3 * s.best * (SAMPLES / FEW if "Pinocchio" in n else 1) for n, s in times.items()}
    ours, same, tree = milli.values()
    return Table(
        f"EX800, regressor of 6 leg forces by 130 parameters, {SAMPLES} samples (Pinocchio from {FEW})",
        ("what", "ms", "this / Poinsot"),
        tuple((name, value, value / ours) for name, value in milli.items()),
        (
            (f"at least {GOAL} × Pinocchio with loops: {same / ours:.1f}", same >= GOAL * ours),
            (f"not slower than Pinocchio's tree without them: {tree / ours:.2f}", tree >= ours),
        ),
        {f"{name} [ms]": value for name, value in milli.items()},
    )


class _Peer:
    """Regressors by Pinocchio's functions at the first samples."""

    def __init__(self, peer: ClosedPeer):
        self.peer, self.model, self.data = peer, peer.model, peer.data
        self.states = [(q.copy(), v, a) for q, v, a, _ in peer.states(FEW)]
        self.parameters = np.concatenate([x.toDynamicParameters() for x in list(self.model.inertias)[1:]])

    def tree(self) -> None:
        """Torques of all joints of the tree."""
        for q, v, a in self.states:
            pin.computeJointTorqueRegressor(self.model, self.data, q, v, a)

    def closed(self) -> np.ndarray:
        """Leg forces (n, 6, k): loop forces eliminated."""
        found = []
        for q, v, a in self.states:
            J = self.peer.jacobian(q)
            W = pin.computeJointTorqueRegressor(self.model, self.data, q, v, a)
            found.append(np.linalg.solve(np.hstack([self.peer.B, J[:-6].T]), W)[: self.peer.B.shape[1]])
        return np.array(found)
