"""Coordinates that prescribe a motion: with the motions N that the joints leave and the rates J of coordinates, those
whose rows of J N are independent.

In the pose of the model file that is asked of J N itself. Along a recording, k of them are as good as the determinant
of their rows is large beside that of others, det J_C / max det J_C', whatever prescribes the path that is looked at.
Where it changes its sign they pass a singular pose.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice
from typing import TYPE_CHECKING

import numpy as np

from poinsot.elements.coordinates import Coordinate
from poinsot.errors import PoinsotError, listing
from poinsot.lazy import provided
from poinsot.model.assembly.assembly import Assembly
from poinsot.model.assembly.constraints import Constraints, row_scales, twist_scales
from poinsot.model.mechanism import Mechanism
from poinsot.motion.driven import driven
from poinsot.motion.equations import named_coordinates
from poinsot.system.home import start
from poinsot.system.scaled_rank import free_motions

if TYPE_CHECKING:
    from poinsot.motion.continuity import Path

__all__ = ["freedoms", "independent", "prescribing", "untold", "values_and_slopes"]

_progress = logging.getLogger("poinsot.progress")
SEEN = 1e-6  # of a coordinate's rate, from which on a motion is seen in it
POSES = 200  # of a recording, at which coordinates are asked whether they are singular
SETS = 300  # of coordinates that are compared at most
TRIED = 12  # paths of sets that are looked at, and sets that are followed with care, until one agrees
AGREES = 0.02  # natural size of what columns may be off the poses
POOR = 0.02  # of the determinant of the best set, from which on another one is near a singular pose
Samples = tuple[np.ndarray, Mapping[str, np.ndarray]]  # times (n,) [s], and values (n,) by column


def freedoms(mechanism: Mechanism, home: Assembly) -> np.ndarray:
    """Motions (twists of all bodies, k) that the joints leave at natural sizes."""
    constraints = Constraints(mechanism.elements)
    scale = twist_scales(constraints, home.size)
    C = constraints.evaluate(home.poses)[1] * scale / row_scales(constraints, home.size)[:, None]
    return free_motions(C) if len(C) else np.eye(len(scale))


def independent(mechanism: Mechanism, home: Assembly, coordinates: Sequence[Coordinate], first: int = 0) -> list[int]:
    """Numbers of coordinates that tell all motions: the `first` ones, then those that tell most of what is left."""
    if not coordinates:
        return []
    left, chosen = _rates(mechanism, home, coordinates), []
    for step in range(len(left)):
        lengths = np.linalg.norm(left, axis=1)
        k = step if step < first else int(np.argmax(lengths))
        if lengths[k] > SEEN:
            chosen.append(k)
            direction = left[k] / lengths[k]
            left = left - np.outer(left @ direction, direction)
    return chosen


def _rates(mechanism: Mechanism, home: Assembly, coordinates: Sequence[Coordinate]) -> np.ndarray:
    """Rates J N (c, k) of coordinates in the motions that the joints leave, at natural sizes."""
    held = Constraints(mechanism.elements, tuple(coordinates))
    J = held.evaluate(home.poses)[1][-len(coordinates) :] * twist_scales(held, home.size)
    sizes = np.array([home.size if c.unit == "m" else 1.0 for c in coordinates])
    return J / sizes[:, None] @ freedoms(mechanism, home)


def untold(mechanism: Mechanism, told: Sequence[Coordinate], asked: Sequence[Coordinate]) -> list[int]:
    """Numbers of the asked coordinates that others do not tell.

    Others that stand still in the pose of the model file, as a slider at its dead centre, tell as much elsewhere.
    """
    home = start(mechanism, None)
    chosen = independent(mechanism, home, [*told, *asked], len(told))
    still = np.count_nonzero(np.linalg.norm(_rates(mechanism, home, told), axis=1) <= SEEN) if told else 0
    left = freedoms(mechanism, home).shape[1] - still - sum(k < len(told) for k in chosen)
    return [k - len(told) for k in chosen if k >= len(told)][: max(left, 0)]


def prescribing(mechanism: Mechanism, read: Mapping[str, str], samples: Samples | None = None) -> list[str]:
    """Columns, of those that read named coordinates, that prescribe a motion: all, or independent ones where they are
    more than freedoms; those that actuators drive come first, unless they are singular along the `samples`.
    """
    if len(read) < 2:
        return list(read)
    home, on = start(mechanism, None), {column: mechanism.coordinates[name] for column, name in read.items()}
    count = freedoms(mechanism, home).shape[1]
    if len(read) <= count:
        return list(read)
    driven_ones = [actuator.on for actuator in mechanism.actuators.values()]
    ordered = sorted(read, key=lambda column: on[column] not in driven_ones)
    first = sum(on[column] in driven_ones for column in ordered)
    chosen = {ordered[k] for k in independent(mechanism, home, [on[column] for column in ordered], first)}
    if samples is not None and len(chosen) == count < len(set(on.values())):
        chosen = _unless_singular(mechanism, read, samples, chosen)
    return [column for column in read if column in chosen]


def values_and_slopes(path: Path, names: Sequence[str], by: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Values (n, r) of named coordinates along a path [m or rad], angles up to turns, and their slopes (n, r, k) by
    the k coordinates that prescribe it."""
    compiled, n, k = path.system, len(path.t), len(by)
    known = list(compiled.elements.coordinates)
    rows, drive, slopes = [known.index(name) for name in names], driven(compiled, tuple(by)), []
    for unit in np.eye(k):
        v, _, _ = drive.rates(path.q, np.tile(unit, (n, 1)), np.zeros((n, k)), path.p)
        s, s_dot = (x.reshape(n, -1)[:, rows] for x in named_coordinates(compiled)(path.q, v, path.p))
        slopes.append(s_dot)
    return s, np.stack(slopes, axis=2)


