"""Mechanism: the frozen description of a machine, from which every question is answered."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from poinsot.elements import GROUND
from poinsot.elements.frame import Frame
from poinsot.errors import PoinsotError, counted, listing, one_line, unknown
from poinsot.model import build as builder
from poinsot.model.admissible import negative_inertia, require_elements
from poinsot.model.parts import Elements, NamedCoordinates, resolve
from poinsot.model.sharing import put_values, separate, share
from poinsot.store import Bounded

if TYPE_CHECKING:
    from poinsot.elements.bodies import Beam, RigidBody
    from poinsot.elements.coordinates import Coordinate
    from poinsot.elements.coupling import JointCoupling
    from poinsot.elements.forces import Actuator, Force, Load
    from poinsot.elements.joints import Joint
    from poinsot.elements.sensors import Sensor
    from poinsot.model.quantities.parameters import Parameters
    from poinsot.spatial.algebra import Scalar

_NAMING: Bounded = Bounded(32)  # mechanisms with more names, so that one that is asked for again is the same


@dataclass(frozen=True)
class Mechanism:
    """A mechanism: bodies, joints, forces, sensors and the parameters in them.

    >>> import poinsot
    >>> poinsot.load("pendulum").bodies["bob"].mass
    1.0
    """

    name: str
    description: str
    parameters: Parameters
    template: Elements  # with expressions of the parameters
    nominal: Mapping[str, Any] = field(compare=False, repr=False)  # the model file as read, whatever the values
    text: str = field(default="", compare=False, repr=False)  # the same with its comments, if it was a TOML file
    folder: str = field(default="", compare=False, repr=False)  # where the file is, for meshes beside it
    source: str = field(default="", compare=False, repr=False)  # the file of another program that it was read from

    def resolved(self, values: Mapping[str, Scalar] | None = None) -> Elements:
        """The elements with numbers in them, or with symbols for the parameters given as such."""
        return resolve(self.template, self.parameters.environment(values or {}))

    @cached_property
    def elements(self) -> Elements:
        """The elements with the parameters' own values."""
        return self.resolved()

    @cached_property
    def inertia_defect(self) -> str | None:
        """Why no motion of it can be computed: a body with a negative principal moment; None when all have none."""
        return negative_inertia(self.elements)

    @cached_property
    def document(self) -> Mapping[str, Any]:
        """The model file with the present values of the parameters: `build` makes the same mechanism of it."""
        original = build(self.nominal).parameters
        if all(p.value == original[name].value for name, p in self.parameters.items()):
            return self.nominal
        document = copy.deepcopy(dict(self.nominal))
        put_values(document, original, self.parameters)
        return document

    @cached_property
    def physics(self) -> dict[str, Any]:
        """The model file as read, without what bodies look like, which no equation depends on."""
        return _without_visuals(self.nominal)

    @property
    def planar(self) -> bool:
        """Whether everything moves in the plane z = 0."""
        return self.template.planar

    @property
    def bodies(self) -> dict[str, RigidBody]:
        """Moving bodies by name."""
        return self.elements.bodies

    @property
    def beams(self) -> dict[str, Beam]:
        """Flexible parts of bodies by name, "link.beam"."""
        return self.elements.beams

    @property
    def joints(self) -> dict[str, Joint]:
        """Joints by name."""
        return self.elements.joints

    @property
    def couplings(self) -> dict[str, JointCoupling]:
        """Couplings between coordinates by name."""
        return self.elements.couplings

    @property
    def forces(self) -> dict[str, Force]:
        """Springs, dampers, friction, drive inertias and end stops by name."""
        return self.elements.forces

    @property
    def loads(self) -> dict[str, Load]:
        """Constant loads by name."""
        return self.elements.loads

    @property
    def actuators(self) -> dict[str, Actuator]:
        """Actuators by name."""
        return self.elements.actuators

    @property
    def sensors(self) -> dict[str, Sensor]:
        """Sensors by name."""
        return self.elements.sensors

    @property
    def coordinates(self) -> NamedCoordinates:
        """Coordinates that the model file names; those of joints are found in it by the joints' names too."""
        return self.elements.coordinates

    @property
    def gravity(self) -> tuple[float, float, float]:
        """Acceleration of gravity  [m/s²]."""
        return self.elements.gravity

    @property
    def eliminate(self) -> tuple[str, ...]:
        """Linear parameters that the model file prefers to express by others, the most wanted first."""
        return tuple(self.nominal.get("identify", {}).get("eliminate", ()))

    def with_parameters(self, changes: Mapping[str, float | str]) -> Mechanism:
        """A new mechanism with some parameters changed; numbers in SI or text with a unit.

        >>> import poinsot
        >>> poinsot.load("pendulum").with_parameters({"bob.mass": "250 g"}).bodies["bob"].mass
        0.25
        """
        changed = self.parameters.with_values(changes)
        require_elements(self.template, changed, {name: changed[name].value for name in changes})
        return replace(self, parameters=changed)

    def with_separate(self, *patterns: str) -> Mechanism:
        """A new mechanism in which copies of components no longer share the parameters that match.

        One unknown `rods.mass` of six legs becomes `leg1.rod.mass` … `leg6.rod.mass`.
        """
        return self._rebuilt(*separate(self.nominal, self.parameters, patterns))

    def with_shared(self, name: str, *patterns: str) -> Mechanism:
        """A new mechanism in which all parameters that match are one, called `name`."""
        return self._rebuilt(*share(self.nominal, self.parameters, name, patterns))

    def _rebuilt(self, document: Mapping[str, Any], values: Mapping[str, float]) -> Mechanism:
        """The mechanism of a changed document; parameters that are still there keep their values."""
        rebuilt = build(document, self.name)
        kept = {n: p.value for n, p in self.parameters.items() if n in rebuilt.parameters}
        return replace(rebuilt.with_parameters({**kept, **values}), folder=self.folder, source=self.source)

    def with_coordinates(self, coordinates: Mapping[str, Coordinate]) -> Mechanism:
        """A new mechanism with further named coordinates, such as those that its encoders read."""
        template = self.template
        named = NamedCoordinates({**template.coordinates, **coordinates}, template.joints, template.planar)
        return replace(self, template=replace(template, coordinates=named))

    def with_actuators(self, actuators: Mapping[str, Actuator]) -> Mechanism:
        """A new mechanism with these actuators alone, such as ideal ones along coordinates."""
        key = (id(self), repr(actuators))
        changed = lambda: (self, replace(self, template=replace(self.template, actuators=dict(actuators))))  # noqa: E731
        return _NAMING.get_or_make(key, changed)[1]

    def naming(self, *names: str) -> Mechanism:
        """The mechanism with those of the given coordinates that are joints' among its named ones, so that results
        tell them, or with those of all joints where its file names none; itself if there are none such."""
        known = self.template.coordinates
        names = names if known else (*names, *known.known)
        wanted = {name: known[name] for name in names if name in known and not known.declares(name)}
        if not wanted:
            return self
        return _NAMING.get_or_make((id(self), *wanted), lambda: (self, self.with_coordinates(wanted)))[1]

    def in_space(self) -> Mechanism:
        """The same mechanism with every planar joint modelled in space; itself if it is spatial already."""
        if not self.planar:
            return self
        rebuilt = build({**self.nominal, "in_space": True}, self.name)
        return replace(rebuilt, parameters=self.parameters, folder=self.folder, source=self.source)

    def body(self, name: str) -> RigidBody:
        """A body by name, the ground included."""
        if name == self.elements.ground.name:
            return self.elements.ground
        if name not in self.bodies:
            raise PoinsotError(unknown("body", name, [self.elements.ground.name, *self.bodies]))
        return self.bodies[name]

    def frame(self, label: str) -> Frame:
        """A place on a body by the label that model files use: "platform" or "platform.P1"."""
        elements, label = self.elements, str(label)
        if label in elements.bodies:
            return Frame(label, "")
        body, _, name = label.rpartition(".")
        if body in elements.bodies or body == GROUND:
            for frame in self.body(body).frames:
                if frame.name == name:
                    return frame
            raise PoinsotError(unknown(f"frame on '{body}'", name, [f.name for f in self.body(body).frames]))
        raise PoinsotError(
            f"there is no place '{label}'; give a body or body.frame, the bodies being: {listing(elements.bodies)}"
        )

    def __str__(self) -> str:
        coupled = (f"\n  {name}: {equation}" for name, equation in self.elements.equations.items())
        return self._summary + "".join(coupled)

    def __repr__(self) -> str:
        return f"<{self._summary}>"

    @property
    def _summary(self) -> str:
        plane, n = "planar " if self.planar else "", len(self.couplings)
        parts = [counted(len(self.bodies), "body"), counted(len(self.joints), "joint")]
        parts += [counted(n, "coupling")] if n else []
        parts += [counted(len(self.actuators), "actuator"), counted(len(self.parameters), "parameter")]
        return f"{self.name}: {plane}mechanism with {', '.join(parts)}"


