"""Candidates for calibration: poses drawn within the limits, and the slopes of the readings there.

S_i = −W (∂h/∂p + H ∂δ_i/∂p)        the pose itself being unknown                    (theory/design, eq. 35)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import lru_cache

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import PoinsotError, counted, listing, require_known
from poinsot.estimate.problems.geometry.calibration import equations_of, frames_first, unknown_geometry
from poinsot.estimate.problems.geometry.equations import PoseReadings
from poinsot.estimate.problems.geometry.measured import Channels, law_at
from poinsot.estimate.problems.geometry.poses import PoseEquations
from poinsot.estimate.problems.geometry.residuals import parts_of
from poinsot.estimate.search.problem import Space
from poinsot.estimate.study import Unknown
from poinsot.experiment.holding import holding_forces
from poinsot.experiment.limits import Limit, LimitReached, Quantity, coordinate_of, force_limits, position_limits
from poinsot.model.mechanism import Mechanism
from poinsot.motion.driven import Driven, driven
from poinsot.parallel.chunks import rng_of
from poinsot.system.system import system
from poinsot.vibration.rigid_batch import BatchMatrices, reach

SIZE = 500  # candidates in a chunk
EDGE = 0.5  # chance of a coordinate to be at one of its limits, in half of the poses
ROUND = 1e-9  # of the machine's size or the radian, by which a limit may be violated
SUMS, AWAY, SAME = 5, 0.1, 1e-8  # configurations, off home, in which a coordinate is compared with encoders
INDEPENDENT = 1e-6  # of the largest singular value: coordinates that prescribe a pose


@dataclass(frozen=True, eq=False)
class Candidates:
    """What poses are drawn from, and what is measured in them; can be sent to other processes."""

    mechanism: Mechanism
    unknowns: tuple[Unknown, ...]
    channels: tuple[str, ...]  # none: encoders, and coordinates with noise that these do not read
    noise: Mapping[str, float]  # standard deviation by channel or pattern  [SI]
    limits: tuple[Limit, ...]
    seed: int
    count: int  # poses that are drawn

    @property
    def chunks(self) -> int:
        """How many chunks they are drawn in."""
        return -(-self.count // SIZE)


@dataclass(frozen=True, eq=False)
class CalibrationSetting:
    """A machine to calibrate, ready to draw poses of it."""

    mechanism: Mechanism
    space: Space  # of K unknowns
    equations: PoseEquations  # of c channels
    channels: Channels
    limited: PoseEquations  # of limited coordinates
    limits: tuple[Limit, ...]  # l, of these and then of forces
    drive: Driven
    names: tuple[str, ...]  # coordinates, drives or encoders that prescribe a pose
    steps: tuple[str, ...]

    @property
    def prefer(self) -> tuple[int, ...]:
        """Unknowns that are expressed by others first."""
        return frames_first(self.equations)

    def sides(self) -> tuple[np.ndarray, np.ndarray]:
        """Least and greatest values of all limits (l,)."""
        lower, upper = (np.array([getattr(one, side) for one in self.limits]) for side in ("lower", "upper"))
        return lower, upper

    @one_blas_thread()
    def placed(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Configurations (N, nq) with the coordinates s (N, d), what is limited there (N, l), and which are poses of
        the machine (N,)."""
        compiled, p = self.equations.system, self.equations.p
        home = compiled.coordinates(compiled.home, p)
        q, reached, turned = reach(self.drive, compiled.home, home, s, p)
        reached &= ~turned & np.isfinite(q).all(axis=1)
        q = np.where(reached[:, None], q, home)
        forces = force_limits(self.limits)
        where = self.limits[: len(self.limits) - len(forces)]
        none = np.zeros((len(q), len(where)))
        h = self.limited.rows(q, np.zeros(0), none, none).h
        turned_by = 2 * np.pi * np.round((h - np.array([_middle(limit) for limit in where])) / (2 * np.pi))
        h = np.where(self.limited.turning, h - turned_by, h)
        return q, np.concatenate([h, self._held(forces, q)], axis=1), reached

    def _held(self, forces: tuple[Limit, ...], q: np.ndarray) -> np.ndarray:
        """Forces of actuators (N, l) that hold configurations."""
        if not forces:
            return np.zeros((len(q), 0))
        return holding_forces(BatchMatrices(self.mechanism, self.drive.names, (), None), forces, q)

    def excess(self, values: np.ndarray) -> np.ndarray:
        """By how much limits are violated (N, l), at most 0 where they are kept  [SI]."""
        lower, upper = self.sides()
        return np.where(np.isnan(values), np.inf, np.maximum(lower - values, values - upper))

    def kept(self, values: np.ndarray) -> np.ndarray:
        """Which poses (N,) keep all limits."""
        sizes = {"rad": 1.0, "m": self.equations.system.home.size}  # a force by its limits
        room = ROUND * np.array([sizes.get(one.unit, min(abs(one.lower), abs(one.upper))) for one in self.limits])
        return np.all(self.excess(values) <= room, axis=1)

    @one_blas_thread()
    def slopes(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Whitened slopes (N, c, K) of the readings at configurations, and natural sizes (N, K) of their squares."""
        if not len(q):
            K = len(self.space.names)
            return np.zeros((0, len(self.channels.names), K)), np.zeros((0, K))
        w = np.broadcast_to(1 / self.channels.sigma, (len(q), len(self.channels.sigma)))
        x = self.space.model
        rows = self.equations.rows(q, x, np.zeros(w.shape), w)
        rows = replace(rows, r=np.zeros(w.shape))  # as the model says
        parts = parts_of(self.equations, rows, q, x)
        return np.sum(parts, axis=0), np.sum([np.sum(part**2, axis=1) for part in parts], axis=0)

    def readings(self, q: np.ndarray) -> np.ndarray:
        """What channels read (N, c) at configurations  [SI]."""
        none = np.zeros((len(q), len(self.channels.names)))
        return self.equations.rows(q, self.space.model, none, none).h

    def reached(self, values: np.ndarray) -> tuple[LimitReached, ...]:
        """How far poses with values (N, l) go, round-off aside."""
        values = np.clip(values, *self.sides())
        return tuple(limit.reached(column) for limit, column in zip(self.limits, values.T))


@lru_cache(maxsize=4)
def setting_of(candidates: Candidates) -> CalibrationSetting:
    """A machine ready to draw poses of, made once in a process."""
    mechanism, space, terms, steps = unknown_geometry(candidates.mechanism, candidates.unknowns)
    channels = _channels(mechanism, candidates.channels, candidates.noise)
    limits = position_limits(candidates.limits)
    mechanism = mechanism.with_coordinates(
        {_place(mechanism, one.owner): coordinate_of(mechanism.template, one.owner) for one in limits}
    )
    space, equations = equations_of(mechanism, space, channels, terms)
    every = (*limits, *_free_angles(mechanism, limits))
    drawn = _drawn(_limited(equations, mechanism, every), every, candidates.mechanism)
    limits += tuple(every[k] for k in drawn if k >= len(limits))
    owners = tuple(every[k].owner for k in drawn)
    drive = driven(equations.system, tuple(_place(mechanism, owner) for owner in owners))
    limited = _limited(equations, mechanism, limits)
    limits += force_limits(candidates.limits)
    return CalibrationSetting(mechanism, space, equations, channels, limited, limits, drive, owners, steps)


def _place(mechanism: Mechanism, owner: str) -> str:
    """Name of a coordinate that is limited; those of drives and encoders are no readings of theirs."""
    return owner if owner in mechanism.coordinates else f"{owner} displacement"


def _limited(equations: PoseEquations, mechanism: Mechanism, limits: tuple[Limit, ...]) -> PoseEquations:
    """Coordinates that are limited as readings."""
    places = tuple(_place(mechanism, one.owner) for one in limits)
    counted = [equations.system.counts(coordinate_of(mechanism, one.owner)) for one in limits]
    turning = np.array([one.unit == "rad" for one in limits], bool) & ~np.array(counted, bool)
    return PoseEquations(equations.system, PoseReadings(places, ()), equations.p, turning)


def chunk(candidates: Candidates, number: int) -> dict[str, np.ndarray]:
    """Poses of one chunk: coordinates, limits, and slopes of those that may be measured.

    Half of them are uniform between the limits; the others have some coordinates at a limit, where the best ones are.
    """
    setting = setting_of(candidates)
    drawn = [[one.owner for one in setting.limits].index(name) for name in setting.names]
    lower, upper = (side[drawn] for side in setting.sides())
    rng, count = rng_of(candidates.seed, number), min(SIZE, candidates.count - number * SIZE)
    s, uniform = rng.uniform(lower, upper, (count, len(lower))), 2 * np.arange(count) < count
    at_limit = (rng.random(s.shape) < EDGE) & ~uniform[:, None]
    s = np.where(at_limit, np.where(rng.random(s.shape) < 0.5, lower, upper), s)
    q, values, reached = setting.placed(s)
    good = reached & setting.kept(values)
    return {
        "q": q[good],
        "s": s[good],
        "values": values[good],
        "uniform": uniform[good],
        "slopes": setting.slopes(q[good])[0],
        "reached": np.array([np.sum(reached)]),
        "excess": _least(setting.excess(values[reached]), len(setting.limits)),
    }


def _least(excess: np.ndarray, count: int) -> np.ndarray:
    """The excess (1, l) of the pose that violates limits least."""
    return excess[np.argmin(excess.max(axis=1))][None] if len(excess) and count else np.full((1, count), np.inf)


def _channels(mechanism: Mechanism, names: tuple[str, ...], noise: Mapping[str, float]) -> Channels:
    """Channels that are measured in each pose, with their standard deviations."""
    read = tuple(name for name, sensor in mechanism.sensors.items() if sensor.on is not None)
    require_known("coordinate or encoder to measure", names, [*mechanism.coordinates, *read])
    sigma = {
        name: next(
            (s for pattern, s in noise.items() if fnmatchcase(name, pattern)),
            float(getattr(mechanism.sensors.get(name), "noise", 0.0)),
        )
        for name in (*mechanism.coordinates, *read)
    }
    names = names or (*_told_besides(mechanism, [n for n in mechanism.coordinates if sigma[n] > 0], read), *read)
    if silent := [name for name in names or sigma if not sigma[name] > 0]:
        raise PoinsotError(f"readings are weighed by their noise: give the standard deviation of {listing(silent)}")
    units = tuple(law_at(mechanism, name).unit for name in names)
    return Channels(names, names, units, np.array([sigma[name] for name in names]), True)


def _told_besides(mechanism: Mechanism, names: list[str], read: tuple[str, ...]) -> list[str]:
    """Coordinates that are no sums of encoder readings in every pose: those would count one measurement twice."""
    compiled, both = system(mechanism), (*read, *names)
    p = compiled.parameters(mechanism)
    home = compiled.coordinates(compiled.home, p)
    q = home + AWAY * rng_of(0, 0).standard_normal((SUMS, len(home)))
    equations = PoseEquations(compiled, PoseReadings(both, ()), p, np.zeros(len(both), bool))
    one = np.ones((SUMS, len(both)))
    H = np.swapaxes(equations.rows(q, np.zeros(0), one, one).H, 0, 1).reshape(len(both), -1)
    encoders = H[: len(read)].T
    left = [row - encoders @ np.linalg.lstsq(encoders, row)[0] for row in H[len(read) :]]
    return [
        n for n, row, rest in zip(names, H[len(read) :], left) if np.linalg.norm(rest) > SAME * np.linalg.norm(row)
    ]


def _free_angles(mechanism: Mechanism, limits: tuple[Limit, ...]) -> list[Limit]:
    """Angles of the model's pose that have no limits turn freely."""
    limited = {one.owner for one in limits}
    units = {name: mechanism.coordinates[name].unit for name in mechanism.elements.pose}
    free = [name for name, unit in units.items() if unit == "rad" and name not in limited]
    return [Limit(name, Quantity.POSITION, "rad", -np.pi, np.pi) for name in free]


def _drawn(limited: PoseEquations, limits: tuple[Limit, ...], mechanism: Mechanism) -> tuple[int, ...]:
    """Numbers of limits whose coordinates prescribe a pose, in their order."""
    compiled = limited.system
    q = compiled.coordinates(compiled.home, limited.p)[None]
    one = np.ones((1, len(limits)))
    A = limited.rows(q, np.zeros(0), one, one).A[0]
    size = np.linalg.norm(A, axis=1)
    taken: list[int] = []
    for k in range(len(limits)):
        if not np.isfinite([limits[k].lower, limits[k].upper]).all() or not size[k] > 0:
            continue
        s = np.linalg.svd(A[[*taken, k]] / size[[*taken, k], None], compute_uv=False)
        if len(s) == len(taken) + 1 and s[-1] > INDEPENDENT * s[0]:
            taken.append(k)
    if len(taken) < A.shape[1]:
        raise PoinsotError(
            f"poses of {mechanism.name} have {counted(A.shape[1], 'freedom')}, and limits on both sides of "
            f"{listing([limits[k].owner for k in taken])} prescribe {len(taken)}: give limits of further "
            "coordinates, drives or encoders to draw poses from"
        )
    return tuple(taken)


def _middle(limit: Limit) -> float:
    both = np.isfinite([limit.lower, limit.upper]).all()
    return (limit.lower + limit.upper) / 2 if both else 0.0
