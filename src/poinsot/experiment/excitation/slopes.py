"""Criteria as smooth functions of the information, with their derivatives: dJ = tr(G dF) (theory/design, eq. 22).

E-optimality, condition number and the worst unknown have corners where eigenvalues or standard errors meet: largest
and smallest ones are p-norms of all, as near as p tells.
"""

from __future__ import annotations

import numpy as np

from poinsot.errors import PoinsotError, one_line, unknown

SMOOTH = ("D", "A", "E", "condition", "worst")
NORM, SHARP = 8, 32  # p, and p of the last stage
STAGES = {
    "worst": (("D", NORM), ("worst", NORM), ("worst", SHARP))
}  # criteria that begin at a smoother one's optimum


def value_and_slope(name: str, F: np.ndarray, norm: int = NORM) -> tuple[float, np.ndarray]:
    """A criterion of information F (k, k), of all but D the logarithm, and G (k, k); `norm` is p."""
    values, V = np.linalg.eigh(F)
    values = np.maximum(values, np.finfo(float).tiny)
    if name == "worst":
        return _worst((V / values) @ V.T, norm)
    if name == "D":
        J, by = -float(np.mean(np.log(values))), -1 / values / len(F)
    else:
        J, by = _norm(values, -1 if name == "A" else -norm)
        if name == "condition":
            largest, by_largest = _norm(values, norm)
            J, by = J + largest, by + by_largest
    return J, (V * by) @ V.T


def _worst(C: np.ndarray, p: int) -> tuple[float, np.ndarray]:
    """½ ln of the p-norm of the variances, the diagonal of C = F⁻¹, and G = −½ C diag(w/C_jj) C  (eq. 25)."""
    variance = np.diagonal(C)
    powers = (variance / variance.max()) ** p
    J = 0.5 * (np.log(variance.max()) + np.log(np.sum(powers)) / p)
    return float(J), -0.5 * (C * (powers / powers.sum() / variance)) @ C


def _norm(values: np.ndarray, p: int) -> tuple[float, np.ndarray]:
    """½ ln of the p-norm of eigenvalues (k,), or of their inverses where p < 0, and its derivatives (k,)."""
    ends = values[-1] if p > 0 else values[0]
    powers = (values / ends) ** p
    sign = np.sign(p)
    return float(
        0.5 * (sign * np.log(ends) + np.log(np.sum(powers)) / abs(p))
    ), sign * 0.5 * powers / powers.sum() / values


def require_smooth(name: str) -> str:
    """A criterion by name that a motion can be improved for."""
    if name not in SMOOTH:
        raise PoinsotError(unknown("criterion of an excitation", one_line(str(name), 40), SMOOTH))
    return name


def stages_of(name: str) -> tuple[tuple[str, int], ...]:
    """Criteria and p one after another, each from where the one before it has ended."""
    return STAGES.get(name, ((name, NORM),))
