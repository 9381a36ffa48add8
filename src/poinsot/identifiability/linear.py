"""The parameters in which the equations of motion are linear.

Of every body (m, m c, I about its origin), planar (m, mx, my, J); of every law along a coordinate its constants, the
others (rest positions, smoothing speeds, limits) being known; of every load its components  (theory/identifiability,
eq. 1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from poinsot.elements.coordinates import AlongJoint
from poinsot.elements.forces import Force
from poinsot.errors import PoinsotError, one_or_more_names, unknown
from poinsot.lazy import casadi
from poinsot.model.mechanism import Mechanism, require_mechanism
from poinsot.model.parts import Elements
from poinsot.model.quantities.units import force_unit
from poinsot.spatial.inertia import inertia_matrix
from poinsot.spatial.motion import SpatialInertia

SPATIAL = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
PLANAR = {"m": 0, "mx": 1, "my": 2, "J": 9}
INERTIAL = {name: i for i, name in enumerate(SPATIAL)}


@dataclass(frozen=True)
class LinearParameter:
    """A parameter in which the equations of motion are linear, and where it stands in the mechanism."""

    name: str  # "link1.mx", "shoulder1.viscous"
    unit: str
    table: str  # "bodies", "forces" or "loads"; "parameters": one of the model file
    owner: str  # the element there
    place: tuple[str, int]  # its field, or for bodies "phi", and the number in it
    declared: bool  # whether the model file gives it

    @property
    def order(self) -> int:
        """Power of length in the unit of an inertial parameter: 0, 1 or 2; 3 for any other."""
        return 3 if self.table != "bodies" else (0, 1, 1, 1, 2, 2, 2, 2, 2, 2)[self.place[1]]

    @property
    def signed(self) -> bool:
        """Whether it is an inertial parameter of either sign, so that zero is a value like others."""
        return self.table == "bodies" and SPATIAL[self.place[1]] in ("mx", "my", "mz", "Ixy", "Ixz", "Iyz")


@dataclass(frozen=True, eq=False)
class LinearBody:
    """A body given by its ten parameters about its origin."""

    name: str
    phi: Any  # (10, 1)

    def spatial_inertia(self) -> SpatialInertia:
        """Mass, first moments and inertia about the body's origin."""
        return SpatialInertia(self.phi[0], self.phi[1:4], inertia_matrix(self.phi[4:]))


def labels(planar: bool) -> dict[str, int]:
    """Names of a body's parameters, and their numbers among the ten."""
    return PLANAR if planar else INERTIAL


def linear_parameters(mechanism: Mechanism) -> tuple[LinearParameter, ...]:
    """All parameters in which the equations of a mechanism are linear, in the order of the model.

    >>> import poinsot
    >>> [p.name for p in linear_parameters(poinsot.load("pendulum"))]
    ['bob.m', 'bob.mx', 'bob.my', 'bob.J']
    """
    return tuple(_all(mechanism))


def _all(mechanism: Mechanism) -> Iterator[LinearParameter]:
    for name, body in mechanism.bodies.items():
        has_mass = bool(body.mass) or any(body.inertia)
        for label, i in labels(mechanism.planar).items():
            unit = ("kg", "kg·m", "kg·m²")[min(i, 1) + (i > 3)]
            yield LinearParameter(f"{name}.{label}", unit, "bodies", name, ("phi", i), has_mass)
    for name, force in mechanism.template.forces.items():
        for field in force.linear:
            unit = force_unit(force.parameters[field], force.on.unit)
            declared = not isinstance(getattr(force, field), float)
            yield LinearParameter(force_name(force, field), unit, "forces", name, (field, 0), declared)
    axes = {"force": "xy", "moment": "z"} if mechanism.planar else {"force": "xyz", "moment": "xyz"}
    for name, load in mechanism.loads.items():
        for field, letters in axes.items():
            for letter in letters:
                i, unit = "xyz".index(letter), "N" if field == "force" else "N·m"
                declared = getattr(load, field)[i] != 0
                yield LinearParameter(f"{name}.{field}.{letter}", unit, "loads", name, (field, i), declared)


