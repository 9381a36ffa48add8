"""The model file, as data types: what keys there are, what each may hold. The JSON Schema is made from these.

Numbers may be written as numbers in SI, as text with a unit ("74.1 g") or as an expression of parameters
("base.radius * cos(30 deg)"); whether a text makes sense is decided when the mechanism is built, where all
names are known.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StrictBool,
    Tag,
    WithJsonSchema,
)

from poinsot.elements.coordinates import COORDINATES
from poinsot.elements.forces import FORCES, Actuator, Load
from poinsot.elements.joints import JOINTS
from poinsot.elements.sensors import SENSORS
from poinsot.model.entries import NUMBER_SCHEMA, Key, LawSpec, Number, Spec, Table, Vector, as_number, counted, one_of
from poinsot.model.sequences import MovingSequence, RotationSequence

Limits = Annotated[tuple[Number, ...], *counted(2, 2)]


class ParameterSpec(Spec):
    """A parameter that the file names itself, or more about one that another table makes."""

    value: Number | None = None
    unit: str = ""
    bounds: Limits | None = None
    description: str = ""


class RotationSpec(Spec):
    """An attitude: angles of a sequence, a quaternion, or the direction of one axis."""

    sequence: RotationSequence | None = None
    angles: Annotated[tuple[Number, ...], *counted(3, 3)] | None = None
    quaternion: Annotated[tuple[Number, ...], *counted(4, 4)] | None = None
    x: Vector | None = None
    y: Vector | None = None
    z: Vector | None = None
    angle: Number | None = Field(None, description="Turn about z, for planar mechanisms.")


class FrameTable(Spec):
    """A frame on a body."""

    position: Vector = (0.0, 0.0, 0.0)
    rotation: RotationSpec | None = None


FrameSpec = Annotated[FrameTable, BeforeValidator(lambda v: {"position": v} if isinstance(v, list | tuple) else v)]


class InlineFrame(Spec):
    """A frame on any body: named in the table `frames`, or written where it is used."""

    body: str
    position: Vector = (0.0, 0.0, 0.0)
    rotation: RotationSpec | None = None


def _place(value: Any) -> Any:
    if not isinstance(value, str | dict | InlineFrame):
        raise ValueError("expected a place: 'body', 'body.frame' or a table with body, position, rotation")
    return value


Place = Annotated[
    Annotated[str, Tag("name")] | Annotated[InlineFrame, Tag("table")],
    Discriminator(lambda value: "name" if isinstance(value, str) else "table"),
    BeforeValidator(_place),
]
Pair = Annotated[tuple[Place, ...], *counted(2, 2, "places")]


class PlacementSpec(Spec):
    """Where a body is before assembly: a pose, or at one place with an axis along the line between two.

    The axis is z in space and x in the plane.
    """

    position: Vector | None = None
    rotation: RotationSpec | None = None
    at: Place | None = None
    along: Pair | None = None
    offset: Number = Field(0.0, description="Distance of the body's origin from `at`, along that line [m].")
    turn: Number = Field(0.0, description="Angle from the line, in a planar mechanism [rad].")


class BeamSpec(Spec):
    """A straight beam between two frames of its body, welded to the other beams that end there."""

    between: Pair
    material: str
    section: str
    z: Vector | None = Field(None, description="Direction nearest to the z axis of the section, in the body.")
    elements: Annotated[int, Field(ge=1, le=1000, strict=True)] = Field(
        1, description="Finite elements along the beam."
    )


class MaterialSpec(Spec):
    """What beams are made of."""

    E: Number = Field(description="Young's modulus [Pa].")
    G: Number = Field(description="Shear modulus [Pa].")
    density: Number = Field(description="[kg/m³].")


class SectionSpec(Spec):
    """The cross-section of a beam."""

    area: Number = Field(description="[m²].")
    Iy: Number = Field(description="Second moment of area for bending in the plane of x and z [m⁴].")
    Iz: Number = Field(description="Second moment of area for bending in the plane of x and y [m⁴].")
    torsion: Number = Field(description="Torsion constant [m⁴].")
    shear_y: Number | None = Field(None, description="Shear coefficient along y; none: Euler–Bernoulli.")
    shear_z: Number | None = Field(None, description="Shear coefficient along z; none: Euler–Bernoulli.")


class VisualSpec(Spec):
    """A shape that a body is drawn with: one of box, cylinder, sphere, capsule or mesh. It has no mass."""

    box: Annotated[tuple[Number, ...], *counted(3, 3)] | None = Field(None, description="Edges along x, y, z [m].")
    cylinder: Annotated[tuple[Number, ...], *counted(2, 2)] | None = Field(
        None, description="Radius and length along z [m]."
    )
    sphere: Annotated[tuple[Number, ...], *counted(1, 1, one=True)] | None = Field(None, description="Radius [m].")
    capsule: Annotated[tuple[Number, ...], *counted(2, 2)] | None = Field(
        None, description="Radius and length of the straight part along z [m]."
    )
    mesh: str | None = Field(None, description="A file (STL, OBJ, PLY, GLB …) beside the model file.")
    scale: Annotated[tuple[Number, ...], *counted(3, 3)] = Field((1.0, 1.0, 1.0), description="Of a mesh.")
    position: Annotated[tuple[Number, ...], *counted(3, 3)] = (0.0, 0.0, 0.0)
    rotation: RotationSpec | None = None
    colour: Annotated[tuple[float, ...], *counted(3, 4)] | None = Field(
        None, description="Red, green, blue and opacity from 0 to 1."
    )


Visuals = Annotated[
    tuple[VisualSpec, ...], BeforeValidator(lambda v: (v,) if isinstance(v, dict | VisualSpec) else v)
]


class BodySpec(Spec):
    """A body, rigid unless it is made of beams. The body called `ground` has frames only."""

    mass: Number | None = None
    com: Vector | None = None
    inertia: Annotated[tuple[Number, ...], *counted(1, 6, one=True)] | None = Field(
        None, description="About the centre of mass: xx, yy, zz[, xy, xz, yz]; one number in the plane [kg·m²]."
    )
    frames: Table[FrameSpec] = {}
    beams: Table[BeamSpec] = Field({}, description="Flexible parts; mass, com and inertia are what comes on top.")
    placement: PlacementSpec | None = None
    visual: Visuals = Field((), description="Shapes to draw the body with; no influence on any result.")
    shared_as: Key | None = Field(None, description="In a component: name of the parameters shared by all instances.")


PerCoordinate = Annotated[
    float | str | dict[str, Number],
    BeforeValidator(lambda v: {k: as_number(n) for k, n in v.items()} if isinstance(v, dict) else as_number(v)),
    WithJsonSchema({"anyOf": [*NUMBER_SCHEMA["anyOf"], {"type": "object"}]}),
]


class FrictionSpec(Spec):
    """Friction in a joint."""

    viscous: PerCoordinate | None = None
    coulomb: PerCoordinate | None = None
    offset: PerCoordinate | None = None
    smooth: PerCoordinate | None = Field(None, description="Speed at which Coulomb friction is nearly full.")


class JointSpec(LawSpec):
    """A joint, with what acts along or about it."""

    type: Annotated[str, BeforeValidator(one_of("joint", JOINTS)), Field(json_schema_extra={"enum": [*JOINTS]})]
    between: Pair
    axis: Vector | None = None
    axis2: Vector | None = Field(
        None, description="Second arm of a universal joint, in the frame of the second body."
    )
    stiffness: PerCoordinate | None = None
    rest: PerCoordinate | None = Field(None, description="Where the spring is relaxed; 'pose': wherever it is posed.")
    damping: PerCoordinate | None = None
    friction: FrictionSpec | None = None
    drive_inertia: PerCoordinate | None = None
    limits: Limits | dict[str, Limits] | None = None
    closing: StrictBool = Field(
        False, description="true: this joint closes a loop and carries no branch of the tree."
    )
    actuated: StrictBool | str = Field(
        False, description="true, or the name of the coordinate that the actuator moves."
    )

    @classmethod
    def taken(cls) -> dict[str, str]:
        """Numbers besides the axes."""
        return {name: option.description for law in JOINTS.values() for name, option in law.options.items()}

    @property
    def options(self) -> dict[str, Any]:
        """Axes and numbers that the file gives."""
        return {key: value for key, value in self.given.items() if key in ("axis", "axis2", *self.taken())}


class CoordinateSpec(LawSpec):
    """A coordinate: of a joint, a length between two places, a position, an angle, or a combination of joints'."""

    __pydantic_extra__: dict[
        str,
        Annotated[
            Annotated[Place, Tag("one")] | Annotated[Pair, Tag("two")],
            Discriminator(lambda value: "two" if isinstance(value, list | tuple) else "one"),
        ],
    ] = Field(init=False)

    joint: str | None = None
    coordinate: str | None = None
    combination: dict[str, Number] | None = Field(None, description="Weights by joint.")
    length: Pair | None = None
    position: Place | None = None
    axis: Literal["x", "y", "z"] | None = None
    angle: Place | None = None
    sequence: MovingSequence | None = None
    index: Literal[1, 2, 3] | None = None
    reference: Place | None = Field(None, description="Seen from here instead of the ground.")

    @classmethod
    def taken(cls) -> dict[str, str]:
        """Kinds of coordinates, each the key of its places."""
        return {key: "" for key in COORDINATES if key not in cls.model_fields}


