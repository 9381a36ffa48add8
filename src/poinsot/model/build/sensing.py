"""Sensors of a model file."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from poinsot.elements.sensors import SENSORS, Sensor
from poinsot.errors import PoinsotError
from poinsot.model.build.joints_and_forces import JointsAndForces
from poinsot.model.build.scope import ModelError, Scope
from poinsot.model.quantities.parameters import as_value
from poinsot.model.schema import SensorSpec


def sensor(acting: JointsAndForces, scope: Scope, key: str, spec: SensorSpec) -> Sensor:
    """Read a sensor: what it needs must be there, and nothing that it does not know."""
    path, law = (*scope.path, "sensors", key), SENSORS[spec.type]
    allowed = tuple(law.takes)
    if getattr(spec, allowed[0], None) is None:
        raise ModelError(path, f"a sensor of type {spec.type} needs `{allowed[0]}`")
    known = (*allowed, *law.imperfections, "rate", "dropout")
    if extra := [f for f in spec.model_fields_set if f not in ("type", *known)]:
        raise ModelError((*path, extra[0]), f"a {spec.type} has no {extra[0]}; it has: {', '.join(known)}")
    fields: dict[str, Any] = {"rate": _rate(path, spec.rate), "dropout": spec.dropout}
    for name in allowed:
        if (value := getattr(spec, name, None)) is not None:
            fields[name] = _field(acting, scope, path, key, law.takes[name], name, value, fields)
    built = law(scope.element(key), **fields).settled(acting.actuators)
    unit, slot = built.channels[0].unit, acting.places.slots.slot
    imperfect = {
        name: slot(scope, (*path, name), f"{key}.{name}", value, of.replace("y", unit), "sensor", 0.0)
        for name, of in law.imperfections.items()
        if (value := getattr(spec, name, None)) is not None
    }
    return replace(built, **imperfect)


def _rate(path: tuple, given: float | str | None) -> float | None:
    """Samples per second [Hz] from a number or a quantity."""
    if not isinstance(given, str):
        return given
    try:
        rate = as_value(given, "Hz", "rate")
    except PoinsotError as error:
        raise ModelError((*path, "rate"), str(error).removeprefix("rate: ")) from None
    if not rate > 0:
        raise ModelError((*path, "rate"), f"expected a positive quantity in Hz, got '{given}'")
    return rate


def _field(
    acting: JointsAndForces, scope: Scope, path: tuple, key: str, unit: str, name: str, value: Any, fields: dict
) -> Any:
    where, places = (*path, name), acting.places
    if name == "on":
        return acting.coordinate(scope, where, value, key)
    if name == "at":
        return places.frame(scope, where, value, key)
    if name == "actuator":
        return scope.find("actuator", scope.fill(value, where), acting.actuators, where)
    if name == "joint":
        return scope.find("joint", scope.fill(value, where), acting.joints, where)
    if not unit:
        return value
    unit, slot = fields["on"].unit if unit == "u" else unit, places.slots.slot
    if not isinstance(value, tuple):
        return slot(scope, where, f"{key}.{name}", value, unit, "sensor")
    if len(value) != 3:
        raise ModelError(where, f"expected 3 numbers, got {len(value)}")
    parts = enumerate(zip("xyz", value))
    return tuple(slot(scope, (*where, i), f"{key}.{name}.{axis}", v, unit, "sensor") for i, (axis, v) in parts)
