"""Plain numbers for angles that may be meant in degrees: asked where a user gives a pose or a motion."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from poinsot.model.assembly.turns import hinges_of_screws
from poinsot.model.quantities.units import beyond_two_turns

if TYPE_CHECKING:
    from poinsot.model.mechanism import Mechanism
    from poinsot.model.parts import Elements


def turns_far(elements: Elements, name: str) -> bool:
    """Whether a coordinate is that of a shaft behind gears or a screw, which many turns move by little."""
    parts = set(elements.coordinates[name].parts)
    geared = {angle for coupling in elements.couplings.values() for angle in coupling.angles}
    return not parts.isdisjoint(geared.union(hinges_of_screws(elements)))


def ask_about_degrees(mechanism: Mechanism, given: Any) -> None:
    """Warn of angles of a pose by name, numbers of more than two turns  [rad]; gears and screws have such."""
    elements = mechanism.elements
    for name, value in given.items() if isinstance(given, Mapping) else ():
        unit = elements.coordinates[name].unit if name in elements.coordinates else None
        if beyond_two_turns(value, unit) and not turns_far(elements, name):
            number = f"{float(value):g}"
            warnings.warn(f'{name} = {number} rad; were degrees meant? write "{number} deg"', stacklevel=3)


def ask_about_range(mechanism: Mechanism, name: str, low: float, high: float) -> None:
    """Warn of a motion or a grid of an angle that goes over more than two turns, or to such angles  [rad]."""
    elements = mechanism.elements
    known = name in elements.coordinates and elements.coordinates[name].unit == "rad"
    if known and any(beyond_two_turns(x, "rad") for x in (low, high, high - low)) and not turns_far(elements, name):
        text = f"{name} goes from {low:.4g} to {high:.4g} rad; were degrees meant? give np.radians of them"
        warnings.warn(text, stacklevel=3)
