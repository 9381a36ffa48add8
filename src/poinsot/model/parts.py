"""The parts of a mechanism: all its elements, with expressions of parameters in them, or with numbers or symbols.

Coordinates of joints are known by the joints' names wherever one of the model file is. A joint with one freedom is
its own coordinate ("A", or in full "A.angle"); one with more has a name for each ("A.angle1", "A.px"). Attitudes of
balls and floating bodies are three angles "A.rx", "A.ry", "A.rz" of frame b seen from frame a, R_ab = R_x(rx)
R_y(ry) R_z(rz); in a planar mechanism the one angle "A.rz" (theory/coordinates, eq. 6).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from poinsot.elements.coordinates import AlongJoint, Angle, Coordinate
from poinsot.errors import PoinsotError, listing, unknown
from poinsot.model.quantities.expressions import Call, Constant, Name, evaluate, names

if TYPE_CHECKING:
    from poinsot.elements.bodies import Beam, RigidBody
    from poinsot.elements.coupling import JointCoupling
    from poinsot.elements.forces import Actuator, Force, Load
    from poinsot.elements.frame import Frame
    from poinsot.elements.joints import Joint
    from poinsot.elements.sensors import Sensor
    from poinsot.spatial.algebra import Scalar


_NUMBERS: dict[type, int] = {}  # also keeps the classes, so that a number is never given twice


class NamedCoordinates(dict[str, Coordinate]):
    """Coordinates that the model file names, which it lists, and those of joints, which it also knows."""

    def __init__(self, declared: Mapping[str, Coordinate], joints: Mapping[str, Joint], planar: bool):
        super().__init__(declared)
        self._joints, self._planar = joints, planar

    @cached_property
    def of_joints(self) -> dict[str, Coordinate]:
        """Those of joints by every name that they have and no declared one has."""
        found = {}
        for name, joint in self._joints.items():
            parts = joint_parts(joint, self._planar)
            found |= {f"{name}.{part}": c for part, c in parts.items()}
            if len(parts) == 1:
                (found[name],) = parts.values()
        return {name: c for name, c in found.items() if not dict.__contains__(self, name)}

    def __contains__(self, name: object) -> bool:
        return dict.__contains__(self, name) or name in self.of_joints

    def __missing__(self, name: str) -> Coordinate:
        return self.of_joints[name]

    def of_joint(self, name: str) -> Coordinate | None:
        """The joint's coordinate of a name, whatever the model file calls so."""
        joint, _, part = name.rpartition(".")
        whole = self._joints.get(name)
        parts = joint_parts(whole or self._joints[joint], self._planar) if whole or joint in self._joints else {}
        return parts.get(part) if not whole else next(iter(parts.values())) if len(parts) == 1 else None

    def name_of(self, coordinate: Coordinate) -> str:
        """What a coordinate is called: after its joint, or as the file declares it; else its kind."""
        own = (n for n in self.known if self.of_joint(n) == coordinate)
        declared = (n for n, c in self.items() if c == coordinate)
        return next(own, None) or next(declared, f"({coordinate.kind})")

    def declares(self, name: str) -> bool:
        """Whether the model file names it."""
        return dict.__contains__(self, name)

    def get(self, name: str, default=None):
        """A coordinate, or what stands for none."""
        return dict.get(self, name) or self.of_joints.get(name, default)

    @property
    def known(self) -> list[str]:
        """All names for a message: the declared ones first, and each of a joint once."""
        short = [n for n, c in self.of_joints.items() if n in self._joints or _owner(n) not in self.of_joints]
        return [*self, *short]


def _owner(name: str) -> str:
    return name.rpartition(".")[0]


