"""Loads and reactions as arrows, mass centres as balls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from poinsot.app.scene.palette import DRIVEN, REACTION
from poinsot.app.scene.primitives import Arrow, Ball, Colour, Primitive
from poinsot.app.scene.sizes import Measures
from poinsot.model.mechanism import Mechanism
from poinsot.spatial.pose import Pose

LONGEST = 0.25  # arrow over the machine's extent
FRONT = 3.0  # radii of a link, by which arrows are before a planar machine


def load_arrows(mechanism: Mechanism, poses: Mapping[str, Pose], sizes: Measures) -> Iterator[Arrow]:
    """Forces of all loads, the largest a quarter of the machine long: in the axes of the world, or of their body."""
    forces = {}
    for name, load in mechanism.loads.items():
        X_WB, X_BF = poses[load.at.body], load.at.pose()
        R = X_BF.R if load.follows else (X_WB @ X_BF).R
        forces[name] = R @ np.asarray(load.wrench(X_WB).f, float)
    for name, vector in scaled(forces, sizes).items():
        load = mechanism.loads[name]
        X = _foot(mechanism, load.at.pose(), sizes)
        yield Arrow(name, load.at.body, "loads", DRIVEN, X, vector=vector, turns=load.follows)


def reaction_arrows(
    mechanism: Mechanism, forces: Mapping[str, np.ndarray], sizes: Measures, greatest: float | None = None
) -> Iterator[Arrow]:
    """Reactions (3,) [N] on the second body of every joint, in the world's axes, at the joint.

    `greatest` [N] is drawn a quarter of the machine long; by default the greatest of these.
    """
    finite = {name: f for name, f in forces.items() if np.all(np.isfinite(f))}
    for name, vector in scaled(finite, sizes, greatest).items():
        joint = mechanism.joints[name]
        X = _foot(mechanism, joint.frame_on_b(), sizes)
        yield Arrow(name, joint.b.body, "reactions", REACTION, X, vector=vector)


def _foot(mechanism: Mechanism, X: Pose, sizes: Measures) -> Pose:
    """Where an arrow begins, in the body; on a planar machine in front of its links and joints."""
    front = np.array([0.0, 0.0, FRONT * sizes.radius if mechanism.planar else 0.0])
    return Pose(np.eye(3), np.asarray(X.p, float) + front)


def scaled(
    forces: Mapping[str, np.ndarray], sizes: Measures, greatest: float | None = None
) -> dict[str, tuple[float, float, float]]:
    """Arrows (3,) [m] of forces [N]: the greatest is a quarter of the machine long; those of nothing are left out."""
    most = greatest or max((float(np.linalg.norm(f)) for f in forces.values()), default=0.0)
    found = {}
    for name, f in forces.items():
        if most > 0 and np.linalg.norm(f) > 1e-3 * most:
            x, y, z = (float(c) for c in f * (LONGEST * sizes.extent / most))
            found[name] = (x, y, z)
    return found


def mass_centres(mechanism: Mechanism, sizes: Measures, colours: Mapping[str, Colour]) -> Iterator[Primitive]:
    """A ball in every mass centre; its volume grows with the mass."""
    masses = {name: float(body.mass) for name, body in mechanism.bodies.items() if float(body.mass) > 0}
    most = max(masses.values(), default=1.0)
    for name, mass in masses.items():
        radius = sizes.radius * float(np.clip((mass / most) ** (1 / 3), 0.3, 1.0)) * 1.5
        X = Pose(np.eye(3), np.asarray(mechanism.bodies[name].com, float))
        yield Ball(name, name, "mass centres", colours[name], X, radius=radius)
