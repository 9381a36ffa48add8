"""The EX800's waves: kinematics, inverse dynamics and the reactions of all joints, against Pinocchio.

Pinocchio has no such analysis for closed loops; this is the quickest that its functions allow in Python. For every
sample: Newton for loops and platform pose (J from `computeJointJacobians`), speeds and accelerations from the same J,
`rnea`, actuator forces and loop forces from one square system, and `rnea` with the loop forces for the reactions.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from unittest import mock

import casadi
import numpy as np
import pinocchio as pin

import poinsot
from poinsot.blas import one_blas_thread
from poinsot.spatial.pose import Pose

from .measure import Table, interleave
from .peer_pinocchio import PinocchioModel, pinocchio_model

OMEGA, SAMPLES, FEW = 3.75, 5000, 200  # [rad/s]
WAVES = {
    "x": lambda t: 0.029 * casadi.sin(OMEGA * t),
    "y": lambda t: 0.029 * casadi.sin(OMEGA * t),
    "z": lambda t: 0.275 + 0.037 * casadi.cos(OMEGA * t),
    "rz": lambda t: np.pi / 3 + 0.029 * casadi.sin(OMEGA * t),
    "rx": 0.0,
    "ry": lambda t: 0.29 * casadi.sin(OMEGA * t),
}
AXES = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


def run() -> Table:
    """Time 5000 samples, and 200 of Pinocchio's, after a check that the forces agree."""
    ex800, t = poinsot.load("ex800"), np.linspace(0.0, 5.0, SAMPLES)
    ours = poinsot.inverse_dynamics(ex800, WAVES, t)
    peer = ClosedPeer(pinocchio_model(ex800), ours.kinematics, ex800)
    forces = peer.run(FEW)
    for k, name in enumerate(ours.forces):
        assert np.max(np.abs(forces[:, k] - ours.forces[name][:FEW])) < 1e-8
    with one_blas_thread(), mock.patch.dict(os.environ, {"POINSOT_THREADS": "1"}):
        times = interleave(
            {
                "Poinsot": lambda: poinsot.inverse_dynamics(ex800, WAVES, t),
                "Poinsot, kinematics alone": lambda: poinsot.kinematics(ex800, WAVES, t),
                "Pinocchio, loop": lambda: peer.run(FEW),
            },
            repeats=7,
        )
    milli = {n: 1e3 * t.best * (SAMPLES / FEW if "Pinocchio" in n else 1) for n, t in times.items()}
    ratio = milli["Pinocchio, loop"] / milli["Poinsot"]
    return Table(
        f"EX800 waves, {SAMPLES} samples: kinematics, inverse dynamics, all reactions (Pinocchio from {FEW})",
        ("what", "ms", "Pinocchio / this"),
        tuple((name, value, milli["Pinocchio, loop"] / value) for name, value in milli.items()),
        ((f"at least 10 × Pinocchio: {ratio:.1f}", ratio >= 10),),
        {f"{name} [ms]": value for name, value in milli.items()},
    )


