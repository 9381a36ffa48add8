"""The model file, as data types: what keys there are, what each may hold. The JSON Schema is made from these.

Numbers may be written as numbers in SI, as text with a unit ("74.1 g") or as an expression of parameters
("base.radius * cos(30 deg)"); whether a text makes sense is decided when the mechanism is built, where all
names are known.
"""

from __future__ import annotations

import math
import re
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StrictBool,
    Tag,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from poinsot.elements.forces import FORCES
from poinsot.elements.joints import JOINTS
from poinsot.elements.sensors import SENSORS
from poinsot.errors import listing, suggestion

__all__ = [
    "BodySpec",
    "ComponentSpec",
    "CoordinateSpec",
    "ForceSpec",
    "FrameSpec",
    "InstanceSpec",
    "JointSpec",
    "ModelSpec",
    "ParameterSpec",
    "PlacementSpec",
    "RotationSpec",
    "SensorSpec",
    "json_schema",
]

NAME = re.compile(r"[^\W\d]\w*(\.\w+)*")


def _number(value: Any) -> float | str:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("expected a number, a quantity such as '12 mm' or an expression")
    if isinstance(value, str):
        if not value.strip():
            raise ValueError("expected a number, a quantity such as '12 mm' or an expression")
        return value
    try:
        number = float(value)
    except OverflowError:  # a whole number of some hundred digits
        number = math.inf
    if not math.isfinite(number):
        raise ValueError("expected a finite number")
    return number


def _name(value: str) -> str:
    if not NAME.fullmatch(value):
        raise ValueError("expected a name of letters, digits and _ that starts with a letter")
    return value


def _names(table: Any) -> Any:
    if isinstance(table, dict):
        for key in table:
            if not isinstance(key, str) or not NAME.fullmatch(key):
                raise ValueError(
                    f"'{str(key)[:40]}' is not a name: use letters, digits and _, beginning with a letter"
                )
    return table


def _one_of(kind: str, existing: Any):
    def check(value: Any) -> str:
        if not isinstance(value, str) or value not in existing:
            meant = suggestion(value, existing) if isinstance(value, str) else ""
            words = f"expected a type of {kind}, got {str(value)[:60]!r}{meant}; there are: {listing(existing)}"
            raise PydanticCustomError("unknown_type", "{words}", {"words": words})
        return value

    return check


def _list(item: Any, least: int, most: int, what: str = "numbers", one: bool = False) -> Any:
    """A list with so many items; `one`: a single item may be written without the brackets."""
    count = f"{least}" if least == most else f"{least} to {most}"

    def check(value: Any) -> Any:
        if one and not isinstance(value, list | tuple):
            return (value,)
        if not isinstance(value, list | tuple):
            raise ValueError(f"expected a list of {what}")
        if not least <= len(value) <= most:
            raise ValueError(f"expected {count} {what}")
        return value

    return Annotated[tuple[item, ...], BeforeValidator(check), Field(min_length=least, max_length=most)]


_NUMBER_SCHEMA = {
    "anyOf": [{"type": "number"}, {"type": "string"}],
    "description": "A number in SI, a quantity such as '12 mm', or an expression of parameters.",
}
Number = Annotated[float | str, BeforeValidator(_number), WithJsonSchema(_NUMBER_SCHEMA)]
Key = Annotated[str, AfterValidator(_name)]
Vector = _list(Number, 2, 3)
Kind = Annotated[str, Field(json_schema_extra={"examples": ["revolute"]})]


def _table(item: Any) -> Any:
    return Annotated[dict[str, item], BeforeValidator(_names)]


