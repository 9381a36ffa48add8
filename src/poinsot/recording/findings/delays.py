"""Forces that come later or earlier than the motion that needs them, each drive with a lag of its own.

    yⱼ(t + τⱼ) = Wⱼ(t) π + friction + offset                  any π: rough values of the model move no τ
    r = (1 − P) y,   D = (1 − P) ∂y/∂x,   δx = −D⁺ r          P projects onto the columns; τ = G x, alike or apart
    cov x = H⁻¹ (Σ Dₚᵀrₚ rₚᵀDₚ) H⁻¹,   H = DᵀD                over parts p of the recording, as residuals are coloured

Free parameters may be negative, and then explain forces half a period late: the model's own values must not object.
Forces are filtered as the motion is, so that noise, and what it is between samples, decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from poinsot.errors import PoinsotError, listing
from poinsot.recording.filtering.resample import evenly
from poinsot.recording.filtering.zero_phase import smoothed
from poinsot.recording.finding import Finding, Severity
from poinsot.recording.findings.explained import Needed, basis_of, by_model, own_columns
from poinsot.recording.findings.trial import Trial

__all__ = ["Delay", "delay_findings", "delay_of"]

PART = 0.1  # of the duration: the longest delay
FINE, MOST = 4, 200  # steps in a period of the cut-off; steps to either side at most
LESS = 0.65  # of what is unexplained without a delay: of all forces, or of that of the one drive that is late
FITS = 0.1  # part of the forces that may be left with it
CLEAR, EXACT = 0.3, 1.2  # the same by the model's own values, which are right if they leave so many times the other
STRICT = 0.1  # of what is unexplained without a delay, where an encoder is dead and may be missed
ALIKE = 1.3  # times what the best delay leaves: a shorter one is as good, as in a periodic motion
OBJECTS = 0.35  # beyond the least part that the model's own values leave: rough ones leave less
SURE = 5.0  # standard errors
AGREE, APART = 3.0, 0.9  # standard errors by which lags of drives differ, and part that is left of what one leaves
MISSED = 0.8  # of what is left of a force without its delay, with it
SAMPLE = 0.8  # of a sample: less is a matter of when it is written
PARTS = 16  # of the recording, for the error
FEWEST = 50  # rows
SWEEPS, STEPS = 10, 6  # through the drives, and of Gauss and Newton, at most


@dataclass(frozen=True, eq=False)
class MovedForces:
    """Forces of k drives at m times that are moved along them, each by a lag."""

    t: np.ndarray  # (m,)  [s]
    signals: Sequence  # k splines of the filtered forces over their scales
    basis: np.ndarray  # (m k, r) of what the motion explains

    def forces(self, lags: np.ndarray, order: int = 0) -> np.ndarray:
        """The forces times (k,) later (m, k), or their derivatives."""
        return np.stack([signal(self.t + lag, order) for signal, lag in zip(self.signals, lags)], axis=1)

    def outside(self, lags: np.ndarray) -> np.ndarray:
        """r (m k,): what no parameters explain."""
        y = self.forces(lags).ravel()
        return y - self.basis @ (self.basis.T @ y)

    def slopes(self, lags: np.ndarray) -> np.ndarray:
        """∂r/∂τ (m k, k)."""
        k = len(self.signals)
        d = (self.forces(lags, 1)[:, :, None] * np.eye(k)).reshape(-1, k)
        return d - self.basis @ (self.basis.T @ d)

    def left(self, lags: np.ndarray) -> float:
        """rᵀr."""
        return float(np.sum(self.each(lags)))

    def each(self, lags: np.ndarray) -> np.ndarray:
        """What rᵀr has of each drive (k,)."""
        return np.sum(self.outside(lags).reshape(-1, len(self.signals)) ** 2, axis=0)


@dataclass(frozen=True, eq=False)
class Lags:
    """Lags that are tried, the same for all of k drives or not."""

    values: np.ndarray  # (n,) from the earliest to the latest, in even steps, 0 in the middle  [s]
    forces: np.ndarray  # (n, m, k) over their scales, so much later
    own: np.ndarray  # (n, k) what the model's own values leave of each force
    idle: np.ndarray  # (n, k) whether friction alone explains it then

    @property
    def step(self) -> float:
        """Between two of them  [s]."""
        return float(self.values[1] - self.values[0])

    @cached_property
    def fair(self) -> np.ndarray:
        """Whether the model's own values do not object to a lag of a drive (n, k)."""
        return (self.own <= self.own.min(axis=0) + OBJECTS) & ~self.idle

    @cached_property
    def fair_to_all(self) -> np.ndarray:
        """Whether they do not object to a lag of all drives (n,)."""
        mean = self.own.mean(axis=1)
        return (mean <= mean.min() + OBJECTS) & ~self.idle.any(axis=1)


