"""Actuators that hold their coordinate while a mechanism rests or vibrates."""

from __future__ import annotations

from collections.abc import Sequence

from poinsot.errors import PoinsotError, one_or_more_names, unknown
from poinsot.model.parts import Elements


def locked_actuators(elements: Elements, wish: str | Sequence[str] | None) -> tuple[int, ...]:
    """Numbers of the actuators that hold their coordinate; by default those along which no spring acts."""
    names = tuple(elements.actuators)
    if wish is None:
        sprung = [force.on for force in elements.forces.values() if force.holds]
        return tuple(i for i, name in enumerate(names) if elements.actuators[name].on not in sprung)
    if isinstance(wish, str) and wish in ("all", "none") and wish not in names:
        return tuple(range(len(names))) if wish == "all" else ()
    chosen = one_or_more_names(wish, "locked actuators")
    for name in chosen:
        if name not in names:
            raise PoinsotError(unknown("actuator", name, [*names, "all", "none"]))
    return tuple(i for i, name in enumerate(names) if name in chosen)
