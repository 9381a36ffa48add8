"""Points of a modal test: where on the mechanism, in which direction and with which sign something is measured.

    y_o = g d · v_F,        f acts along g d at F        (theory/modal-tests, eq. 1)

A place is a sensor of the model file (a modal point has frame and direction), a coordinate, or "body.frame axis" as
for `frf`; the sign g is −1 where an accelerometer or a load cell was mounted the other way round.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from poinsot.errors import PoinsotError, listing, unknown
from poinsot.vibration.linear_model.record import LinearModel, place_row

__all__ = ["MeasurementPoint", "placed_points", "point_rows"]


@dataclass(frozen=True)
class MeasurementPoint:
    """Where one channel of a modal test sits."""

    name: str
    place: str = ""  # modal point, coordinate or "body.frame axis" of the mechanism; "" if unknown
    sign: float = 1.0  # −1 where it measures against the direction of its place  [-]

    def __str__(self) -> str:
        turned = "−" if self.sign < 0 else ""
        return self.name if self.place in ("", self.name) and not turned else f"{self.name} ({turned}{self.place})"


def placed_points(points: Iterable[MeasurementPoint], places: Mapping[str, str]) -> tuple[MeasurementPoint, ...]:
    """Points at places that the user says, by name: "link3.tip y", or "-link3.tip y" for the other direction."""
    points = tuple(points)
    for name in places:
        if name not in {p.name for p in points}:
            raise PoinsotError(unknown("point", name, [p.name for p in points]))
    found = []
    for point in points:
        text = places.get(point.name, "")
        turned = text[:1] in ("-", "−")
        found.append(replace(point, place=text[turned:].strip(), sign=-1.0 if turned else 1.0) if text else point)
    return tuple(found)


def point_rows(linear: LinearModel, points: Iterable[MeasurementPoint]) -> np.ndarray:
    """Displacements of the points per displacement of a linear model (o, n)."""
    return np.array([point.sign * _row(linear, point) for point in points])


def _row(linear: LinearModel, point: MeasurementPoint) -> np.ndarray:
    place = point.place or point.name
    sensors = linear.mechanism.elements.sensors
    sensor = sensors.get(place)
    if sensor is not None and sensor.at is not None and (direction := getattr(sensor, "direction", None)) is not None:
        R_WF = np.asarray(linear.poses[sensor.at.body].R) if sensor.at.body in linear.poses else np.eye(3)
        R_WF = R_WF @ np.array(sensor.at.pose().R, float)
        return R_WF @ np.array([float(x) for x in direction]) @ np.asarray(linear.twist(sensor.at))[:3]
    if sensor is not None or not place:
        known = [name for name, s in sensors.items() if getattr(s, "direction", None) is not None]
        raise PoinsotError(f"'{place}' is no point with a direction; modal points are: {listing(known)}")
    return place_row(linear, place)
