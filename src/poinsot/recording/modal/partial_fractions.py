"""Responses as a sum of modes, fitted by weighted least squares: LSFD, and the most likely poles.

    H(s) = sᵈ (Σ_r ψ_r L_rᵀ/(s − p_r) + ψ̄_r L̄_rᵀ/(s − p̄_r) + K₀/s² + K₁)            (theory/modal-tests, eq. 11)

with d = 0, 1, 2 for receptance, mobility, accelerance. Shapes ψ and the real residuals K₀ (modes below the band) and
K₁ (above) are linear: they are solved for at every point o by itself (LSFD) and projected out (variable projection,
Kaufman 1975). Poles p and participations L minimise Σ |e|², e = (H − model)/σ. Errors of e then give

    cov θ = A⁻¹ cov(Re Σ Gᴴe) A⁻¹,   A = Re Σ GᴴG                                    (theory/modal-tests, eq. 12)

G the derivatives of the model without what the linear parameters can do; ½A⁻¹ if all errors are independent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from poinsot.recording.modal.noise import LineNoise

__all__ = ["Fit", "Lines", "fitted", "most_likely"]

STEPS = 30  # Gauss–Newton steps at most
SMALL = 1e-4  # gain of the cost that counts as none: a hundredth of a standard error
EXACT = 1e-12  # of the cost: the same where there is hardly any noise


@dataclass(frozen=True, eq=False)
class Lines:
    """Measured lines in the band: n lines, o points (rows), i references (columns)."""

    s: np.ndarray  # (n,)  [1/s]
    H: np.ndarray  # (n, o, i)
    sigma: np.ndarray  # (n, o, i) standard deviation of |error of H|
    power: int  # d
    noise: LineNoise | None = None  # what errors of lines and points have in common; None: nothing


@dataclass(frozen=True, eq=False)
class Fit:
    """The sum of k modes at given poles and participations that is nearest to the lines."""

    lines: Lines
    poles: np.ndarray  # (k,)  [1/s]
    participation: np.ndarray  # (i, k) complex, one entry of each column is 1

    @cached_property
    def _modal(self) -> np.ndarray:
        """sᵈ/(s − p) and sᵈ/(s − p̄) (2, n, k)."""
        s, d = self.lines.s[:, None], self.lines.power
        return np.stack([s**d / (s - self.poles), s**d / (s - self.poles.conj())])

    @cached_property
    def _columns(self) -> np.ndarray:
        """Derivatives (n, i, 2k + 2i) of H at one point by Re ψ, Im ψ, K₀, K₁."""
        L, (one, two) = self.participation, self._modal
        first, second = one[:, None] * L, two[:, None] * L.conj()
        s, d, i = self.lines.s, self.lines.power, len(L)
        residual = np.eye(i)[None] * s[:, None, None] ** d
        return np.concatenate([first + second, 1j * (first - second), residual / s[:, None, None] ** 2, residual], 2)

    @cached_property
    def _solved(self) -> list[_FitPoint]:
        """What is linear at every point, by normal equations of scaled columns and one step of refinement."""
        found: list[_FitPoint] = []
        sigma = self.lines.sigma
        for o in range(sigma.shape[1]):
            w = 1 / sigma[:, o]
            ratio = sigma[:, o] / sigma[:, 0]
            if found and np.ptp(ratio) <= 1e-12 * ratio.max():  # the same weights but for a factor
                A, inverse, size = found[0].columns, found[0].inverse, found[0].size / ratio.flat[0]
            else:
                A = (self._columns * w[:, :, None]).reshape(w.size, -1)
                size = np.linalg.norm(A, axis=0)
                A = A / size
                inverse = np.linalg.pinv((A.conj().T @ A).real, hermitian=True)
            h = (self.lines.H[:, o] * w).ravel()
            x = inverse @ (A.conj().T @ h).real
            x = x + inverse @ (A.conj().T @ (h - A @ x)).real
            found.append(_FitPoint(A, size, inverse, x / size, h - A @ x))
        return found

    @cached_property
    def shapes(self) -> np.ndarray:
        """ψ (o, k) complex."""
        k = len(self.poles)
        return np.array([point.x[:k] + 1j * point.x[k : 2 * k] for point in self._solved])

    @cached_property
    def error(self) -> np.ndarray:
        """(H − model)/σ (n, o, i) complex."""
        n, o, i = self.lines.H.shape
        return np.stack([point.error.reshape(n, i) for point in self._solved], axis=1).reshape(n, o, i)

    @cached_property
    def cost(self) -> float:
        """Σ |(H − model)/σ|²."""
        return float(np.sum(np.abs(self.error) ** 2))

    def model(self) -> np.ndarray:
        """H of the fit (n, o, i)."""
        return self.lines.H - self.error * self.lines.sigma

    def of_mode(self, r: int) -> np.ndarray:
        """What mode r adds to H (n, o, i)."""
        R = np.outer(self.shapes[:, r], self.participation[:, r])
        one, two = self._modal
        return one[:, r, None, None] * R + two[:, r, None, None] * R.conj()

    @cached_property
    def _squares(self) -> np.ndarray:
        """sᵈ/(s − p)² and sᵈ/(s − p̄)² (2, n, k)."""
        s, (one, two) = self.lines.s[:, None], self._modal
        return np.stack([one / (s - self.poles), two / (s - self.poles.conj())])

    def _derivatives(self, o: int) -> np.ndarray:
        """Derivatives of the weighted model at point o by the parameters (n i, m) complex."""
        n, k, i = len(self.lines.s), len(self.poles), len(self.participation)
        (one, two), (first, second) = self._modal, self._squares
        psi, free = self.shapes[o], _free_entries(self.participation)
        R = psi * self.participation  # (i, k)
        found = np.zeros((n, i, 2 * k + 2 * len(free)), complex)
        found[:, :, : 2 * k] = _pair(first[:, None] * R, second[:, None] * R.conj()).reshape(n, i, 2 * k)
        for at, (j, r) in enumerate(free, start=k):
            found[:, j, 2 * at : 2 * at + 2] = _pair(one[:, r] * psi[r], two[:, r] * psi[r].conj())
        found /= self.lines.sigma[:, o][:, :, None]
        return found.reshape(n * i, -1)

    @cached_property
    def by_point(self) -> tuple[np.ndarray, np.ndarray]:
        """Re GᴴG (o, m, m) and Re Gᴴe (o, m) of every point, G without what is linear."""
        A, g = [], []
        for o, point in enumerate(self._solved):
            D = self._derivatives(o)
            shared = np.real(point.columns.conj().T @ D)
            A.append(np.real(D.conj().T @ D) - shared.T @ point.inverse @ shared)
            g.append(np.real(D.conj().T @ point.error))
        return np.array(A), np.array(g)

    @property
    def normal(self) -> tuple[np.ndarray, np.ndarray]:
        """A = Re Σ GᴴG (m, m) and Re Σ Gᴴe (m,)."""
        return self.by_point[0].sum(axis=0), self.by_point[1].sum(axis=0)

    def poles_from(self, H: np.ndarray) -> np.ndarray:
        """Poles (k,) of other responses (n, o, i) nearby, by one Gauss–Newton step from these  [1/s]."""
        A, g = replace(self, lines=replace(self.lines, H=H)).normal
        return self.poles + (_scaled_inverse(A) @ g)[: 2 * len(self.poles)].view(complex)

    def between_points(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Steps (2k,) of Re p₁, Im p₁, Re p₂ … to the mean of the points, its variances; None for fewer than three.

        Every point is a test of its own: its poles scatter by its noise s_o and by τ, which counts what noise of
        lines does not tell, drift from point to point and added masses; strong points then weigh no more than
        others (theory/modal-tests, eq. 13).
        """
        own = [_own_step(A, g, 2 * len(self.poles)) for A, g in zip(*self.by_point)]
        if len(own) < 3:
            return None
        found = [_random_effects(d, s2) for d, s2 in zip(*(np.array(x).T for x in zip(*own)))]
        return np.array([m for m, _ in found]), np.array([v for _, v in found])

    def covariance(self) -> np.ndarray:
        """Covariance (2k, 2k) of Re p₁, Im p₁, Re p₂ …  [1/s²].  (theory/modal-tests, eq. 12)"""
        m = 2 * len(self.poles)
        inverse = _scaled_inverse(self.normal[0])[:, :m]
        return inverse[:m] / 2 if self.lines.noise is None else self._of_noise(self.lines.noise, inverse)

    def _of_noise(self, noise: LineNoise, inverse: np.ndarray) -> np.ndarray:
        """Covariance of Re Σ (G A⁻¹)ᴴe; the inverse (m, 2k) has the columns of the poles."""
        n, _, i = self.lines.H.shape
        P = []
        for o, point in enumerate(self._solved):
            D = self._derivatives(o)
            D = D @ inverse
            G = D - point.columns @ (point.inverse @ np.real(point.columns.conj().T @ D))
            P.append(G.conj().reshape(n, i, -1) / self.lines.sigma[:, o][:, :, None])
        return noise.covariance(np.stack(P, axis=1), self.model())


