"""Hinges, slides and balls in a row, recognised as one joint of a model file where there is one.

MuJoCo moves a body by its joints in turn, X_PB = X₀ E₁(q₁ − ref₁) E₂(q₂ − ref₂) …, each about an axis u through a
point, both fixed in the body. Frames a on the parent and b on the body are chosen such that the joint's coordinates
are MuJoCo's qpos, ref included.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from poinsot.model.interchange.cut_bodies import listed, place
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import axis_rotation, rotation_exponential

FREE, BALL, SLIDE, HINGE = 0, 1, 2, 3  # mjtJoint
NEAR = 1e-9  # how exactly axes must be parallel or perpendicular, and points (relative to 1 m) together


@dataclass(frozen=True, eq=False)
class MjJoint:
    """One hinge, slide, ball or free joint of a body."""

    index: int
    name: str
    type: int
    pos: np.ndarray  # in the body  [m]
    axis: np.ndarray  # in the body  [-]
    ref: float  # coordinate at qpos0
    screw: tuple[float, float] | None = None  # slide coupled to the next turn: offset [m], advance per radian


@dataclass(frozen=True, eq=False)
class Recognised:
    """A joint of a model file: type, frames on its sides a and b, options, and the coordinate of every MjJoint."""

    type: str
    a: Pose
    b: Pose
    coordinates: tuple[str | None, ...]  # None: not a coordinate that anything can act along
    axis: np.ndarray | None = None
    lead: float | None = None
    backwards: bool = False  # side a is on the body, side b on its parent

    def spec(self, parent: str, body: str) -> dict[str, Any]:
        """The joint's table in a model file."""
        a, b = (body, parent) if self.backwards else (parent, body)
        out: dict[str, Any] = {"type": self.type, "between": [place(a, self.a), place(b, self.b)]}
        if self.axis is not None:
            out["axis"] = listed(self.axis)
        if self.lead is not None:
            out["lead"] = self.lead
        return out


def recognise(X0: Pose, joints: list[MjJoint]) -> Recognised | None:
    """The one joint that the joints of a body make together; None when no joint type does.

    Where their names tell ("foot.angle2" before "foot.angle1") the joint runs from the body to its parent.
    """
    labels = tuple(joint.name.rpartition(".")[2] for joint in joints) if stem([j.name for j in joints]) else ()
    forward = _recognise(X0, joints)
    if forward is None or _fits(labels, forward.coordinates):
        return forward if forward is not None else _backwards(X0, joints)
    backward = _backwards(X0, joints)
    return backward if backward is not None and _fits(labels, backward.coordinates) else forward


def stem(names: list[str]) -> str:
    """What names of one joint's parts have in common: "foot" for "foot.angle1" and "foot.angle2"."""
    stems = {name.rpartition(".")[0] for name in names}
    return stems.pop() if len(names) > 1 and len(stems) == 1 else ""


def _fits(labels: tuple[str, ...], coordinates: tuple[str | None, ...]) -> bool:
    return not labels or all(c is None or label == c for label, c in zip(labels, coordinates))


def _backwards(X0: Pose, joints: list[MjJoint]) -> Recognised | None:
    """The same chain seen from the body: X_BP = X₀⁻¹ … E₂ E₁ with axes turned round and carried over to P."""
    turned = [replace(j, axis=-X0.R @ j.axis, pos=X0.point(j.pos)) for j in reversed(joints)]
    found = _recognise(X0.inverse(), turned)
    return found and replace(found, coordinates=found.coordinates[::-1], backwards=True)


def laws_into(spec: dict[str, Any], laws: dict[str, Any], coordinate: str | None) -> None:
    """Set laws of a joint, those of one coordinate where it has several; "friction.coulomb" is a table in a table."""
    for key, value in laws.items():
        table, _, inner = key.partition(".")
        target = spec.setdefault(table, {}) if inner else spec
        value = value if coordinate is None else {**target.get(inner or key, {}), coordinate: value}
        target[inner or key] = value


def _recognise(X0: Pose, joints: list[MjJoint]) -> Recognised | None:
    kinds = tuple(joint.type for joint in joints)
    makers = {
        (SLIDE, HINGE): _cylindrical,
        (HINGE, SLIDE): _cylindrical,
        (HINGE, HINGE): _universal,
        (SLIDE, SLIDE, HINGE): _planar,
        (SLIDE, BALL): _point_on_line,
        (SLIDE, SLIDE, SLIDE, BALL): _floating,
    }
    if len(joints) < 2:
        return _single(X0, joints)
    return makers[kinds](X0, joints) if kinds in makers else None