class Spec(BaseModel):
    """A table of a model file; a key that it does not know is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _known(cls, table: Any) -> Any:
        for key in table if isinstance(table, dict) else ():
            if key not in cls.model_fields:
                words = "this key is not known here" + suggestion(key, cls.model_fields)
                raise PydanticCustomError("unknown_key", "{words}", {"words": words, "key": key})
        return table


class ParameterSpec(Spec):
    """A parameter that the file names itself, or more about one that another table makes."""

    value: Number | None = None
    unit: str = ""
    bounds: _list(Number, 2, 2) | None = None
    description: str = ""


class RotationSpec(Spec):
    """An attitude: angles of a sequence, a quaternion, or the direction of one axis."""

    sequence: str | None = None
    angles: Vector | None = None
    quaternion: _list(Number, 4, 4) | None = None
    x: Vector | None = None
    y: Vector | None = None
    z: Vector | None = None
    angle: Number | None = Field(None, description="Turn about z, for planar mechanisms.")


def _frame(value: Any) -> Any:
    return {"position": value} if isinstance(value, list | tuple) else value


class FrameTable(Spec):
    """A frame on a body."""

    position: Vector = (0.0, 0.0, 0.0)
    rotation: RotationSpec | None = None


FrameSpec = Annotated[FrameTable, BeforeValidator(_frame)]


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
Pair = _list(Place, 2, 2, "places")


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


class BodySpec(Spec):
    """A rigid body. The body called `ground` has frames only."""

    mass: Number | None = None
    com: Vector | None = None
    inertia: _list(Number, 1, 6, one=True) | None = Field(
        None, description="About the centre of mass: xx, yy, zz[, xy, xz, yz]; one number in the plane [kg·m²]."
    )
    frames: _table(FrameSpec) = {}
    placement: PlacementSpec | None = None
    shared_as: Key | None = Field(None, description="In a component: name of the parameters shared by all instances.")


PerCoordinate = Annotated[
    float | str | dict[str, Number],
    BeforeValidator(lambda v: {k: _number(n) for k, n in v.items()} if isinstance(v, dict) else _number(v)),
    WithJsonSchema({"anyOf": [*_NUMBER_SCHEMA["anyOf"], {"type": "object"}]}),
]


class FrictionSpec(Spec):
    """Friction in a joint."""

    viscous: PerCoordinate | None = None
    coulomb: PerCoordinate | None = None
    offset: PerCoordinate | None = None
    smooth: PerCoordinate | None = Field(None, description="Speed at which Coulomb friction is nearly full.")


Limits = _list(Number, 2, 2)


class JointSpec(Spec):
    """A joint, with what acts along or about it."""

    type: Annotated[str, BeforeValidator(_one_of("joint", JOINTS)), Field(json_schema_extra={"enum": [*JOINTS]})]
    between: Pair
    axis: Vector | None = None
    axis2: Vector | None = Field(
        None, description="Second arm of a universal joint, in the frame of the second body."
    )
    lead: Number | None = Field(None, description="Advance of a helical joint, such as '5 mm/rev' [m/rad].")
    length: Number | None = Field(None, description="Length of a distance [m].")
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


class CoordinateSpec(Spec):
    """A coordinate: of a joint, a length between two places, a position, or an angle."""

    joint: str | None = None
    coordinate: str | None = None
    length: Pair | None = None
    position: Place | None = None
    axis: Literal["x", "y", "z"] | None = None
    angle: Place | None = None
    sequence: str | None = None
    index: Literal[1, 2, 3] | None = None
    reference: Place | None = Field(None, description="Seen from here instead of the ground.")


class ForceSpec(Spec):
    """A spring, damper, friction, drive inertia or end stop along a coordinate, or a load on a body."""

    type: Annotated[
        str,
        BeforeValidator(_one_of("force", [*(k for k in FORCES if k != "actuator"), "load"])),
        Field(json_schema_extra={"enum": [*(k for k in FORCES if k != "actuator"), "load"]}),
    ]
    on: CoordinateSpec | None = None
    stiffness: Number | None = None
    rest: Number | None = None
    damping: Number | None = None
    viscous: Number | None = None
    coulomb: Number | None = None
    offset: Number | None = None
    smooth: Number | None = None
    inertia: Number | None = None
    lower: Number | None = None
    upper: Number | None = None
    at: Place | None = None
    force: Vector | None = None
    moment: _list(Number, 1, 3, one=True) | None = None
    follows: StrictBool | None = None


class ActuatorSpec(Spec):
    """A drive along a coordinate."""

    on: CoordinateSpec
    limits: Limits | None = None


class SensorSpec(Spec):
    """A sensor by place and kind."""

    type: Annotated[str, BeforeValidator(_one_of("sensor", SENSORS)), Field(json_schema_extra={"enum": [*SENSORS]})]
    at: Place | None = None
    on: CoordinateSpec | None = None
    actuator: str | None = None
    joint: str | None = None
    side: Literal["a", "b"] | None = None
    direction: Vector | None = None
    bias: Vector | None = None
    rate_bias: Vector | None = None
    offset: Number | None = None
    gain: Number | None = None
    noise: Number | None = None
    rate: Annotated[float, Field(gt=0, strict=True)] | None = None


class InstanceSpec(BaseModel):
    """Copies of a component; every further key is an argument, one value or a list with one for each copy."""

    model_config = ConfigDict(extra="allow", frozen=True)

    component: str
    number: Annotated[int, Field(ge=1, le=1000, strict=True)] | None = None
    separate: StrictBool | tuple[str, ...] = Field(
        False, description="Parameters that every copy has for itself: all, or patterns such as 'rod.*'."
    )


class Group(Spec):
    """What a model and a component have in common."""

    parameters: dict[str, Any] = {}
    bodies: _table(BodySpec) = {}
    frames: _table(InlineFrame) = {}
    joints: _table(JointSpec) = {}
    forces: _table(ForceSpec) = {}
    actuators: _table(ActuatorSpec) = {}
    sensors: _table(SensorSpec) = {}
    coordinates: _table(CoordinateSpec) = {}
    instances: _table(InstanceSpec) = {}


class ComponentSpec(Group):
    """A part of a mechanism that is written once and used several times."""

    description: str = ""
    arguments: tuple[Key, ...] = ()


class ModelSpec(Group):
    """A mechanism."""

    format: Literal[1]
    name: str = ""
    description: str = ""
    planar: StrictBool = False
    in_space: StrictBool = Field(
        False, description="A planar mechanism whose joints are modelled in space all the same."
    )
    gravity: Vector | None = None
    components: _table(ComponentSpec) = {}
    pose: _table(Number) = {}


def json_schema() -> str:
    """The JSON Schema of model files, as text."""
    import json

    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Poinsot model file, format 1",
    }
    return json.dumps({**ModelSpec.model_json_schema(), **schema}, indent=2, ensure_ascii=False) + "\n"
