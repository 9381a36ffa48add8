"""Unknowns of the model file as the space of a search: patterns, groups, bounds, starts and priors resolved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

import numpy as np

from poinsot.errors import PoinsotError, unknown
from poinsot.estimate.search.problem import INSIDE, Space
from poinsot.estimate.study import Unknown, not_written
from poinsot.model.mechanism import Mechanism
from poinsot.system import home

GRAVITY = 9.81  # [m/s²]


def space_of(
    mechanism: Mechanism, unknowns: Sequence[Unknown], alone: bool = True
) -> tuple[Mechanism, Space, tuple[str, ...]]:
    """The mechanism with groups as one parameter each, the space of its unknowns, and what was done to starts.

    Unless they are `alone` there may be none, others being looked for.
    """
    if alone and not unknowns:
        raise PoinsotError("name the unknowns of this study, parameters of the model file such as 'arm.mass'")
    given: dict[str, Unknown] = {}
    for one in unknowns:
        if one.parameters:
            mechanism = mechanism.with_shared(one.name, *one.parameters)
        mechanism = _with_own(mechanism, one.name)
        matched = [name for name in mechanism.parameters if fnmatchcase(name, one.name)]
        if not matched:
            if said := not_written(one.name, mechanism):
                raise PoinsotError(f"there is no parameter '{one.name}'{said}")
            raise PoinsotError(unknown("parameter", one.name, mechanism.parameters))
        given |= {name: replace(one, name=name) for name in matched if name not in given or name == one.name}
    entries = [mechanism.parameters[name] for name in given]
    model = np.array([entry.value for entry in entries])
    numbers = given_numbers(tuple(given.values()))
    start = np.array([value if one.start is None else one.start for one, value in zip(given.values(), model)])
    moved, steps = _off_bounds(tuple(given), start, numbers, [one.start for one in given.values()])
    units = tuple(entry.unit for entry in entries)
    space = Space(tuple(given), units, moved, **numbers, model=model, machine=_scales(mechanism))
    return mechanism, space, steps


def _scales(mechanism: Mechanism) -> tuple[float, float, float]:
    """Mass and size of a machine, and the time in which it falls by that: √(L/g)  [kg, m, s]."""
    mass = sum(float(body.mass) for body in mechanism.elements.bodies.values()) or 1.0
    size = home.start(mechanism, None).size
    return mass, size, float(np.sqrt(size / GRAVITY))


def _with_own(mechanism: Mechanism, pattern: str) -> Mechanism:
    """The mechanism with parameters of single copies, such as 'leg3.offset', where they are asked for and shared."""
    parameters = mechanism.parameters
    if any(fnmatchcase(name, pattern) for name in parameters):
        return mechanism
    shared = [name for name, p in parameters.items() if any(fnmatchcase(copy, pattern) for copy in p.copies)]
    return mechanism.with_separate(*shared) if shared else mechanism


def given_numbers(given: Sequence[Unknown]) -> dict[str, np.ndarray]:
    """Bounds, priors and their deviations (k,) of unknowns, NaN where there are none  [SI]."""

    def number(value: float | None) -> float:
        return np.nan if value is None else value

    sides = ("lower", "upper", "prior", "deviation")
    return {side: np.array([number(getattr(one, side)) for one in given]) for side in sides}


def _off_bounds(
    names: Sequence[str], start: np.ndarray, numbers: dict[str, np.ndarray], asked: Sequence[float | None]
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Starts a little inside their bounds; a model's value outside of them begins at the nearer one."""
    lower, upper = numbers["lower"], numbers["upper"]
    width = upper - lower
    room = INSIDE * np.where(np.isfinite(width), width, np.maximum(np.abs(start), 1.0))
    inside = np.clip(start, lower + room, upper - room)
    refused = np.array([one is not None for one in asked], bool) & ((start < lower) | (start > upper))
    found = np.where(refused, start, inside)
    moved = np.flatnonzero(found != start).tolist()
    said = (f"the start of '{names[k]}' was moved from {start[k]:g} to {found[k]:g}, off its bound" for k in moved)
    return found, tuple(said)
