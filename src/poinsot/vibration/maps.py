"""Maps: natural frequencies and compliances over many poses and parameter sets at once, in native code.

The batches of `rigid_batch` and `elastic_batch` are used where they apply; poses that do not prescribe all
freedoms, preloaded beams, forces that follow and bodies without mass are taken sample by sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from typing import Any

import numpy as np

from poinsot.engine import eigh
from poinsot.errors import PoinsotError, by_name, count_of, counted, one_line
from poinsot.model.assembly.constraints import IN_PLANE
from poinsot.model.mechanism import Mechanism, require_mechanism, require_possible
from poinsot.model.quantities.parameters import as_value
from poinsot.results import Panel, Result
from poinsot.results.pictures import map_panels
from poinsot.vibration.compliance import UNITS, axes_of, compliance
from poinsot.vibration.elastic_batch import ElasticBatch
from poinsot.vibration.modes import NEGATIVE, modes
from poinsot.vibration.rigid_batch import Batched, BatchMatrices

CHUNK, BENT_CHUNK = 20_000, 500  # samples between two reports, of rigid and of flexible mechanisms
SYMMETRIC = 1e-9  # of the largest stiffness
SPREAD = 1e-5  # of the largest ω², below which others are refined
ZERO = 1e-10  # of |φ|ᵀ|K||φ|, below which ω² may be none at all
FIRM = 1e-9  # of the largest stiffness, motions measured by their own, below which another may be none at all
Progress = Callable[[float], None]
Values = tuple[np.ndarray, int, int]  # results (N, …), samples that are not reachable, samples that are not at rest


@dataclass(frozen=True, eq=False)
class _Samples:
    """N samples: poses and parameter sets, and the shape of the grid they came from."""

    mechanism: Mechanism
    poses: dict[str, np.ndarray]  # by coordinate, in the shape of the grid
    parameters: dict[str, np.ndarray]
    shape: tuple[int, ...]
    one_pose: bool  # for all parameter sets

    @classmethod
    def read(cls, mechanism: Mechanism, poses: Mapping | None, parameters: Mapping | None) -> _Samples:
        own = require_mechanism(mechanism).elements.pose
        given = dict(own if poses is None else by_name(poses, "poses are", "{'x': [0.1, 0.2]}"))
        changes = dict(by_name(parameters, "parameters are", "{'bob.mass': [1.0, 2.0]}"))
        mechanism.parameters.require(changes)
        units = [mechanism.elements.coordinate(name).unit for name in given]
        units += [mechanism.parameters[name].unit for name in changes]
        columns = [_numbers(x, unit, n) for (n, x), unit in zip([*given.items(), *changes.items()], units)]
        for name, x in zip([*given, *changes], columns):
            if not x.size or not np.isfinite(x).all():
                raise PoinsotError(f"'{name}' needs finite values, at least one of them")
        try:
            grids = np.broadcast_arrays(*columns)
        except ValueError:
            shapes = ", ".join(f"{name} {x.shape}" for name, x in zip([*given, *changes], columns))
            raise PoinsotError(f"the arrays do not fit together: {shapes}") from None
        k = len(given)
        require_possible(mechanism, dict(zip(changes, grids[k:])))
        shape = grids[0].shape if columns else ()
        one = all(x.ndim == 0 for x in columns[:k])
        return cls(mechanism, dict(zip(given, grids[:k])), dict(zip(changes, grids[k:])), shape, one)

    @property
    def count(self) -> int:
        return int(np.prod(self.shape))

    @cached_property
    def _flat(self) -> tuple[np.ndarray, np.ndarray]:
        """Poses (N, k) and parameter sets (N, p)."""
        grids = (self.poses, self.parameters)
        s, p = (np.array([g.ravel() for g in grid.values()]).reshape(len(grid), self.count).T for grid in grids)
        return s, p

    def rows(self, part: slice | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Poses (n, k) and parameter sets (n, p) of a part of the samples."""
        s, p = self._flat
        return s[part], p[part]

    def each(self, part: slice | np.ndarray) -> Iterator[tuple[Mechanism, dict[str, float] | None]]:
        """Mechanism and pose of every sample of a part."""
        for s, p in zip(*self.rows(part)):
            changed = self.mechanism
            if len(p):
                changed = changed.with_parameters(dict(zip(self.parameters, p.tolist())))
            yield changed, dict(zip(self.poses, s.tolist())) or None


