"""Geometric calibration as a problem of a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from poinsot.errors import PoinsotError, counted, listing
from poinsot.estimate.problems.base import Measurement
from poinsot.estimate.problems.geometry.equations import PoseReadings, read_directly
from poinsot.estimate.problems.geometry.measured import Channels, channels_of, law_at, sample_name, started
from poinsot.estimate.problems.geometry.outliers import outlying, taken
from poinsot.estimate.problems.geometry.poses import PoseEquations
from poinsot.estimate.problems.geometry.residuals import PoseResiduals
from poinsot.estimate.problems.space import given_numbers, space_of
from poinsot.estimate.results.kept import BodyMotion
from poinsot.estimate.results.validation import RunFit, fit_of
from poinsot.estimate.rows.channel_terms import GainTerm, OffsetTerm, is_term, terms_of
from poinsot.estimate.search.base import SearchMethod
from poinsot.estimate.search.problem import Space, with_priors
from poinsot.estimate.search.registry import onwards
from poinsot.estimate.study import Role, Run, Study, Unknown
from poinsot.model.mechanism import Mechanism
from poinsot.recording.place import placed
from poinsot.system.system import system

NAMED = 5  # outliers at most
MOST = 1 / 3  # of the poses that may be left out as outliers


@dataclass(frozen=True, eq=False, kw_only=True)
class Calibration(Measurement):
    """PoseReadings in many poses."""

    holds = True

    problem: PoseResiduals
    mechanism: Mechanism
    channels: Channels
    runs: tuple[tuple[Run, int], ...]  # with their numbers of samples
    fitted: bool  # whether the unknowns are identified from these poses
    robust: bool = False  # whether poses that do not fit are left out

    def mechanism_at(self, p: np.ndarray) -> Mechanism:
        """With the parameters of the model file; offsets and gains of channels are not its own."""
        names = self.problem.equations.readings.unknowns
        return self.mechanism.with_parameters(dict(zip(names, map(float, p))))

    def fit(self, p: np.ndarray) -> RunFit:
        """PoseReadings, and what they are at the configurations that explain them best."""
        rows, y = self.problem.rows(p), self.problem.y
        predicted = np.where(rows.w > 0, y - rows.r, np.nan)
        edges = np.cumsum([0, *(n for _, n in self.runs)])
        parts = [slice(a, b) for a, b in pairwise(edges)]
        measured = [np.where(rows.w > 0, y, np.nan)[part] for part in parts]
        names = list(zip(self.channels.names, self.channels.units))
        t = [run.part.abscissa for run, _ in self.runs]
        spare = np.sum(np.where(rows.w > 0, 1 - taken(self.problem, p, self.fitted), 0.0), axis=0)
        runs, predicted = [run.name for run, _ in self.runs], [predicted[part] for part in parts]
        found = fit_of(runs, names, t, measured, predicted, spare)
        assert found is not None
        return found

    def motion(self, p: np.ndarray) -> BodyMotion | None:
        """The measured poses one after another, as the readings that count are explained best."""
        q, used = self.problem.configurations(p), np.any(self.problem.w > 0, axis=1)
        reached = np.flatnonzero(used & np.isfinite(q).all(axis=1))
        if not len(reached):
            return None
        own, _ = self.problem.equations.split(np.asarray(p, float))
        return BodyMotion.of(self.problem.equations.system, reached + 1.0, q[reached], own, apart=True)

    @property
    def prefer(self) -> tuple[int, ...]:
        """Frames of the measurement before parts of the machine: those that stand in most readings."""
        return frames_first(self.problem.equations)

    def settled(self, p: np.ndarray, method: SearchMethod) -> tuple[Calibration, np.ndarray]:
        """Without poses that do not fit the others, where that is asked, the worst first; all is said."""
        measured, out, most = self, [], int(MOST * len(self.problem.y)) if self.robust else 0
        while len(out) < most and (named := measured._outliers(p)):
            i, text = next(iter(named.items()))
            out.append(text)
            measured = measured.without([i])
            held = measured.determined(p).reduction.eliminated
            p = onwards(method).descend(with_priors(measured.problem.at(p).holding(held))).p
        doubts = (f"Left out because they do not fit: {listing(out)}.",) if out else ()
        return replace(measured, doubts=(*self.doubts, *doubts)), p

    def without(self, poses: Sequence[int]) -> Calibration:
        """The same with some poses as not measured."""
        w = self.problem.w.copy()
        w[list(poses)] = 0.0
        return replace(self, problem=replace(self.problem, w=w))

    def _outliers(self, p: np.ndarray) -> dict[int, str]:
        """Poses with a reading that does not fit, the worst first, and its name."""
        beyond, names = outlying(self.problem, p, self.fitted, self.known), self.channels.names
        return {i: f"'{names[c]}' in {sample_name(self.runs, i)} ({x:.1f} σ)" for i, (c, x) in beyond.items()}

    def remarks(self, p: np.ndarray) -> tuple[str, ...]:
        """Outliers."""
        named = list(self._outliers(p).values())
        more = f" and {len(named) - NAMED} more" if len(named) > NAMED else ""
        advice = "leave them out ('robust' in processing), or find out why"
        return (f"Outliers: {', '.join(named[:NAMED])}{more}; {advice}.",) if named else ()


def calibration(study: Study) -> tuple[Calibration, Calibration | None]:
    """The problem of a study, and that of its held-out poses."""
    mechanism, space, terms, steps = unknown_geometry(study.mechanism, study.unknowns)
    channels = channels_of(study, mechanism)
    space, equations = equations_of(mechanism, space, channels, terms)
    used, held_out = (study.with_roles(*roles) for roles in ((Role.IDENTIFY, Role.PAYLOAD), (Role.VALIDATE,)))
    robust = study.processing.robust
    found = _built(mechanism, space, equations, channels, used, steps, robust)
    _require_enough(found)
    if not held_out:
        return found, None
    return found, replace(_built(mechanism, space, equations, channels, held_out, (), robust), fitted=False)


def unknown_geometry(
    mechanism: Mechanism, unknowns: Sequence[Unknown]
) -> tuple[Mechanism, Space, tuple[Unknown, ...], tuple[str, ...]]:
    """The mechanism and the space of its own unknowns, offsets and gains of channels, and what was done to starts."""
    terms = tuple(one for one in unknowns if is_term(one))
    own = tuple(one for one in unknowns if one not in terms)
    mechanism, space, steps = space_of(mechanism, own, alone=not terms)
    return mechanism, space, terms, steps


def equations_of(
    mechanism: Mechanism, space: Space, channels: Channels, terms: tuple[Unknown, ...] = ()
) -> tuple[Space, PoseEquations]:
    """All unknowns with what counts as a large change of them, and the readings of a pose."""
    space, readings = _with_terms(space, channels, terms)
    compiled = system(mechanism, free=readings.unknowns)
    laws = [law_at(mechanism, place) for place in channels.places]
    turning = np.array([law.unit == "rad" and law.parts == (law,) and not compiled.counts(law) for law in laws])
    equations = PoseEquations(compiled, readings, compiled.parameters(mechanism), turning)
    return replace(space, scale=_sizes(space, compiled.home.size)), equations


def frames_first(equations: PoseEquations) -> tuple[int, ...]:
    """Unknowns that stand in readings themselves, those that stand in most first: frames of the measurement."""
    direct = read_directly(equations.system, equations.readings).facts
    return tuple(k for k in np.argsort(-np.array(direct), kind="stable").tolist() if direct[k])


def _built(
    mechanism: Mechanism,
    space: Space,
    equations: PoseEquations,
    channels: Channels,
    runs: Sequence[Run],
    steps: tuple[str, ...],
    robust: bool,
) -> Calibration:
    """PoseReadings of some runs; those that cannot be reached are left out where the study is `robust`."""
    tables = [channels.table(placed(run.part, mechanism)) for run in runs]
    y = np.concatenate(tables)
    w = np.where(np.isfinite(y), 1 / channels.sigma, 0.0)
    sizes = tuple((run, len(table)) for run, table in zip(runs, tables))
    y = np.where(w > 0, y, 0.0)
    q, unreached = started(equations, space.start, y, w, channels, sizes)
    if unreached and not (robust and len(unreached) <= MOST * len(y)):
        raise PoinsotError(f"{next(iter(unreached.values()))}; check its readings, or the start of the unknowns")
    readings = f"{counted(int(np.sum(w > 0)), 'reading')} of {counted(len(channels.names), 'channel')}"
    said = f"{counted(len(y), 'pose')}, {readings}"
    found = Calibration(
        problem=PoseResiduals(space, equations, q, y, w),
        known=channels.known,
        steps=(*steps, said),
        doubts=tuple(f"Left out: {text}." for text in unreached.values()),
        mechanism=mechanism,
        channels=channels,
        runs=sizes,
        fitted=True,
        robust=robust,
    )
    return found.without(list(unreached))


def _with_terms(space: Space, channels: Channels, given: tuple[Unknown, ...]) -> tuple[Space, PoseReadings]:
    """The space with offsets and gains of channels, which are zero in the model, behind its own unknowns."""
    terms = terms_of(given, channels.names, channels.units)
    offsets = [term for term in terms if isinstance(term, OffsetTerm)]
    gains = [term for term in terms if isinstance(term, GainTerm)]
    if others := [term.name for term in terms if term not in (*offsets, *gains)]:
        raise PoinsotError(f"channels of poses have offsets and gains, not what is asked for: {listing(others)}")
    added, zero = [*offsets, *gains], np.zeros(len(terms))
    numbers = given_numbers([term.given for term in added])
    start = np.array([term.given.start or 0.0 for term in added])
    whole = {side: np.append(getattr(space, side), values) for side, values in numbers.items()}
    readings = PoseReadings(
        channels.places, space.names, tuple(term.channel for term in offsets), tuple(term.channel for term in gains)
    )
    extended = Space(
        (*space.names, *(term.name for term in added)),
        (*space.units, *(term.unit for term in added)),
        np.append(space.start, start),
        **whole,
        model=np.append(space.model, zero),
        machine=space.machine,
    )
    return extended, readings


def _sizes(space: Space, size: float) -> np.ndarray:
    """What counts as a large change (K,): the machine's size of lengths, 1 of angles and directions."""
    return np.array([size if u == "m" else max(1.0, abs(v)) for u, v in zip(space.units, space.model)])


def _require_enough(measured: Calibration) -> None:
    """Poses must leave as many readings, beyond what they take up themselves, as there are unknowns."""
    problem = measured.problem
    p, names = problem.space.start, problem.space.names
    n, c = problem.y.shape
    left = n * c - problem.absorbed(p)
    if not left:
        raise PoinsotError(
            "no pose has more readings than freedoms, so they say nothing about the geometry: measure poses besides "
            "their drives, or more joints than are driven"
        )
    unknowns = len(names) - int(np.isfinite(problem.space.prior).sum())
    if left < unknowns:
        raise PoinsotError(
            f"too few poses: {n} of them leave {counted(left, 'reading')} for {counted(unknowns, 'unknown')}; "
            f"measure at least {-(-unknowns * n // left)}"
        )