def build(document: Mapping[str, Any], name: str = "model", text: str = "") -> Mechanism:
    """Make a mechanism from the contents of a model file; an error names the path in the file.

    `document` holds tables as a TOML file does; `name` is the mechanism's, `text` the file with its comments,
    for `dumps`.

    >>> build({"format": 1, "bodies": {"bob": {"mass": "200 g"}}}).bodies["bob"].mass
    0.2
    """
    title, description, parameters, template = builder.described(document, name)
    mechanism = Mechanism(title, description, parameters, template, document, text)
    builder.require_finite(template, parameters.values_by_name)
    builder.require_numbers(mechanism.elements)
    return mechanism


def _without_visuals(document: Mapping[str, Any]) -> dict[str, Any]:
    """A model file, or a component of one, whose bodies have no visuals."""
    found = dict(document)
    if isinstance(bodies := found.get("bodies"), Mapping):
        found["bodies"] = {
            name: {key: x for key, x in body.items() if key != "visual"} if isinstance(body, Mapping) else body
            for name, body in bodies.items()
        }
    if isinstance(parts := found.get("components"), Mapping):
        found["components"] = {n: _without_visuals(x) if isinstance(x, Mapping) else x for n, x in parts.items()}
    return found


def require_mechanism(given: Any) -> Mechanism:
    """What was given, if it is a mechanism."""
    if isinstance(given, Mechanism):
        return given
    raise PoinsotError(
        f'expected a mechanism, such as poinsot.load("four_bar"), not {one_line(repr(given), 40)} '
        f"({type(given).__name__})"
    )


def require_inertia(mechanism: Mechanism) -> Mechanism:
    """The mechanism, if its equations of motion can be solved: no body has a negative principal moment."""
    if (defect := mechanism.inertia_defect) is not None:
        raise PoinsotError(defect)
    return mechanism


def require_possible(mechanism: Mechanism, values: Mapping[str, ArrayLike]) -> None:
    """Raise when one of the values given for parameters, one or many each, makes a mechanism that cannot be."""
    arrays = {name: np.asarray(value, float) for name, value in values.items()}
    for name, array in arrays.items():
        mechanism.parameters[name].check(array)
    mechanism.parameters.check_limits(arrays)
    require_elements(mechanism.template, mechanism.parameters, arrays)
