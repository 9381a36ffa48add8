"""Colour of the residuals, and the covariance of estimates that it leaves.

    e_k = Σ a_i e_{k−i} + ε_k                      autoregressive, channel by channel; var ε = Σ across channels
    cov β = H⁻¹ (Xᵀ Ω X) H⁻¹,  H = Xᵀ X            Ω = A⁻¹ Σ A⁻ᵀ of the weighted residuals  (theory/estimation, eq. 4)

Ω is never written out: A⁻ᵀ X is X through the filter backwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

LONGEST = 0.05  # order of the model, of the number of samples, at most
ORDERS = 40  # at most
DRAWS, ROUNDS = 12, 2  # of noise, by which the colour that parameters took away is found

Projection = Callable[[Sequence[np.ndarray]], list[np.ndarray]]


@dataclass(frozen=True, eq=False)
class Colour:
    """Autoregressive models of c channels."""

    a: tuple[np.ndarray, ...]  # c polynomials 1, −a₁, −a₂, …
    sigma: np.ndarray  # covariance of the innovations (c, c)

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

    def coloured_back(self, x: np.ndarray) -> np.ndarray:
        """A⁻ᵀ x for columns (n, c, …)."""
        from scipy.signal import lfilter

        found = np.empty_like(x)
        for c, a in enumerate(self.a):
            y = np.array(lfilter([1.0], a, x[::-1, c], axis=0))[::-1]
            L, p = _beginning(a), len(a) - 1
            late = np.zeros((p, p))  # by which samples after the first p hang on these
            for k in range(p):
                late[k, : k + 1] = a[p - k :][: k + 1]
            rest = x[:p, c] - np.tensordot(late, y[p : 2 * p], axes=1)
            if p:
                y[:p] = np.linalg.solve(L.T, rest.reshape(p, -1)).reshape(rest.shape)
            found[:, c] = y
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
    most = _longest(residuals)
    observed, count = _autocovariances(residuals, most, good), np.sum([use.sum(axis=0) for use in good], axis=0)
    colour = _colour(residuals, observed, count)
    if project is None:
        return colour
    for _ in range(ROUNDS):
        drawn = [_drawn(colour, [len(r) for r in residuals], seed) for seed in range(DRAWS)]
        left = [project(noise) for noise in drawn]
        pairs = [[_autocovariances(x, most, good) for x in both] for both in zip(drawn, left)]
        colour = _colour(residuals, observed + sum(a - b for a, b in pairs) / DRAWS, count)
    return colour


def _colour(residuals: Sequence[np.ndarray], gamma: np.ndarray, count: np.ndarray) -> Colour:
    """Models from autocovariances (m, c) of so many samples (c,); correlation across channels from the innovations of
    the residuals.
    """
    fitted = [_autoregression(gamma[:, c], int(count[c])) for c in range(gamma.shape[1])]
    plain = Colour(tuple(a for a, _ in fitted), np.eye(len(fitted)))
    innovations = np.concatenate([plain.whitened(r) for r in residuals])
    sigma = innovations.T @ innovations
    size = np.sqrt(np.maximum(np.diagonal(sigma), 1e-300))
    scale = np.sqrt([variance for _, variance in fitted]) / size
    return Colour(plain.a, sigma * scale[:, None] * scale)


def _longest(residuals: Sequence[np.ndarray]) -> int:
    """Highest order that is tried; the longest run tells it, whatever short ones there are besides."""
    return int(min(ORDERS, LONGEST * sum(map(len, residuals)), max(map(len, residuals)) // 4))


def _autocovariances(parts: Sequence[np.ndarray], most: int, good: Sequence[np.ndarray]) -> np.ndarray:
    """Of channels (n, c) of several runs, up to a lag (most + 1, c), by the number of good samples (n, c).

    Those that are masked count as zero, so that no spectrum is negative.
    """
    sums = np.sum([_products(np.where(use, x, 0.0), most) for x, use in zip(parts, good)], axis=0)
    return sums / np.maximum(np.sum([use.sum(axis=0) for use in good], axis=0), 1)


def _products(x: np.ndarray, most: int) -> np.ndarray:
    """Sums of products of channels (n, c) with themselves, up to a lag (most + 1, c)."""
    size = 2 * max(len(x), most + 1)
    return np.fft.irfft(np.abs(np.fft.rfft(x, size, axis=0)) ** 2, size, axis=0)[: most + 1]


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


def _drawn(colour: Colour, lengths: Sequence[int], seed: int) -> list[np.ndarray]:
    """Noise (n, c) of a colour for several runs, without a beginning."""
    from scipy.signal import lfilter

    rng, root = np.random.default_rng(seed), _root(colour.sigma)
    before = 20 * max(len(a) for a in colour.a)
    found = []
    for n in lengths:
        white = rng.standard_normal((n + before, len(root))) @ root.T
        found.append(np.stack([lfilter([1.0], a, white[:, c])[before:] for c, a in enumerate(colour.a)], axis=1))
    return found


def _root(sigma: np.ndarray) -> np.ndarray:
    """Lower triangle L with L Lᵀ = Σ; a channel may be zero."""
    size = np.diagonal(sigma)
    return np.linalg.cholesky(sigma + np.diag(1e-12 * size + 1e-24 * size.max() + 1e-300))


def sandwich(X: Sequence[np.ndarray], H: np.ndarray, colour: Colour) -> np.ndarray:
    """Covariance (b, b) of β = H⁻¹ Xᵀ y, with X (n, c, b) of several runs and residuals of a colour."""
    b = H.shape[0]
    S = np.zeros((b, b))
    root = _root(colour.sigma)
    for part in X:
        back = np.einsum("ncb,cd->ndb", colour.coloured_back(np.nan_to_num(part)), root).reshape(
            part.shape[0] * part.shape[1], b
        )
        S += back.T @ back
    inverse = np.linalg.inv(H)
    return inverse @ S @ inverse.T


def robust_deviation(e: np.ndarray) -> float:
    """Standard deviation of residuals (n,) by the median of their sizes, which outliers do not move."""
    return 1.4826 * float(np.median(np.abs(e))) if len(e) else 0.0


def whiteness(residuals: Sequence[np.ndarray]) -> np.ndarray:
    """Autocorrelation of residuals (n, c) one sample apart (c,)."""
    top = sum(np.nansum(r[1:] * r[:-1], axis=0) for r in residuals)
    return np.asarray(top / np.maximum(sum(np.nansum(r**2, axis=0) for r in residuals), 1e-300))
