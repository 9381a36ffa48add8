"""Kinds of measurements by name: a new one is one package and one line here."""

from __future__ import annotations

from collections.abc import Callable

from poinsot.estimate.problems.base import Measurement
from poinsot.estimate.problems.frequencies.measurement import measured_modes
from poinsot.estimate.problems.geometry.calibration import calibration
from poinsot.estimate.problems.output.measurement import output_error
from poinsot.estimate.study import Study

Built = Callable[[Study], tuple[Measurement, Measurement | None]]  # what is identified from, and what is held out

PROBLEMS: dict[str, Built] = {"frequencies": measured_modes, "geometry": calibration, "output": output_error}