_GRID = {"poses": ("", "coordinate"), "parameters": ("", "parameter")}  # columns of every map


class _Map(Result):
    """A result over a grid of poses and parameter sets."""

    poses: dict[str, np.ndarray]
    parameters: dict[str, np.ndarray]

    def over_grid(self, values: Mapping[str, np.ndarray], label: str) -> tuple[Panel, ...]:
        """Panels of values by name, in the shape of the grid."""
        coordinates, parameters = self.mechanism.coordinates, self.mechanism.parameters
        grid = {name: (x, coordinates[name].unit) for name, x in self.poses.items()}
        grid |= {name: (x, parameters[name].unit) for name, x in self.parameters.items()}
        return map_panels(grid, values, label)

    def _rows(self) -> dict[str, np.ndarray]:
        shape = np.shape(next(iter([*self.poses.values(), *self.parameters.values()]), ()))
        return {"batch": np.arange(int(np.prod(shape))).reshape(shape)}


@dataclass(frozen=True, eq=False)
class FrequencyMap(_Map):
    """Frequencies over poses and parameter sets; arrays have the shape of the given grids in front."""

    mechanism: Mechanism
    poses: dict[str, np.ndarray]  # by coordinate  [m or rad]
    parameters: dict[str, np.ndarray]  # by name  [SI]
    frequencies: np.ndarray  # (…, n) [Hz] as in Modes: 0.0 rigid-body, negative unstable; NaN where there is none
    unreachable: int  # samples that the mechanism cannot reach
    unbalanced: int  # samples in which nothing holds it at rest

    _columns = {**_GRID, "frequencies": ("f", "Hz")}

    def panels(self) -> tuple[Panel, ...]:
        """Each frequency over the grid."""
        each = np.moveaxis(self.frequencies, -1, 0)
        label = "frequency [Hz]" + " (negative: unstable)" * bool((self.frequencies < 0).any())
        return self.over_grid({f"f{k + 1}": f for k, f in enumerate(each)}, label)

    def __str__(self) -> str:
        flat = self.frequencies.reshape(-1, self.frequencies.shape[-1])
        lines = [_counts(self.mechanism.name, len(flat), self.unreachable, self.unbalanced)]
        for k, column in enumerate(flat.T):
            if np.isfinite(column).any():
                lines.append(f"  f{k + 1}  {np.nanmin(column):.5g} … {np.nanmax(column):.5g} Hz")
        return "\n".join([*lines, *(f"  {said}" for said in self.doubts() if said != lines[0])])

    def doubts(self) -> tuple[str, ...]:
        """What qualifies the frequencies: samples without any, and unstable ones."""
        flat = self.frequencies.reshape(-1, self.frequencies.shape[-1])
        counts = _counts(self.mechanism.name, len(flat), self.unreachable, self.unbalanced)
        unstable = np.count_nonzero((flat < 0).any(axis=1))
        said = f"{NEGATIVE}; in {unstable} of {len(flat)} samples"
        return (counts,) * bool(self.unreachable or self.unbalanced) + (said,) * bool(unstable)


PER = {"f": "N", "t": "(N·m)"}  # units of forces and moments, after a slash


