"""URDF in: joint coordinates that close the loops of the sidecar, found from zero.

A URDF with a sidecar need not be closed at zero, and a weld that starts half a turn off has a false solution there.
So the tree is mounted first, by damped least squares on

    e = (p_AB, log R_AB)        for a common frame, p_AB alone for a common point

in the coordinates of hinges and slides; the result is where the assembly starts.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

import numpy as np

from poinsot.model.interchange.urdf.sidecar import Sidecar
from poinsot.model.interchange.urdf.tree import UrdfJoint, UrdfTree
from poinsot.spatial.algebra import unit
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import rotation_exponential, rotation_logarithm

TypeOf = Callable[[UrdfJoint], str]
LONGEST, STEPS = 0.3, 200  # of one correction, and how many
STALLED = 30, 0.99  # no further step where the gap is nearly what it was so many before
_progress = logging.getLogger("poinsot.progress")


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
    chains = {link: _chain(tree, link) for a, b, _ in loops for link in (a, b)}
    q, sizes = np.zeros(len(names)), []
    for step in range(STEPS):
        poses = link_poses(tree, type_of, dict(zip(names, q)))
        parts = [_closure(tree, type_of, poses, names, chains, loop, size) for loop in loops]
        error, J = (np.concatenate(part) for part in zip(*parts))
        sizes.append(float(np.linalg.norm(error)))
        if np.max(np.abs(error)) < 1e-10:
            return dict(zip(names, q)) if step else {}
        if step > STALLED[0] and sizes[-1] > STALLED[1] * sizes[-1 - STALLED[0]]:
            return {}
        if step and not step % 10:
            _progress.info("closing %d loops, step %d, open by %.1e", len(loops), step, sizes[-1])
        damped = np.vstack([J, 1e-4 * min(1.0, sizes[-1]) * np.eye(len(names))])
        move = np.linalg.lstsq(damped, -np.concatenate([error, np.zeros(len(names))]), rcond=None)[0]
        q = q + move * min(1.0, LONGEST / max(np.max(np.abs(move)), 1e-300))
    return {}


def _chain(tree: UrdfTree, link: str) -> set[str]:
    """Joints between the root and a link."""
    found = set()
    while link in tree.carrier:
        found.add(tree.carrier[link].name)
        link = tree.carrier[link].parent
    return found


def _closure(
    tree: UrdfTree, type_of: TypeOf, poses: dict[str, Pose], names: list[str], chains: dict, loop: tuple, size: float
) -> tuple[np.ndarray, np.ndarray]:
    """What one closure of links A and B leaves open, p_AB and the turn in B, and its change by every joint.

    A joint with axis u through o that carries B alone moves it by u × (p_B − o), or u; one that carries A alone moves
    the gap the other way.
    """
    a, b, form = loop
    X_AB, R_WA, R_WB = poses[a].inverse() @ poses[b], poses[a].R, poses[b].R
    J = np.zeros((6, len(names)))
    for i, name in enumerate(names):
        sign = (name in chains[b]) - (name in chains[a])
        if sign:
            joint = tree.joints[name]
            X_WC = poses[joint.child]
            u = X_WC.R @ unit(np.array(joint.axis)) if any(joint.axis) else np.zeros(3)
            turns = type_of(joint) == "revolute"
            J[:3, i] = sign * R_WA.T @ (np.cross(u, poses[b].p - X_WC.p) if turns else u) / size
            J[3:, i] = sign * R_WB.T @ u if turns else 0.0
    error = np.concatenate([X_AB.p / size, rotation_logarithm(X_AB.R)])
    count = 3 if form == "3d" else 6
    return error[:count], J[:count]
