"""SensorsTask: which channels are worth measuring along a motion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from poinsot.errors import PoinsotError, count_of, number_of, one_line, unknown
from poinsot.estimate.unknowns import unknowns_in
from poinsot.experiment.criteria import CRITERIA
from poinsot.experiment.record import DesignStatus, Prediction
from poinsot.experiment.sensors.motion import Motion, followed, motion_of
from poinsot.experiment.sensors.ranking import JUDGES, best_of_all, bits, in_turn, mean_error, without
from poinsot.experiment.sensors.record import RankedSensor, SensorsDesign
from poinsot.experiment.sensors.rows import SensorRows, sensor_rows
from poinsot.experiment.study import DesignStudy, Task
from poinsot.model.mechanism import Mechanism
from poinsot.model.quantities.parameters import as_value


@dataclass(frozen=True)
class SensorsTask(Task):
    """Options of a ranking of sensors."""

    name: ClassVar[str] = "sensors"
    summary: ClassVar[str] = "which force channels are worth measuring along a motion, ranked by what they add"

    motion: Motion = field(default_factory=dict)  # by coordinate; none: that of the first recording
    rate: float = 100.0  # of the samples  [Hz]
    periods: int = 1  # of the slowest coordinate
    count: int = 0  # of the set that is looked for; 0: all sensors
    criterion: str = "D"  # "D": information, "A": mean standard error
    single: bool = False  # whether every component of a load cell is a sensor of its own

    def __post_init__(self) -> None:
        number_of(self.rate, "design of sensors: the rate")
        count_of(self.periods, "design of sensors: periods")
        if self.count != 0:
            count_of(self.count, "design of sensors: count")
        if self.criterion not in JUDGES:
            raise PoinsotError(unknown("criterion of sensors", one_line(str(self.criterion), 40), JUDGES))
        if not isinstance(self.single, bool):
            raise PoinsotError(f"design of sensors: single is true or false, not {one_line(repr(self.single), 40)}")

    @classmethod
    def of(cls, options: Mapping[str, Any], mechanism: Mechanism) -> SensorsTask:
        """The task with options as study files have them: {"phi": {"period": "2 s", "sines": ["20 deg"]}}."""
        given = dict(options)
        given["motion"] = motion_of(given.get("motion"), mechanism)
        if "rate" in given:
            given["rate"] = as_value(given["rate"], "Hz", "rate")
        return cls(**given)

    def solve(self, study: DesignStudy) -> SensorsDesign:
        """Sensors ranked by what they add."""
        if any(one.payload for one in study.unknowns):
            raise PoinsotError("sensors are compared for the mechanism as it is: leave out what a payload adds")
        mechanism, motion, t = followed(study, self.motion, self.rate, self.periods)
        unknowns = unknowns_in(study, study.unknowns)
        if unknowns.mechanism is not study.mechanism:  # groups are one parameter each
            mechanism = unknowns.mechanism.with_coordinates(mechanism.template.coordinates)
        rows = sensor_rows(mechanism, unknowns, motion, t, study.channels, study.noise, self.single)
        if self.count > len(rows.names):
            raise PoinsotError(f"{self.count} of {len(rows.names)} sensors cannot be chosen")
        F, prior, judge = rows.information, rows.prior, JUDGES[self.criterion]
        chosen, best = best_of_all(F, prior, judge, self.count or len(F))
        told, together = rows.predicted(chosen)
        complete = all(np.isfinite(one.deviation) for one in told)
        ranking = _ranking(rows, in_turn(F, prior, judge))
        return SensorsDesign(
            mechanism=study.mechanism,
            name=study.name,
            task=self.name,
            predictions=told,
            criteria=_criteria(F[chosen].sum(axis=0) + prior - np.eye(len(prior)), told),
            limits=(),
            status=DesignStatus.DONE if complete else DesignStatus.NOT_IDENTIFIABLE,
            steps=(*study.steps, *unknowns.steps),
            figures=_figures(ranking),
            seed=int(study.seed),
            ranking=ranking,
            chosen=tuple(rows.names[k] for k in chosen),
            best=best,
            together=together,
            samples=len(t),
            duration=float(t[-1] - t[0]),
        )


def _ranking(rows: SensorRows, order: list[int]) -> tuple[RankedSensor, ...]:
    """Sensors in an order, with what each adds, tells alone, and takes away."""
    F, prior, names = rows.information, rows.prior, rows.regressor.channels
    none, whole = float(bits(prior)), prior + F.sum(axis=0)
    everything, found, before, now = _told(rows, order), [], set(), prior
    for place, k in enumerate(order, 1):
        after, told = now + F[k], rows.predicted(order[:place])[0]
        determined = {one.name for one in told if np.isfinite(one.deviation)}
        found.append(
            RankedSensor(
                rows.names[k],
                tuple(names[c] for c in rows.channels[k]),
                float(bits(prior + F[k])) - none,
                float(bits(after) - bits(now)),
                float(bits(whole) - bits(whole - F[k])),
                float(mean_error(after)),
                np.array([one.deviation for one in told]),
                tuple(one.name for one in told if one.name in determined - before),
                tuple(n for n in everything if n not in _told(rows, without(len(F), k))),
            )
        )
        before, now = determined, after
    return tuple(found)


def _told(rows: SensorRows, sensors) -> list[str]:
    """Unknowns that some sensors determine, in their order."""
    return [one.name for one in rows.predicted(sensors)[0] if np.isfinite(one.deviation)]


def _criteria(F: np.ndarray, told: tuple[Prediction, ...]) -> dict[str, float]:
    """Criteria where all unknowns are determined."""
    if not all(np.isfinite(one.deviation) for one in told):
        return {}
    return {name: float(of(F)) for name, of in CRITERIA.items()}


def _figures(ranking: tuple[RankedSensor, ...]) -> dict[str, dict[str, np.ndarray]]:
    return {
        "ranking": {
            "sensor": np.array([one.name for one in ranking]),
            "added [bit]": np.array([one.added for one in ranking]),
            "alone [bit]": np.array([one.alone for one in ranking]),
            "lost without [bit]": np.array([one.lost for one in ranking]),
            "mean relative error": np.array([one.mean_error for one in ranking]),
        }
    }