@dataclass(frozen=True, eq=False)
class ComplianceMap(_Map):
    """Compliance of a place over poses and parameter sets, (…, 6, 6) or (…, 3, 3) in the plane."""

    mechanism: Mechanism
    at: str
    poses: dict[str, np.ndarray]  # by coordinate  [m or rad]
    parameters: dict[str, np.ndarray]  # by name  [SI]
    compliance: np.ndarray  # as poinsot.compliance; NaN where there is none
    unreachable: int
    unbalanced: int

    _columns = {
        **_GRID,
        "compliance": (
            lambda m: [f"{d} / {f}" for d, f in product(*axes_of(m.mechanism))],
            lambda m: [f"{UNITS[d]}/{PER[f[0]]}" for d, f in product(*axes_of(m.mechanism))],
        ),
    }

    def panels(self) -> tuple[Panel, ...]:
        """The diagonal over the grid: displacements per force, then turns per moment."""
        moved, pulled = axes_of(self.mechanism)
        own = {f"{d} / {f}": self.compliance[..., k, k] for k, (d, f) in enumerate(zip(moved, pulled))}
        straight = {name: x for name, x in own.items() if not name.startswith("r")}
        turned = {name: x for name, x in own.items() if name.startswith("r")}
        return (
            *self.over_grid(straight, f"compliance of {self.at} [m/N]"),
            *self.over_grid(turned, f"compliance of {self.at} [rad/(N·m)]"),
        )

    @property
    def stiffness(self) -> np.ndarray:
        """Inverse of the compliance; NaN where a direction does not yield."""
        scale = np.sqrt(np.abs(np.einsum("...ii->...i", self.compliance)))
        scaled = self.compliance / np.where(scale > 0, scale, np.nan)[..., None] / scale[..., None, :]
        good = np.isfinite(scaled).all(axis=(-1, -2))
        good[good] = np.linalg.cond(scaled[good]) < 1e12
        found = np.full_like(self.compliance, np.nan)
        found[good] = np.linalg.inv(self.compliance[good])
        return found

    def __str__(self) -> str:
        count = int(np.prod(self.compliance.shape[:-2]))
        return _counts(f"{self.at} of {self.mechanism.name}", count, self.unreachable, self.unbalanced)


def frequency_map(
    mechanism: Mechanism,
    poses: Mapping[str, Any] | None = None,
    *,
    parameters: Mapping[str, Any] | None = None,
    n: int | None = None,
    locked: str | Sequence[str] | None = None,
    progress: Progress | None = None,
) -> FrequencyMap:
    """Natural frequencies in many poses, with many parameter sets, or both: arrays that broadcast with each other.

    `mechanism`; `n` lowest frequencies, by default all; `locked` as for `modes`.

    `poses` by coordinate, by default the model's own for all sets; `parameters` by name; grids are arrays of more
    dimensions (see numpy.meshgrid). Springs that are clamped in the pose are relaxed in each of them. Poses that
    the mechanism cannot reach, or in which nothing holds it, are NaN and counted. A negative frequency f is that of
    an unstable pose, which is left as exp(2π|f| t); flutter has a positive one, and only `modes` tells it.
    `progress` is called with the fraction that is done.

    >>> import poinsot
    >>> found = poinsot.frequency_map(poinsot.load("three_link"), parameters={"A.stiffness": [20.0, 21.1]})
    >>> found.frequencies.shape, float(found.frequencies[1, 0].round(3))
    ((2, 3), 16.946)
    """
    samples = _Samples.read(mechanism, poses, parameters)
    n = None if n is None else count_of(n, "n")

    def one(changed: Mechanism, pose: Any) -> np.ndarray:
        return modes(changed, pose, n=n, locked=locked).frequencies

    values, *failed = _over(samples, locked, _frequencies, one, 0, progress)
    values = values[:, :n].reshape(*samples.shape, -1)
    return FrequencyMap(mechanism, samples.poses, samples.parameters, values, *failed)


def compliance_map(
    mechanism: Mechanism,
    at: str,
    poses: Mapping[str, Any] | None = None,
    *,
    parameters: Mapping[str, Any] | None = None,
    locked: str | Sequence[str] | None = None,
    progress: Progress | None = None,
) -> ComplianceMap:
    """Static compliance and stiffness of a body or frame in many poses, as `frequency_map`.

    `mechanism`, `poses`, `parameters`, `locked` and `progress` as there; `at` is a place as for
    `compliance`.
    """
    samples = _Samples.read(mechanism, poses, parameters)
    frame = mechanism.frame(at)
    size = 3 if mechanism.planar else 6

    def one(changed: Mechanism, pose: Any) -> np.ndarray:
        return compliance(changed, at, pose, locked=locked).matrix.ravel()

    values, *failed = _over(samples, locked, partial(_compliances, frame=frame), one, size**2, progress)
    values = values.reshape(*samples.shape, size, size)
    return ComplianceMap(mechanism, at, samples.poses, samples.parameters, values, *failed)