class ClosedPeer:
    """Inverse dynamics of a closed loop by Pinocchio's functions; the platform's motion is given."""

    def __init__(self, peer: PinocchioModel, moved, mechanism):
        self.model, self.data, self.peer = peer.model, peer.data, peer
        self.platform = peer.model.getFrameId("platform")
        poses = {n: Pose(moved.rotation[n][0], moved.position[n][0]) for n in mechanism.bodies}
        self.start = peer.coordinates({"ground": Pose.identity(), **poses})
        self.X = [pin.SE3(R, p) for R, p in zip(moved.rotation["platform"], moved.position["platform"])]
        self.V = np.hstack([moved.velocity["platform"], moved.angular_velocity["platform"]])
        self.A = np.hstack([moved.acceleration["platform"], moved.angular_acceleration["platform"]])
        self.drives = [peer.speed_index(a.on.joint, a.on.index) for a in mechanism.actuators.values()]
        self.ends = [
            (loop.joint1_id, loop.joint1_placement, loop.joint2_id, loop.joint2_placement) for loop in peer.loops
        ]
        self.frames = []
        for k, (i, X, j, Y) in enumerate(self.ends):
            kind = pin.FrameType.OP_FRAME
            first = self.model.addFrame(pin.Frame(f"loop {k} a", i, X, kind))
            self.frames.append((first, self.model.addFrame(pin.Frame(f"loop {k} b", j, Y, kind))))
        self.data = self.model.createData()
        self.B = np.zeros((self.model.nv, len(self.drives)))
        self.B[self.drives, range(len(self.drives))] = 1.0

    def run(self, count: int) -> np.ndarray:
        """Actuator forces (count, 6) of the first samples; reactions stay in Pinocchio's data."""
        found = []
        for q, v, a, J in self.states(count):
            tau = pin.rnea(self.model, self.data, q, v, a)
            u = np.linalg.solve(np.hstack([self.B, J[:-6].T]), tau)
            self.reactions(q, v, a, u[len(self.drives) :])
            found.append(u[: len(self.drives)])
        return np.array(found)

    def states(self, count: int) -> Iterator[tuple[np.ndarray, ...]]:
        """Coordinates, speeds, accelerations and Jacobian of loops and platform at the first samples."""
        q = self.start.copy()
        for k in range(count):
            q, J = self.closed(q, self.X[k])
            v = np.linalg.solve(J, np.r_[np.zeros(len(J) - 6), self.V[k]])
            pin.forwardKinematics(self.model, self.data, q, v, np.zeros(self.model.nv))
            bias = [self.rate(a) - self.rate(b) for a, b in self.frames]
            drift = pin.getFrameClassicalAcceleration(self.model, self.data, self.platform, AXES).vector
            yield q, v, np.linalg.solve(J, np.r_[-np.concatenate(bias), self.A[k] - drift]), J

    def closed(self, q: np.ndarray, X: pin.SE3) -> tuple[np.ndarray, np.ndarray]:
        """Newton for the loops and the platform's pose; gives the coordinates and the Jacobian there."""
        oMf = self.data.oMf
        for _ in range(20):
            J = self.jacobian(q)
            gaps = [oMf[a].translation - oMf[b].translation for a, b in self.frames]
            here = oMf[self.platform]
            turn = pin.log3(X.rotation @ here.rotation.T)
            gap = np.concatenate([*(-g for g in gaps), X.translation - here.translation, turn])
            if np.max(np.abs(gap)) < 1e-12:
                return q, J
            q = pin.integrate(self.model, q, np.linalg.solve(J, gap))
        raise RuntimeError("Newton did not converge")

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """Of the loops' gaps and of the platform's twist, world axes."""
        pin.computeJointJacobians(self.model, self.data, q)
        pin.updateFramePlacements(self.model, self.data)
        found = {f: pin.getFrameJacobian(self.model, self.data, f, AXES) for f in self.all_frames}
        return np.vstack([*((found[a] - found[b])[:3] for a, b in self.frames), found[self.platform]])

    @property
    def all_frames(self) -> list[int]:
        """Frames at both ends of all loops, and the platform."""
        return [*(f for pair in self.frames for f in pair), self.platform]

    def rate(self, frame: int) -> np.ndarray:
        """Acceleration of a frame's origin, world axes."""
        return pin.getFrameClassicalAcceleration(self.model, self.data, frame, AXES).linear

    def reactions(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray) -> None:
        """Forces across all joints, with the loop forces acting on the bodies at their ends."""
        outside = pin.StdVec_Force()
        for _ in range(self.model.njoints):
            outside.append(pin.Force.Zero())
        for k, ((i, X, j, Y), (a_id, b_id)) in enumerate(zip(self.ends, self.frames)):
            force = lam[3 * k : 3 * k + 3]
            for joint, place, frame, f in ((i, X, a_id, force), (j, Y, b_id, -force)):
                local = self.data.oMf[frame].rotation.T @ f
                outside[joint] += place.act(pin.Force(local, np.zeros(3)))
        pin.rnea(self.model, self.data, q, v, a, outside)
