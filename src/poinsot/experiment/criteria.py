"""Criteria of optimal design: what an information matrix says of the unknowns, one number each.

S = R⁻¹ ∂y/∂p diag(p̂)        F = SᵀS = ∑ information, unknowns relative to their size p̂        (theory/design, eq. 1)

    condition    κ(S)             how far the best and the worst combination of unknowns are apart
    D            −ln det F / k    volume of the ellipsoid of errors
    A            √(tr F⁻¹ / k)    mean relative standard error
    E            √(1/λ_min F)     standard error of the worst combination
    worst        √max_j (F⁻¹)_jj  relative standard error of the worst unknown
    interplay    largest share of an unknown's information that the others take away      (theory/design, eq. 2)

All are smaller where the experiment is better.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poinsot.errors import PoinsotError, unknown

EMPTY = 1e-12  # of the largest eigenvalue of F at unit diagonal, below which a combination has no information
OPEN = 1e-4  # part of an unknown in such a combination, from which on it is not determined


def condition(F: np.ndarray) -> np.ndarray:
    """κ(S) of information F (…, k, k); infinite where a combination has none."""
    values = np.linalg.eigvalsh(F)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.sqrt(np.where(values[..., 0] > 0, values[..., -1] / values[..., 0], np.inf))


def d_optimality(F: np.ndarray) -> np.ndarray:
    """−ln det F / k."""
    sign, size = np.linalg.slogdet(F)
    return np.where(sign > 0, -size / F.shape[-1], np.inf)


def a_optimality(F: np.ndarray) -> np.ndarray:
    """√(tr F⁻¹ / k)."""
    return np.sqrt(np.mean(1 / _eigenvalues(F), axis=-1))


def e_optimality(F: np.ndarray) -> np.ndarray:
    """√(1/λ_min F)."""
    return np.sqrt(1 / _eigenvalues(F)[..., 0])


def worst(F: np.ndarray) -> np.ndarray:
    """√max_j (F⁻¹)_jj, the largest relative standard error of an unknown; infinite where a combination is open."""
    values, V = np.linalg.eigh(F)
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.sqrt(np.sum(V**2 / values[..., None, :], axis=-1)).max(axis=-1)
    return np.where(values[..., 0] > 0, errors, np.inf)


def interplay(F: np.ndarray) -> np.ndarray:
    """max_j 1 − 1/(F_jj (F⁻¹)_jj), the largest squared multiple correlation of one unknown with the others."""
    good = np.linalg.cond(F) < 1e14
    inverse = np.linalg.inv(np.where(good[..., None, None], F, np.eye(F.shape[-1])))
    shares = 1 - 1 / (np.einsum("...jj->...j", F) * np.einsum("...jj->...j", inverse))
    return np.where(good, shares.max(axis=-1), 1.0)


def _eigenvalues(F: np.ndarray) -> np.ndarray:
    """Positive ones; the others are as small as a number can be."""
    return np.maximum(np.linalg.eigvalsh(F), np.finfo(float).tiny)


def relative_errors(F: np.ndarray) -> np.ndarray:
    """Predicted standard errors (k,) of the unknowns relative to their size; NaN where F (k, k) does not tell one."""
    size = np.sqrt(np.diag(F))
    told = size > 0
    C = F[np.ix_(told, told)] / np.outer(size[told], size[told])
    values, vectors = np.linalg.eigh(C)
    lost = values <= EMPTY * values.max(initial=0.0)
    open_ = (np.abs(vectors[:, lost]) > OPEN).any(axis=1)
    errors = np.full(len(F), np.nan)
    spread = np.sum(vectors[:, ~lost] ** 2 / values[~lost], axis=1)
    errors[told] = np.where(open_, np.nan, np.sqrt(spread) / size[told])
    return errors


CRITERIA: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "condition": condition,
    "D": d_optimality,
    "A": a_optimality,
    "E": e_optimality,
    "worst": worst,
    "interplay": interplay,
}


def criterion_of(name: str) -> Callable[[np.ndarray], np.ndarray]:
    """A criterion by name."""
    if name not in CRITERIA:
        raise PoinsotError(unknown("criterion", str(name), CRITERIA))
    return CRITERIA[name]
