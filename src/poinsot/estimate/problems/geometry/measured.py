"""What recordings tell about the poses of a mechanism: channels, their noise, and configurations to start from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np

from poinsot.elements.coordinates import Coordinate
from poinsot.errors import PoinsotError, listing
from poinsot.estimate.problems.geometry.poses import PoseEquations
from poinsot.estimate.study import Run, Study, require_channels
from poinsot.model.mechanism import Mechanism
from poinsot.recording.motion import position_channels
from poinsot.recording.place import placed
from poinsot.recording.recording import Recording

FAR = 0.25  # by which readings of a pose that can be reached differ from the model at most, in natural sizes
ROUNDS = 8  # in which poses that were not reached start from others
WORSE = 1e4  # times the median cost of a pose, from which another start is tried


@dataclass(frozen=True, eq=False)
class Channels:
    """c measured channels of all runs."""

    names: tuple[str, ...]
    places: tuple[str, ...]  # coordinates or encoders that they read
    units: tuple[str, ...]
    sigma: np.ndarray  # (c,) standard deviations, or 1 where nobody knows them
    known: bool  # whether they are known

    def table(self, recording: Recording) -> np.ndarray:
        """Samples (n, c), NaN where a channel was not recorded."""
        missing = np.full(len(recording), np.nan)
        return np.stack([recording.values.get(name, missing) for name in self.names], axis=1)

    def sizes(self, size: float) -> np.ndarray:
        """Natural sizes of the readings (c,) of a machine of a size [m]."""
        return np.where([unit == "rad" for unit in self.units], 1.0, size)


def channels_of(study: Study, mechanism: Mechanism) -> Channels:
    """All recorded positions, or those that the study names."""
    found: dict[str, tuple[str, float]] = {}
    for run in study.runs:
        recording = placed(run.recording, mechanism)
        for name, place in position_channels(recording, mechanism).items():
            found.setdefault(name, (place, recording.channels[name].noise))
        if study.channels:
            require_channels([name for name in study.channels if name not in recording], recording, run.name)
    if study.channels:
        found = {name: found[name] for name in study.channels if name in found}
    if not found:
        raise PoinsotError(
            f"no pose was measured: no channel is the position of a coordinate or encoder of {mechanism.name}; "
            f"channels: {listing(study.runs[0].recording.channels)}; it has: "
            f"{listing([*mechanism.coordinates, *(n for n, s in mechanism.sensors.items() if s.on is not None)])}"
        )
    units = tuple(law_at(mechanism, place).unit for place, _ in found.values())
    sigma = [_noise(study, name, noise) for name, (_, noise) in found.items()]
    silent = [name for name, value in zip(found, sigma) if not value]
    if silent and (len(silent) < len(sigma) or len(set(units)) > 1):
        raise PoinsotError(
            f"readings are weighed by their noise: give the standard deviation of {listing(silent)} (noise=, or "
            "[noise] of a study file)"
        )
    places = tuple(place for place, _ in found.values())
    return Channels(tuple(found), places, units, np.array([v or 1.0 for v in sigma]), not silent)


def law_at(mechanism: Mechanism, place: str) -> Coordinate:
    """The coordinate that is read at a place."""
    law = mechanism.coordinates[place] if mechanism.elements.is_coordinate(place) else mechanism.sensors[place].on
    assert law is not None
    return law


def _noise(study: Study, channel: str, recorded: float) -> float:
    given = (sigma for pattern, sigma in study.noise.items() if fnmatchcase(channel, pattern))
    return next(given, recorded)


def started(
    equations: PoseEquations,
    x: np.ndarray,
    y: np.ndarray,
    w: np.ndarray,
    channels: Channels,
    runs: Sequence[tuple[Run, int]],
) -> tuple[np.ndarray, dict[int, str]]:
    """Configurations (n, nq) at the start of the search, from home, or from poses with readings near by; and which
    poses cannot be reached, the farthest first, in words."""
    home = equations.system.coordinates(equations.system.home, equations.p)
    q, cost = _tried(equations, np.tile(home, (len(y), 1)), x, y, w)
    apart = _distances(y, w)
    for number in range(ROUNDS):
        usable = np.isfinite(cost)
        poor = ~usable | (cost > WORSE * np.median(cost[usable])) if usable.any() else ~usable
        if not poor.any() or poor.all():
            break
        near = np.argsort(np.where(poor, np.inf, apart[poor]), axis=1)
        other = near[:, min(number, int((~poor).sum()) - 1)]
        again, found = _tried(equations, q[other], x, y[poor], w[poor])
        better = found < cost[poor]
        at = np.flatnonzero(poor)[better]
        q[at], cost[at] = again[better], found[better]
    far = _unreached(equations, q, cost, x, y, w, channels, runs)
    q[~np.isfinite(cost)] = home
    return q, far


def _tried(
    equations: PoseEquations, q: np.ndarray, x: np.ndarray, y: np.ndarray, w: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Configurations from some starts, and their costs (n,), infinite where there is none."""
    q, reached = equations.solved(q, x, y, w)
    rows = equations.rows(np.where(reached[:, None], q, 0.0), x, y, w)
    return q, np.where(reached, np.sum((rows.w * rows.r) ** 2, axis=1), np.inf)


def _distances(y: np.ndarray, w: np.ndarray) -> np.ndarray:
    """How far readings of poses are apart (n, n), each over its spread."""
    spread = np.nanstd(np.where(w > 0, y, np.nan), axis=0)
    z = np.where(w > 0, y, 0.0) / np.where(spread > 0, spread, 1.0)
    both = (w > 0)[:, None] & (w > 0)[None]
    return np.sum(np.where(both, (z[:, None] - z[None]) ** 2, 1.0), axis=2)


def _unreached(
    equations: PoseEquations,
    q: np.ndarray,
    cost: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    w: np.ndarray,
    channels: Channels,
    runs: Sequence[tuple[Run, int]],
) -> dict[int, str]:
    """Poses that the model cannot take, not even nearly."""
    reached, found = np.isfinite(cost), {}
    rows = equations.rows(np.where(reached[:, None], q, 0.0), x, y, w)
    size = np.maximum(np.linalg.norm(rows.H, axis=2), channels.sizes(equations.system.home.size))
    away = np.where(reached[:, None], np.abs(rows.r) / size, np.inf)
    worst = np.max(away, axis=1)
    for i in [i for i in np.argsort(-worst, kind="stable").tolist() if not worst[i] <= FAR]:
        c = int(np.argmax(away[i]))
        how = (
            f"no configuration of the model comes nearer than {abs(rows.r[i, c]):.3g} {channels.units[c]} to "
            f"'{channels.names[c]}'"
            if reached[i]
            else "no configuration of the model was found that explains its readings"
        )
        found[i] = f"{sample_name(runs, i)} cannot be reached: {how}"
    return found


def sample_name(runs: Sequence[tuple[Run, int]], i: int) -> str:
    """Words for sample i of all runs, each with its number of samples."""
    for run, n in runs:
        if i < n:
            return f"sample {i + 1} of run '{run.name}'"
        i -= n
    raise IndexError(i)
