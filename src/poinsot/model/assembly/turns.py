"""Machines in which a whole turn of a joint does not bring all bodies back: screws, gears, racks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from poinsot.errors import PoinsotError

if TYPE_CHECKING:
    from poinsot.elements.coordinates import Coordinate
    from poinsot.model.parts import Elements

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


def wound(elements: Elements, held: Sequence[Coordinate], now: np.ndarray) -> np.ndarray:
    """Values (k,) of held coordinates, with the whole turns that the file's pose gives to those that are there."""
    told = {elements.coordinates[name]: float(value) for name, value in elements.pose.items()}
    there = np.array([told.get(c, x) for c, x in zip(held, now)])
    apart = np.abs(np.remainder(there - now + np.pi, 2 * np.pi) - np.pi)
    angles = np.array([c.unit == "rad" for c in held])
    return np.where(angles & (apart < SAME), there, now)
