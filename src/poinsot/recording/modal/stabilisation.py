"""Stabilisation: which poles stay where they are when the order of the polynomial grows.

A pole of order q is stable in frequency, damping or shape if its partner in the order before, near and alike, differs
by less than a limit (theory/modal-tests, eq. 10). Stable poles that follow each other through the orders are
a track; physical modes have long ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from poinsot.errors import PoinsotError, counted, listing
from poinsot.recording.modal.lscf import PoleSet

__all__ = [
    "LIMITS",
    "Limits",
    "PoleTrack",
    "StabilisationChart",
    "chosen_tracks",
    "frequency_of",
    "joined_tracks",
    "nearest_tracks",
    "ratio_of",
    "stabilisation",
]


def frequency_of(poles: np.ndarray) -> np.ndarray:
    """Natural frequencies |s|/2π of poles s  [Hz]."""
    return np.abs(poles) / (2 * np.pi)


def ratio_of(poles: np.ndarray) -> np.ndarray:
    """Damping ratios −Re s/|s| of poles s  [-]."""
    return -np.real(poles) / np.abs(poles)


@dataclass(frozen=True)
class Limits:
    """By how much a stable pole may change from one order to the next."""

    frequency: float = 0.002  # of the frequency, or a third of a half-power band where this is more
    damping: float = 0.1  # of the damping ratio
    shape: float = 0.9  # least MAC of shape and participation
    largest_ratio: float = 0.3  # damping ratio above which a pole is no mode


LIMITS = Limits()
SHORTEST = 0.3  # of the orders: a physical pole is stable through so many
SAME = 0.8  # MAC of shape and participation at which neighbours are one mode


@dataclass(frozen=True, eq=False)
class PoleTrack:
    """Stable poles of successive orders that belong together."""

    poles: np.ndarray  # (m,)  [1/s]
    orders: np.ndarray  # (m,)
    shape: np.ndarray  # (o,) of the last
    participation: np.ndarray  # (i,)

    @cached_property
    def pole(self) -> complex:
        """The median pole  [1/s]."""
        return complex(np.median(np.real(self.poles)), np.median(np.imag(self.poles)))

    @property
    def scatter(self) -> tuple[float, float]:
        """Standard deviations of frequency [Hz] and damping ratio [-] over the orders."""
        if len(self.poles) < 2:
            return float("nan"), float("nan")
        return float(frequency_of(self.poles).std(ddof=1)), float(ratio_of(self.poles).std(ddof=1))


@dataclass(frozen=True, eq=False)
class StabilisationChart:
    """Stabilisation chart as data: m poles of all orders, and the tracks of those that are stable."""

    order: np.ndarray  # (m,)
    frequency: np.ndarray  # (m,)  [Hz]
    damping: np.ndarray  # (m,)  [-]
    stable_frequency: np.ndarray  # (m,) bool
    stable_damping: np.ndarray  # (m,) bool
    stable_shape: np.ndarray  # (m,) bool
    tracks: tuple[PoleTrack, ...] = ()  # longest first

    @property
    def stable(self) -> np.ndarray:
        """Poles that are stable in all three (m,)."""
        return self.stable_frequency & self.stable_damping & self.stable_shape

    def __str__(self) -> str:
        orders = f"orders {self.order.min()} … {self.order.max()}" if self.order.size else "no poles"
        lines = [f"{self.order.size} poles of {orders}, {int(self.stable.sum())} stable; tracks:"]
        for track in self.tracks:
            f, zeta = frequency_of(np.array(track.pole)), ratio_of(np.array(track.pole))
            lines.append(f"  {f:10.5g} Hz  {100 * zeta:8.3g} %  through {counted(len(track.poles), 'order')}")
        return "\n".join(lines)


def stabilisation(sets: Sequence[PoleSet], limits: Limits = LIMITS) -> StabilisationChart:
    """The stabilisation chart of the poles of growing orders."""
    flags: list[np.ndarray] = []
    tracks: list[list[tuple[int, int]]] = []  # (set, pole) of each
    ending: dict[int, list[tuple[int, int]]] = {}  # track that ends in a pole of the set before
    for k, current in enumerate(sets):
        stable, before = _compared(sets[k - 1], current, limits) if k else (_none(current), None)
        flags.append(stable)
        going: dict[int, list[tuple[int, int]]] = {}
        for j in np.flatnonzero(stable.all(axis=1)):
            previous = int(before[j]) if before is not None else -1
            track = ending.get(previous)
            if track is None or previous in {t[-2][1] for t in going.values()}:
                track = [(k - 1, previous)]
                tracks.append(track)
            track.append((k, int(j)))
            going[int(j)] = track
        ending = going
    all_flags = np.concatenate(flags) if flags else np.zeros((0, 3), bool)
    poles = np.concatenate([s.poles for s in sets])
    found = sorted((_track(sets, members) for members in tracks), key=lambda t: -len(t.poles))
    order = np.concatenate([np.full(len(s.poles), s.order) for s in sets])
    steady, damped, shaped = all_flags.T
    return StabilisationChart(order, frequency_of(poles), ratio_of(poles), steady, damped, shaped, tuple(found))


def _none(current: PoleSet) -> np.ndarray:
    return np.zeros((len(current.poles), 3), bool)


def _compared(before: PoleSet, current: PoleSet, limits: Limits) -> tuple[np.ndarray, np.ndarray]:
    """Flags (k, 3) of every pole against its partner in the order before, and which that is (k,), −1 for none."""
    from scipy.optimize import linear_sum_assignment

    if not len(before.poles) or not len(current.poles):
        return _none(current), np.full(len(current.poles), -1)
    distance = np.abs(np.subtract.outer(current.poles, before.poles))
    band = np.abs(np.real(current.poles))[:, None] + np.abs(np.real(before.poles))
    alike = np.array(
        [
            _within(current.shapes[:, j], before.shapes, near)
            * _within(current.participation[:, j], before.participation, near)
            for j, near in enumerate(distance < band / 4)
        ]
    )
    nearest = np.full(len(current.poles), -1)
    rows, columns = linear_sum_assignment(np.minimum(distance / band, 10.0) - alike)
    nearest[rows] = columns
    f, f0 = frequency_of(current.poles), frequency_of(before.poles)[nearest]
    z, z0 = ratio_of(current.poles), ratio_of(before.poles)[nearest]
    steady = np.abs(f - f0) < np.minimum(limits.frequency, np.maximum(z, 1e-4)) * f
    damped = (np.abs(z - z0) < limits.damping * z0) & (z < limits.largest_ratio)
    shaped = (alike[np.arange(len(f)), nearest] > limits.shape) & (nearest >= 0)
    return np.stack([steady, damped, shaped], axis=1), nearest


def _within(x: np.ndarray, others: np.ndarray, near: np.ndarray) -> np.ndarray:
    """MAC (k,) of a shape x of norm 1 with each of others (o, k); poles as near as to be one share their plane."""
    found = np.abs(x.conj() @ others) ** 2
    if near.sum() > 1:
        Q, R = np.linalg.qr(others[:, near])
        Q = Q[:, np.abs(np.diag(R)) > 1e-6]
        found[near] = np.linalg.norm(Q.conj().T @ x) ** 2
    return found


def _track(sets: Sequence[PoleSet], members: list[tuple[int, int]]) -> PoleTrack:
    k, j = members[-1]
    poles = np.array([sets[a].poles[b] for a, b in members])
    orders = np.array([sets[a].order for a, _ in members])
    return PoleTrack(poles, orders, sets[k].shapes[:, j], sets[k].participation[:, j])


def chosen_tracks(chart: StabilisationChart, orders: int, n: int | None = None) -> tuple[PoleTrack, ...]:
    """Tracks of physical modes by growing frequency: all that are long, or the n longest."""
    modes = _distinct(chart.tracks)
    long = [t for t in modes if len(t.poles) >= max(4, SHORTEST * orders)]
    kept = long if n is None else sorted(modes, key=lambda t: -len(t.poles))[:n]
    return tuple(sorted(kept, key=lambda t: t.pole.imag))


def nearest_tracks(chart: StabilisationChart, frequencies: Sequence[float]) -> tuple[PoleTrack, ...]:
    """The track nearest to each frequency [Hz]; within a tenth of it, the longest counts for more."""
    modes = _distinct(chart.tracks)
    found = []
    for f in frequencies:
        near = [t for t in modes if abs(frequency_of(np.array(t.pole)) - f) < 0.02 * f]
        if not near:
            known = listing([f"{float(frequency_of(np.array(t.pole))):.5g}" for t in modes])
            raise PoinsotError(f"no stable pole lies near {f:g} Hz; there are some at {known} Hz")
        distance = [abs(float(frequency_of(np.array(t.pole))) - f) / len(t.poles) for t in near]
        found.append(near[int(np.argmin(distance))])
    return tuple(sorted(dict.fromkeys(found), key=lambda t: t.pole.imag))


def _distinct(tracks: Sequence[PoleTrack]) -> list[PoleTrack]:
    """Tracks without those that noise split off a longer one."""
    modes: list[PoleTrack] = []
    for track in sorted(tracks, key=lambda t: -len(t.poles)):
        if not any(_same(mode, track) for mode in modes):
            modes.append(track)
    return modes


def joined_tracks(chart: StabilisationChart) -> StabilisationChart:
    """The chart with tracks of one mode that noise interrupts as one track each."""
    modes: list[PoleTrack] = []
    for track in sorted(chart.tracks, key=lambda t: -len(t.poles)):
        at = next((k for k, mode in enumerate(modes) if _same(mode, track)), None)
        if at is None:
            modes.append(track)
            continue
        new = ~np.isin(track.orders, modes[at].orders)
        orders = np.concatenate([modes[at].orders, track.orders[new]])
        poles = np.concatenate([modes[at].poles, track.poles[new]])[np.argsort(orders)]
        modes[at] = replace(modes[at], poles=poles, orders=np.sort(orders))
    return replace(chart, tracks=tuple(sorted(modes, key=lambda t: -len(t.poles))))


def _same(a: PoleTrack, b: PoleTrack) -> bool:
    """Nearer than half their half-power bands, and of one shape."""
    alike = np.abs(np.vdot(a.shape, b.shape)) ** 2 * np.abs(np.vdot(a.participation, b.participation)) ** 2
    return bool(abs(a.pole - b.pole) < (abs(a.pole.real) + abs(b.pole.real)) / 2 and alike > SAME)
