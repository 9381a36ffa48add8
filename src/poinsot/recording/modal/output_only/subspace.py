"""Modes from responses alone: covariance-driven stochastic subspace identification (SSI) by pyOMA2.

    R_k = E y(t + k) y_ref(t)ᵀ = C Aᵏ⁻¹ G,   (R_{a+b−1}) = O Γ,   A = O↑⁺ O↓        (theory/modal-tests, eq. 19)

Forces are unknown, wide-band noise. Poles of all orders go through the same stabilisation chart as those of LSCF; a
mode is the mean of its stable poles, weighted by their precision. Errors are those of the correlations,

    cov θ = Σ_b δ_b δ_bᵀ,   δ_b = θ(H + T_b) − θ(H),   T_b = (H_b − H)/√(n(n − 1))   (theory/modal-tests, eq. 20)

H_b from one of n parts of the recording alone (Döhler and Mevel 2013, their derivatives by differences).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

import numpy as np

from poinsot.errors import MissingExtraError, PoinsotError
from poinsot.recording.modal.lscf import PoleSet
from poinsot.recording.modal.stabilisation import (
    Limits,
    PoleTrack,
    StabilisationChart,
    frequency_of,
    joined_tracks,
    ratio_of,
    stabilisation,
)
from poinsot.recording.readers.foreign import foreign

__all__ = ["Correlations", "SubspaceModes", "correlations", "subspace_chart", "subspace_modes"]

PARTS = 50  # of the recordings, from which the scatter of correlations comes
LEAST, MOST = 8, 240  # block rows at least, rows at most
COLUMNS = 24  # of the Hankel matrix at least, which bound the order of the state: few references need more blocks
MARGIN = 2.5  # samples per period of the upper end of the band
HIGHEST = 40  # order of the state
VAGUE = 0.5  # half-widths of a peak: poles whose frequency is not known better are no modes


@dataclass(frozen=True, eq=False)
class Correlations:
    """Hankel matrix of the correlations of o outputs, and the square root of its covariance by parts."""

    hankel: np.ndarray  # (j o, j r)
    root: np.ndarray  # (parts, j o, j r): Σ root rootᵀ is the covariance
    rows: int  # j
    step: float  # [s]
    length: float  # of all recordings  [s]

    @property
    def lag(self) -> float:
        """Over which outputs are correlated  [s]."""
        return (2 * self.rows - 1) * self.step


@dataclass(frozen=True, eq=False)
class SubspaceModes:
    """k modes at o outputs with standard errors."""

    poles: np.ndarray  # (k,)  [1/s]
    shapes: np.ndarray  # (o, k) complex, the largest entry of each is 1
    deviations: np.ndarray  # (k, 2) of frequency [Hz] and damping ratio [-]
    shape_deviations: np.ndarray  # (o, k) of |error of shapes|


def correlations(
    tables: Sequence[np.ndarray], rate: float, band: tuple[float, float], references: Sequence[int]
) -> Correlations:
    """Correlations of outputs (n, o), sampled at `rate` [Hz], with some of them, over a period of the band's low end.

    What lies far above the band is filtered off and the rest is sampled less often.
    """
    fewer = max(1, int(rate / (MARGIN * band[1])))
    tables = [_thinned(y, fewer) for y in tables]
    rate, o = rate / fewer, tables[0].shape[1]
    sizes = [len(y) for y in tables]
    j = _blocks(sizes, o, len(references), rate / max(band[0], 1e-3 * rate))
    counts, parts = _counts(sizes, j)
    if np.any(counts < 4 * j * parts):
        shortest = 4 * PARTS * j / rate / len(tables)
        raise PoinsotError(f"the recording is too short for modes above {band[0]:.3g} Hz: it needs {shortest:.3g} s")
    H, T = 0.0, []
    for y, n, count in zip(tables, parts, counts / counts.sum()):
        found, root = _quiet(lambda ssi, y=y, n=n: ssi.build_hank(y.T, y.T[list(references)], j, "cov", True, int(n)))
        H = H + count * found
        T.append(count * root.T.reshape(int(n), found.shape[1], found.shape[0]).swapaxes(1, 2))
    return Correlations(np.asarray(H), np.concatenate(T), j, 1 / rate, float(sum(map(len, tables)) / rate))


def _blocks(sizes: Sequence[int], o: int, r: int, longest: float) -> int:
    """Blocks j for half of the longest period, in samples; as far as recordings of such sizes go, for COLUMNS too."""
    wanted = int(np.ceil(longest / 2))
    low = int(np.clip(wanted, LEAST, max(LEAST, MOST // o)))
    enough = max(LEAST, int(np.ceil(COLUMNS / r)))
    high = int(np.clip(wanted, enough, max(enough, MOST // o)))

    def allowed(j: int) -> bool:
        counts, parts = _counts(sizes, j)
        return bool(np.all(counts >= 4 * j * parts))

    return next(filter(allowed, range(high, low, -1)), low)


def _counts(sizes: Sequence[int], j: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns of data of every recording, and into how many parts these go."""
    counts = np.array([n - 2 * j + 1 for n in sizes])
    return counts, np.maximum(PARTS * counts // max(counts.sum(), 1), 2)


def _thinned(y: np.ndarray, fewer: int) -> np.ndarray:
    from scipy.signal import decimate, detrend

    y = np.asarray(detrend(y, axis=0, type="linear"))
    return y if fewer == 1 else np.asarray(decimate(y, fewer, ftype="fir", axis=0))


def subspace_chart(
    given: Correlations, band: tuple[float, float], order: int | None, limits: Limits
) -> tuple[StabilisationChart, int]:
    """The stabilisation chart of all even orders, and how many these are."""
    shifted = len(given.hankel) // given.rows * (given.rows - 1)  # rows of O↑, at least as many as columns
    orders = range(2, min(order or HIGHEST, min(given.hankel.shape) - 2, shifted) + 1, 2)
    sets = [_in_band(one, band, limits) for one in _pole_sets(given.hankel, orders, given)]
    return joined_tracks(stabilisation(sets, limits)), len(orders)


def _pole_sets(H: np.ndarray, orders: range, given: Correlations) -> list[PoleSet]:
    """Poles with Im > 0 of every order."""

    def poles(ssi: ModuleType):
        observed, A, C, _ = ssi.SSI_fast(H, given.rows, orders[-1], step=2)
        return ssi.SSI_poles(observed, A, C, orders[-1], given.step, step=2, HC=False)

    _, _, shapes, poles_of, *_ = _quiet(poles)
    sets = []
    for n in orders:
        s = poles_of[:n, n // 2]
        upper = np.flatnonzero(np.isfinite(s) & (s.imag > 0))
        upper = upper[np.argsort(s[upper].imag)]
        shape = shapes[upper, n // 2].T
        sets.append(PoleSet(n, s[upper], shape / np.linalg.norm(shape, axis=0), np.ones((1, len(upper)))))
    return sets


def _in_band(one: PoleSet, band: tuple[float, float], limits: Limits) -> PoleSet:
    f, zeta = frequency_of(one.poles), ratio_of(one.poles)
    kept = (f > band[0]) & (f < band[1]) & (zeta > 0) & (zeta < limits.largest_ratio)
    return PoleSet(one.order, one.poles[kept], one.shapes[:, kept], one.participation[:, kept])


def subspace_modes(given: Correlations, tracks: Sequence[PoleTrack], all_of_them: bool = False) -> SubspaceModes:
    """Means over the orders of every track, with what errors of the correlations do to them.

    Tracks whose frequency the correlations hardly determine are left out, unless `all_of_them` are wanted. Orders too
    low for all the others count for none: what a low order leaves out it mixes into the modes that it has.
    """
    orders = range(2, int(max((t.orders.max() for t in tracks), default=2)) + 1, 2)
    base = _pole_sets(given.hankel, orders, given)
    found = [_of_track(base, t) for t in tracks]  # poles and shapes (m, 1 + o)
    moved = [_pole_sets(given.hankel + root, orders, given) for root in given.root]
    pairs = [
        (track, before, np.array([_of_track(one, track, before) - before for one in moved]))
        for track, before in zip(tracks, found)
    ]
    if not all_of_them:
        pairs = [pair for pair in pairs if _determined(*pair[1:])]
    first = max((int(track.orders[0]) for track, _, _ in pairs), default=0)
    means = [_mean(before, change, track.orders >= min(first, track.orders[-1])) for track, before, change in pairs]
    k, size = len(pairs), 1 + len(given.hankel) // given.rows
    mean = np.array([m for m, _ in means], complex).reshape(k, size)
    error = np.array([e for _, e in means], complex).reshape(k, len(given.root), size)
    shape_errors = np.sqrt(np.sum(np.abs(error[:, :, 1:]) ** 2, axis=1)).T
    return SubspaceModes(mean[:, 0], mean[:, 1:].T, _deviations(mean[:, 0], error[:, :, 0]), shape_errors)


def _determined(x: np.ndarray, change: np.ndarray) -> bool:
    """Whether the frequency is known better than half the half-width of its peak."""
    mean, error = _mean(x, change, np.ones(len(x), bool))
    return bool(np.linalg.norm(np.imag(error[:, 0])) < VAGUE * abs(mean[0].real))


def _mean(x: np.ndarray, change: np.ndarray, used: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean (1 + o) over the orders used, weighted by precision of the pole, and its changes (parts, 1 + o)."""
    weight = used / np.sum(np.abs(change[:, :, 0]) ** 2, axis=0)
    weight = weight / weight.sum()
    return weight @ x, np.einsum("m,pmx->px", weight, change)


def _of_track(sets: Sequence[PoleSet], track: PoleTrack, near: np.ndarray | None = None) -> np.ndarray:
    """Pole and shape (m, 1 + o) of a track's orders, nearest to its poles or to those before."""
    at = int(np.argmax(np.abs(track.shape)))  # the entry that is 1
    found = []
    for m, (pole, order) in enumerate(zip(track.poles, track.orders)):
        one = sets[order // 2 - 1]
        k = int(np.argmin(np.abs(one.poles - (pole if near is None else near[m, 0]))))
        found.append([one.poles[k], *(one.shapes[:, k] / one.shapes[at, k])])
    return np.array(found)


def _deviations(poles: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Standard errors (k, 2) of |p|/2π [Hz] and −Re p/|p| from changes (k, parts) of the poles."""
    size = np.abs(poles)[:, None]
    f = np.real(np.conj(poles)[:, None] * error) / size / (2 * np.pi)
    zeta = -(np.real(error) + ratio_of(poles)[:, None] * 2 * np.pi * f) / size
    return np.sqrt(np.sum(np.stack([f, zeta], axis=2) ** 2, axis=1))


def _quiet(call):
    """A call of pyOMA2's functions: it logs, draws progress bars and changes NumPy's error handling."""
    with foreign("responses", "no subspace model can be made of"), np.errstate():
        try:
            ssi = import_module("pyoma2.functions.ssi")
        except ImportError:
            raise MissingExtraError("modal analysis from responses alone", "pyoma-2", "modal") from None
        logging.getLogger("pyoma2").setLevel(logging.CRITICAL)
        return call(ssi)