def _at(p: np.ndarray) -> Pose:
    return Pose(np.eye(3), p)


def _single(X0: Pose, joints: list[MjJoint]) -> Recognised | None:
    """A joint of one motion, or of none."""
    if not joints:
        return Recognised("fixed", X0, Pose.identity(), ())
    u, ref, pos, motion = joints[0].axis, joints[0].ref, joints[0].pos, joints[0].type
    if motion == FREE:
        return Recognised("free", Pose.identity(), Pose.identity(), (None,))
    if motion == BALL:
        return Recognised("spherical", X0 @ _at(pos), _at(pos), (None,))
    if motion == SLIDE:
        return Recognised("prismatic", X0 @ _at(pos - ref * u), _at(pos), ("displacement",), u)
    if motion == HINGE:
        return Recognised("revolute", X0 @ Pose(rotation_exponential(-ref * u), pos), _at(pos), ("angle",), u)
    return None


def _cylindrical(X0: Pose, joints: list[MjJoint]) -> Recognised | None:
    """Slide and turn on one axis; a screw where MuJoCo couples the two."""
    slide, hinge = sorted(joints, key=lambda joint: joint.type)
    u = hinge.axis
    if np.linalg.norm(slide.axis - u) > NEAR:
        return None
    names = {SLIDE: "displacement", HINGE: "angle"}
    if slide.screw is not None:
        offset, lead = slide.screw
        start = hinge.pos + (offset - lead * hinge.ref) * u
        coordinates = tuple(None if joint.type == SLIDE else "angle" for joint in joints)
        a = X0 @ Pose(rotation_exponential(-hinge.ref * u), start)
        return Recognised("helical", a, _at(hinge.pos), coordinates, u, lead)
    a = X0 @ Pose(rotation_exponential(-hinge.ref * u), hinge.pos - slide.ref * u)
    return Recognised("cylindrical", a, _at(hinge.pos), tuple(names[joint.type] for joint in joints), u)


def _universal(X0: Pose, joints: list[MjJoint]) -> Recognised | None:
    """Two perpendicular turns whose axes meet: x_F = u₁ and y_M = u₂, with R_FM = R_x(ref₁) R_y(ref₂) at qpos0."""
    first, second = joints
    u1, u2, way = first.axis, second.axis, second.pos - first.pos
    centre = first.pos + (way @ u1) * u1
    if abs(u1 @ u2) > NEAR or np.linalg.norm(second.pos - (way @ u2) * u2 - centre) > NEAR:
        return None
    w = np.cross(u1, u2)
    c, s = np.cos(second.ref), np.sin(second.ref)
    R_BM = np.column_stack([c * u1 - s * w, u2, s * u1 + c * w])
    R_FM = axis_rotation("X", first.ref) @ axis_rotation("Y", second.ref)
    a = X0 @ Pose(R_BM @ R_FM.T, centre)
    return Recognised("universal", a, Pose(R_BM, centre), ("angle1", "angle2"))


def _axes(*axes: np.ndarray) -> np.ndarray | None:
    """Right-handed orthogonal axes as a rotation, if they are."""
    S = np.column_stack(axes)
    return S if np.max(np.abs(S.T @ S - np.eye(3))) < NEAR and np.linalg.det(S) > 0 else None


def _planar(X0: Pose, joints: list[MjJoint]) -> Recognised | None:
    """Two slides and a turn about their normal: x_F, y_F along the slides."""
    S = _axes(*(joint.axis for joint in joints))
    if S is None:
        return None
    x, y, hinge = joints
    a = X0 @ Pose(S, hinge.pos - x.ref * x.axis - y.ref * y.axis)
    b = Pose(S @ axis_rotation("Z", hinge.ref), hinge.pos)
    return Recognised("planar", a, b, ("x", "y", "angle"))


def _point_on_line(X0: Pose, joints: list[MjJoint]) -> Recognised:
    slide, ball = joints
    a = X0 @ _at(ball.pos - slide.ref * slide.axis)
    return Recognised("point-on-line", a, _at(ball.pos), ("displacement", None), slide.axis)


def _floating(X0: Pose, joints: list[MjJoint]) -> Recognised | None:
    S, ball = _axes(*(joint.axis for joint in joints[:3])), joints[3]
    if S is None:
        return None
    start = ball.pos - sum(joint.ref * joint.axis for joint in joints[:3])
    return Recognised("free", X0 @ Pose(S, start), Pose(S, ball.pos), ("px", "py", "pz", None))
