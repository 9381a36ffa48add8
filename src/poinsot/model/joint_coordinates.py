"""Coordinates of joints by the joints' names: usable wherever a coordinate of the model file is.

A joint with one freedom is its own coordinate ("A", or in full "A.angle"); one with more has a name for each
("A.angle1", "A.px"). Attitudes of balls and floating bodies are three angles "A.rx", "A.ry", "A.rz" of frame b seen
from frame a, R_FM = R_x(rx) R_y(ry) R_z(rz); in a planar mechanism the one angle "A.rz" (theory/coordinates, eq. 6).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from poinsot.elements.coordinates import AlongJoint, Angle, Coordinate

if TYPE_CHECKING:
    from poinsot.elements.joints import Joint


class NamedCoordinates(dict[str, Coordinate]):
    """Coordinates that the model file names, which it lists, and those of joints, which it also knows."""

    def __init__(self, declared: Mapping[str, Coordinate], joints: Mapping[str, Joint], planar: bool):
        super().__init__(declared)
        self._joints, self._planar = joints, planar

    @cached_property
    def of_joints(self) -> dict[str, Coordinate]:
        """Those of joints by every name that they have and no declared one has."""
        found = {}
        for name, joint in self._joints.items():
            parts = joint_parts(joint, self._planar)
            found |= {f"{name}.{part}": c for part, c in parts.items()}
            if len(parts) == 1:
                (found[name],) = parts.values()
        return {name: c for name, c in found.items() if not dict.__contains__(self, name)}

    def __contains__(self, name: object) -> bool:
        return dict.__contains__(self, name) or name in self.of_joints

    def __missing__(self, name: str) -> Coordinate:
        return self.of_joints[name]

    def declares(self, name: str) -> bool:
        """Whether the model file names it."""
        return dict.__contains__(self, name)

    def get(self, name: str, default=None):
        """A coordinate, or what stands for none."""
        return dict.get(self, name) or self.of_joints.get(name, default)

    @property
    def known(self) -> list[str]:
        """All names for a message: the declared ones first, and each of a joint once."""
        short = [n for n, c in self.of_joints.items() if n in self._joints or _owner(n) not in self.of_joints]
        return [*self, *short]


def _owner(name: str) -> str:
    return name.rpartition(".")[0]


def joint_parts(joint: Joint, planar: bool) -> dict[str, Coordinate]:
    """Lengths and angles of one joint by their names in it; an attitude is given by angles."""
    plain = {c.name: AlongJoint(joint.name, k, c.unit) for k, c in enumerate(joint.coordinates) if c.unit != "-"}
    if len(plain) == len(joint.coordinates):
        return plain
    if planar:
        return {**plain, "rz": Angle(joint.b, joint.a, "ZXY", 0)}
    return {**plain, **{f"r{axis}": Angle(joint.b, joint.a, "XYZ", k) for k, axis in enumerate("xyz")}}