@dataclass(frozen=True, eq=False)
class Delay:
    """Delays of k forces."""

    lags: np.ndarray  # (k,) of the forces behind the motion  [s]
    errors: np.ndarray  # (k,) standard errors  [s]
    own: np.ndarray  # (k,) part that remains of what is unexplained of a force without its delay
    left: float  # part that remains of what is unexplained without any
    alike: bool  # whether they are one
    unexplained: float = 1.0  # part of the forces that the model's own values leave with them

    def sure(self, least: float) -> np.ndarray:
        """Numbers of the drives whose delay is sure, and at least so long [s]."""
        return np.flatnonzero((self.own < MISSED) & (np.abs(self.lags) >= np.maximum(SURE * self.errors, least)))


def delay_of(trial: Trial, motion: Needed | None) -> Delay | None:
    """Delays of the forces that explain more than none and are sure, of drives that are not silent; None: no such.

    Where an encoder is dead what remains must be little: it may be the dead one that is missed.
    """
    asked = _asked(trial)
    found = None if motion is None or not asked.any() else _delay(trial, motion, asked)
    if found is None or not len(found.sure(_least_delay(trial))):
        return None
    return None if found.left > STRICT and not trial.dead.isdisjoint(trial.channels) else found


def _asked(trial: Trial) -> np.ndarray:
    """Drives (k,) that are not silent."""
    return np.array([name not in trial.silent for name in trial.names])


def _least_delay(trial: Trial) -> float:
    """That is told  [s]."""
    return SAMPLE / trial.recorded.recording.rate


def delay_findings(trial: Trial, found: Delay | None) -> Iterator[Finding]:
    """What is told of delays, with their standard errors: once where they are alike, else drive by drive."""
    if found is None:
        return
    asked = _asked(trial)
    names = [name for name, one in zip(trial.names, asked) if one]
    late = found.sure(_least_delay(trial)).tolist()
    for some in [late] if found.alike else [[j] for j in late]:
        lag, error = found.lags[some[0]], found.errors[some[0]]
        left = found.left if found.alike else found.own[some[0]]
        them = " and ".join(["it", *(f"'{names[j]}'" for j in some[1:])]) + (" are" if some[1:] else " is")
        message = (
            f"{them} {1e3 * abs(lag):.3g} ± {1e3 * error:.1g} ms {'behind' if lag > 0 else 'ahead of'} the motion "
            f"that needs such forces: {100 * left:.2g} % remains of what is unexplained without a delay"
        )
        unknowns = listing([f"'delay {trial.recorded.recording.channels[names[j]].place}'" for j in some])
        advice = f"shift it, or make the delay an unknown, {unknowns}"
        yield Finding("delay", names[some[0]], "", float(lag), message, advice, Severity.ERROR)


