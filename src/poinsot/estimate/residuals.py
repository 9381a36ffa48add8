"""Colour of the residuals.

e_k = Σ a_i e_{k−i} + ε_k        autoregressive, channel by channel; var ε = Σ across channels
ε_k = Σ L_i ε_{k−i} + η_k        what channels have in common later than at once        (theory/estimation, eq. 4)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from poinsot.estimate.vector_autoregression import autocovariances, of_innovations, vector_autoregression

LONGEST = 0.05  # order of the model, of the number of samples, at most
ORDERS = 40  # at most
DRAWS, ROUNDS = 12, 2  # of noise, by which the colour that parameters took away is found
AROUND = 20  # times the highest order: samples after which noise comes round

Projection = Callable[[Sequence[np.ndarray]], list[np.ndarray]]


@dataclass(frozen=True, eq=False)
class Colour:
    """Autoregressive models of c channels, and one across channels of what these leave.

    Noise of encoders is in all channels and high in frequency, that of forces in each for itself and low: how far
    channels go together hangs on the frequency, which innovations that are correlated at once do not tell.
    """

    a: tuple[np.ndarray, ...]  # c polynomials 1, −a₁, −a₂, …
    sigma: np.ndarray  # covariance of the innovations ε (c, c)
    later: tuple[np.ndarray, np.ndarray] | None = None  # L (q, c, c) of the innovations, and var η (c, c)

    @property
    def lags(self) -> np.ndarray:
        """L (q, c, c), from which channel last."""
        return np.zeros((0, *self.sigma.shape)) if self.later is None else self.later[0]

    @property
    def eta(self) -> np.ndarray:
        """Covariance (c, c) of what samples before do not tell of the innovations."""
        return self.sigma if self.later is None else self.later[1]

    @property
    def root(self) -> np.ndarray:
        """Lower triangle (c, c) of that covariance."""
        return _root(self.eta)

    def along(self, size: int) -> np.ndarray:
        """A (f, c) at the frequencies of a series of so many samples."""
        return np.stack([np.fft.rfft(a, size) for a in self.a], axis=1)

    def across(self, size: int) -> np.ndarray:
        """1 − Σ L_i e^{−iω} (f, c, c) at these frequencies."""
        return np.fft.rfft(np.concatenate([np.eye(len(self.a))[None], -self.lags]), size, axis=0)

    def response(self, size: int) -> np.ndarray:
        """W⁻¹ (f, c, c) at these frequencies: from η to the residuals."""
        return np.linalg.inv(self.across(size) * self.along(size)[:, None, :])

    def whitened(self, x: np.ndarray, good: np.ndarray | None = None) -> np.ndarray:
        """A x for columns (n, c, …): channel by channel, the first samples by the models of lower order, and again
        after every gap of samples (n, c) that are not good.
        """
        from scipy.signal import lfilter

        found = np.zeros_like(x)
        for c, a in enumerate(self.a):
            L = _beginning(a)
            for part in [slice(0, len(x))] if good is None else _stretches(good[:, c]):
                found[part, c] = lfilter(a, [1.0], x[part, c], axis=0)
                p = min(len(L), part.stop - part.start)
                first = slice(part.start, part.start + p)
                found[first, c] = np.tensordot(L[:p, :p], x[first, c], axes=1)
        return found

    def whitened_back(self, x: np.ndarray, good: np.ndarray | None = None) -> np.ndarray:
        """Aᵀ x for columns (n, c, …), with the same gaps."""
        from scipy.signal import lfilter

        found = np.zeros_like(x)
        for c, a in enumerate(self.a):
            L = _beginning(a)
            for part in [slice(0, len(x))] if good is None else _stretches(good[:, c]):
                p, later = min(len(L), part.stop - part.start), x[part, c].copy()
                later[:p] = 0.0
                found[part, c] = lfilter(a, [1.0], later[::-1], axis=0)[::-1]
                first = slice(part.start, part.start + p)
                found[first, c] += np.tensordot(L[:p, :p].T, x[first, c], axes=1)
        return found

    def innovations(self, x: np.ndarray, good: np.ndarray) -> np.ndarray:
        """Σ^-½ A x for columns (n, c, k): white, and apart from each other across channels."""
        return np.einsum("nck,dc->ndk", self.whitened(x, good), np.linalg.inv(_root(self.sigma)))

    def innovations_back(self, x: np.ndarray, good: np.ndarray) -> np.ndarray:
        """Aᵀ Σ^-½ᵀ x for columns (n, c, k)."""
        return self.whitened_back(np.einsum("ndk,dc->nck", x, np.linalg.inv(_root(self.sigma))), good)


def _stretches(good: np.ndarray) -> list[slice]:
    """Stretches of good samples (n,) without a gap."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], good, [False]]).astype(int)))
    return [slice(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2])]


def _beginning(a: np.ndarray) -> np.ndarray:
    """Rows (p, p) that whiten the first p samples: the best predictions from those before, by Levinson's recursion
    downwards, each over its spread.
    """
    p, variance = len(a) - 1, 1.0
    L = np.zeros((p, p))
    for order in range(p, 0, -1):
        k = a[order]
        a = (a[:order] - k * a[order:0:-1]) / (1 - k**2)
        variance /= 1 - k**2
        L[order - 1, :order] = a[::-1] / np.sqrt(variance)
    return L


