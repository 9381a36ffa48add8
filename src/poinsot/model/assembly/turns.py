"""Machines in which a whole turn of a joint does not bring all bodies back: screws, gears, racks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from poinsot.elements.coordinates import AlongJoint
from poinsot.errors import PoinsotError

if TYPE_CHECKING:
    from poinsot.elements.coordinates import Coordinate
    from poinsot.elements.coupling import JointCoupling
    from poinsot.elements.joints import Joint
    from poinsot.model.parts import Elements
    from poinsot.spatial.pose import Pose

SAME = 1e-6  # angles that differ by whole turns and no more are the same pose of a joint  [rad]


def winds(elements: Elements) -> bool:
    """Whether the turns of an angle count."""
    return any(joint.winds for joint in elements.joints.values()) or any(
        c.angles for c in elements.couplings.values()
    )


def require_turns(held: Sequence[Coordinate], values: np.ndarray, elements: Elements) -> None:
    """That poses tell all turns of given angles: they do not where no number of teeth has the ratio."""
    for coupling in elements.couplings.values():
        for coordinate, value in zip(held, values):
            if coordinate in coupling.untold and abs(value) > np.pi:
                raise PoinsotError(
                    f"coupling '{coupling.name}' has a ratio that no teeth have, so that a pose does not tell "
                    f"how often its joints have turned: {value:.6g} rad is beyond half a turn; start within ±180°"
                )


def wound(angles: Mapping[Coordinate, float], held: Sequence[Coordinate], now: np.ndarray) -> np.ndarray:
    """Values (k,) of held coordinates that were read off a pose, with the turns of those that are known."""
    return np.array([angles.get(c, x) for c, x in zip(held, now)])


def known_angles(
    elements: Elements,
    poses: Mapping[str, Pose],
    given: Mapping[str, float],
    counted: Mapping[Coordinate, float] = {},
) -> dict[Coordinate, float]:
    """Angles  [rad] whose whole turns are known, which poses do not show: those given by name, those of the file's
    pose while they are there, those that lie between end stops with some turns only, those that couplings tell, and
    those that were `counted` on the way."""
    read = _Read(elements, poses)
    known = dict(counted)
    for name, value in {**elements.pose, **given}.items():
        coordinate = elements.coordinates[name]
        if coordinate.unit == "rad" and coordinate.parts == (coordinate,):
            known |= read.turned(coordinate, float(value))
    for law in elements.forces.values():
        if law.on.unit == "rad" and law.on.parts == (law.on,) and law.on not in known:
            known |= read.between(law.on, *law.limits)
    while told := next((t for c in elements.couplings.values() if (t := read.told(c, known))), None):
        known |= told
    return known


def hinges_of_screws(elements: Elements) -> tuple[Coordinate, ...]:
    """All hinges of a machine with screws, whose turns poses do not show: a spindle turns far where its nut moves by
    little. None in other machines."""
    joints = elements.joints.values()
    screws = any(joint.winds for joint in joints)
    return tuple(AlongJoint(joint.name, 0, "rad") for joint in joints if joint.is_hinge) if screws else ()


def turned_value(
    on: Coordinate, known: Mapping[Coordinate, float], poses: Mapping[str, Pose], joints: Mapping[str, Joint]
) -> float:
    """A coordinate [m or rad] at poses; angles whose turns are `known` have these, others are read off the poses."""
    return float(on.combined(tuple(known[c] if c in known else float(c.value(poses, joints)) for c in on.parts)))


def continued(
    angles: Mapping[Coordinate, float], elements: Elements, poses: Mapping[str, Pose]
) -> dict[Coordinate, float]:
    """Angles at poses near to those where they had known values: with the turns that bring them nearest  [rad]."""
    read = {c: float(c.value(poses, elements.joints)) for c in angles}
    return {c: x + 2 * np.pi * float(np.rint((angles[c] - x) / (2 * np.pi))) for c, x in read.items()}


class _Read:
    """Coordinates as poses show them, and turns that are found for them."""

    def __init__(self, elements: Elements, poses: Mapping[str, Pose]):
        self.elements, self.poses = elements, poses

    def __call__(self, coordinate: Coordinate) -> float:
        return float(coordinate.value(self.poses, self.elements.joints))

    def turned(self, coordinate: Coordinate, value: float) -> dict[Coordinate, float]:
        """An angle with the turns of a value that differs by nothing else; empty where it does."""
        read = self(coordinate)
        angle = read + 2 * np.pi * float(np.rint((value - read) / (2 * np.pi)))
        return {coordinate: angle} if abs(value - angle) < SAME else {}

    def between(self, coordinate: Coordinate, lower: float, upper: float) -> dict[Coordinate, float]:
        """An angle with the turns that bring it between limits; empty where none do, or none are needed."""
        read = self(coordinate) if np.isfinite([lower, upper]).all() else lower
        angle = read + 2 * np.pi * float(np.rint(((lower + upper) / 2 - read) / (2 * np.pi)))
        return {coordinate: angle} if not lower <= read <= upper and lower <= angle <= upper else {}

    def told(self, coupling: JointCoupling, known: Mapping[Coordinate, float]) -> dict[Coordinate, float]:
        """The one angle of a coupling whose turns are not known, with those that the others leave to it."""
        on = coupling.on
        left = [k for k in coupling.unclear if on.parts[k] not in known]
        if len(left) != 1 or not coupling.share:
            return {}
        values = [known.get(c, self(c)) for c in on.parts]
        others = sum(float(w) * x for k, (w, x) in enumerate(zip(on.factors, values)) if k != left[0])
        return self.turned(on.parts[left[0]], (float(coupling.value) - others) / float(on.factors[left[0]]))
