"""ExcitationDesign: a motion for a machine, what it will tell, and files for the controller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from poinsot.errors import counted, number_of
from poinsot.estimate.results.text import in_columns
from poinsot.experiment.record import Design, table_text
from poinsot.model.toml import as_path, check_place, write_aside
from poinsot.motion.signals import Signal, evaluate_motion
from poinsot.results import Curve, LinePanel, Panel


@dataclass(frozen=True, eq=False, kw_only=True)
class ExcitationDesign(Design):
    """A motion of k driven coordinates, measured at n times."""

    motion: Mapping[str, Signal]  # by driven coordinate, for other verbs
    t: np.ndarray  # (n,) of the measured samples  [s]
    duration: float  # of the whole motion  [s]
    rate: float  # of measurements and of the controller's file  [Hz]
    channels: tuple[str, ...]
    combinations: tuple[str, ...]  # b that are determined, as text
    combination_deviation: np.ndarray  # (b,) their standard errors  [SI]
    condition_numbers: Mapping[str, float]  # of the regressor over noise: columns as they are, and by sizes

    _hidden = (*Design._hidden, "motion")

    def panels(self) -> tuple[Panel, ...]:
        """The motion of the driven coordinates, and what the design predicts."""
        told = {name: x for name, x in self.controller_table().items() if name != "t [s]"}
        places = {name: x for name, x in told.items() if name.split(" [")[0] in self.motion}
        by_unit: dict[str, list[Curve]] = {}
        t = np.linspace(0.0, self.duration, len(next(iter(places.values()))))
        for name, x in places.items():
            by_unit.setdefault(name.rsplit("[")[-1], []).append(Curve(name.split(" [")[0], t, x))
        found = [LinePanel(x="t [s]", y=f"position [{u}", curves=tuple(c)) for u, c in by_unit.items()]
        return (*found, *super().panels())

    @property
    def _found(self) -> tuple[str, ...]:
        parts = [f"{name}: {type(signal).__name__}" for name, signal in self.motion.items()]
        alone = {one.name for one in self.predictions}
        both = zip(self.combinations, self.combination_deviation)
        together = [(f"± {spread:.2g}", text) for text, spread in both if text not in alone]
        return (
            f"{self.duration:.6g} s, {counted(len(self.t), 'sample')} of {counted(len(self.channels), 'channel')} "
            f"at {self.rate:.6g} Hz",
            f"  {', '.join(parts)}",
            "condition number of the regressor: "
            + ", ".join(f"{value:.4g} ({name})" for name, value in self.condition_numbers.items()),
            *(["determined together, standard errors in SI:", *in_columns(together)] if together else []),
        )

    def controller_table(self, rate: float | None = None) -> dict[str, np.ndarray]:
        """Time, and of every driven coordinate position, rate and acceleration, by name with unit."""
        rate = self.rate if rate is None else number_of(rate, "the rate of a controller")
        t = np.linspace(0.0, self.duration, max(2, round(self.duration * rate) + 1))
        parts, found = evaluate_motion(self.motion, t), {"t [s]": t}
        for j, name in enumerate(self.motion):
            unit = self.mechanism.coordinates[name].unit
            for label, power, x in zip(("", ".rate", ".acceleration"), ("", "/s", "/s²"), parts):
                found[f"{name}{label} [{unit}{power}]"] = x[:, j]
        return found

    def to_csv(self, path: str | Path, rate: float | None = None, overwrite: bool = False) -> Path:
        """Write the motion for a controller, sampled at a rate [Hz]: t, positions, rates, accelerations."""
        place = as_path(path)
        check_place(place, overwrite)
        write_aside(place, table_text(self.controller_table(rate)))
        return place

    def _files(self) -> Mapping[str, str]:
        return {"motion.csv": table_text(self.controller_table())}

    def to_dict(self) -> dict[str, Any]:
        """As data for JSON, with the motion at the rate of the controller's file."""
        return super().to_dict() | {"motion": {name: x.tolist() for name, x in self.controller_table().items()}}
