"""Unknowns: which parameters are looked for, and the linear parameters θ(p) of the equations that they give.

y = W θ(p) + y₀        θ = p for linear parameters; products such as m c of those of the model file
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from poinsot.errors import PoinsotError, listing
from poinsot.estimate.study import Unknown, require_parameters
from poinsot.identifiability.linear import LinearParameter, chosen, held_by_file, linear_parameters, parameter_values
from poinsot.identifiability.model_parameters import linear_function, linear_slopes
from poinsot.model.mechanism import Mechanism

PAYLOAD = "payload "  # in front of the name of what a payload adds to a parameter
INSIDE = 0.01  # of the width of its bounds, by which a start is moved off one of them


@dataclass(frozen=True, eq=False)
class Unknowns:
    """k parameters p that are looked for, and the K linear parameters of the rows."""

    mechanism: Mechanism  # groups being one parameter each
    given: tuple[Unknown, ...]  # k
    names: tuple[str, ...]  # k
    units: tuple[str, ...]  # k
    model: np.ndarray  # (k,) values in the model  [SI]
    start: np.ndarray  # (k,) where products of unknowns are first linear  [SI]
    linear: tuple[LinearParameter, ...]  # K columns of the rows; those of a payload come last, as "payload NAME"
    in_file: bool  # whether the unknowns are parameters of the model file; else they are the linear ones
    steps: tuple[str, ...] = ()
    added: int = 0  # unknowns at the end that are of measuring chains

    @property
    def own(self) -> int:
        """Unknowns of the mechanism, which come first."""
        return len(self.names) - self.added

    def theta(self, p: np.ndarray) -> np.ndarray:
        """Linear parameters (K,) for unknowns p (k,)."""
        return self.thetas(np.asarray(p, float)[None])[0]

    def thetas(self, P: np.ndarray) -> np.ndarray:
        """Linear parameters (N, K) for many sets of unknowns P (N, k)."""
        own = np.asarray(P, float)[:, : self.own]
        return np.asarray(self._function(own.T)[0]).T if self.in_file else own

    def slopes(self, p: np.ndarray) -> np.ndarray:
        """∂θ/∂p (K, own) of the mechanism's unknowns."""
        if not self.in_file:
            return np.eye(self.own)
        return np.array(self._function(np.asarray(p, float)[: self.own])[1].full())

    @cached_property
    def _function(self) -> Any:
        return linear_function(self.mechanism, self.linear, self.names[: self.own])

    def with_terms(self, given: Sequence[Unknown], units: Sequence[str]) -> Unknowns:
        """The same with unknowns of measuring chains and loads, which start at zero, or where the model has them."""
        known = self.mechanism.parameters
        model = np.array([known[one.name].value if one.name in known else 0.0 for one in given])
        start, steps = _start(tuple(given), model)
        return replace(
            self,
            given=(*self.given, *given),
            names=(*self.names, *(one.name for one in given)),
            units=(*self.units, *units),
            model=np.append(self.model, model),
            start=np.append(self.start, start),
            steps=(*self.steps, *steps),
            added=len(given),
        )


def in_words_of_regressor(unknowns: Unknowns) -> tuple[LinearParameter, ...]:
    """All unknowns in the words of a regressor."""
    own = () if unknowns.in_file else unknowns.linear
    rest = list(zip(unknowns.names, unknowns.units))[len(own) :]
    return (*own, *(LinearParameter(name, unit, "parameters", name, ("", 0), True) for name, unit in rest))


class Asked(Protocol):
    """A study of any kind: a mechanism, and what is looked for."""

    @property
    def mechanism(self) -> Mechanism:
        """What is studied."""
        ...

    @property
    def unknowns(self) -> tuple[Unknown, ...]:
        """What is looked for; none: all linear parameters that the model declares."""
        ...


def unknowns_in(study: Asked, unknowns: tuple[Unknown, ...]) -> Unknowns:
    """Those unknowns of a study that are the mechanism's, patterns and groups resolved."""
    mechanism = study.mechanism
    for one in unknowns:
        if one.parameters:
            mechanism = mechanism.with_shared(one.name, *one.parameters)
    linear = {p.name: p for p in linear_parameters(mechanism)}
    if not study.unknowns:
        return _linear(mechanism, {p.name: Unknown(p.name) for p in chosen(mechanism, None)}, {}, linear)
    own = tuple(one for one in unknowns if not one.payload)
    added = tuple(one for one in unknowns if one.payload)
    by_linear, loads = (
        _matches(some, lambda pattern: held_by_file(pattern, linear.values())) for some in (own, added)
    )
    by_file = _matches(own, mechanism.parameters.matching)
    if by_linear is not None and loads is not None:
        return _linear(mechanism, by_linear, loads, linear)
    if by_file is not None and not added:
        return _in_file(mechanism, by_file)
    raise PoinsotError(_nobody(unknowns, mechanism))


