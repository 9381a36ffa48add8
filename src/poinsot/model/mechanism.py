"""Mechanism: the frozen description of a machine, from which every question is answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from typing import Any

from poinsot.elements.bodies import Beam, RigidBody
from poinsot.elements.coordinates import Coordinate
from poinsot.elements.forces import Actuator, Force, Load
from poinsot.elements.frame import GROUND, Frame
from poinsot.elements.joints import Joint
from poinsot.elements.sensors import Sensor
from poinsot.errors import PoinsotError, listing, one_line, unknown
from poinsot.model.quantities.expressions import Call, Constant, Name, evaluate, names
from poinsot.model.quantities.parameters import Parameters
from poinsot.spatial.algebra import Scalar

__all__ = ["Elements", "Mechanism", "Placement", "require_mechanism", "substitute"]


@dataclass(frozen=True)
class Placement:
    """Where a body is before assembly: a frame of the world, or at a place along a line between two."""

    frame: Frame | None = None  # pose in the world, as a frame of the ground
    at: Frame | None = None
    along: tuple[Frame, Frame] | None = None
    offset: Scalar = 0.0  # of the body's origin from `at` along that line  [m]
    turn: Scalar = 0.0  # of the body from the line, in the plane  [rad]
    flat: bool = False  # x along the line, turned about the normal; otherwise z along it


@dataclass(frozen=True)
class Elements:
    """All elements of a mechanism, with expressions or, once resolved, with numbers or symbols in them."""

    planar: bool
    gravity: tuple[Scalar, Scalar, Scalar]  # [m/s²]
    ground: RigidBody
    bodies: dict[str, RigidBody]
    joints: dict[str, Joint]
    forces: dict[str, Force]
    loads: dict[str, Load]
    actuators: dict[str, Actuator]
    sensors: dict[str, Sensor]
    coordinates: dict[str, Coordinate]
    placements: dict[str, Placement]
    closing: tuple[str, ...]  # joints that the user wants to close a loop
    pose: dict[str, Scalar]  # values of named coordinates in the given pose
    beams: dict[str, Beam] = field(default_factory=dict)  # flexible parts of bodies
    lumps: dict[str, RigidBody] = field(default_factory=dict)  # once resolved: what bodies with beams have besides

    @cached_property
    def judged(self) -> frozenset[str]:
        """Parameters of a template on which it hangs whether its elements can be, beyond their own bounds."""
        parts = [part for body in self.bodies.values() for part in body.inertia]
        parts += [getattr(joint, option) for joint in self.joints.values() for option in joint.nonzero]
        acting = (*self.forces.values(), *self.actuators.values())
        parts += [getattr(law, end) for law in acting for end in ("lower", "upper") if hasattr(law, end)]
        return frozenset(name for part in parts for name in names(part))

    def coordinate(self, name: str) -> Coordinate:
        """A coordinate by the name that the model file gives it."""
        if name in self.coordinates:
            return self.coordinates[name]
        hint = f' (declare that of the joint: {name} = {{ joint = "{name}" }})' if name in self.joints else ""
        raise PoinsotError(unknown("coordinate", name, self.coordinates) + hint)


def substitute(value: Any, leaf: Callable[[Any], Any], kinds: tuple[type, ...] = (Constant, Name, Call)) -> Any:
    """Rebuild a description with every part of some kinds, expressions by default, replaced."""
    if isinstance(value, kinds):
        return leaf(value)
    if isinstance(value, dict):
        return {key: substitute(item, leaf, kinds) for key, item in value.items()}
    if isinstance(value, tuple):
        return tuple(substitute(item, leaf, kinds) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: substitute(getattr(value, f.name), leaf, kinds) for f in fields(value)})
    return value


def _whole(elements: Elements) -> Elements:
    """Give bodies that are made of beams the mass and inertia of all their parts together."""
    lumps = {beam.body: elements.bodies[beam.body] for beam in elements.beams.values()}
    bodies = dict(elements.bodies)
    for name, lump in lumps.items():
        parts = [beam.spatial_inertia() for beam in elements.beams.values() if beam.body == name]
        bodies[name] = lump.with_inertia(sum(parts, lump.spatial_inertia()))
    return replace(elements, bodies=bodies, lumps=lumps) if lumps else elements


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
    document: Mapping[str, Any] = field(compare=False, repr=False)  # the model file as read
    text: str = field(default="", compare=False, repr=False)  # the same with its comments, if it was a TOML file

    def resolved(self, values: Mapping[str, Scalar] | None = None) -> Elements:
        """The elements with numbers in them, or with symbols for the parameters given as such."""
        environment = self.parameters.environment(values or {})
        return _whole(substitute(self.template, lambda expression: evaluate(expression, environment)))

    @cached_property
    def elements(self) -> Elements:
        """The elements with the parameters' own values."""
        return self.resolved()

    @cached_property
    def inertia_defect(self) -> str | None:
        """Why no motion of it can be computed: a body with a negative principal moment; None when all have none."""
        from poinsot.model.possible import negative_inertia

        return negative_inertia(self.elements)

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
    def coordinates(self) -> dict[str, Coordinate]:
        """Coordinates that the model file names."""
        return self.elements.coordinates

    @property
    def gravity(self) -> tuple[float, float, float]:
        """Acceleration of gravity  [m/s²]."""
        return self.elements.gravity

    @property
    def eliminate(self) -> tuple[str, ...]:
        """Linear parameters that the model file prefers to express by others, the most wanted first."""
        return tuple(self.document.get("identify", {}).get("eliminate", ()))

    def with_parameters(self, changes: Mapping[str, float | str]) -> Mechanism:
        """A new mechanism with some parameters changed; numbers in SI or text with a unit.

        >>> import poinsot
        >>> poinsot.load("pendulum").with_parameters({"bob.mass": "250 g"}).bodies["bob"].mass
        0.25
        """
        from poinsot.model.possible import require_elements

        changed = self.parameters.with_values(changes)
        require_elements(self.template, changed, {name: changed[name].value for name in changes})
        return replace(self, parameters=changed)

    def with_separate(self, *patterns: str) -> Mechanism:
        """A new mechanism in which copies of components no longer share the parameters that match.

        One unknown `rods.mass` of six legs becomes `leg1.rod.mass` … `leg6.rod.mass`.
        """
        from poinsot.model.sharing import separate

        return separate(self, patterns)

    def with_shared(self, name: str, *patterns: str) -> Mechanism:
        """A new mechanism in which all parameters that match are one, called `name`."""
        from poinsot.model.sharing import share

        return share(self, name, patterns)

    def in_space(self) -> Mechanism:
        """The same mechanism with every planar joint modelled in space; itself if it is spatial already."""
        from poinsot.model.build import build

        if not self.planar:
            return self
        rebuilt = build({**self.document, "in_space": True}, self.name)
        return replace(rebuilt, parameters=self.parameters)

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
        plane = "planar " if self.planar else ""
        return (
            f"{self.name}: {plane}mechanism with {len(self.bodies)} bodies, {len(self.joints)} joints, "
            f"{len(self.actuators)} actuators, {len(self.parameters)} parameters"
        )

    def __repr__(self) -> str:
        return f"<{self}>"


def require_mechanism(given: Any) -> Mechanism:
    """What was given, if it is a mechanism."""
    if isinstance(given, Mechanism):
        return given
    raise PoinsotError(
        f'expected a mechanism, such as poinsot.load("four_bar"), not {one_line(repr(given), 40)} '
        f"({type(given).__name__})"
    )
