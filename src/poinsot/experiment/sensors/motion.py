"""The motion along which sensors are compared: Fourier series and constants by coordinate, or a recording's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError, by_name, count_of, one_line, unknown
from poinsot.experiment.study import DesignStudy
from poinsot.model.mechanism import Mechanism
from poinsot.model.quantities.parameters import as_value
from poinsot.motion.signals import Fourier, Signal
from poinsot.recording.motion import recorded_motion
from poinsot.recording.place import placed

FIELDS = ("period", "sines", "cosines", "offset")
Motion = Mapping[str, Signal | float]


def motion_of(given: Any, mechanism: Mechanism) -> dict[str, Signal | float]:
    """A motion from a table: a value, or {period = "2 s", sines = […], cosines = […], offset = …} by coordinate; what
    prescribes the pose of the model besides stays where it is."""
    table = by_name(given, "a motion is", '{"phi": {"period": "2 s", "sines": [0.3]}}')
    motion = {name: _signal(value, name, mechanism) for name, value in table.items()}
    return {**mechanism.elements.pose, **motion} if motion else {}


def _signal(value: Any, name: str, mechanism: Mechanism) -> Signal | float:
    unit = mechanism.elements.coordinate(name).unit
    if isinstance(value, Signal):
        return value
    if not isinstance(value, Mapping):
        return as_value(value, unit, f"the motion of '{name}'")
    for key in value:
        if key not in FIELDS:
            raise PoinsotError(f"the motion of '{name}': {unknown('entry', one_line(str(key), 40), FIELDS)}")
    if "period" not in value:
        raise PoinsotError(f"the motion of '{name}' needs a period, such as \"2 s\"")
    period = as_value(value["period"], "s", f"the period of '{name}'")
    if not period > 0:
        raise PoinsotError(f"the period of '{name}' is positive, not {period:g} s")
    sines, cosines = (_series(value.get(key, ()), unit, f"{key} of '{name}'") for key in ("sines", "cosines"))
    offset = as_value(value.get("offset", 0.0), unit, f"the offset of '{name}'")
    return Fourier(2 * np.pi / period, sines, cosines, offset)


def _series(given: Any, unit: str, what: str) -> tuple[float, ...]:
    if not isinstance(given, list | tuple):
        raise PoinsotError(f"{what} are a list of values, not {one_line(repr(given), 40)}")
    return tuple(as_value(x, unit, what) for x in given)


def followed(study: DesignStudy, motion: Motion, rate: float, periods: int) -> tuple[Mechanism, Motion, np.ndarray]:
    """The mechanism, its motion, and the times (n,) of the samples  [s]."""
    if motion and study.runs:
        raise PoinsotError("sensors are compared along one motion: give it as an option or as a recording, not both")
    if study.runs:
        recorded = recorded_motion(placed(study.runs[0].part, study.mechanism), study.mechanism)
        inside = (recorded.t >= recorded.t[0] + recorded.edge) & (recorded.t <= recorded.t[-1] - recorded.edge)
        return recorded.mechanism, recorded.motion, recorded.t[inside]
    series = [signal for signal in motion.values() if isinstance(signal, Fourier)]
    if not series:
        raise PoinsotError(
            "sensors are compared along a motion: give the option 'motion', such as "
            '{"phi": {"period": "2 s", "sines": [0.3]}}, or a recording'
        )
    longest = periods * 2 * np.pi / min(one.omega for one in series)
    count = count_of(round(longest * rate), "the number of samples, rate times periods,")
    return study.mechanism, motion, np.arange(count) / rate