def _matches(unknowns: tuple[Unknown, ...], matching: Callable[[str], Sequence[str]]) -> dict[str, Unknown] | None:
    """Unknowns by the names that they match; None if one of them matches none."""
    found: dict[str, Unknown] = {}
    for one in unknowns:
        matched = matching(one.name)
        if not matched:
            return None
        exact = one.name in matched  # what is said of one parameter by name counts before what a pattern says
        found |= {name: replace(one, name=name) for name in matched if exact or name not in found}
    return found


def _linear(
    mechanism: Mechanism,
    wanted: dict[str, Unknown],
    loads: dict[str, Unknown],
    linear: dict[str, LinearParameter],
) -> Unknowns:
    """Linear parameters, and what a payload adds to some."""
    asked = tuple(p for name, p in linear.items() if name in wanted)
    added = tuple(p for name, p in linear.items() if name in loads)
    given = (*(wanted[p.name] for p in asked), *(replace(loads[p.name], name=f"{PAYLOAD}{p.name}") for p in added))
    model = np.append(parameter_values(mechanism, asked), np.zeros(len(added)))
    start, steps = _start(given, model)
    every = (*asked, *(replace(p, name=f"{PAYLOAD}{p.name}") for p in added))
    names, units = tuple(p.name for p in every), tuple(p.unit for p in every)
    return Unknowns(mechanism, given, names, units, model, start, every, False, steps)


def _in_file(mechanism: Mechanism, wanted: dict[str, Unknown]) -> Unknowns:
    names, given = tuple(wanted), tuple(wanted.values())
    for name in names:
        if mechanism.parameters[name].role == "sensor":
            raise PoinsotError(
                f"'{name}' is a parameter of a sensor: gains and delays of measured channels are unknowns such as "
                "'gain A' and 'delay A'"
            )
    model = np.array([mechanism.parameters[name].value for name in names])
    start, steps = _start(given, model)
    every = linear_parameters(mechanism)
    slopes = linear_slopes(mechanism, every, names)  # refuses parameters of the geometry
    moved = tuple(p for p, row in zip(every, slopes) if np.any(row)) if len(every) else ()
    if not moved:
        raise PoinsotError(f"none of the unknowns acts on forces in this model: {listing(names)}")
    bodies = {p.owner for p in moved if p.table == "bodies"}
    linear = tuple(p for p in every if p in moved or (p.table == "bodies" and p.owner in bodies))
    units = tuple(mechanism.parameters[name].unit for name in names)
    return Unknowns(mechanism, given, names, units, model, start, linear, True, steps)


def _start(given: tuple[Unknown, ...], nominal: np.ndarray) -> tuple[np.ndarray, tuple[str, ...]]:
    """Where iterative methods start (k,): inside the bounds; what was moved is said."""
    outside = [one.name for one in given if one.start is not None and not one.admits(one.start)]
    if outside:
        raise PoinsotError(f"the start of {listing(outside)} lies outside the bounds")
    start, steps = np.array([v if one.start is None else one.start for one, v in zip(given, nominal)], float), []
    for k, one in enumerate(given):
        width = one.upper - one.lower
        margin = INSIDE * (width if np.isfinite(width) else max(abs(start[k]), 1.0))
        inside = float(np.clip(start[k], one.lower + margin, one.upper - margin))
        on_bound = start[k] <= one.lower or start[k] >= one.upper
        if on_bound and np.isfinite([one.lower, one.upper]).any():
            steps.append(f"the start of '{one.name}' was moved from {start[k]:g} to {inside:g}, off its bound")
            start[k] = inside
    return start, tuple(steps)


def _nobody(unknowns: tuple[Unknown, ...], mechanism: Mechanism) -> str:
    """That some unknowns have no parameter, or that two kinds are mixed."""
    names = [one.name for one in unknowns]
    require_parameters(names, mechanism)
    linear = [name for name in names if not any(fnmatchcase(one, name) for one in mechanism.parameters)]
    owners = tuple(f"{name.rpartition('.')[0]}." for name in linear)
    own = [name for name in mechanism.parameters if name.startswith(owners)]
    return (
        "unknowns are either parameters of the model file, such as platform.mass, or linear ones (platform.m): "
        f"not both in one study. Linear are {listing(linear)}; the file has {listing(own, 8)}"
    )
