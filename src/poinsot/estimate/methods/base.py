"""What every linear method is: parameters of a problem with their covariance.

d = argmin Σ (w (z − X d))² + priors        rows weighted, columns scaled, by orthogonal factors; β = β₀ + G d
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from poinsot.errors import PoinsotError, counted
from poinsot.estimate.error_bars import sandwich, widened
from poinsot.estimate.residuals import Colour, Projection, colour_of

Simulated = Callable[[np.ndarray], tuple[list[np.ndarray], list[np.ndarray]]]  # of d: X (n, c, r), z (n, c) by run


@dataclass(frozen=True, eq=False)
class Influence:
    """How samples count: the error of d is Σ rows · scores; a prior adds nothing."""

    rows: tuple[np.ndarray, ...]  # by run (n, c, r)
    scores: tuple[np.ndarray, ...]  # weighted residuals, or what a method makes of them, by run (n, c)


@dataclass(frozen=True, eq=False)
class LinearSolution:
    """What a method found."""

    d: np.ndarray  # steps (r,) from the model, along the problem's directions
    covariance: np.ndarray  # (r, r)
    sigma: np.ndarray  # standard deviation of a sample's residual, by channel (c,)
    colour: Colour  # of the residuals, each over its sigma
    influence: Influence
    iterations: int = 1
    message: str = ""  # what to do next; empty means success


@dataclass(frozen=True, eq=False)
class LinearRows:
    """z = X d + e for some runs of c channels, zero where samples are masked; r steps d from the model."""

    X: tuple[np.ndarray, ...]  # by run (n, c, r)
    z: tuple[np.ndarray, ...]  # by run (n, c)
    good: tuple[np.ndarray, ...]  # by run (n, c)
    prior: tuple[np.ndarray, np.ndarray]  # weighted rows of what is known besides (m, r), (m,)
    scale: np.ndarray  # size of every channel's noise, or of its samples (c,)
    noise: tuple[np.ndarray, ...] | None = None  # what noise of the motion adds to (X, z), by run (n, c, r + 1)
    simulated: Simulated | None = None  # where the controllers are known
    values_only: bool = False  # whether nobody asks for the colour of residuals: covariances are those of white ones

    def __post_init__(self) -> None:
        count, r = sum(int(g.sum()) for g in self.good), self.X[0].shape[2]
        if not r:
            raise PoinsotError(
                "this data determines none of the unknowns: nothing but the noise of the motion excites them"
            )
        if count <= r:
            raise PoinsotError(f"{count} samples are too few for {counted(r, 'parameter')}")

    def simulation(self, d: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Columns (n, c, r) and targets (n, c) by run along the motion that the closed loop makes with d (r,)."""
        if self.simulated is None:
            raise PoinsotError(
                "this method simulates the machine under control: give the study its controllers and references, "
                "control = {A = {type = 'pid', reference = 'A.wanted', kp = 100}}"
            )
        return self.simulated(d)

    def simulation_towards(self, d: np.ndarray, safe: np.ndarray) -> tuple[LinearRows, np.ndarray]:
        """Rows along the simulated motion for d (r,), or for the values nearest to it, on the way from those that
        are known to be safe, with which the closed loop is stable; and these values.
        """
        for share in (1.0, 0.5, 0.25, 0.1):
            at = safe + share * (d - safe)
            try:
                return self.along(at), at
            except PoinsotError:
                if self.simulated is None:
                    raise
        return self.along(safe), safe

    def along(self, d: np.ndarray) -> LinearRows:
        """Rows along the motion simulated with d (r,)."""
        X, z = self.simulation(d)
        return replace(self, X=tuple(X), z=tuple(z), noise=None)

    @property
    def freedom(self) -> float:
        """Share of the samples that are no parameters."""
        return 1 - self.X[0].shape[2] / sum(int(g.sum()) for g in self.good)


class LinearMethod(ABC):
    """A way to estimate the parameters in which the channels are linear; frozen, one a file."""

    name: ClassVar[str]
    summary: ClassVar[str]  # one line for lists of methods
    simulates: ClassVar[bool] = False  # whether noise of the motion does not bias it: it simulates the closed loop
    corrects: ClassVar[bool] = False  # whether it takes off what the noise of the motion adds
    mean_forces: ClassVar[bool] = True  # whether held forces count where they act in the mean, not where they begin

    @abstractmethod
    def solve(self, rows: LinearRows) -> LinearSolution:
        """Steps from the model that explain the rows best."""

    def fitted(self, rows: LinearRows, d: np.ndarray) -> LinearRows:
        """The rows that its values d (r,) explain."""
        return rows


