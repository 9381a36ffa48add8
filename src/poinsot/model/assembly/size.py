"""The size of a machine: a length that stands for it."""

from __future__ import annotations

from collections.abc import Mapping
from math import hypot, sqrt
from typing import TYPE_CHECKING

from poinsot.elements.bodies import RigidBody
from poinsot.errors import PoinsotError
from poinsot.spatial.pose import Pose

if TYPE_CHECKING:
    from poinsot.model.parts import Elements

CENTRED = 1e-9  # of the distance of a centre of mass, or of a radius of gyration: less is in one place
NOTHING = 1e-15  # a proton's size: centres of mass that are nearer to their frames are there  [m]
LARGEST = 1e60  # machine's size, or one over the smallest, whose powers in inertias and energies stay finite  [m]


def machine_size(elements: Elements, poses: Mapping[str, Pose]) -> float:
    """A length that stands for the machine: the largest distance of a joint or frame from its body, or where all are
    in one place, but for round-off, that of a centre of mass; a metre where these are, too  [m]."""
    placed = (X.p for X in (*(X for j in elements.joints.values() for X in j.frames), *poses.values()))
    size = max((hypot(*map(float, p)) for p in placed), default=0.0)
    centres = max((_eccentricity(body) for body in elements.bodies.values()), default=0.0)
    size = (size if size > CENTRED * centres else centres) or 1.0
    if not 1 / LARGEST < size < LARGEST:
        raise PoinsotError(f"a machine of {size:.3g} m is too large or too small to compute with: take other units")
    return size


def _eccentricity(body: RigidBody) -> float:
    """How far the mass of a body is from its frame; 0 where that is round-off in its radius of gyration  [m]."""
    mass, inertia = float(body.mass), max(map(abs, map(float, body.inertia)))
    centre, gyration = hypot(*map(float, body.com)), sqrt(inertia / mass) if mass > 0 else 0.0
    return centre if centre > max(CENTRED * gyration, NOTHING) else 0.0
