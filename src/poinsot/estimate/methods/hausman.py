"""The test of Durbin, Wu and Hausman: whether least squares is biased, by its difference from instruments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poinsot.estimate.error_bars import sandwich, widened
from poinsot.estimate.methods.base import LinearRows, least_squares, weighted, with_covariance

LEVEL = 0.05  # probability below which a difference is no chance
IMMATERIAL = 0.1  # of a standard error: a bias that does not matter


@dataclass(frozen=True)
class BiasTest:
    """Least squares against instrumental variables."""

    statistic: float  # χ²
    freedoms: int
    p: float  # probability of as large a difference without bias
    largest: float  # difference over the standard error of a value, at most

    @property
    def biased(self) -> bool:
        """Whether least squares is biased."""
        return self.p < LEVEL

    def __str__(self) -> str:
        said = "least squares is biased here" if self.biased else "no bias of least squares is seen"
        return f"{said} (p = {self.p:.2g}, {self.largest:.2g} standard errors at most)"


def bias_test(rows: LinearRows, d: np.ndarray, sigma: np.ndarray) -> BiasTest:
    """Test weighted least squares against instruments for values d (r,), rows over σ (c,).

    δ = d_iv − d_ls = (H_z⁻¹ Zᵀ − H_x⁻¹ Xᵀ) e ,    δᵀ (cov δ + ε² cov d_iv)⁻¹ δ ~ χ²      (theory/estimation, eq. 27)

    with the colour of e, so that neither method need be efficient; a part ε of a standard error does not count.
    """
    from scipy.stats import chi2

    weights = [np.where(good, 1 / sigma, 0.0) for good in rows.good]
    Z = weighted(rows.simulation_towards(d, np.zeros_like(d))[0], weights)[0]
    X, z = weighted(rows, weights)
    plain, H_x = least_squares(X, z, rows.prior)
    other, H_z = least_squares(X, z, rows.prior, Z)
    found = with_covariance(rows, weights, other, H_z, Z=Z)
    by_z, by_x, r = np.linalg.inv(H_z).T, np.linalg.inv(H_x), len(d)
    B = [a @ by_z - b @ by_x for a, b in zip(Z, X)]
    S = widened(sandwich(B, np.eye(r), found.colour), B, found.colour, rows.good)
    prior, delta = rows.prior[0] @ (by_z - by_x), other - plain
    S = S + prior.T @ prior + IMMATERIAL**2 * found.covariance
    size = np.sqrt(np.diagonal(found.covariance))
    statistic = float(delta / size @ np.linalg.solve(S / size[:, None] / size, delta / size))
    return BiasTest(statistic, r, float(chi2.sf(statistic, r)), float(np.max(np.abs(delta) / size)))