def joint_parts(joint: Joint, planar: bool) -> dict[str, Coordinate]:
    """Lengths and angles of one joint by their names in it; an attitude is given by angles."""
    kept = [(k, c) for k, c in enumerate(joint.coordinates) if c.unit != "-"]
    plain: dict[str, Coordinate] = {c.name: AlongJoint(joint.name, k, c.unit) for k, c in kept}
    if len(plain) == len(joint.coordinates):
        return plain
    if planar:
        return {**plain, "rz": Angle(joint.b, joint.a, "ZXY", 0)}
    return {**plain, **{f"r{axis}": Angle(joint.b, joint.a, "XYZ", k) for k, axis in enumerate("xyz")}}


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
    coordinates: NamedCoordinates  # those that the file names; those of joints are found in it too
    placements: dict[str, Placement]
    closing: tuple[str, ...]  # joints that the user wants to close a loop
    pose: dict[str, Scalar]  # values of named coordinates in the given pose
    couplings: dict[str, JointCoupling] = field(default_factory=dict)
    beams: dict[str, Beam] = field(default_factory=dict)  # flexible parts of bodies
    lumps: dict[str, RigidBody] = field(default_factory=dict)  # once resolved: what bodies with beams have besides

    def __post_init__(self) -> None:
        named = NamedCoordinates(self.coordinates, self.joints, self.planar)
        object.__setattr__(self, "coordinates", named)

    @cached_property
    def foreign(self) -> tuple[str, ...]:
        """Laws that are not Poinsot's own."""
        tables = (self.joints, self.couplings, self.forces, self.actuators, self.sensors, self.coordinates)
        return foreign(law for table in tables for law in table.values())

    @cached_property
    def judged(self) -> frozenset[str]:
        """Parameters of a template on which it hangs whether its elements can be, beyond their own bounds."""
        parts = [part for body in self.bodies.values() for part in body.inertia]
        laws = (*self.joints.values(), *self.forces.values())
        parts += [getattr(law, option) for law in laws for option in law.nonzero]
        acting = (*self.forces.values(), *self.actuators.values())
        parts += [getattr(law, end) for law in acting for end in ("lower", "upper") if hasattr(law, end)]
        return frozenset(name for part in parts for name in names(part))

    @cached_property
    def equations(self) -> dict[str, str]:
        """What couplings keep, once there are numbers in them, as text by name."""
        return {name: coupling.equation(self.coordinates.name_of) for name, coupling in self.couplings.items()}

    def is_coordinate(self, place: str) -> bool:
        """Whether a measured place is a coordinate: one of the file, or a joint's after which no sensor is called."""
        return place in self.coordinates and (self.coordinates.declares(place) or place not in self.sensors)

    def coordinate(self, name: str) -> Coordinate:
        """A coordinate by the name that the model file gives it, or by that of its joint."""
        if name in self.coordinates:
            return self.coordinates[name]
        known = self.coordinates.known
        own = [other for other in known if other.startswith(f"{name}.")]
        if name in self.joints and own:
            kind = self.joints[name].kind
            raise PoinsotError(f"the {kind} joint '{name}' has the coordinates {listing(own)}: say which")
        raise PoinsotError(unknown("coordinate", name, known))


def foreign(laws: Iterable[Any]) -> tuple[str, ...]:
    """Classes of laws, and of the coordinates along which they act, that are not Poinsot's own.

    Each has a number of its own in this process: two classes of one name are two laws.
    """
    classes = {type(part) for law in laws for part in (law, getattr(law, "on", None))}
    outside = [c for c in classes - {type(None)} if not f"{c.__module__}.".startswith("poinsot.elements.")]
    return tuple(sorted(f"{c.__qualname__} {_NUMBERS.setdefault(c, len(_NUMBERS))}" for c in outside))


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


def resolve(template: Elements, environment: Mapping[str, Scalar]) -> Elements:
    """Put the values of all names, numbers or symbols, into a template."""
    return _whole(substitute(template, lambda expression: evaluate(expression, environment)))


def _whole(elements: Elements) -> Elements:
    """Give bodies that are made of beams the mass and inertia of all their parts together."""
    lumps = {beam.body: elements.bodies[beam.body] for beam in elements.beams.values()}
    bodies = dict(elements.bodies)
    for name, lump in lumps.items():
        parts = [beam.spatial_inertia() for beam in elements.beams.values() if beam.body == name]
        bodies[name] = lump.with_inertia(sum(parts, lump.spatial_inertia()))
    return replace(elements, bodies=bodies, lumps=lumps) if lumps else elements
