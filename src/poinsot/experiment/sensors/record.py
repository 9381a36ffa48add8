"""SensorsDesign: sensors ranked by what they add, and what the chosen ones will tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from poinsot.errors import counted, listing
from poinsot.estimate.results.text import in_columns
from poinsot.experiment.record import Design, table_text
from poinsot.results import BarPanel, Panel


@dataclass(frozen=True, eq=False)
class RankedSensor:
    """A sensor, what it adds to those before it, and what would be lost without it; k unknowns."""

    name: str
    channels: tuple[str, ...]
    alone: float  # information of this sensor by itself  [bit]
    added: float  # beside those before it  [bit]
    lost: float  # if it is left out of all sensors  [bit]
    mean_error: float  # mean relative standard error with those before it, sizes of the unknowns being known
    deviation: np.ndarray  # (k,) standard errors with those before it, NaN where not told  [SI]
    gained: tuple[str, ...]  # unknowns that are determined with it, and not before
    only: tuple[str, ...]  # unknowns that all other sensors together do not determine


@dataclass(frozen=True, eq=False, kw_only=True)
class SensorsDesign(Design):
    """Sensors for k unknowns along a motion."""

    ranking: tuple[RankedSensor, ...]  # each adds most to those before it
    chosen: tuple[str, ...]  # the best set of the number asked for
    best: bool  # whether all sets of as many were compared
    together: tuple[str, ...]  # combinations that the chosen ones tell where single unknowns are not told
    samples: int
    duration: float  # of the motion  [s]

    def panels(self) -> tuple[Panel, ...]:
        """What each sensor adds, tells alone and takes with it, and what the design predicts."""
        told = {name: np.array([getattr(one, name) for one in self.ranking]) for name in ("added", "alone", "lost")}
        names = tuple(one.name for one in self.ranking)
        return (BarPanel(names=names, x="information [bit]", series=told, title="sensors"), *super().panels())

    def sensor(self, name: str) -> RankedSensor:
        """One of the ranking."""
        return next(one for one in self.ranking if one.name == name)

    @property
    def _found(self) -> tuple[str, ...]:
        lines = [f"{counted(self.samples, 'sample')} in {self.duration:.4g} s"]
        head = ("sensor", "adds [bit]", "alone", "lost without", "mean error", "determined", "tells besides")
        rows = [
            (
                one.name,
                f"{one.added:.2f}",
                f"{one.alone:.2f}",
                f"{one.lost:.2f}",
                f"{one.mean_error:.3g}",
                f"{int(np.isfinite(one.deviation).sum())} of {len(one.deviation)}",
                listing(one.gained, 4) if one.gained else "",
            )
            for one in self.ranking
        ]
        lines += in_columns([head, *rows])
        lines += [f"not determined without '{one.name}': {listing(one.only)}" for one in self.ranking if one.only]
        sure = "the best of all sets of as many" if self.best else "taken in turn"
        lines.append(f"chosen: {', '.join(self.chosen)} ({sure})")
        return (*lines, *([f"told only together: {listing(self.together)}"] if self.together else []))

    def _files(self) -> Mapping[str, str]:
        names = np.array([p.name for p in self.predictions])
        columns = {f"with {one.name}": one.deviation for one in self.ranking}
        return {"errors.csv": table_text({"unknown": names, **columns})}