@dataclass(frozen=True, eq=False)
class _FitPoint:
    """The linear part of a fit at one point."""

    columns: np.ndarray  # (n i, l) weighted, of norm 1
    size: np.ndarray  # (l,) their norms before
    inverse: np.ndarray  # (l, l) of their real Gram matrix
    x: np.ndarray  # (l,) Re ψ, Im ψ, K₀, K₁
    error: np.ndarray  # (n i,) weighted


def fitted(lines: Lines, poles: np.ndarray, participation: np.ndarray) -> Fit:
    """Shapes and residuals at given poles (k,) and participations (i, k): LSFD."""
    at = np.argmax(np.abs(participation), axis=0)[None]
    L = np.asarray(participation / np.take_along_axis(participation, at, axis=0), complex)
    np.put_along_axis(L, at, 1.0, axis=0)
    return Fit(lines, np.asarray(poles, complex), L)


def most_likely(start: Fit) -> Fit:
    """Poles and participations that fit the lines best, by Gauss–Newton steps from a fit nearby.

    It ends where a step is small beside the standard errors; a step that raises the cost is halved.
    """
    fit = start
    for _ in range(STEPS):
        A, g = fit.normal
        step = _scaled_inverse(A) @ g
        k = len(fit.poles)
        step = step / max(1.0, float(np.max(np.abs(step[: 2 * k].view(complex)) / np.abs(fit.poles.real))))
        gain = float(g @ step)  # of the cost, if everything were linear; in units of the noise
        trial = _with(fit, _parameters(fit) + step)
        while not trial.cost <= fit.cost and gain > SMALL:
            step, gain = step / 2, gain / 2
            trial = _with(fit, _parameters(fit) + step)
        if trial.cost < fit.cost:
            fit = trial
        if gain <= max(SMALL, EXACT * fit.cost):
            break
    return fit


