"""PosesTask: the pose, or the set of poses, in which natural frequencies tell the unknowns best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from poinsot.errors import PoinsotError, by_name, count_of, one_line, one_or_more_names, unknown
from poinsot.experiment.criteria import criterion_of
from poinsot.experiment.poses.assessment import PoseTest
from poinsot.experiment.poses.prior import ParameterPrior
from poinsot.experiment.poses.sampling import Sampling
from poinsot.experiment.poses.search import PoseSearch, best_poses
from poinsot.experiment.poses.space import PoseSpace
from poinsot.experiment.record import Design
from poinsot.experiment.study import DesignStudy, Task
from poinsot.model.mechanism import Mechanism
from poinsot.model.quantities.parameters import as_value

ROBUST = ("nominal", "mean", "worst")
ALONE = ("condition", "interplay")  # criteria that compare unknowns
ALL = 10**9  # more modes than any model has


@dataclass(frozen=True)
class PosesTask(Task):
    """Options of a design of poses; values in SI."""

    name: ClassVar[str] = "poses"
    summary: ClassVar[str] = "poses for modal tests, in which natural frequencies tell the unknowns best"

    poses: int = 1000  # drawn between the limits
    sets: int = 1000  # of parameters, drawn from bounds or priors, for correlations
    coordinates: tuple[str, ...] = ()  # in which poses are drawn; none: those of the model's pose
    count: int = 1  # of the set of poses that is looked for
    criterion: str = "condition"  # of `experiment.criteria`
    robust: str = "mean"  # over parameter sets: "mean" or "worst"; "nominal": at the model's parameters alone
    robust_sets: int = 16  # over which a criterion is robust
    spread: float = 0.3  # of the model's value, of unknowns that have neither bounds nor a prior
    modes: int = ALL  # number of the lowest that are measured
    band: tuple[float, float] = (0.0, np.inf)  # that the shaker or hammer excites  [Hz]
    spacing: float = 0.02  # of a frequency, to the next one, from which on a test separates them
    relative: float = 0.005  # standard deviation of a frequency, as a part of it
    absolute: float = 0.0  # what is added to it  [Hz]
    locked: str | tuple[str, ...] | None = None  # actuators, as for `modes`
    refine: bool = True  # the best poses by a local search
    starts: int = 8  # of that search
    compare: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # poses by name  [m or rad]
    at: str = ""  # place of frequency responses, such as "link3 y"

    def __post_init__(self) -> None:
        for option in ("poses", "sets", "count", "robust_sets", "modes", "starts"):
            count_of(getattr(self, option), f"design of poses: {option}")
        criterion_of(self.criterion)
        if self.robust not in ROBUST:
            raise PoinsotError(unknown("way to be robust", one_line(str(self.robust), 40), ROBUST))
        if not 0 < self.spread < 1:
            raise PoinsotError(f"design of poses: the spread is between 0 and 1, not {self.spread:g}")
        if not 0 <= self.spacing < 1:
            raise PoinsotError(f"design of poses: the spacing is at least 0 and below 1, not {self.spacing:g}")
        if min(self.relative, self.absolute) < 0 or not self.relative + self.absolute > 0:
            raise PoinsotError("design of poses: the standard deviation of frequencies is positive")
        if not self.band[0] < self.band[1]:
            raise PoinsotError(
                f"design of poses: the band is from low to high, not {self.band[0]:g} to {self.band[1]:g} Hz"
            )
        if not isinstance(self.refine, bool):
            raise PoinsotError(f"design of poses: refine is true or false, not {one_line(repr(self.refine), 40)}")

    @classmethod
    def of(cls, options: Mapping[str, Any], mechanism: Mechanism) -> PosesTask:
        """The task with options as study files have them: "45 deg", "0.5 %", "0.2 Hz"."""
        given = dict(options)
        for name in ("spread", "spacing", "relative"):
            if name in given:
                given[name] = _part(given[name], name)
        if "absolute" in given:
            given["absolute"] = as_value(given["absolute"], "Hz", "absolute")
        if "band" in given:
            given["band"] = _band(given["band"])
        if not isinstance(given.get("locked"), str | None):
            given["locked"] = one_or_more_names(given["locked"], "locked actuators")
        if "coordinates" in given:
            given["coordinates"] = one_or_more_names(given["coordinates"], "coordinates")
        if "compare" in given:
            named = given.get("coordinates") or tuple(mechanism.elements.pose)
            given["compare"] = _poses(given["compare"], mechanism, named)
        return cls(**given)

    def solve(self, study: DesignStudy) -> Design:
        """The best poses within the limits."""
        if study.channels or study.noise or study.runs:
            raise PoinsotError(
                "poses for modal tests measure natural frequencies: there are no channels, noise or recordings; say "
                "their standard deviation by the options 'relative' and 'absolute'"
            )
        mechanism, prior, steps = ParameterPrior.of(study.mechanism, study.unknowns, self.spread)
        if len(prior.names) == 1 and self.criterion in ALONE:
            raise PoinsotError(
                f"one unknown has the same {self.criterion} in every pose: choose another criterion, such as 'A'"
            )
        test = PoseTest(
            self.modes, self.band, self.spacing, self.relative, self.absolute, self.criterion, self.robust
        )
        space = PoseSpace.of(mechanism, study.limits, self.coordinates)
        sampling = Sampling(
            mechanism, space, prior, test, self.locked, self.poses, self.sets, self.robust_sets, int(study.seed)
        )
        wanted = PoseSearch(self.count, self.refine, self.starts, self.compare, self.at)
        return best_poses(sampling, wanted, study, (*study.steps, *steps))


def _part(value: Any, name: str) -> float:
    """A part of one, from a number or "2 %"."""
    text = value.strip() if isinstance(value, str) else value
    if isinstance(text, str) and text.endswith("%"):
        return as_value(text[:-1].strip(), "-", name) / 100
    return as_value(text, "-", name)


def _band(value: Any) -> tuple[float, float]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise PoinsotError(f"the band of frequencies is two values, not {one_line(repr(value), 40)}")
    return as_value(value[0], "Hz", "band"), as_value(value[1], "Hz", "band")


def _poses(given: Any, mechanism: Mechanism, names: tuple[str, ...]) -> dict[str, dict[str, float]]:
    """Poses by name, from a table of tables or a list of them."""
    if isinstance(given, Sequence) and not isinstance(given, str):
        given = {f"given {k + 1}": one for k, one in enumerate(given)}
    found = {}
    for name, pose in by_name(given, "poses to compare are", "{'straight': {'phi': 0}}").items():
        table = by_name(pose, f"pose '{name}' is", "{'phi': 0}")
        unit = mechanism.elements.coordinate
        found[name] = {k: as_value(x, unit(k).unit, f"'{k}' of pose '{name}'") for k, x in table.items()}
        if set(found[name]) != set(names):
            raise PoinsotError(f"pose '{name}' needs values of {', '.join(names)}, no more and no fewer")
    return found