def colour_of(
    residuals: Sequence[np.ndarray], project: Projection | None = None, good: Sequence[np.ndarray] | None = None
) -> Colour:
    """Models of residuals (n, c) of several runs; samples that are not `good` (n, c) say nothing.

    `project` takes from noise what parameters would explain of it: residuals have less colour than the noise that
    they come from, by as much as noise of that colour loses.
    """
    good = [np.isfinite(r) for r in residuals] if good is None else good
    residuals = [np.where(use, np.nan_to_num(r), 0.0) for r, use in zip(residuals, good)]
    most, count = _longest(residuals), np.sum([use.sum(axis=0) for use in good], axis=0)
    observed = autocovariances(residuals, 2 * most, good)
    colour = _colour(residuals, observed, count, most, most // len(count))
    if project is None:
        return colour
    order = len(colour.lags)  # corrections by few draws need not be those of a process: no order comes from them
    for _ in range(ROUNDS):
        drawn = _drawn(colour, [len(r) for r in residuals])
        pairs = [[autocovariances(x, 2 * most, good) for x in (noise, project(noise))] for noise in drawn]
        colour = _colour(residuals, observed + sum(a - b for a, b in pairs) / DRAWS, count, most, order)
    return colour


def _colour(residuals: Sequence[np.ndarray], gamma: np.ndarray, count: np.ndarray, most: int, later: int) -> Colour:
    """Models from autocovariances (m, c, c) of so many samples (c,), of orders of at most so many; correlation across
    channels at once from the innovations of the residuals.
    """
    fitted = [_autoregression(gamma[: most + 1, c, c], int(count[c])) for c in range(gamma.shape[1])]
    plain = Colour(tuple(a for a, _ in fitted), np.eye(len(fitted)))
    innovations = np.concatenate([plain.whitened(r) for r in residuals])
    sigma = innovations.T @ innovations
    size = np.sqrt(np.maximum(np.diagonal(sigma), 1e-300))
    scale = np.sqrt([variance for _, variance in fitted]) / size
    sigma = sigma * scale[:, None] * scale
    if len(fitted) == 1 or not later:
        return Colour(plain.a, sigma)
    lags, eta = vector_autoregression(of_innovations(gamma, plain.a, later), float(np.mean(count)), later)
    return Colour(plain.a, sigma, (lags, eta) if len(lags) else None)


def _longest(residuals: Sequence[np.ndarray]) -> int:
    """Highest order that is tried; the longest run tells it, whatever short ones there are besides."""
    return int(min(ORDERS, LONGEST * sum(map(len, residuals)), max(map(len, residuals)) // 4))


def _autoregression(gamma: np.ndarray, n: int) -> tuple[np.ndarray, float]:
    """1, −a₁, … of the order that Schwarz's criterion prefers, and the variance of the innovations."""
    if not gamma[0] > 0:
        return np.ones(1), 1e-300
    best, chosen, a, variance = np.inf, (np.ones(1), float(gamma[0])), np.ones(1), float(gamma[0])
    for order in range(len(gamma)):
        if order > LONGEST * n:
            break
        if order:  # Levinson's recursion
            k = -(a @ gamma[order:0:-1]) / variance
            a = np.append(a, 0.0) + k * np.append(a, 0.0)[::-1]
            variance *= 1 - float(k) ** 2
        if not variance > 0:
            break
        score = n * np.log(variance) + order * np.log(n)
        if score < best:
            best, chosen = score, (a, variance)
    return chosen


def _drawn(colour: Colour, lengths: Sequence[int]) -> list[list[np.ndarray]]:
    """DRAWS times noise (n, c) of a colour for several runs: parts of series that have no beginning."""
    from scipy.fft import next_fast_len

    found, root = [], colour.root
    around = AROUND * max(len(a) for a in colour.a)
    size = [cast("int", next_fast_len(n + around, real=True)) for n in lengths]
    response = {m: colour.response(m) for m in set(size)}
    for seed in range(DRAWS):
        rng, parts = np.random.default_rng(seed), []
        for n, m in zip(lengths, size):
            white = np.fft.rfft(rng.standard_normal((m, len(root))) @ root.T, axis=0)
            parts.append(np.fft.irfft(np.einsum("fij,fj->fi", response[m], white), m, axis=0)[:n])
        found.append(parts)
    return found


def _root(sigma: np.ndarray) -> np.ndarray:
    """Lower triangle L with L Lᵀ = Σ; a channel may be zero."""
    size = np.diagonal(sigma)
    return np.linalg.cholesky(sigma + np.diag(1e-12 * size + 1e-24 * size.max() + 1e-300))


def robust_deviation(e: np.ndarray) -> float:
    """Standard deviation of residuals (n,) by the median of their sizes, which outliers do not move."""
    return 1.4826 * float(np.median(np.abs(e))) if len(e) else 0.0


def whiteness(residuals: Sequence[np.ndarray]) -> np.ndarray:
    """Autocorrelation of residuals (n, c) one sample apart (c,)."""
    top = sum(np.nansum(r[1:] * r[:-1], axis=0) for r in residuals)
    return np.asarray(top / np.maximum(sum(np.nansum(r**2, axis=0) for r in residuals), 1e-300))