def _forces() -> dict[str, Any]:
    """What a table of forces may hold; actuators have one of their own."""
    return {kind: law for kind, law in FORCES.items() if law is not Actuator} | {Load.kind: Load}


class ForceSpec(LawSpec):
    """A spring, damper, friction, drive inertia or end stop along a coordinate, or a load on a body."""

    type: Annotated[
        str, BeforeValidator(one_of("force", _forces)), Field(json_schema_extra=lambda s: s.update(enum=[*_forces()]))
    ]
    on: CoordinateSpec | None = None
    at: Place | None = None
    force: Vector | None = None
    moment: Annotated[tuple[Number, ...], *counted(1, 3, one=True)] | None = None
    follows: StrictBool | None = None

    @classmethod
    def taken(cls) -> dict[str, str]:
        """Parameters of the laws along a coordinate."""
        return {name: "" for law in FORCES.values() for name in law.parameters}

    @classmethod
    def laws(cls) -> dict[str, Any]:
        """Laws along a coordinate, and loads."""
        return _forces()


class CouplingSpec(Spec):
    """A coordinate, mostly a combination of joints', that is kept at a value: gears, belts, racks."""

    on: CoordinateSpec
    value: Number = Field(0.0, description="Of the coordinate [m] or [rad].")


class ActuatorSpec(Spec):
    """A drive along a coordinate."""

    on: CoordinateSpec
    limits: Limits | None = None


