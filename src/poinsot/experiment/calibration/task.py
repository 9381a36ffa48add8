"""CalibrationTask: the poses in which readings tell the geometry best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from poinsot.errors import PoinsotError, count_of, one_line, unknown
from poinsot.estimate.search.problem import Space
from poinsot.experiment.calibration.candidates import CalibrationSetting, Candidates, chunk, setting_of
from poinsot.experiment.calibration.record import CalibrationDesign
from poinsot.experiment.criteria import CRITERIA
from poinsot.experiment.exchange import BestSet, best_set
from poinsot.experiment.prediction import Predicted, predicted, seen_directions
from poinsot.experiment.record import DesignStatus
from poinsot.experiment.relaxation import POWERS
from poinsot.experiment.study import DesignStudy, Task
from poinsot.parallel.chunks import over_chunks, rng_of

RANDOM = 25  # sets of random poses to compare with
COMPARED = 10**6  # number of the random numbers of these


@dataclass(frozen=True)
class CalibrationTask(Task):
    """Options of a design of poses for calibration."""

    name: ClassVar[str] = "calibration"
    summary: ClassVar[str] = (
        "poses for geometric calibration, in which readings tell lengths, points and offsets best"
    )

    poses: int = 30  # that are looked for
    candidates: int = 2000  # poses that are drawn between the limits
    criterion: str = "D"  # "D", "A" or "E"
    repeats: bool = False  # whether a pose may be measured several times

    def __post_init__(self) -> None:
        for option in ("poses", "candidates"):
            count_of(getattr(self, option), f"design of calibration: {option}")
        if self.criterion not in POWERS:
            raise PoinsotError(unknown("criterion of calibration", one_line(str(self.criterion), 40), POWERS))
        if not isinstance(self.repeats, bool):
            raise PoinsotError(
                f"design of calibration: repeats is true or false, not {one_line(repr(self.repeats), 40)}"
            )

    def solve(self, study: DesignStudy) -> CalibrationDesign:
        """The best poses within the limits."""
        if not study.unknowns:
            raise PoinsotError(
                "name the unknowns of a calibration, parameters of the model file such as 'leg*.foot.x'"
            )
        if study.runs:
            raise PoinsotError("earlier recordings do not count in a calibration: give what they told as priors")
        given = study.mechanism, study.unknowns, study.channels, study.noise, study.limits
        shared = Candidates(*given, int(study.seed), self.candidates)
        setting = setting_of(shared)
        parts = over_chunks(chunk, shared, shared.chunks, dask=study.dask, what="poses for calibration")
        found = _distinct({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})
        if not len(found["s"]) or (len(found["s"]) < self.poses and not self.repeats):
            raise PoinsotError(_too_few(setting, found, self.poses, self.candidates))
        rows = found["slopes"] * setting.space.size
        best = self._chosen(rows, setting.space)
        told = _predicted(setting, found["q"][best.chosen])
        drawn = tuple(limit.name for limit in setting.limits)
        return CalibrationDesign(
            mechanism=study.mechanism,
            name=study.name,
            task=self.name,
            predictions=told.predictions,
            criteria=_criteria(setting.space, rows[best.chosen]),
            limits=setting.reached(found["values"][best.chosen]),
            status=DesignStatus.DONE if told.complete else DesignStatus.NOT_IDENTIFIABLE,
            steps=(*study.steps, *setting.steps, f"{self.candidates} poses were drawn by {', '.join(setting.names)}"),
            figures=_figures(found, best, drawn),
            seed=int(study.seed),
            poses=dict(zip(setting.names, found["s"][best.chosen].T)),
            readings=dict(zip(setting.channels.names, setting.readings(found["q"][best.chosen]).T)),
            together=told.together,
            random=_at_random(setting, found["q"][found["uniform"]], self.poses, int(study.seed)),
            candidates=len(found["s"]),
            drawn=self.candidates,
            efficiency=best.efficiency,
        )

    def _chosen(self, rows: np.ndarray, space: Space) -> BestSet:
        """The best poses by what all candidates together can tell (theory/design, eq. 36)."""
        prior = _prior(space)
        seen = seen_directions(np.einsum("nci,ncj->ij", rows, rows) + prior)
        return best_set(rows @ seen, self.poses, self.criterion, seen.T @ prior @ seen, repeats=self.repeats)


def _distinct(found: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Candidates without those that were drawn before: corners between the limits come up again and again."""
    each = np.sort(np.unique(found["s"], axis=0, return_index=True)[1])
    return found | {name: found[name][each] for name in ("q", "s", "values", "uniform", "slopes")}


def _prior(space: Space) -> np.ndarray:
    """Information (K, K) of what is known besides, of unknowns relative to their sizes."""
    return np.diag(np.nan_to_num(space.size / space.deviation) ** 2)


def _predicted(setting: CalibrationSetting, q: np.ndarray) -> Predicted:
    slopes, natural = setting.slopes(q)
    J = slopes.reshape(-1, slopes.shape[-1])
    return predicted(setting.space, J, np.sqrt(natural.sum(axis=0)), setting.prefer)


def _at_random(setting: CalibrationSetting, q: np.ndarray, count: int, seed: int) -> np.ndarray:
    """Standard errors (K,) of random candidates, median over sets; NaN where most sets do not tell an unknown."""
    if not len(q):
        return np.full(len(setting.space.names), np.nan)
    rng, errors = rng_of(seed, COMPARED), []
    for _ in range(RANDOM):
        told = _predicted(setting, q[rng.choice(len(q), count, replace=count > len(q))])
        errors.append([np.nan_to_num(one.deviation, nan=np.inf) for one in told.predictions])
    median = np.median(errors, axis=0)
    return np.where(np.isfinite(median), median, np.nan)


def _criteria(space: Space, rows: np.ndarray) -> dict[str, float]:
    """Criteria of the combinations that the chosen poses tell."""
    F = np.einsum("nci,ncj->ij", rows, rows) + _prior(space)
    seen = seen_directions(F)
    if seen.shape[1] == len(F):
        return {name: float(of(F)) for name, of in CRITERIA.items()}
    return {name: float(CRITERIA[name](seen.T @ F @ seen)) for name in POWERS} if seen.size else {}


def _figures(
    found: dict[str, np.ndarray], best: BestSet, limits: tuple[str, ...]
) -> dict[str, dict[str, np.ndarray]]:
    """The cloud of candidates with the weights of the relaxation, and which were chosen."""
    chosen = np.bincount(best.chosen, minlength=len(best.weights))
    cloud = dict(zip(limits, found["values"].T))
    return {"candidates": {**cloud, "weight": best.weights, "chosen": chosen}}


def _too_few(setting: CalibrationSetting, found: dict[str, np.ndarray], wanted: int, drawn: int) -> str:
    """Why there are too few poses: which limit binds, and by how much."""
    said = f"{len(found['s'])} of {drawn} poses that were drawn are within the limits, and {wanted} are asked for"
    if not found["reached"].sum():
        return f"{said}: the machine reaches none of them; narrow the limits of {', '.join(setting.names)}"
    worst = found["excess"][np.argmin(found["excess"].max(axis=1))]
    k = int(np.argmax(worst))
    if worst[k] > 0:
        limit = setting.limits[k]
        return f"{said}; '{limit.name}' is violated by at least {worst[k]:.3g} {limit.unit}"
    return f"{said}; draw more candidates, or widen the limits"