def _over(samples: _Samples, locked: Any, batched: Any, one: Any, width: int, progress: Progress | None) -> Values:
    """Results (N, width or more) of all samples, chunk by chunk: in batch where that applies, else one by one."""
    if progress is not None and not callable(progress):
        raise PoinsotError(f"progress must be a function of the fraction that is done, not {type(progress).__name__}")
    flexible = bool(samples.mechanism.elements.beams)
    kind = ElasticBatch if flexible else BatchMatrices
    batch = kind.of(samples.mechanism, tuple(samples.poses), tuple(samples.parameters), locked)
    chunk, found = (50 if batch is None else BENT_CHUNK if flexible else CHUNK), []
    for first in range(0, samples.count, chunk):
        part = slice(first, min(first + chunk, samples.count))
        found.append(_part(samples, part, batch, batched, one))
        if progress is not None:
            progress(part.stop / samples.count)
    width = max([width, *(v.shape[1] for v, _, _ in found)])
    values = np.concatenate([_wide(v, width) for v, _, _ in found]) if found else np.zeros((0, width))
    return values, sum(u for _, u, _ in found), sum(b for _, _, b in found)


def _part(samples: _Samples, part: slice, batch: Any, batched: Any, one: Any) -> Values:
    """Results of a part of the samples; those of which the batch is not sure one by one."""
    if batch is None:
        return _one_by_one(samples, part, one)
    s, p = samples.rows(part)
    at, values, unsure = batched(batch, s[:1] if samples.one_pose and batch.same_pose else s, p)
    if at is None:
        return _one_by_one(samples, part, one)
    again = np.flatnonzero(unsure)
    unreachable, unbalanced = int(np.sum(~at.reached)), int(np.sum(at.reached & ~at.good & ~unsure))
    if len(again):
        rows, more_unreachable, more_unbalanced = _one_by_one(samples, part.start + again, one)
        width = max(values.shape[1], rows.shape[1])
        values, rows = _wide(values, width), _wide(rows, width)
        values[again] = rows
        unreachable, unbalanced = unreachable + more_unreachable, unbalanced + more_unbalanced
    return values, unreachable, unbalanced


def _wide(values: np.ndarray, width: int) -> np.ndarray:
    """Values (N, k) with NaN up to a width."""
    return np.pad(values, ((0, 0), (0, width - values.shape[1])), constant_values=np.nan)


def _one_by_one(samples: _Samples, part: slice | np.ndarray, one: Any) -> Values:
    rows: list[np.ndarray] = []
    unreachable = unbalanced = 0
    for changed, pose in samples.each(part):
        try:
            rows.append(one(changed, pose))
        except PoinsotError as error:
            rest = "cannot be assembled" not in str(error)
            unbalanced, unreachable = unbalanced + rest, unreachable + (not rest)
            rows.append(np.zeros(0))
    width = max((len(row) for row in rows), default=0)
    wide = [np.pad(row, (0, width - len(row)), constant_values=np.nan) for row in rows]
    return np.array(wide).reshape(len(rows), width), unreachable, unbalanced


Found = tuple[Batched | None, np.ndarray, np.ndarray]  # matrices, results (N, …), samples to be found one by one