def _free_entries(L: np.ndarray) -> list[tuple[int, int]]:
    """Entries (j, r) of the participation that are not fixed to 1."""
    return [(j, r) for r in range(L.shape[1]) for j in range(len(L)) if L[j, r] != 1]


def _parameters(fit: Fit) -> np.ndarray:
    free = np.array([fit.participation[j, r] for j, r in _free_entries(fit.participation)], complex)
    return np.concatenate([fit.poles, free]).view(float)


def _with(fit: Fit, theta: np.ndarray) -> Fit:
    z = theta.copy().view(complex)
    L = fit.participation.copy()
    for value, (j, r) in zip(z[len(fit.poles) :], _free_entries(fit.participation)):
        L[j, r] = value
    return Fit(fit.lines, z[: len(fit.poles)], L)


def _pair(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Derivatives of z a + z̄ b by Re z and Im z, on a new last axis."""
    return np.stack([a + b, 1j * (a - b)], axis=-1)


def _scaled_inverse(A: np.ndarray) -> np.ndarray:
    """A⁻¹ of a matrix whose rows have different units."""
    size = np.sqrt(np.maximum(np.diag(A), 1e-300))
    return np.linalg.pinv(A / np.outer(size, size), rcond=1e-12, hermitian=True) / np.outer(size, size)


def _own_step(A: np.ndarray, g: np.ndarray, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Step (m,) to the poles that a point has by itself, and variances of its noise (m,); participations are free."""
    inverse = _scaled_inverse(A)
    return (inverse @ g)[:m], np.maximum(np.diag(inverse)[:m] / 2, 1e-300)


def _random_effects(d: np.ndarray, s2: np.ndarray) -> tuple[float, float]:
    """Mean and its variance of d (p,) with variances s² + τ², τ from their scatter: Σ (d − mean)²/(s² + τ²) = p − 1.

    (Paule and Mandel 1982)
    """

    def excess(tau2: float) -> float:
        w = 1 / (s2 + tau2)
        return float(w @ (d - w @ d / w.sum()) ** 2) - (len(d) - 1)

    low, high = 0.0, float(np.ptp(d) ** 2)
    for _ in range(60 if excess(0.0) > 0 else 0):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    w = 1 / (s2 + (high if excess(0.0) > 0 else 0.0))
    return float(w @ d / w.sum()), float(1 / w.sum())