def least_squares(
    X: Sequence[np.ndarray],
    z: Sequence[np.ndarray],
    prior: tuple[np.ndarray, np.ndarray],
    Z: Sequence[np.ndarray] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """d (r,) and H = ZᵀX (r, r) of weighted rows, priors included; with Z = X unless instruments are given."""
    A, y = _stacked(X, prior[0]), np.concatenate([*(part.ravel() for part in z), prior[1]])
    B = A if Z is None else _stacked(Z, prior[0])
    length, size = np.linalg.norm(A, axis=0), np.linalg.norm(B, axis=0)
    length, size = np.where(length > 0, length, 1.0), np.where(size > 0, size, 1.0)
    Q, R = np.linalg.qr(B / size)
    small = R if Z is None else Q.T @ (A / length)
    d = np.linalg.solve(small, Q.T @ y) / length
    return d, (R * size).T @ (small * length)


def _stacked(X: Sequence[np.ndarray], below: np.ndarray) -> np.ndarray:
    """Columns of all runs and more rows below them (m, r)."""
    return np.concatenate([*(x.reshape(-1, x.shape[-1]) for x in X), below])


def residuals(rows: LinearRows, d: np.ndarray) -> list[np.ndarray]:
    """z − X d (n, c) run by run, zero where samples are masked."""
    return [np.where(good, z - x @ d, 0.0) for x, z, good in zip(rows.X, rows.z, rows.good)]


def spread(rows: LinearRows, left: Sequence[np.ndarray]) -> np.ndarray:
    """Standard deviation (c,) of residuals by channel, freedoms taken off."""
    squares = sum(np.sum(r**2, axis=0) for r in left)
    counts = sum(good.sum(axis=0) for good in rows.good)
    sigma = np.sqrt(squares / np.maximum(counts * rows.freedom, 1.0))
    return np.where(sigma > 0, sigma, max(float(sigma.max()), 1e-300))


def weighted(rows: LinearRows, weights: Sequence[np.ndarray]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Columns and targets with weights (n, c) on their rows."""
    return [x * w[:, :, None] for x, w in zip(rows.X, weights)], [z * w for z, w in zip(rows.z, weights)]


def rough(rows: LinearRows) -> tuple[np.ndarray, np.ndarray]:
    """Least squares with channels over their scale, and the spread (c,) of what it leaves: where iterations start."""
    d, _ = least_squares(*weighted(rows, [np.where(good, 1 / rows.scale, 0.0) for good in rows.good]), rows.prior)
    return d, spread(rows, residuals(rows, d))


def projection(X: Sequence[np.ndarray], Z: Sequence[np.ndarray] | None = None) -> Projection:
    """What takes from noise (n, c) of every run all that columns (n, c, r) explain, by instruments Z if given."""
    A = _stacked(X, np.zeros((0, X[0].shape[2])))
    Q = np.linalg.qr(A if Z is None else _stacked(Z, np.zeros((0, X[0].shape[2]))))[0]
    explains = Q if Z is None else np.linalg.solve((Q.T @ A).T, A.T).T
    ends = np.cumsum([x[..., 0].size for x in X])[:-1]

    def left(noise: Sequence[np.ndarray]) -> list[np.ndarray]:
        e = np.concatenate([part.ravel() for part in noise])
        return [part.reshape(x.shape) for part, x in zip(np.split(e - explains @ (Q.T @ e), ends), noise)]

    return left


def error_bars(rows: LinearRows, H: np.ndarray, counts: Influence, colour: Colour) -> np.ndarray:
    """Covariance (r, r) of d from how samples count, the colour of their scores and what is known besides."""
    known = sandwich(counts.rows, np.eye(len(H)), colour)
    covariance = widened(known, counts.rows, colour, rows.good)
    by_prior = rows.prior[0] @ np.linalg.inv(H).T  # a prior is worth as much as its deviation says
    return covariance + by_prior.T @ by_prior


def with_covariance(
    rows: LinearRows,
    weights: Sequence[np.ndarray],
    d: np.ndarray,
    H: np.ndarray,
    iterations: int = 1,
    message: str = "",
    Z: Sequence[np.ndarray] | None = None,
    scores: Sequence[np.ndarray] | None = None,
) -> LinearSolution:
    """A solution by weighted rows, or weighted instruments Z, with the covariance by the colour of its residuals,
    or of what a method makes of these, its scores (n, c).
    """
    left = residuals(rows, d)
    X = [x * w[:, :, None] for x, w in zip(rows.X, weights)]
    scores = [r * w for r, w in zip(left, weights)] if scores is None else scores
    if rows.values_only:
        colour = Colour((np.ones(1),) * len(rows.scale), np.eye(len(rows.scale)))
    else:
        colour = colour_of(scores, projection(X, Z), rows.good)
    Z = X if Z is None else Z
    counts = Influence(tuple(z @ np.linalg.inv(H).T for z in Z), tuple(scores))
    covariance = np.linalg.pinv(H) if rows.values_only else error_bars(rows, H, counts, colour)
    return LinearSolution(d, covariance, spread(rows, left), colour, counts, iterations, message)