def _frequencies(batch: BatchMatrices, s: np.ndarray, p: np.ndarray) -> Found:
    """√ω²/2π with the sign of ω² (N, k); what is not symmetric, without mass or perhaps zero is not sure."""
    at = batch(s, p)
    if at is None:
        return None, np.zeros((0, 0)), np.zeros(0, bool)
    found, unsure = np.full((len(at.good), at.M.shape[-1]), np.nan), np.array(at.unsure)
    good = np.flatnonzero(at.good)
    if not len(good) or not at.M.shape[-1]:
        return at, found, unsure
    M, K = (at.M, at.K) if len(good) == len(at.good) else (at.M[good], at.K[good])
    mass = np.einsum("nii->ni", M)
    heavy = (mass > 0).all(axis=1)
    size = 1 / np.sqrt(np.where(mass > 0, mass, 1.0))
    M, K = (x * size[:, None, :] * size[:, :, None] for x in (M, K))
    skew, largest = (np.max(np.abs(x), axis=(1, 2)) for x in (K - K.transpose(0, 2, 1), K))
    sure = heavy & (skew <= SYMMETRIC * largest)
    try:
        values, resolved = _eigenvalues(K, M)
    except PoinsotError:  # bodies without mass
        return None, found, unsure
    unsure[good] = ~(sure & resolved)
    found[good] = np.sign(values) * np.sqrt(np.abs(values)) / (2 * np.pi)
    return at, found, unsure


def _eigenvalues(K: np.ndarray, M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """ω² (N, k), upwards, where they are far apart with the second-order estimate φᵀKφ; and where none is lost in
    the round-off of what is summed up in it (N,)."""
    K = (K + K.transpose(0, 2, 1)) / 2
    values = eigh(K, M, vectors=False)
    resolved = np.ones(len(values), bool)
    apart = np.flatnonzero(np.min(np.abs(values), axis=1) <= SPREAD * np.max(np.abs(values), axis=1))
    if len(apart):
        K, M = K[apart], M[apart]
        X = eigh(K, M)[1]
        stiffness, mass, summed = (
            np.einsum("nij,nij->nj", x, y @ x) for x, y in ((X, K), (X, M), (np.abs(X), np.abs(K)))
        )
        resolved[apart] = (np.abs(stiffness) > ZERO * summed).all(axis=1)
        values[apart] = np.sort(stiffness / mass, axis=1)
    return values, resolved


def _compliances(batch: BatchMatrices, s: np.ndarray, p: np.ndarray, frame: Any) -> Found:
    """T K⁻¹ Tᵀ of every sample, flat; where the place may move without resistance it is not sure."""
    at = batch(s, p, frame)
    if at is None:
        return None, np.zeros((0, 0)), np.zeros(0, bool)
    T = at.T[:, list(IN_PLANE)] if batch.compiled.elements.planar else at.T
    found, unsure = np.full((len(at.good), T.shape[1] ** 2), np.nan), np.array(at.unsure)
    good = np.flatnonzero(at.good)
    if len(good):
        K, T = at.K[good], T[good]
        own = np.sqrt(np.abs(np.einsum("nii->ni", K)))
        own = 1 / np.where(own > 0, own, np.max(own, axis=1, initial=0.0, keepdims=True) + (own == 0))
        firm = np.linalg.svd(K * own[:, None, :] * own[:, :, None], compute_uv=False)
        stiff = firm[:, -1] > FIRM * firm[:, 0] if K.shape[-1] else np.ones(len(K), bool)
        unsure[good] = ~stiff
        values = T[stiff] @ np.linalg.solve(K[stiff], T[stiff].transpose(0, 2, 1))
        found[good[stiff]] = values.reshape(len(values), -1)
    return at, found, unsure


def _numbers(value: Any, unit: str, name: str) -> np.ndarray:
    def read(x: Any) -> Any:
        return as_value(x, unit, name) if isinstance(x, str) else x

    try:
        return np.asarray([read(x) for x in value] if isinstance(value, list | tuple) else read(value), float)
    except (TypeError, ValueError):
        raise PoinsotError(f"{name}: expected numbers in {unit}, not {one_line(repr(value), 40)}") from None


def _counts(what: str, count: int, unreachable: int, unbalanced: int) -> str:
    failed = [f"{n} {why}" for n, why in ((unreachable, "not reachable"), (unbalanced, "not at rest")) if n]
    return f"{what}: {counted(count, 'sample')}" + (f", of which {' and '.join(failed)}" if failed else "")
