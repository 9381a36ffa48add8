"""What every linear method is: parameters of a problem with their covariance.

d = argmin Σ (w (z − X d))² + priors        rows weighted, columns scaled, by orthogonal factors; β = β₀ + G d
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.estimate.residuals import Colour, Projection, colour_of, sandwich


@dataclass(frozen=True, eq=False)
class LinearSolution:
    """What a method found."""

    d: np.ndarray  # steps (r,) from the model, along the problem's directions
    covariance: np.ndarray  # (r, r)
    sigma: np.ndarray  # standard deviation of a sample's residual, by channel (c,)
    colour: Colour  # of the residuals, each over its sigma
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

    def __post_init__(self) -> None:
        count, r = sum(int(g.sum()) for g in self.good), self.X[0].shape[2]
        if not r:
            raise PoinsotError(
                "this data determines none of the unknowns: nothing but the noise of the motion excites them"
            )
        if count <= r:
            raise PoinsotError(f"{count} samples are too few for {r} parameters")

    @property
    def freedom(self) -> float:
        """Share of the samples that are no parameters."""
        return 1 - self.X[0].shape[2] / sum(int(g.sum()) for g in self.good)


class LinearMethod(ABC):
    """A way to estimate the parameters in which the channels are linear; frozen, one a file."""

    name: ClassVar[str]
    summary: ClassVar[str]  # one line for lists of methods

    @abstractmethod
    def solve(self, rows: LinearRows) -> LinearSolution:
        """Steps from the model that explain the rows best."""


def least_squares(
    X: Sequence[np.ndarray], z: Sequence[np.ndarray], prior: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """d (r,) and H = XᵀX (r, r) of weighted rows, priors included."""
    b = X[0].shape[-1]
    A = np.concatenate([*(x.reshape(-1, b) for x in X), prior[0]])
    y = np.concatenate([*(part.ravel() for part in z), prior[1]])
    size = np.linalg.norm(A, axis=0)
    size = np.where(size > 0, size, 1.0)
    Q, R = np.linalg.qr(A / size)
    d = np.linalg.solve(R, Q.T @ y) / size
    return d, (R * size).T @ (R * size)


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


def projection(X: Sequence[np.ndarray]) -> Projection:
    """What takes from noise (n, c) of every run all that columns (n, c, r) explain."""
    r = X[0].shape[2]
    Q = np.linalg.qr(np.concatenate([x.reshape(-1, r) for x in X]))[0]
    ends = np.cumsum([x[..., 0].size for x in X])[:-1]

    def left(noise: Sequence[np.ndarray]) -> list[np.ndarray]:
        e = np.concatenate([part.ravel() for part in noise])
        return [part.reshape(x.shape) for part, x in zip(np.split(e - Q @ (Q.T @ e), ends), noise)]

    return left


def with_covariance(
    rows: LinearRows,
    weights: Sequence[np.ndarray],
    d: np.ndarray,
    H: np.ndarray,
    iterations: int = 1,
    message: str = "",
) -> LinearSolution:
    """A solution by weighted rows with the covariance that the colour of its residuals leaves."""
    left = residuals(rows, d)
    X = [x * w[:, :, None] for x, w in zip(rows.X, weights)]
    colour = colour_of([r * w for r, w in zip(left, weights)], projection(X))
    covariance = sandwich(X, H, colour)
    if len(rows.prior[1]):  # a prior is worth as much as its deviation says
        inverse = np.linalg.inv(H)
        covariance += inverse @ rows.prior[0].T @ rows.prior[0] @ inverse
    return LinearSolution(d, covariance, spread(rows, left), colour, iterations, message)
