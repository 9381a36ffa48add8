"""A mechanism in one formulation, with the functions that have been compiled from its equations.

Systems are kept by structure: mechanisms that differ only in the values of free parameters share one. Functions are
kept on disk as well, so that a new process writes equations only for questions that were never asked before.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from poinsot import formulations
from poinsot.elements.coordinates import Coordinate
from poinsot.errors import PoinsotError, unknown
from poinsot.formulations.coordinates_of_poses import Reading, combining_reading
from poinsot.formulations.registry import formulation_of
from poinsot.formulations.symbols import FREE_ROLES, default_free, symbols
from poinsot.model.assembly.assembly import Assembly
from poinsot.model.assembly.constraints import Row
from poinsot.model.assembly.mobility import Group, Redundancy
from poinsot.model.assembly.turns import winds
from poinsot.model.mechanism import Mechanism
from poinsot.model.quantities.parameters import as_value
from poinsot.model.quantities.units import force_unit
from poinsot.spatial.pose import Pose
from poinsot.store import Bounded, content_key
from poinsot.system.home import keep_home, start
from poinsot.system.stored import stored_parts

if TYPE_CHECKING:
    from poinsot.formulations.equations import Equations
    from poinsot.formulations.solve import Dynamics
    from poinsot.model.mechanism import Elements

LIGHTEST = -15  # class of what has next to no mass, or none
_SYSTEMS: Bounded = Bounded(32)
_DESCRIBED: Bounded = Bounded(32)


@dataclass(frozen=True, eq=False)
class Description:
    """All that equations are written from."""

    mechanism: Mechanism
    formulation: str
    free: tuple[str, ...]  # names of the parameters that stay symbols
    home: Assembly | None  # where clamped springs are relaxed; None: the mechanism's own pose
    key: str = ""  # under which functions are kept on disk; empty: they are not
    independent: tuple[int | str, ...] = ()  # rates of the embedded equations; chosen at home if none are given
    careful: bool = False  # whether the equations are solved in an order that is safe in every pose

    def write(self) -> Dynamics:
        """Write the equations."""
        home = self.home or keep_home(self.mechanism)
        return formulations.dynamics(symbols(self.mechanism, self.free, home), self.formulation)

    @classmethod
    def of(cls, dynamics: Dynamics) -> Description:
        """What given equations were written from; nothing of them is kept on disk."""
        given = dynamics.equations.symbols
        choices = {"independent": dynamics.independent, "careful": dynamics.careful}
        return cls(given.mechanism, dynamics.formulation, given.names, given.home, **choices)

    def choosing(self, independent: tuple[int | str, ...], careful: bool) -> Description:
        """The same equations to be solved in another way, with a key of their own."""
        key = self.key and content_key(self.key, json.dumps([independent, careful]))
        return replace(self, key=key, independent=independent, careful=careful)


@dataclass(frozen=True)
class Outline:
    """What is known about equations without having them."""

    sizes: tuple[int, int, int, int]  # numbers of coordinates, speeds, constraint rows and actuators
    rows: tuple[Row, ...]  # those kept, combinations of redundant ones included
    all_rows: tuple[Row, ...]
    redundancy: Redundancy  # rows that share self-stresses

    @property
    def mobility(self) -> int:
        """Freedoms of the mechanism."""
        return self.sizes[1] - self.sizes[2]


def system(
    mechanism: Mechanism, formulation: str = "joint", free: tuple[str, ...] = (), home: Assembly | None = None
) -> System:
    """Get the system of a mechanism, from memory if its structure has been seen before.

    `free` are parameters that must stay symbols besides those that do by default.
    """
    formulation_of(formulation)
    clamped = any(f.clamped for f in mechanism.template.forces.values())
    home = home if home is not None and clamped else None
    seen = (id(mechanism), formulation, free, id(home))
    _, (key, given) = _DESCRIBED.get_or_make(
        seen, lambda: ((mechanism, home), _described(mechanism, formulation, free, home))
    )
    return _SYSTEMS.get_or_make(key, lambda: System(given))


def _described(
    mechanism: Mechanism, formulation: str, asked: tuple[str, ...], home: Assembly | None
) -> tuple[str, Description]:
    """What equations depend on, by the key of their structure."""
    free = tuple(dict.fromkeys([*default_free(mechanism), *asked]))
    mechanism.parameters.require(free)
    places = [] if home is None else [X.p.tolist() + X.R.ravel().tolist() for X in home.poses.values()]
    folded = {name: p.value for name, p in mechanism.parameters.items() if name not in free}
    outside = mechanism.template.foreign
    template = mechanism.template  # may have other actuators and more coordinates than the document
    named = repr((template.coordinates, template.actuators))
    structure = [
        mechanism.physics,
        named,
        folded,
        formulation,
        free,
        places,
        _mass_classes(mechanism),
        *outside,
    ]
    text = json.dumps(structure, sort_keys=True, default=str)
    # The home pose decides the order of elimination: on disk, numbers that move it count even if they are symbols.
    known = {name: mechanism.parameters[name] for name in free}
    moving = {name: p.value for name, p in known.items() if p.role not in FREE_ROLES}
    ours = formulation_of(formulation).ours and not outside
    key = content_key(text, json.dumps(moving, sort_keys=True)) if ours else ""
    given = Description(mechanism, formulation, free, home, key)
    return hashlib.sha256(text.encode()).hexdigest(), given


def _mass_classes(mechanism: Mechanism) -> list[list[int]]:
    """How light every body is, in steps of two decades: it decides which constraints stand in for masses."""
    inertias = [np.abs(body.inertial_parameters().astype(float)) for body in mechanism.elements.bodies.values()]
    kinds = np.array(inertias).reshape(-1, 10)[:, [0, 4, 7, 9]]  # mass and moments of inertia
    with np.errstate(divide="ignore", invalid="ignore"):
        classes = np.rint(np.log10(kinds / np.max(kinds, axis=0, initial=0.0)) / 2)
    return np.nan_to_num(np.maximum(classes, LIGHTEST), nan=LIGHTEST).astype(int).tolist()


def _listed(rows: Sequence[Row]) -> list[list[str]]:
    return [[row.joint, row.label] for row in rows]


def _rows(listed: Sequence[Sequence[str]]) -> tuple[Row, ...]:
    return tuple(Row(*row) for row in listed)


@stored_parts
def _outline(compiled: System) -> tuple[dict[str, Any], Any]:
    e = compiled.equations
    groups = [[_listed(group.rows), group.rank] for group in e.symbols.redundancy.groups]
    return {}, [e.sizes, _listed(e.kinematics.rows), _listed(e.kinematics.all_rows), groups]


class System:
    """A mechanism in one formulation, and what has been made of its equations."""

    def __init__(self, given: Description | Dynamics, root: System | None = None):
        """`root` is the system whose equations are solved in another way here."""
        self.about = given if isinstance(given, Description) else Description.of(given)
        self.mechanism, self.formulation, self.free = self.about.mechanism, self.about.formulation, self.about.free
        if not isinstance(given, Description):
            self.dynamics = given
        self.root = root or self
        self.memory: Bounded = Bounded(64)  # of stored functions and of what was made of them
        self._read: Bounded = Bounded(32)

    @cached_property
    def dynamics(self) -> Dynamics:
        """The equations with their solution as symbols, written when first asked for."""
        if self.root is self:
            return self.about.write()
        return replace(self.root.dynamics, independent=self.about.independent, careful=self.about.careful)

    @property
    def key(self) -> str:
        """Under which functions are stored on disk; empty: they are not."""
        return self.about.key

    @property
    def home(self) -> Assembly:
        """The pose at which the equations were written."""
        return self.about.home or start(self.mechanism, None)

    @property
    def equations(self) -> Equations:
        """The equations as symbols, written when first asked for."""
        return self.dynamics.equations

    @property
    def elements(self) -> Elements:
        """The elements with the symbols of the equations in them."""
        return self.equations.symbols.elements

    @cached_property
    def outline(self) -> Outline:
        """What is known about the equations without having them."""
        if self.root is not self:
            return self.root.outline
        sizes, kept, every, groups = _outline(self).facts
        found = Redundancy(tuple(Group(_rows(rows), rank) for rows, rank in groups))
        return Outline(tuple(sizes), _rows(kept), _rows(every), found)

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """Numbers of coordinates, speeds, constraint rows and actuators."""
        return self.outline.sizes

    @cached_property
    def reading(self) -> Reading:
        """How coordinates are read off poses."""
        plain = formulation_of(self.formulation).reading(self.mechanism.elements)
        return combining_reading(plain, self.mechanism.elements, self.outline.redundancy, self.home.size)

    def counts(self, coordinate: Coordinate) -> bool:
        """Whether whole turns of an angle are another pose of the machine, and q tells them."""
        own = self.reading.angles
        told = all(part in own for part in coordinate.parts if part.unit == "rad")
        return told and coordinate.unit == "rad" and winds(self.mechanism.elements)

    def parameters(self, mechanism: Mechanism, poses: Mapping[str, Pose] | None = None) -> np.ndarray:
        """Values of the free parameters of a mechanism, and the charts' numbers for a start at given poses."""
        if poses is None:
            poses = self.home.poses

        def read() -> tuple[Mechanism, np.ndarray]:
            return mechanism, np.array([mechanism.parameters[name].value for name in self.free])

        _, values = self._read.get_or_make(id(mechanism), read)  # its id stays its own
        return np.concatenate([values, self.reading.chart(poses)])

    def coordinates(self, start: Assembly, p: np.ndarray) -> np.ndarray:
        """Coordinates q (nq,) at an assembled pose; from memory if it was asked for before."""
        chart = p[len(self.free) :]
        key = (id(start), chart.tobytes())
        _, q = self._read.get_or_make(key, lambda: (start, self._coordinates(start, chart)))
        return q.copy()

    def _coordinates(self, start: Assembly, chart: np.ndarray) -> np.ndarray:
        return self.reading.wound(self.reading.coordinates(start.poses, chart), start.angles)

    @cached_property
    def commands(self) -> tuple[str, ...]:
        """Names of the actuators, in the order of u."""
        return tuple(self.mechanism.template.actuators)

    def command(self, name: str, value: float | str) -> float:
        """Force of an actuator in SI, from a number or a quantity such as "5 N"."""
        if name not in self.commands:
            raise PoinsotError(unknown("actuator", name, self.commands))
        if type(value) is float and isfinite(value):
            return value
        return as_value(value, force_unit("f", self.mechanism.template.actuators[name].on.unit), f"force of {name}")

    def forces(self, given: Mapping[str, float | str]) -> np.ndarray:
        """Forces u (nu,) of the actuators in SI, 0 where none is given."""
        known = {name: self.command(name, value) for name, value in given.items()}
        return np.array([known.get(name, 0.0) for name in self.commands])

    def coordinate(self, name: str) -> tuple[Any, Any]:
        """s and ṡ of a named coordinate, as symbols."""
        return self.along(self.elements.coordinate(name))

    def along(self, coordinate: Coordinate) -> tuple[Any, Any]:
        """s and ṡ of any coordinate, as symbols."""
        return formulations.coordinate_along(self.equations, coordinate)
