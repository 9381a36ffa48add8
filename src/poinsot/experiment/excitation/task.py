"""The task "excitation": how to move, so that measured channels tell the unknowns best within limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import PoinsotError, by_name, one_line, one_or_more_names, unknown
from poinsot.experiment.criteria import CRITERIA
from poinsot.experiment.excitation.conflict import needed
from poinsot.experiment.excitation.information import Information, information_of
from poinsot.experiment.excitation.machine import DrivenMachine
from poinsot.experiment.excitation.program import ExcitationProgram
from poinsot.experiment.excitation.rehearsal import rehearsed
from poinsot.experiment.excitation.restrictions import limited_of, restrictions_of
from poinsot.experiment.excitation.result import ExcitationDesign
from poinsot.experiment.excitation.search import FINER, FoundMotion, searched
from poinsot.experiment.excitation.shapes import (
    FourierShape,
    PointToPointShape,
    RampedShape,
    Shape,
    SplineShape,
)
from poinsot.experiment.excitation.slopes import require_smooth
from poinsot.experiment.excitation.speeds import Speed
from poinsot.experiment.limits import LimitReached, end_stops
from poinsot.experiment.record import DesignStatus, Figure
from poinsot.experiment.study import DesignStudy, Task
from poinsot.identifiability.regressor import Regressor
from poinsot.identifiability.states import States
from poinsot.model.mechanism import Mechanism
from poinsot.model.quantities.parameters import as_value
from poinsot.motion.inverse_dynamics import inverse_dynamics
from poinsot.motion.kinematics import followed_path
from poinsot.motion.signals import MotionTable, Signal, evaluate_motion
from poinsot.parallel.chunks import work_key
from poinsot.system.system import system

SHAPES = ("fourier", "spline", "point-to-point")
FAR = 0.01  # of its range, by which a limit may be violated in a design that says so
ROOM = 10.0  # times the condition number of the model file's pose that is allowed by default


@dataclass(frozen=True)
class ExcitationTask(Task):
    """A motion of named coordinates, as many as the mechanism has freedoms."""

    coordinates: tuple[str, ...] = ()  # driven; none: all that have names, or those of the actuated joints
    shape: str = "fourier"  # or "spline", "point-to-point"
    duration: float = 10.0  # of a period, or of the whole motion  [s]
    harmonics: tuple[int, ...] = (1, 2, 3, 4, 5)
    points: int = 16  # of a spline, or to go to
    periods: int = 1  # that are measured
    ramp: float = (
        0.0  # from rest and to rest, in front of and behind the periods; 0: these begin and end at rest  [s]
    )
    rate: float = 100.0  # of measurements  [Hz]
    criterion: str = "D"
    condition: float | None = None  # largest condition number of constraints and actuators; None: 10 × that at home
    speed: Mapping[str, Speed] = field(default_factory=dict)  # least rms rate, or a band, which friction needs  [SI]
    aim: Mapping[str, float] = field(
        default_factory=dict
    )  # standard errors by unknown, in place of their sizes  [SI]
    starts: int = 200  # random motions
    polish: int = 3  # of which the best are improved
    iterations: int = 150

    name: ClassVar[str] = "excitation"
    summary: ClassVar[str] = "a motion that excites the unknowns"

    @classmethod
    def of(cls, options: Mapping[str, Any], mechanism: Mechanism) -> ExcitationTask:
        """The task with options as study files have them."""
        given = dict(options)
        units = {"duration": "s", "ramp": "s", "rate": "Hz"}
        given |= {key: as_value(given[key], unit, key) for key, unit in units.items() if key in given}
        if "coordinates" in given:
            given["coordinates"] = one_or_more_names(given["coordinates"], "coordinates")
        if "harmonics" in given:
            given["harmonics"] = _harmonics(given["harmonics"])
        if "aim" in given:
            given["aim"] = by_name(given["aim"], "aims are", "{'link1.m': 0.01}")
        if "speed" in given:
            given["speed"] = _speeds(given["speed"], mechanism)
        return cls(**given)

    def __post_init__(self) -> None:
        if self.shape not in SHAPES:
            raise PoinsotError(unknown("shape of an excitation", one_line(str(self.shape), 40), SHAPES))
        require_smooth(self.criterion)
        for key in ("duration", "rate"):
            _number(key, getattr(self, key), 0.0)
        for key, least in (("points", 7), ("periods", 1), ("starts", 1), ("polish", 1), ("iterations", 1)):
            _whole(key, getattr(self, key), least)
        if not isinstance(self.ramp, Real) or not 0 <= self.ramp < np.inf:
            raise PoinsotError(f"ramp is a time from 0 s, not {one_line(repr(self.ramp), 40)}")
        if self.ramp and self.shape != "fourier":
            raise PoinsotError(f"ramps are for periodic motions: a {self.shape} motion begins and ends at rest")
        if self.condition is not None:
            _number("condition", self.condition, 1.0)
        least = 1 if self.ramp else 2
        if len(_harmonics(self.harmonics)) < least:
            raise PoinsotError("a motion that begins and ends at rest needs two harmonics or more")

    def family(self) -> Shape:
        """The family of motions that is searched."""
        if self.shape == "spline":
            return SplineShape(self.duration, self.points)
        if self.shape == "point-to-point":
            return PointToPointShape(self.duration, self.points)
        series = FourierShape(self.duration, _harmonics(self.harmonics), self.periods, rest=not self.ramp)
        return RampedShape(series, self.ramp) if self.ramp else series

    def program(self, study: DesignStudy) -> ExcitationProgram:
        """What is searched: machine, family, information and limits."""
        information = information_of(study, self.aim)
        mechanism = information.unknowns.mechanism
        names = driven_names(self.coordinates, mechanism)
        limits = (*study.limits, *end_stops(mechanism))
        limited = limited_of(limits, names)
        if not information.chosen:
            raise PoinsotError(
                f"no motion tells any of the unknowns from {', '.join(study.channels) or 'the actuators'}"
            )
        machine = DrivenMachine(mechanism, names, information.measured, information.linear, limited)
        restrictions = restrictions_of(limits, machine, self._condition(machine), self.speed)
        return ExcitationProgram(machine, self.family(), information, restrictions, self.criterion, self.rate)

    def _condition(self, machine: DrivenMachine) -> float:
        """Largest condition number; open chains have none unless one is asked for."""
        if self.condition is None and not machine.compiled.sizes[2]:
            return np.inf
        s, _ = machine.home
        at = machine.along(np.stack([s, 0 * s, 0 * s])[:, None])
        own = 1 / float(machine.holding(at)[0][0])
        return ROOM * own if self.condition is None else float(self.condition)

    @one_blas_thread()
    def solve(self, study: DesignStudy) -> ExcitationDesign:
        """The best motion within the limits."""
        program = self.program(study)
        rng, key = np.random.default_rng(study.seed), work_key("excitation", study)
        found = searched(program, self.starts, self.polish, self.iterations, rng, key)
        motion = {name: program.shape.signal(c) for name, c in zip(program.machine.names, found.c)}
        return self._design(study, program, found, motion)

    def _design(
        self, study: DesignStudy, program: ExcitationProgram, found: FoundMotion, motion: Mapping[str, Signal]
    ) -> ExcitationDesign:
        information, shape = program.information, program.shape
        begin, end = shape.measured
        t = np.arange(begin, end - 0.5 / self.rate, 1 / self.rate)
        W = measured_regressor(information, motion, t)
        predictions, combinations, deviation = information.predictions(W)
        rate = found.fine.s[1][program.measured(program.shape.finer(FINER))]
        reached = program.restrictions.reached(found.values, rate, _units(program.machine))
        _require_possible(program, found.values, rate, reached)
        lost = not all(np.isfinite(one.deviation) for one in predictions)
        status = DesignStatus.NOT_IDENTIFIABLE if lost else DesignStatus.DONE
        status = status if found.settled else DesignStatus.NOT_SETTLED
        status = DesignStatus.VIOLATED if any(one.excess > 1e-9 for one in reached) else status
        F = _gram(information, W)
        return ExcitationDesign(
            mechanism=information.unknowns.mechanism,
            name=study.name,
            task=self.name,
            predictions=predictions,
            criteria={name: float(criterion(F)) for name, criterion in CRITERIA.items()},
            limits=reached,
            status=status,
            steps=(*study.steps, *found.steps),
            figures=_figures(information.unknowns.mechanism, motion, shape, found),
            seed=study.seed,
            motion=motion,
            t=t,
            duration=shape.duration,
            rate=self.rate,
            channels=tuple(c.name for c in information.measured),
            combinations=combinations,
            combination_deviation=deviation,
            condition_numbers=condition_numbers(information, W),
            remarks=() if study.runs else rehearsed(study, motion, t, predictions),
        )


def driven_names(given: tuple[str, ...], mechanism: Mechanism) -> tuple[str, ...]:
    """Coordinates that drive a mechanism: those given, those of its pose, or all that have names."""
    freedom = system(mechanism).outline.mobility
    if given:
        for name in given:
            mechanism.template.coordinate(name)
        return given
    for names in (tuple(mechanism.elements.pose), tuple(mechanism.coordinates)):
        if len(names) == freedom:
            return names
    raise PoinsotError(
        f"{mechanism.name} has mobility {freedom}: name as many coordinates that drive it, of "
        f"{', '.join(mechanism.coordinates) or 'none'}"
    )


def measured_regressor(information: Information, motion: Mapping[str, Signal], t: np.ndarray) -> Regressor:
    """The regressor of the unknowns along a motion, its constraints exact."""
    path = followed_path(information.unknowns.mechanism, motion, t)
    states = States(path.system, path.t, path.q, path.v, path.a, path.p, path.system.home.size)
    return information.regressor(states)


def _gram(information: Information, W: Regressor) -> np.ndarray:
    """F (b, b) of the unknowns that stand for all, relative to sizes."""
    sizes = information.sizes[information.chosen]
    M = W.matrix[:, information.chosen] * np.where(sizes > 0, sizes, 1.0)
    M = M / np.tile(information.sigma, len(W.t))[:, None]
    return M.T @ M + information.before


def condition_numbers(information: Information, W: Regressor) -> dict[str, float]:
    """Of the regressor over the noise of its channels: in SI, and with parameters relative to their sizes."""
    M = W.matrix[:, information.chosen] / np.tile(information.sigma, len(W.t))[:, None]
    sizes = information.sizes[information.chosen]
    return {
        "columns in SI": float(np.linalg.cond(M)),
        "relative to sizes": float(np.linalg.cond(M * np.where(sizes > 0, sizes, 1.0))),
    }


def _figures(
    mechanism: Mechanism, motion: Mapping[str, Signal], shape: Shape, found: FoundMotion
) -> dict[str, Figure]:
    """Positions and rates, forces of the drives, and the criterion over starts."""
    t = shape.finer(2)
    parts = evaluate_motion(motion, t)
    units = {name: mechanism.coordinates[name].unit for name in motion}
    figures: dict[str, Figure] = {}
    for label, power, x in zip(("positions", "rates", "accelerations"), ("", "/s", "/s²"), parts):
        figures[label] = {"t [s]": t} | {f"{n} [{units[n]}{power}]": x[:, j] for j, n in enumerate(motion)}
    if len(mechanism.actuators) >= system(mechanism).outline.mobility:
        forces = inverse_dynamics(mechanism, MotionTable(motion), t).forces
        turns = {name: actuator.on.unit == "rad" for name, actuator in mechanism.actuators.items()}
        figures["forces"] = {"t [s]": t} | {f"{n} [{'N·m' if turns[n] else 'N'}]": x for n, x in forces.items()}
    good = found.starts[np.isfinite(found.starts)]
    figures["starts"] = {"start": np.arange(len(good), dtype=float), "criterion": good}
    figures["polished"] = {
        "start": np.arange(len(found.polished), dtype=float),
        "criterion": np.array(found.polished),
    }
    return figures


def _units(machine: DrivenMachine) -> dict[str, str]:
    return {name: machine.mechanism.coordinates[name].unit for name in machine.names}


def _require_possible(
    program: ExcitationProgram, values: np.ndarray, rate: np.ndarray, reached: tuple[LimitReached, ...]
) -> None:
    """A motion that is far beyond a limit, by values (N, r) or measured rates (n, k), is no design."""
    if any(one.excess > FAR * _size(one) for one in reached):
        raise PoinsotError(f"no motion was found that keeps all limits: {needed(program, values, rate)}")


def _size(limit: LimitReached) -> float:
    """What a violation of a limit is measured by: its range, or the one side that it has."""
    sides = np.abs([limit.upper - limit.lower, limit.lower, limit.upper])
    return float(np.min(sides[np.isfinite(sides) & (sides > 0)], initial=np.inf))


def _harmonics(given: Any) -> tuple[int, ...]:
    """Harmonics from their number or a list of them."""
    if isinstance(given, Integral) and not isinstance(given, bool) and 1 <= int(given) <= 1000:
        return tuple(range(1, int(given) + 1))
    listed = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else []
    if listed and all(isinstance(h, Integral) and not isinstance(h, bool) and 1 <= int(h) <= 1000 for h in listed):
        return tuple(sorted({int(h) for h in listed}))
    raise PoinsotError(f"harmonics are whole numbers from 1, not {one_line(repr(given), 40)}")


def _speeds(given: Any, mechanism: Mechanism) -> dict[str, Speed]:
    """Least rms rates or bands by coordinate, from names or patterns."""
    found: dict[str, Speed] = {}
    for pattern, value in by_name(given, "speeds are", "{'phi': 0.5}").items():
        names = [name for name in mechanism.coordinates if fnmatchcase(name, pattern)]
        if not names:
            raise PoinsotError(f"speed: {unknown('coordinate', pattern, mechanism.coordinates)}")
        for name in names:
            unit, what = f"{mechanism.coordinates[name].unit}/s", f"the speed of '{name}'"
            found[name] = _band(value, unit, what) if isinstance(value, list | tuple) else as_value(value, unit, what)
            if not np.min(found[name]) >= 0 or not np.max(found[name]) > 0:
                raise PoinsotError(f"{what} is counted to both sides and positive, not {one_line(repr(value), 40)}")
    return found


def _band(value: Sequence[Any], unit: str, what: str) -> tuple[float, float]:
    """A band of speeds from two values."""
    ends = [as_value(one, unit, what) for one in value]
    if len(ends) != 2 or not ends[0] < ends[1]:
        raise PoinsotError(
            f"{what} is a least rms rate, or a band of two, slow and fast, not {one_line(repr(value), 40)}"
        )
    return ends[0], ends[1]


def _number(key: str, value: Any, least: float) -> None:
    if not isinstance(value, Real) or isinstance(value, bool) or not least < float(value) < np.inf:
        raise PoinsotError(f"{key} is a number above {least:g}, not {one_line(repr(value), 40)}")


def _whole(key: str, value: Any, least: int) -> None:
    if not isinstance(value, Integral) or isinstance(value, bool) or not least <= int(value) <= 10_000_000:
        raise PoinsotError(f"{key} is a whole number from {least}, not {one_line(repr(value), 40)}")
