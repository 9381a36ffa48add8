"""A checked model file becomes a Mechanism."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from poinsot.elements import GROUND
from poinsot.elements.bodies import RigidBody
from poinsot.errors import PoinsotError, unknown
from poinsot.model.build.beams import beams, with_axes
from poinsot.model.build.complaints import complaint
from poinsot.model.build.joints_and_forces import JointsAndForces
from poinsot.model.build.places import ZERO, Places
from poinsot.model.build.scope import ModelError, Scope, errors_at, scopes
from poinsot.model.build.sensing import sensor
from poinsot.model.build.slots import Slots
from poinsot.model.parts import Elements, NamedCoordinates, Placement, substitute
from poinsot.model.quantities.expressions import Call, Constant, Expression, Name, evaluate, finite, renamed
from poinsot.model.quantities.parameters import Parameters
from poinsot.model.schema import ModelSpec
from poinsot.spatial.orientation import Along, Quaternion, along

STANDARD_GRAVITY = 9.81  # [m/s²]
TABLES = ("bodies", "beams", "joints", "couplings", "forces", "actuators", "sensors", "coordinates", "loads")


def described(document: Mapping[str, Any], name: str = "model") -> tuple[str, str, Parameters, Elements]:
    """Name, description, parameters and elements of a mechanism from the contents of a model file."""
    if not isinstance(document, Mapping):
        raise PoinsotError(f"a model is a dictionary, the contents of a model file, not {type(document).__name__}")
    model = _validated(document)
    places = Places(model.planar, Slots())
    acting, slots = JointsAndForces(places), places.slots
    found = scopes(model)
    for scope in found:
        slots.declare(scope)
    default = (0.0, -STANDARD_GRAVITY) if model.planar else (0.0, 0.0, -STANDARD_GRAVITY)
    gravity = places.vector(found[0], ("gravity",), "gravity", model.gravity or default, "m/s²", "gravity")
    for scope in found:
        for key in scope.group.bodies:
            _new(scope, "bodies", key, places.bodies)
            places.add_body(scope, key, scope.group.bodies[key])
    for scope in found:
        for key, spec in scope.group.frames.items():
            _new(scope, "frames", key, places.named | places.bodies)
            places.add_frame(scope, key, spec)
    placements = _placements(found, places)
    flexible = beams(model, found, places)
    _add_joints(found, acting)
    coordinates = _add_along_coordinates(found, acting)
    sensors = {s.element(k): sensor(acting, s, k, spec) for s in found for k, spec in s.group.sensors.items()}
    known = NamedCoordinates(coordinates, acting.joints, model.planar)
    pose = _pose(model, slots, found[0], known)
    parameters, marks = slots.finish()
    _separates(found, parameters)
    ground = RigidBody(
        GROUND,
        ZERO,
        (ZERO, ZERO, ZERO),
        (ZERO,) * 6,
        tuple(places.frames[GROUND].values()),
        places.visuals.get(GROUND, ()),
    )
    template = Elements(
        planar=model.planar and not model.in_space,
        gravity=gravity,
        ground=ground,
        bodies=places.bodies,
        joints=acting.joints,
        couplings=acting.couplings,
        forces=acting.forces,
        loads=acting.loads,
        actuators=acting.actuators,
        sensors=sensors,
        coordinates=known,
        placements=placements,
        closing=tuple(s.element(k) for s in found for k, spec in s.group.joints.items() if spec.closing),
        pose=pose,
        beams=flexible,
    )
    template = substitute(template, lambda expression: renamed(expression, lambda name: marks.get(name, name)))
    values = parameters.values_by_name
    template = _with_hints(template, values)
    return model.name or name, model.description, parameters, template


def _validated(document: Mapping[str, Any]) -> ModelSpec:
    from pydantic import ValidationError

    if "format" not in document:
        raise ModelError(("format",), "this key is missing; a model file begins with format = 1")
    if document["format"] != 1 or isinstance(document["format"], bool):
        raise ModelError(("format",), f"this version of Poinsot reads format 1, not {document['format']!r}")
    try:
        return ModelSpec.model_validate(dict(document))
    except ValidationError as error:
        raise complaint(error, document) from None


def _new(scope: Scope, table: str, key: str, existing: Mapping[str, Any]) -> None:
    if (name := scope.element(key)) in existing:
        raise ModelError((*scope.path, table, key), f"the name '{name}' is used twice")


def _placements(found: list[Scope], places: Places) -> dict[str, Placement]:
    return {
        scope.element(key): places.placement(scope, (*scope.path, "bodies", key, "placement"), spec.placement)
        for scope in found
        for key, spec in scope.group.bodies.items()
        if spec.placement is not None
    }


def _add_joints(found: list[Scope], acting: JointsAndForces) -> None:
    for scope in found:
        for key, spec in scope.group.joints.items():
            _new(scope, "joints", key, acting.joints)
            acting.add_joint(scope, key, spec)
    for scope in found:
        for key, spec in scope.group.joints.items():
            acting.add_joint_forces(scope, key, spec)
        for key, coupled in scope.group.couplings.items():
            _new(scope, "couplings", key, acting.couplings)
            acting.add_coupling(scope, key, coupled)


def _add_along_coordinates(found: list[Scope], acting: JointsAndForces) -> dict[str, Any]:
    coordinates = {}
    for scope in found:
        for key, spec in scope.group.forces.items():
            _new(scope, "forces", key, acting.forces | acting.loads)
            acting.add_force(scope, key, spec)
        for key, spec in scope.group.actuators.items():
            acting.add_actuator(scope, key, spec)
        for key, spec in scope.group.coordinates.items():
            _new(scope, "coordinates", key, coordinates)
            coordinates[scope.element(key)] = acting.coordinate(scope, (*scope.path, "coordinates", key), spec, key)
    return coordinates


def _pose(model: ModelSpec, slots: Slots, scope: Scope, coordinates: NamedCoordinates) -> dict[str, Expression]:
    for key in model.pose:
        if key not in coordinates:
            raise ModelError(("pose", key), unknown("coordinate", key, coordinates.known))
    return {
        key: slots.number(scope, ("pose", key), value, coordinates[key].unit) for key, value in model.pose.items()
    }


def _separates(found: list[Scope], parameters: Mapping[str, Any]) -> None:
    """Every pattern of `separate` must match a parameter of the copies."""
    for scope in found:
        own = [name.removeprefix(scope.prefix) for name in parameters if name.startswith(scope.prefix)]
        for pattern in scope.separate if isinstance(scope.separate, tuple) else ():
            if not any(fnmatchcase(name, pattern) for name in own):
                raise ModelError((*scope.instance, "separate"), f"'{pattern}' matches no parameter of the copies")


def _with_hints(template: Elements, values: Mapping[str, float]) -> Elements:
    """Settle the turn about every axis that is given by its direction only, from the nominal numbers."""

    def number(part: Any) -> float:
        return float(evaluate(part, values)) if isinstance(part, Constant | Name | Call) else part

    def settle(axis: Along) -> Along:
        nominal = [number(d) for d in axis.direction]
        size = float(np.linalg.norm(nominal))
        if not 1e-9 < size < 1e9:
            raise PoinsotError(f"a direction of length {size:g} has no meaning")
        return along(axis.direction, nominal, axis.axis, axis.hint)

    template = replace(template, beams={name: with_axes(beam, values) for name, beam in template.beams.items()})
    template = _every_element(template, lambda element: substitute(element, settle, (Along,)))
    joints = {name: joint.settled(number) for name, joint in template.joints.items()}
    couplings = {name: coupling.settled(number, joints) for name, coupling in template.couplings.items()}
    return replace(template, joints=joints, couplings=couplings)


def _every_element(template: Elements, change: Callable[[Any], Any]) -> Elements:
    """Change every element; an error names the table and the element."""
    changed: dict[str, Any] = {}
    for table in (*TABLES, "placements", "pose"):
        changed[table] = {}
        for name, element in getattr(template, table).items():
            with errors_at((table, name)):
                changed[table][name] = change(element)
    return replace(template, ground=change(template.ground), **changed)


def _turns(quaternion: Quaternion) -> Quaternion:
    size = float(np.linalg.norm(quaternion.wxyz))
    if not 1e-9 < size < 1e9:
        raise PoinsotError(f"a quaternion of length {size:g} has no meaning")
    return quaternion


def require_finite(template: Elements, values: Mapping[str, float]) -> None:
    """Raise unless every number in the description is finite."""
    _every_element(template, lambda element: substitute(element, lambda e: finite(e, values)))


def require_numbers(elements: Elements) -> None:
    """Raise unless quaternions are turns, limits are in order, and numbers that must not be zero are not."""
    _every_element(elements, lambda element: substitute(element, _turns, (Quaternion,)))
    for table in ("forces", "actuators"):
        for name, force in getattr(elements, table).items():
            if getattr(force, "lower", 0.0) > getattr(force, "upper", 0.0):
                joint = str(getattr(force.on, "joint", None))
                written = ("joints", joint, "limits") if name.startswith(f"{joint}.{force.kind}") else (table, name)
                raise ModelError(written, f"the lower limit {force.lower:g} is above the upper {force.upper:g}")
    for table in ("joints", "forces"):
        for law in getattr(elements, table).values():
            for option in law.nonzero:
                if getattr(law, option) == 0:
                    raise ModelError((table, law.name, option), "expected a number that is not zero")
