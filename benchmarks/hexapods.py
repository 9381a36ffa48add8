"""Hexapods to measure with, and the same states for Poinsot, Pinocchio and MuJoCo.

The hexapod of the library has a cross at both ends of every leg and a cylindrical joint in it; its rods have no
inertia about their axis. So a ball at the platform and a prismatic joint give the platform the same motion, with
fewer coordinates and closures that Pinocchio and MuJoCo have themselves. Both are measured: peers get their best.
"""

from __future__ import annotations

import copy
import tempfile
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import casadi
import numpy as np

import poinsot
from poinsot.model.mechanism import Mechanism, build
from poinsot.motion.kinematics import Kinematics
from poinsot.spatial.pose import Pose
from poinsot.system.functions import forward
from poinsot.system.system import System

__all__ = ["Case", "moving", "swaying", "with_balls"]


@dataclass(frozen=True, eq=False)
class Case:
    """A mechanism in motion: N states in its own coordinates, and in those of peers where asked."""

    mechanism: Mechanism
    system: System
    kinematics: Kinematics
    q: np.ndarray  # (N, nq)
    v: np.ndarray  # (N, nv)
    u: np.ndarray  # (N, nu)  [N]
    p: np.ndarray  # parameters

    @property
    def forward(self) -> Any:
        """The compiled forward dynamics (q, v, u, p) -> v̇, λ, check, once its code is optimised."""
        found = forward(self.system)
        found.wait()
        return found

    def forces(self, k: int) -> dict[str, float]:
        """Of the actuators in state k  [N]."""
        return dict(zip(self.system.commands, self.u[k]))

    def pinocchio(self, count: int) -> tuple[Any, list[tuple[np.ndarray, np.ndarray, np.ndarray]]]:
        """Pinocchio's model and (q, v, tau) of the first states."""
        from .peer_pinocchio import pinocchio_model

        peer, states, moved = pinocchio_model(self.mechanism), [], self.kinematics
        for k in range(count):
            poses = {n: Pose(moved.rotation[n][k], moved.position[n][k]) for n in self.mechanism.bodies}
            q = peer.coordinates({"ground": Pose.identity(), **poses})
            twists = [np.r_[moved.velocity[n][k], moved.angular_velocity[n][k]] for n in peer.body_of.values()]
            v = np.linalg.lstsq(peer.jacobian(q), np.concatenate(twists), rcond=1e-12)[0]
            states.append((q, v, peer.torques(v, self.forces(k))))
        return peer, states

    def mujoco(self, k: int) -> Any:
        """MuJoCo's terms in state k."""
        from .peer_mujoco import MujocoTerms

        with tempfile.TemporaryDirectory() as directory, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about aids where there is no inertia
            poinsot.write_mjcf(self.mechanism, Path(directory) / "model.xml")
            peer = MujocoTerms(self.mechanism, Path(directory) / "model.xml")
        moved = self.kinematics
        peer.place(*({n: x[k] for n, x in by.items()} for by in (moved.position, moved.rotation)))
        peer.move(*({n: x[k] for n, x in by.items()} for by in (moved.velocity, moved.angular_velocity)))
        peer.accelerations(self.forces(k))
        return peer


def with_balls(mechanism: Mechanism) -> Mechanism:
    """The hexapod with a prismatic joint in every leg and a ball at the platform."""
    document = copy.deepcopy(dict(mechanism.document))
    joints = document["components"]["leg"]["joints"]
    joints["slide"]["type"] = "prismatic"
    joints["head"] = {"type": "spherical", "between": joints["head"]["between"]}
    return build(document, mechanism.name)


def swaying(mechanism: Mechanism, rng: np.random.Generator) -> Mapping[str, Any]:
    """A motion of a platform's pose: 3 cm and 0.2 rad at random frequencies."""
    sizes, rates = (0.03, 0.03, 0.03, 0.2, 0.2, 0.2), rng.uniform(1.0, 3.0, 6)

    def law(s: float, size: float, rate: float) -> Any:
        return lambda t: s + size * casadi.sin(rate * t)

    return {n: law(float(s), a, w) for (n, s), a, w in zip(mechanism.elements.pose.items(), sizes, rates)}


def moving(mechanism: Mechanism, count: int, seed: int = 0) -> Case:
    """States along a motion with random forces."""
    rng = np.random.default_rng(seed)
    moved = poinsot.kinematics(mechanism, swaying(mechanism, rng), np.linspace(0.0, count / 40, count))
    path = moved.path
    u = 8.5 + rng.normal(size=(count, len(path.system.commands)))
    return Case(mechanism, path.system, moved, path.q, path.v, u, path.p)
