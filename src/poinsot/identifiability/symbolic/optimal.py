"""Optimal parametrisation of a planar mechanism: loops opened at hinges, frames at the joints towards the ground.

Each link's frame moves to the revolute joint by which it hangs on the next link towards the ground; behind a slide it
moves to any other of its revolute joints  (theory/symbols, eq. 9).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from poinsot.elements import GROUND
from poinsot.elements.frame import Frame
from poinsot.elements.joints import Joint
from poinsot.errors import PoinsotError, listing
from poinsot.model.assembly.assembly import assemble
from poinsot.model.mechanism import Mechanism
from poinsot.model.parts import Elements, Placement
from poinsot.spatial.orientation import Quaternion
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import quaternion_from_matrix


@dataclass(frozen=True)
class Opened:
    """A planar mechanism with its loops opened: which joint carries each link, and where its frame goes."""

    parents: dict[str, str]  # body -> body towards the ground
    cut: tuple[str, ...]  # joints at which loops were opened
    origins: dict[str, tuple[str, str]]  # body -> joint and side at which its frame goes; absent: it stays
    bifurcations: tuple[str, ...]  # links joined to more than two others

    @property
    def nearest(self) -> tuple[str, ...]:
        """The link nearest to the ground of every serial chain."""
        return tuple(n for n, parent in self.parents.items() if parent == GROUND or parent in self.bifurcations)


def opened(elements: Elements) -> Opened:
    """Open all loops at revolute joints, or say which condition of the class is not met."""
    _require_class(elements)
    open_joints = [j for j in elements.joints.values() if not (j.is_hinge and j.name in elements.closing)]
    parents, by = _tree(open_joints)
    if len(parents) < len(elements.bodies):
        parents, by = _tree(list(elements.joints.values()))
    cut = [j for j in elements.joints.values() if j.name not in by.values()]
    slides = [j.name for j in cut if not j.is_hinge]
    if slides or len(parents) < len(elements.bodies):
        raise PoinsotError(
            f"the product class needs loops that can be opened at a revolute joint, which those of "
            f"{listing(slides) or 'floating bodies'} cannot: use the method 'transfer'"
        )
    joined = [name for j in elements.joints.values() for name in _ends(j)]
    bifurcations = tuple(name for name in elements.bodies if joined.count(name) > 2)
    return Opened(parents, tuple(j.name for j in cut), _origins(elements, by), bifurcations)


def _tree(joints: list[Joint]) -> tuple[dict[str, str], dict[str, str]]:
    """Parent of every body and the joint to it: nearest to the ground first, slides before hinges."""
    parents: dict[str, str] = {}
    by: dict[str, str] = {}
    depth = {GROUND: 0}
    while True:
        steps = [
            (depth[here] + j.is_hinge, k, here, there, j.name)
            for k, j in enumerate(joints)
            for here, there in (_ends(j), _ends(j)[::-1])
            if here in depth and there not in depth
        ]
        if not steps:
            return parents, by
        far, _, here, there, name = min(steps)
        depth[there], parents[there], by[there] = far, here, name


def _require_class(elements: Elements) -> None:
    if not elements.planar:
        raise PoinsotError("the product class is one of planar mechanisms: use the method 'transfer'")
    other = [f"{j.name} ({j.kind})" for j in elements.joints.values() if not (j.is_hinge or j.is_slide)]
    if other:
        raise PoinsotError(f"the product class knows revolute and prismatic joints, not {listing(other)}")
    if elements.couplings:
        raise PoinsotError(f"the product class knows no couplings, such as {listing(elements.couplings)}")
    inner = [j for j in elements.joints.values() if GROUND not in _ends(j)]
    groups = _groups(elements)
    if len(inner) > len(elements.bodies) - len(groups):
        raise PoinsotError(
            "loops close through the ground: no, there is a loop of moving links only, which is outside the product "
            "class: use the method 'transfer'"
        )


def _ends(joint: Joint) -> tuple[str, str]:
    return joint.a.body, joint.b.body


def _groups(elements: Elements) -> list[set[str]]:
    """Moving bodies that hang together without the ground."""
    groups = [{name} for name in elements.bodies]
    for joint in elements.joints.values():
        if GROUND not in _ends(joint):
            touched = [g for g in groups if g & set(_ends(joint))]
            groups = [g for g in groups if g not in touched] + [set().union(*touched)]
    return groups


def _origins(elements: Elements, by: dict[str, str]) -> dict[str, tuple[str, str]]:
    found = {}
    for body, name in by.items():
        own = [j for j in elements.joints.values() if body in _ends(j) and j.is_hinge]
        carrying = [j for j in own if j.name == name] or own
        if carrying:
            found[body] = carrying[0].name, "a" if carrying[0].a.body == body else "b"
    return found


def moved(
    mechanism: Mechanism, way: Opened, lengths: Callable[[str, np.ndarray], np.ndarray], scale: float = 1.0
) -> Mechanism:
    """The mechanism with its frames moved, all lengths scaled, and points of links changed by `lengths(body, p)`."""
    elements = mechanism.elements
    home = assemble(mechanism).require().poses
    shift = {b: np.array(elements.joints[j].end(side).position, float) for b, (j, side) in way.origins.items()}

    def place(frame: Frame) -> Frame:
        p = scale * (np.array(frame.position, float) - shift.get(frame.body, np.zeros(3)))
        return replace(frame, position=tuple(p if frame.body == GROUND else lengths(frame.body, p)))

    def start(name: str) -> Placement:
        X = home[name] @ Pose(np.eye(3), shift.get(name, np.zeros(3)))
        attitude = Quaternion(tuple(quaternion_from_matrix(np.asarray(X.R))))
        return Placement(frame=Frame(GROUND, "", tuple(scale * np.asarray(X.p)), attitude))

    joints = {name: replace(j, a=place(j.a), b=place(j.b)) for name, j in elements.joints.items()}
    placements = {name: start(name) for name in elements.bodies}
    changed = replace(elements, joints=joints, placements=placements, pose={}, coordinates={})
    return replace(mechanism, template=changed)
