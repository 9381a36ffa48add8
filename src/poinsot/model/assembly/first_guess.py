"""Poses before assembly: as the file places bodies, else with joints at zero."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from poinsot.elements import GROUND
from poinsot.elements.coordinates import AlongJoint
from poinsot.errors import PoinsotError
from poinsot.model.assembly.open_loops import across
from poinsot.spatial.orientation import along
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import axis_rotation

if TYPE_CHECKING:
    from poinsot.elements.frame import Frame
    from poinsot.model.assembly.topology import Branch
    from poinsot.model.parts import Elements, Placement


def first_guess(
    elements: Elements, branches: Sequence[Branch], values: Mapping[str, float] | None = None
) -> dict[str, Pose]:
    """Poses before assembly: as placed by the file, else carried along the tree with joints at zero."""
    poses = {GROUND: Pose.identity()}
    waiting = dict(elements.placements)
    before = -1
    while len(poses) > before:
        before = len(poses)
        for name in [name for name, placement in waiting.items() if all(f.body in poses for f in needed(placement))]:
            poses[name] = placed(waiting.pop(name), poses)
        for branch in branches:
            if branch.parent in poses and branch.child not in poses and branch.child not in waiting:
                poses[branch.child] = carried(elements, branch, poses[branch.parent], values or {})
                break
    for name, placement in waiting.items():
        missing = next(frame.body for frame in needed(placement) if frame.body not in poses)
        raise PoinsotError(
            f"the placement of '{name}' needs the place of '{missing}': give that body a placement too"
        )
    return {**poses, **{name: Pose.identity() for name in elements.bodies if name not in poses}}


def needed(placement: Placement) -> list[Frame]:
    """Frames on other bodies that must have a place before."""
    return [] if placement.at is None else [placement.at, *(placement.along or ())]


def placed(placement: Placement, poses: Mapping[str, Pose]) -> Pose:
    """Where a placement puts a body, with the frames that it needs in place."""
    if placement.at is None:
        return Pose.identity() if placement.frame is None else placement.frame.pose()

    def point(frame: Frame) -> np.ndarray:
        return np.asarray(poses[frame.body].point(frame.pose().p), float)

    R = np.asarray((poses[placement.at.body] @ placement.at.pose()).R)
    if placement.along is not None:
        z = point(placement.along[1]) - point(placement.along[0])
        if np.linalg.norm(z) > 0:
            flat = axis_rotation("Z", np.arctan2(z[1], z[0]) + placement.turn)
            R = flat if placement.flat else along(z, z).matrix()
    return Pose(R, point(placement.at) + placement.offset * R[:, 0 if placement.flat else 2])


def carried(elements: Elements, branch: Branch, X_WP: Pose, values: Mapping[str, float]) -> Pose:
    """Where a body is behind a joint at zero, or at the value of its coordinate that is given by name."""
    joint = elements.joints[branch.joint]
    q = np.array([1.0 if c.name in ("w", "qw") else 0.0 for c in joint.coordinates])
    for name, value in values.items():
        coordinate = elements.coordinates[name]
        if isinstance(coordinate, AlongJoint) and coordinate.joint == joint.name:
            q[coordinate.index] = value
    return across(joint, branch.reversed, X_WP, joint.motion(q))
