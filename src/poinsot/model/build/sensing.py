"""Sensors of a model file."""

from __future__ import annotations

from typing import Any

from poinsot.elements.sensors import SENSORS, Encoder, Sensor
from poinsot.model.build.acting import Acting
from poinsot.model.build.scope import ModelError, Scope
from poinsot.model.schema import SensorSpec

__all__ = ["sensor"]

ALLOWED = {  # keys of each kind, the needed one first
    "encoder": ("on", "offset"),
    "accelerometer": ("at", "bias"),
    "gyroscope": ("at", "bias"),
    "imu": ("at", "bias", "rate_bias"),
    "drive-force": ("actuator", "gain"),
    "reaction": ("joint", "side"),
    "modal-point": ("at", "direction"),
}
UNITS = {"accelerometer.bias": "m/s²", "gyroscope.bias": "rad/s", "imu.bias": "m/s²", "imu.rate_bias": "rad/s"}


def sensor(acting: Acting, scope: Scope, key: str, spec: SensorSpec) -> Sensor:
    """Read a sensor: what it needs must be there, and nothing that it does not know."""
    path, allowed = (*scope.path, "sensors", key), ALLOWED[spec.type]
    if getattr(spec, allowed[0]) is None:
        raise ModelError(path, f"a sensor of type {spec.type} needs `{allowed[0]}`")
    if extra := [f for f in spec.model_fields_set if f not in {"type", "noise", "rate", *allowed}]:
        raise ModelError((*path, extra[0]), f"a {spec.type} has no {extra[0]}; it has: {', '.join(allowed)}")
    fields: dict[str, Any] = {"rate": spec.rate}
    for name in allowed:
        if (value := getattr(spec, name)) is not None:
            fields[name] = _field(acting, scope, path, key, spec, name, value, fields)
    if spec.type == "drive-force":
        angular = acting.actuators[fields["actuator"]].on.unit == "rad"
        fields["unit"] = "N·m" if angular else "N"
    law = SENSORS[spec.type](scope.element(key), **fields)
    if spec.noise is None:
        return law
    noise = acting.places.slots.slot(
        scope, (*path, "noise"), f"{key}.noise", spec.noise, law.channels[0].unit, "sensor", 0.0
    )
    return SENSORS[spec.type](scope.element(key), noise, **fields)


def _field(
    acting: Acting, scope: Scope, path: tuple, key: str, spec: SensorSpec, name: str, value: Any, fields: dict
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
    if name == "offset" and spec.type == Encoder.kind:
        return places.slots.slot(scope, where, f"{key}.offset", value, fields["on"].unit, "sensor")
    if name == "gain":
        return places.slots.slot(scope, where, f"{key}.gain", value, "-", "sensor")
    if name in ("bias", "rate_bias", "direction"):
        if len(value) != 3:
            raise ModelError(where, f"expected 3 numbers, got {len(value)}")
        unit = UNITS.get(f"{spec.type}.{name}", "-")
        parts = zip("xyz", value)
        return tuple(
            places.slots.slot(scope, (*where, i), f"{key}.{name}.{axis}", v, unit, "sensor")
            for i, (axis, v) in enumerate(parts)
        )
    return value
