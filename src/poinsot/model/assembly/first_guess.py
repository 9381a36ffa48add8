"""Poses before assembly: as the file places bodies, else with joints at zero."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from poinsot.elements import GROUND
from poinsot.elements.coordinates import AlongJoint
from poinsot.errors import PoinsotError
from poinsot.model.assembly.branches import not_bridged
from poinsot.model.assembly.open_loops import across
from poinsot.spatial.orientation import along
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import axis_rotation

if TYPE_CHECKING:
    from poinsot.elements.frame import Frame
    from poinsot.model.assembly.topology import Branch
    from poinsot.model.parts import Elements, Placement

TURNS = 24  # tried about the line that a body lies along


def first_guess(
    elements: Elements, branches: Sequence[Branch], values: Mapping[str, float] | None = None
) -> dict[str, Pose]:
    """Poses before assembly: as placed by the file, else carried along the tree with joints at zero."""
    poses = {GROUND: Pose.identity()}
    waiting = dict(elements.placements)
    before = -1
    while len(poses) > before:
        before = len(poses)
        for name in [name for name, placement in waiting.items() if all(f.body in poses for f in _needed(placement))]:
            poses[name] = _placed(waiting.pop(name), poses)
        for branch in branches:
            if branch.parent in poses and branch.child not in poses and branch.child not in waiting:
                poses[branch.child] = _carried(elements, branch, poses[branch.parent], values or {})
                break
    for name, placement in waiting.items():
        missing = next(frame.body for frame in _needed(placement) if frame.body not in poses)
        raise PoinsotError(
            f"the placement of '{name}' needs the place of '{missing}': give that body a placement too"
        )
    return {**poses, **{name: Pose.identity() for name in elements.bodies if name not in poses}}


def turned_about_lines(elements: Elements, poses: Mapping[str, Pose]) -> dict[str, Pose]:
    """The same with every body that is only placed along a line turned about it as its joints need; empty if none is.

    Bodies are turned in the order of the file; joints with bodies that come later have no say.
    """
    open_turns = [name for name, p in elements.placements.items() if p.along is not None and not p.flat]
    settled = {name: X for name, X in poses.items() if name not in open_turns}
    for name in open_turns:
        beside = [j for j in elements.joints.values() if j.carries and {j.a.body, j.b.body} <= {name, *settled}]
        joints = [joint for joint in beside if name in (joint.a.body, joint.b.body)]
        about = [axis_rotation("Z", angle) for angle in np.linspace(0, 2 * np.pi, TURNS, endpoint=False)]
        candidates = [Pose(poses[name].R @ R, poses[name].p) for R in about]
        settled[name] = min(candidates, key=lambda X: sum(not_bridged(j, {**settled, name: X}) for j in joints))
    return {name: settled[name] for name in poses} if open_turns else {}


def _needed(placement: Placement) -> list[Frame]:
    """Frames on other bodies that must have a place before."""
    return [] if placement.at is None else [placement.at, *(placement.along or ())]


def _placed(placement: Placement, poses: Mapping[str, Pose]) -> Pose:
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


def _carried(elements: Elements, branch: Branch, X_WP: Pose, values: Mapping[str, float]) -> Pose:
    joint = elements.joints[branch.joint]
    q = np.array([1.0 if c.name in ("w", "qw") else 0.0 for c in joint.coordinates])
    for name, value in values.items():
        coordinate = elements.coordinates[name]
        if isinstance(coordinate, AlongJoint) and coordinate.joint == joint.name:
            q[coordinate.index] = value
    return across(joint, branch.reversed, X_WP, joint.motion(q))
