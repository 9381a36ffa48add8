"""Bodies whose mass and inertia no machine of this size can have: grams that were read as kilograms.

All measures are relative, so that they are the same in any consistent units.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import hypot, log, sqrt
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from poinsot.elements.bodies import RigidBody
    from poinsot.model.parts import Elements
    from poinsot.spatial.pose import Pose

FAR = 30.0  # times the size of the machine, beyond which no centre of mass is
WIDE = 50.0  # radii of gyration of so many sizes of the machine are none
HEAVY, DENSE = (
    50.0,
    log(1e6),
)  # times the mass, and the mass by cubed radius of gyration as its logarithm, of every other body
NATURAL = 0.01, 1.0  # radii of gyration that are usual, of the machine's size
GRAMS = 1e-3  # kilograms that a gram has
MEANT = (("g·mm²", 1.0, 1e-9), ("kg·mm²", 1.0, 1e-6), ("kg·cm²", 1.0, 1e-4), ("g and g·mm²", 1e-3, 1e-9))


@dataclass(frozen=True)
class _Body:
    """What a body of mass and inertia tells of its size."""

    name: str
    mass: float  # [kg]
    moment: float  # the largest about the centre of mass  [kg·m²]

    @property
    def gyration(self) -> float:
        return sqrt(self.moment / self.mass)  # [m]

    @property
    def density(self) -> float:
        return log(self.mass) - 3 * log(self.gyration)  # logarithm of mass by volume, which no size makes overflow

    def __str__(self) -> str:
        told = f"radius of gyration of {self.gyration:.3g} m"
        return f"body '{self.name}' of {self.mass:.4g} kg and {self.moment:.4g} kg·m² has a {told}"


def implausible_bodies(elements: Elements, poses: Mapping[str, Pose]) -> Iterator[str]:
    """Sentences on bodies that are far larger than the machine, far heavier and denser than all others, or whose mass
    is far off."""
    yield from _centres_far_off(elements, poses)
    found = (_measured(body, elements.planar) for body in elements.bodies.values())
    bodies, size = [body for body in found if body is not None], _extent(elements, poses)
    for body in bodies:
        others = [other for other in bodies if other is not body]
        if 0 < WIDE * size < body.gyration:
            yield f"{body}, and the machine a size of {size:.3g} m{_meant(body, size)}"
        elif len(others) > 1 and _outweighs(body, others) and _is_natural(body, size, GRAMS):
            ratio = body.mass / max(other.mass for other in others)
            yield f"{body}, and {ratio:.3g} times the mass of every other body{_meant_mass(body)}"


def _measured(body: RigidBody, planar: bool) -> _Body | None:
    """A body that has mass and inertia; None for points and bodies without mass."""
    mass, J = float(body.mass), np.asarray(body.inertia_about_centre(), float)
    moment = float(J[2, 2]) if planar else float(np.linalg.eigvalsh(J)[-1])
    return _Body(body.name, mass, moment) if mass > 0 and moment / mass > 0 else None


def _extent(elements: Elements, poses: Mapping[str, Pose]) -> float:
    """The largest distance of a joint, frame or centre of mass from its body's origin, and of a body from that of
    the ground; 0 where all joints and bodies are in one place, which tells no size  [m]."""
    placed = _farthest([*_joints(elements), *(X.p for X in poses.values())])
    own = [*(body.com for body in elements.bodies.values()), *_frames(elements)]
    return max(placed, _farthest(own)) if placed else 0.0


def _joints(elements: Elements) -> list:
    return [X.p for joint in elements.joints.values() for X in joint.frames]


def _frames(elements: Elements) -> list:
    return [frame.pose().p for body in elements.bodies.values() for frame in body.frames]


def _centres_far_off(elements: Elements, poses: Mapping[str, Pose]) -> Iterator[str]:
    """Sentences on centres of mass that are far beyond all joints and frames, as those in millimetres are."""
    size = _farthest([*_joints(elements), *_frames(elements), *(X.p for X in poses.values())])
    for body in elements.bodies.values():
        far = _farthest([body.com])
        if float(body.mass) > 0 and 0 < FAR * size < far:
            where = f"the centre of mass of body '{body.name}' is {far:.4g} m from its origin"
            yield f"{where}, and no joint or frame is farther than {size:.3g} m: plain numbers are m; were mm meant?"


def _farthest(points: list) -> float:
    return max((hypot(*map(float, p)) for p in points), default=0.0)


def _outweighs(body: _Body, others: list[_Body]) -> bool:
    heavy = body.mass > HEAVY * max(other.mass for other in others)
    return heavy and body.density > DENSE + max(other.density for other in others)


def _meant(body: _Body, size: float) -> str:
    """The units with which a body would be as large as bodies of such machines are."""
    for units, mass, moment in MEANT:
        if _is_natural(body, size, mass, moment):
            return f": plain numbers are kg and kg·m²; were {units} meant?"
    return ": plain numbers are kg and kg·m²; were other units meant?"


def _is_natural(body: _Body, size: float, mass: float, moment: float = 1.0) -> bool:
    """Whether a body whose mass and moment are so many times as large is of a size with the machine."""
    gyration = body.gyration * sqrt(moment / mass)
    return NATURAL[0] * size < gyration < NATURAL[1] * size


def _meant_mass(body: _Body) -> str:
    return f': plain numbers are kg; were {body.mass:g} g meant? write mass = "{body.mass:g} g"'