def _unless_singular(
    mechanism: Mechanism, read: Mapping[str, str], samples: Samples, preferred: set[str]
) -> set[str]:
    """The preferred columns, or those farthest from a singular pose where these pass one along the samples."""
    paths = [*islice(_agreeing_last(mechanism, read, _followed(mechanism, read, samples, preferred)), TRIED)]
    if not paths:
        return preferred
    agrees = paths[-1][2] < AGREES
    columns, (solved, by, _) = list(read), paths[-1] if agrees else paths[0]
    sizes = np.array(
        [solved.system.home.size if mechanism.coordinates[read[c]].unit == "m" else 1.0 for c in columns]
    )
    J = values_and_slopes(solved, [read[c] for c in columns], [read[c] for c in by])[1] / sizes[:, None]
    sets = [sorted(columns.index(c) for c in preferred)]
    sets += islice((list(s) for s in combinations(range(len(columns)), len(preferred)) if list(s) != sets[0]), SETS)
    det = np.linalg.det(J[:, np.array(sets)])  # (n, sets)
    ratio = np.abs(det) / np.maximum(np.max(np.abs(det), axis=1, keepdims=True), 1e-300)
    quality = np.where(np.isfinite(ratio).all(axis=0), ratio.min(axis=0), 0.0)
    best = int(np.argmax(quality))
    passes = np.ptp(np.sign(det[:, 0] * det[:, best])) > 0
    chosen = best if passes or quality[0] < POOR * quality[best] else 0
    return {columns[k] for k in sets[chosen]}


def _agreeing_last(
    mechanism: Mechanism, read: Mapping[str, str], paths: Iterator[tuple[Path, list[str], Samples]]
) -> Iterator[tuple[Path, list[str], float]]:
    """Paths up to the first that agrees with all columns, and how far each is from them, in natural sizes: one that
    turns back at a dead centre does not."""
    for path, by, (_, values) in paths:
        s, _ = values_and_slopes(path, list(read.values()), [read[c] for c in by])
        r = np.stack([values[c] for c in read], axis=1) - s
        turns = np.array([mechanism.coordinates[name].unit == "rad" for name in read.values()])
        r = np.where(turns, r - 2 * np.pi * np.rint(r / (2 * np.pi)), r / path.system.home.size)
        far = float(np.sqrt(np.max(np.mean(r**2, axis=0))))
        yield path, by, far
        if far < AGREES:
            return


def _followed(
    mechanism: Mechanism, read: Mapping[str, str], samples: Samples, preferred: set[str]
) -> Iterator[tuple[Path, list[str], Samples]]:
    """Poses of a recording as some of its columns lead to them, these columns, and the samples at the poses."""
    t, values = samples
    good = np.flatnonzero(np.all([np.isfinite(values[c]) for c in read], axis=0))
    rows = good[np.unique(np.linspace(0, len(good) - 1, min(POSES, len(good))).astype(int))]
    at, first = t[rows], [c for c in read if c in preferred]
    others = [list(s) for s in islice(combinations(read, len(preferred)), SETS) if set(s) != preferred]
    quick, careful = provided("quick path of a motion"), provided("path of a motion")
    tries = [(careful, first), *((quick, s) for s in others), *((careful, s) for s in others[:TRIED])]
    for k, (follow, some) in enumerate(tries):
        if k:
            _progress.info(f"positions that prescribe the motion: set {k + 1} of {len(tries)}, {listing(some)}")
        try:
            path = follow(mechanism, {read[c]: (at, values[c][rows]) for c in some}, at)
        except PoinsotError:  # which cannot be followed with these, or are too few
            continue
        if path is not None:
            yield path, some, (at, {c: values[c][rows] for c in read})