class SensorSpec(LawSpec):
    """A sensor by place and kind."""

    type: Annotated[str, BeforeValidator(one_of("sensor", SENSORS)), Field(json_schema_extra={"enum": [*SENSORS]})]
    at: Place | None = None
    on: CoordinateSpec | None = None
    actuator: str | None = None
    joint: str | None = None
    side: Literal["a", "b"] | None = Field(
        None,
        description="Of a reaction, which acts on the second body: 'a' (default) in the joint's frame on the first "
        "body, 'b' in that on the second, as inverse dynamics gives reactions.",
    )
    direction: Vector | None = None
    bias: Vector | None = None
    rate_bias: Vector | None = None
    noise: Number | None = Field(
        None, description="Standard deviation of one sample; of an imu's accelerations, a reaction's forces."
    )
    drift: Number | None = Field(None, description="Random walk of the bias, in the channel's unit by √s.")
    resolution: Number | None = Field(None, description="Step of what is written.")
    limit: Number | None = Field(None, description="Largest magnitude that is written.")
    delay: Number | None = Field(None, description="Age of what is written [s].")
    dropout: Annotated[float, Field(ge=0, lt=1, strict=True)] = Field(0.0, description="Share of lost samples.")
    rate: Annotated[float, Field(gt=0, strict=True)] | str | None = None

    @classmethod
    def taken(cls) -> dict[str, str]:
        """Numbers that sensors take, with units; "u" is that of the coordinate."""
        units = {
            key: (kind, u) for kind, law in SENSORS.items() for key, u in (law.takes | law.imperfections).items()
        }
        return {key: f"Of {kind} [{unit}]." for key, (kind, unit) in units.items() if key not in cls.model_fields}


class InstanceSpec(BaseModel):
    """Copies of a component; every further key is an argument, one value or a list with one for each copy."""

    model_config = ConfigDict(extra="allow", frozen=True)

    component: str
    number: Annotated[int, Field(ge=1, le=1000, strict=True)] | None = None
    separate: StrictBool | tuple[str, ...] = Field(
        False, description="Parameters that every copy has for itself: all, or patterns such as 'rod.*'."
    )


class GroupSpec(Spec):
    """What a model and a component have in common."""

    parameters: dict[str, Any] = {}
    bodies: Table[BodySpec] = {}
    frames: Table[InlineFrame] = {}
    joints: Table[JointSpec] = {}
    couplings: Table[CouplingSpec] = {}
    forces: Table[ForceSpec] = {}
    actuators: Table[ActuatorSpec] = {}
    sensors: Table[SensorSpec] = {}
    coordinates: Table[CoordinateSpec] = {}
    instances: Table[InstanceSpec] = {}

    @property
    def size(self) -> int:
        """Number of elements, finite elements of beams included, without those of copies."""
        spans = [beam.elements for body in self.bodies.values() for beam in body.beams.values()]
        tables = (self.parameters, self.bodies, self.frames, self.joints, self.forces, self.actuators, self.sensors)
        frames = [len(body.frames) for body in self.bodies.values()]
        return sum(spans) + sum(frames) + sum(map(len, (*tables, self.couplings, self.coordinates)))


class ComponentSpec(GroupSpec):
    """A part of a mechanism that is written once and used several times."""

    description: str = ""
    arguments: tuple[Key, ...] = ()


class IdentifySpec(Spec):
    """What the model's author prefers when parameters are identified."""

    eliminate: tuple[str, ...] = Field(
        default=(), description="Linear parameters to express by others, such as 'link1.J', the most wanted first."
    )


class ModelSpec(GroupSpec):
    """A mechanism."""

    format: Literal[1]
    name: str = ""
    description: str = ""
    planar: StrictBool = False
    in_space: StrictBool = Field(
        False, description="A planar mechanism whose joints are modelled in space all the same."
    )
    gravity: Vector | None = None
    materials: Table[MaterialSpec] = {}
    sections: Table[SectionSpec] = {}
    components: Table[ComponentSpec] = {}
    pose: Table[Number] = {}
    identify: IdentifySpec = IdentifySpec()


def json_schema() -> str:
    """The JSON Schema of model files, as text."""
    import json

    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Poinsot model file, format 1"}
    return json.dumps({**ModelSpec.model_json_schema(), **schema}, indent=2, ensure_ascii=False) + "\n"