def force_name(force: Force, field: str) -> str:
    """As in the model file: a law written with a joint is called by the joint's own key."""
    joint = force.on.joint if isinstance(force.on, AlongJoint) else ""
    if joint and force.name.startswith(f"{joint}.{force.kind}"):
        label = force.name.removeprefix(f"{joint}.{force.kind}")
        keys = {parameter: key for key, parameter in force.shorthand.items()}
        return f"{joint}.{keys.get(field, field)}{label}"
    return f"{force.name}.{field}"


def chosen(mechanism: Mechanism, patterns: Sequence[str] | str | None) -> tuple[LinearParameter, ...]:
    """Parameters that match any of the patterns, such as "leg*.m"; those that the model declares without patterns."""
    everything = linear_parameters(require_mechanism(mechanism))
    if patterns is None:
        return tuple(p for p in everything if p.declared)
    patterns = one_or_more_names(patterns, "parameters")
    for pattern in patterns:
        if not any(fnmatchcase(p.name, pattern) for p in everything):
            raise PoinsotError(unknown("linear parameter", pattern, [p.name for p in everything]))
    return tuple(p for p in everything if any(fnmatchcase(p.name, pattern) for pattern in patterns))


def held_by_file(pattern: str, linear: Iterable[LinearParameter]) -> list[str]:
    """Names that match a pattern: of those that the model file holds, or of the others where it holds none of them.

    >>> import poinsot
    >>> linear = linear_parameters(poinsot.load("five_bar"))
    >>> held_by_file("shoulder1.[vco]*", linear), held_by_file("shoulder1.offset", linear)
    (['shoulder1.viscous', 'shoulder1.coulomb'], ['shoulder1.offset'])
    """
    matched = [p for p in linear if fnmatchcase(p.name, pattern)]
    held = [p for p in matched if p.declared or p.table == "loads"]  # a file has all components of a load
    return [p.name for p in held or matched]


def with_known(mechanism: Mechanism, asked: Sequence[LinearParameter]) -> tuple[LinearParameter, ...]:
    """Parameters that are asked for, then the others that the model declares."""
    names = {p.name for p in asked}
    return (*asked, *(p for p in chosen(mechanism, None) if p.name not in names))


def parameter_values(mechanism: Mechanism, parameters: Sequence[LinearParameter]) -> np.ndarray:
    """Values (k,) of linear parameters in a mechanism  [SI]."""
    elements = mechanism.elements
    phi = {name: np.asarray(body.inertial_parameters(), float) for name, body in elements.bodies.items()}

    def value(p: LinearParameter) -> float:
        field, i = p.place
        if p.table == "bodies":
            return phi[p.owner][i]
        if p.table == "parameters":
            return mechanism.parameters[p.owner].value
        return np.ravel(getattr(getattr(elements, p.table)[p.owner], field))[i]

    return np.array([float(value(p)) for p in parameters])


def with_symbols(elements: Elements, parameters: Sequence[LinearParameter]) -> tuple[Elements, Any]:
    """The elements with one symbol for each linear parameter, zero for those not named, and the symbols (k, 1)."""
    theta = casadi.SX.sym("theta", len(parameters))
    phi = {name: [casadi.SX(0)] * 10 for name in elements.bodies}
    fields: dict[tuple[str, str, str], list[Any]] = {}
    for table in ("forces", "loads"):
        for name, element in getattr(elements, table).items():
            for field in element.linear:
                size = 3 if table == "loads" else 1
                fields[table, name, field] = [casadi.SX(0)] * size
    for k, p in enumerate(parameters):
        field, i = p.place
        (phi[p.owner] if p.table == "bodies" else fields[p.table, p.owner, field])[i] = theta[k]
    changed = {table: dict(getattr(elements, table)) for table in ("forces", "loads")}
    for (table, name, field), values in fields.items():
        value = values[0] if table == "forces" else tuple(values)
        changed[table][name] = replace(changed[table][name], **{field: value})
    bodies = {name: LinearBody(name, casadi.vertcat(*ten)) for name, ten in phi.items()}
    return replace(elements, bodies=bodies, **changed), theta