def _delay(trial: Trial, motion: Needed, asked: np.ndarray) -> Delay | None:
    """Of some of the drives, by free parameters or by the model's own values: by those that leave a smaller error.

    The model's own values are right if they leave no more than free ones.
    """
    t, scale = trial.recorded.t, trial.forces[:, asked].std(axis=0)
    longest = PART * float(t[-1] - t[0])
    rows = (trial.t >= t[0] + longest) & (trial.t <= t[-1] - longest)
    if np.count_nonzero(rows) < FEWEST or not (scale > 0).all():
        return None
    try:
        signals = _signals(trial, np.array(trial.names)[asked].tolist(), scale)
    except PoinsotError:  # forces that cannot be filtered
        return None
    motion = motion.of(rows, asked)
    columns = motion.columns, _apart([own_columns(motion, j) for j in range(len(signals))])
    free, own = (MovedForces(trial.t[rows], signals, basis_of(x, scale)) for x in columns)
    lags = _lags(free, motion, scale, longest, 1 / (FINE * trial.cutoff))
    by_own, by_free = _explaining(own, lags), _explaining(free, lags)
    right = by_own and by_own.left < CLEAR and own.left(by_own.lags) < EXACT * free.left(by_own.lags)
    by_free = by_free and _fitting(by_free, free, own)
    good = [found for found, taken in ((by_own, right), (by_free, by_free)) if found and taken]
    if not good:
        return None
    best = min(good, key=lambda found: found.errors.max())
    return replace(best, unexplained=by_model(motion, scale * free.forces(best.lags)).unexplained)


def _fitting(found: Delay, free: MovedForces, own: MovedForces) -> Delay | None:
    """Delays by free parameters that leave little of all forces, or else of those of some drives: these alone then.

    Of one drive, what is wrong with its gain looks like a delay: the model's own values must leave less with it, too.
    """
    each = free.each(found.lags) / len(free.t)
    if not each.mean() < FITS:
        return None
    if found.left < LESS:
        return found
    agrees = own.each(found.lags) < LESS * own.each(np.zeros(len(each)))
    clear = (found.own < LESS) & (each < FITS) & agrees
    return None if found.alike or not clear.any() else replace(found, own=np.where(clear, found.own, 1.0))


def _signals(trial: Trial, names: Sequence[str], scale: np.ndarray) -> list:
    """Some forces over their scales (k,), filtered as the motion is, as splines."""
    from scipy.interpolate import make_interp_spline

    smooth, signals = trial.recorded.recording, []
    for name, size in zip(names, scale):
        t, x = evenly(smooth.t, smooth[name])
        signals.append(make_interp_spline(t, smoothed(t, x / size, trial.cutoff, 4)[0], k=3))
    return signals


def _apart(columns: Sequence[np.ndarray]) -> np.ndarray:
    """Columns (m, p) of each of k drives as columns (m, k, k p) of all."""
    k, (m, p) = len(columns), columns[0].shape
    return np.einsum("jmp,ji->mijp", np.stack(columns), np.eye(k)).reshape(m, k, k * p)


def _lags(moved: MovedForces, motion: Needed, scale: np.ndarray, longest: float, step: float) -> Lags:
    """Lags to try, and what the model's own values say of each."""
    most = int(np.clip(longest / step, 2, MOST))
    values = longest / most * np.arange(-most, most + 1)
    forces = np.stack([moved.forces(np.full(len(scale), lag)) for lag in values])
    every = [by_model(motion, scale * y) for y in forces]
    return Lags(values, forces, np.array([one.left for one in every]), np.array([one.idle for one in every]))


def _explaining(moved: MovedForces, lags: Lags) -> Delay | None:
    """The shortest delay of all that explains as much as any, or that of each drive where they differ; None: none."""
    tried = TriedLags.of(moved, lags)
    k, all_drives = len(moved.signals), np.ones((len(moved.signals), 1))
    every = [_refined(moved, np.full(k, lags.values[i]), lags.step, all_drives) for i in tried.alike(lags)]
    least = min((one.left for one in every), default=0.0)
    one = min((one for one in every if one.left <= ALIKE * least), key=lambda one: abs(one.lags[0]), default=None)
    at, known = tried.apart(lags) if k > 1 else (np.zeros(1, int), np.zeros(1, bool))
    if not known.any():
        return one
    each = _refined(moved, lags.values[at], lags.step, np.eye(k)[:, known])
    if one is None:
        return each
    differ = np.abs(each.lags - one.lags) > AGREE * np.hypot(each.errors, one.errors)
    less = each.left < APART * one.left or (moved.each(each.lags) < LESS * moved.each(one.lags)).any()
    return each if differ.any() and less else one


