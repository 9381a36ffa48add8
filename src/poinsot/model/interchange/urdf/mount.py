"""URDF in: joint coordinates that close the loops of the sidecar, found from zero.

A URDF with a sidecar need not be closed at zero, and a weld that starts half a turn off has a false solution there.
So the tree is mounted first, by damped least squares on

    e = (p_AB, log R_AB)        for a common frame, p_AB alone for a common point

in the coordinates of hinges and slides; the result is where the assembly starts.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poinsot.model.interchange.urdf.sidecar import Sidecar
from poinsot.model.interchange.urdf.tree import UrdfJoint, UrdfTree
from poinsot.spatial.algebra import unit
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import rotation_exponential, rotation_logarithm

TypeOf = Callable[[UrdfJoint], str]
STEP, LONGEST, STEPS = 1e-6, 0.3, 200  # of differences, of one correction, and how many


def link_poses(tree: UrdfTree, type_of: TypeOf, q: dict[str, float]) -> dict[str, Pose]:
    """Poses X_WL of all links for coordinates of hinges and slides; what is not given is zero."""
    poses = {tree.root: Pose.identity()}
    for link in list(tree.links)[1:]:
        joint = tree.carrier[link]
        poses[link] = poses[joint.parent] @ joint.origin() @ _moved(joint, type_of(joint), q.get(joint.name, 0.0))
    return poses


def _moved(joint: UrdfJoint, joint_type: str, value: float) -> Pose:
    u = unit(np.array(joint.axis)) if any(joint.axis) else np.zeros(3)
    if joint_type == "revolute":
        return Pose(rotation_exponential(value * u), np.zeros(3))
    return Pose(np.eye(3), value * u if joint_type == "prismatic" else np.zeros(3))


def mounted(tree: UrdfTree, type_of: TypeOf, sidecar: Sidecar) -> dict[str, float]:
    """Coordinates that close the loops; empty when zero does, or when none are found."""
    names = [name for name, joint in tree.joints.items() if type_of(joint) in ("revolute", "prismatic")]
    loops = [(tree.link(a), tree.link(b), loop) for a, b, loop in sidecar.loops]
    if not loops or not names:
        return {}
    size = max([float(np.linalg.norm(joint.xyz)) for joint in tree.joints.values()] + [1e-9])
    q = np.zeros(len(names))
    for step in range(STEPS):
        gaps = _gaps(tree, type_of, loops, names, q)
        error = np.concatenate([_change(Pose.identity(), gap, loop, size) for gap, (*_, loop) in zip(gaps, loops)])
        if np.max(np.abs(error)) < 1e-10:
            return dict(zip(names, q)) if step else {}
        J = np.zeros((len(error), len(names)))
        for i in range(len(names)):
            shifted = _gaps(tree, type_of, loops, names, q + STEP * np.eye(len(names))[i])
            change = [_change(gap, new, loop, size) for gap, new, (*_, loop) in zip(gaps, shifted, loops)]
            J[:, i] = np.concatenate(change) / STEP
        damped = np.vstack([J, 1e-4 * min(1.0, np.linalg.norm(error)) * np.eye(len(names))])
        move = np.linalg.lstsq(damped, -np.concatenate([error, np.zeros(len(names))]), rcond=None)[0]
        q = q + move * min(1.0, LONGEST / max(np.max(np.abs(move)), 1e-300))
    return {}


def _gaps(tree: UrdfTree, type_of: TypeOf, loops: list, names: list[str], q: np.ndarray) -> list[Pose]:
    """X_AB across every closure."""
    poses = link_poses(tree, type_of, dict(zip(names, q)))
    return [poses[a].inverse() @ poses[b] for a, b, _ in loops]


def _change(gap: Pose, new: Pose, loop: str, size: float) -> np.ndarray:
    """Change of the error, with the turn taken from one attitude to the next: continuous through half a turn."""
    p = (new.p - gap.p) / size
    return p if loop == "3d" else np.concatenate([p, rotation_logarithm(gap.R.T @ new.R)])
