"""CalibrationDesign: poses for geometric calibration, and what readings in them will tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from poinsot.estimate.results.text import in_columns, with_error
from poinsot.experiment.limits import coordinate_of
from poinsot.experiment.record import Design, Prediction, table_text
from poinsot.results import Curve, LinePanel, Panel

SHOWN = 12  # poses


@dataclass(frozen=True, eq=False, kw_only=True)
class CalibrationDesign(Design):
    """k poses in which readings tell the geometry best."""

    poses: Mapping[str, np.ndarray]  # (k,) by coordinate that prescribes them  [m or rad]
    readings: Mapping[str, np.ndarray]  # (k,) by channel, as the model expects them  [m or rad]
    together: tuple[Prediction, ...]  # combinations that are told where single unknowns are not
    random: np.ndarray  # (K,) standard errors of as many random poses, median over sets  [SI]
    candidates: int  # poses that may be measured, of which these are the best
    drawn: int  # poses that were drawn
    efficiency: float  # relative to a bound that no choice of as many candidates passes

    def panels(self) -> tuple[Panel, ...]:
        """Coordinates of the poses, and what readings in them will tell."""
        unit = {name: coordinate_of(self.mechanism, name).unit for name in self.poses}
        found = [
            LinePanel(
                x="pose",
                y=f"coordinates [{u}]",
                curves=tuple(
                    Curve(name, np.arange(1, len(x) + 1), x, style="points")
                    for name, x in self.poses.items()
                    if unit[name] == u
                ),
            )
            for u in dict.fromkeys(unit.values())
        ]
        return (*found, *super().panels())

    @property
    def gain(self) -> float:
        """How many times larger the standard errors of random poses are, geometric mean over the unknowns."""
        both = np.isfinite(self.random) & np.isfinite(self.deviation)
        return float(np.exp(np.mean(np.log(self.random[both] / self.deviation[both])))) if both.any() else np.nan

    @property
    def _found(self) -> tuple[str, ...]:
        count = len(next(iter(self.poses.values())))
        lines = [
            f"the best {count} of {self.candidates} poses ({self.drawn} drawn): at least {self.efficiency:.1%} of "
            "the information of any choice of as many",
            f"standard errors of random poses are {self.gain:.2f} times larger",
            f"measured in every pose: {', '.join(self.readings)}",
        ]
        rows = np.column_stack(list(self.poses.values()))[:SHOWN]
        lines += in_columns([tuple(self.poses), *(tuple(f"{x:.6g}" for x in row) for row in rows)])
        lines += [f"… {count - SHOWN} more"] if count > SHOWN else []
        said = [f"  {one.name} = {with_error(one.nominal, one.deviation)} {one.unit}" for one in self.together]
        return (*lines, *(["told only together:", *said] if said else []))

    def table(self) -> dict[str, np.ndarray]:
        """The poses as a recording, one a second: readings to expect, then set points that no channel reads.

        A set point is no measurement: as "set q1" it is no channel of the model.
        """
        read = {name for name in self.readings if name in self.mechanism.coordinates}
        columns = {**self.readings} | {f"set {name}": x for name, x in self.poses.items() if name not in read}
        t = np.arange(len(next(iter(columns.values()))), dtype=float)
        unit = {name: coordinate_of(self.mechanism, name.removeprefix("set ")).unit for name in columns}
        return {"t [s]": t} | {f"{name} [{unit[name]}]": x for name, x in columns.items()}

    def _files(self) -> Mapping[str, str]:
        return {"poses.csv": table_text(self.table())}