@dataclass(frozen=True, eq=False)
class TriedLags:
    """Forces of k drives at n lags: |r|² = Σ |yⱼ|² − |Σ zⱼ|², whichever lags the drives have."""

    sizes: np.ndarray  # (n, k) |y|²
    parts: np.ndarray  # (n, k, r) z, what of the basis is in them

    @staticmethod
    def of(moved: MovedForces, lags: Lags) -> TriedLags:
        """All forces at all lags."""
        y, basis = lags.forces, moved.basis.reshape(len(moved.t), len(moved.signals), -1)
        return TriedLags(np.sum(y**2, axis=1), np.einsum("nmk,mkr->nkr", y, basis, optimize=True))

    def alike(self, lags: Lags) -> np.ndarray:
        """Numbers of the lags of all drives that leave less than their neighbours."""
        return _least(self.sizes.sum(axis=1) - np.sum(self.parts.sum(axis=1) ** 2, axis=1), lags.fair_to_all)

    def apart(self, lags: Lags) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of the lags (k,) of each drive, found one after the other, and for which drives there are any."""
        k = self.sizes.shape[1]
        at, known = np.full(k, len(lags.values) // 2), np.zeros(k, bool)
        for _ in range(SWEEPS):
            before = at.copy()
            for j in range(k):
                others = np.arange(k) != j
                z = self.parts[at[others], others].sum(axis=0)
                size = self.sizes[at[others], others].sum() + self.sizes[:, j]
                left = np.maximum(size - np.sum((z + self.parts[:, j]) ** 2, axis=1), 0.0)
                good = _least(left, lags.fair[:, j])
                known[j] = len(good) > 0
                good = good[left[good] <= ALIKE * left[good].min(initial=np.inf)]
                at[j] = good[np.argmin(np.abs(lags.values[good]))] if known[j] else at[j]
            if (at == before).all():
                break
        return at, known


def _least(left: np.ndarray, fair: np.ndarray) -> np.ndarray:
    """Numbers of the lags that leave less than their neighbours, of those that are fair."""
    inner = np.arange(1, len(left) - 1)
    return inner[(left[inner] <= left[inner - 1]) & (left[inner] <= left[inner + 1]) & fair[inner]]


def _refined(moved: MovedForces, lags: np.ndarray, step: float, G: np.ndarray) -> Delay:
    """The delays τ = G x near lags (k,)."""
    x = first = np.linalg.pinv(G) @ lags
    for _ in range(STEPS):
        change = np.linalg.lstsq(moved.slopes(G @ x) @ G, moved.outside(G @ x), rcond=None)[0]
        x = np.clip(x - change, first - step, first + step)
    lags, m, k = G @ x, len(moved.t), len(moved.signals)
    r, D = moved.outside(lags), moved.slopes(lags) @ G
    products = np.sum((D * r[:, None]).reshape(m, k, -1), axis=1)
    sums = np.stack([part.sum(axis=0) for part in np.array_split(products, PARTS)])
    errors = np.sqrt(np.sum((sums @ np.linalg.pinv(D.T @ D) @ G.T) ** 2, axis=0))
    without = [moved.each(np.where(np.arange(k) == j, 0.0, lags))[j] for j in range(k)]
    own = moved.each(lags) / (np.array(without) + 1e-300)
    return Delay(lags, errors, own, moved.left(lags) / (moved.left(np.zeros(k)) + 1e-300), G.shape[1] == 1)
