"""Log-Cholesky coordinates of a pseudo-inertia: any ten numbers are a body that can exist, and every body has ten.

P = U Uᵀ,  U = e^α [[e^d₁, s₁₂, s₁₃, t₁], [0, e^d₂, s₂₃, t₂], [0, 0, e^d₃, t₃], [0, 0, 0, 1]]

θ = (α, d₁, d₂, d₃, s₁₂, s₂₃, s₁₃, t₁, t₂, t₃):   m = e^2α, t the mass centre, the rest the second moments about it
(theory/estimation, eq. 15)
"""

from __future__ import annotations

from poinsot.spatial.algebra import Vec3, component, function, matrix, vector
from poinsot.spatial.inertia import inertial_parameters, poinsot_matrix, six_of, split_parameters


def from_log_cholesky(theta: Vec3) -> Vec3:
    """The ten inertial parameters φ of log-Cholesky coordinates θ (10).

    >>> import numpy as np
    >>> (from_log_cholesky(np.zeros(10)) + 0.0).tolist()
    [1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 2.0, 0.0, 2.0]
    """
    alpha, d1, d2, d3, s12, s23, s13, *t = (component(theta, i) for i in range(10))
    m = function("exp", 2 * alpha)
    u1, u2, u3 = (function("exp", d) for d in (d1, d2, d3))
    xx, yy, zz = u1**2 + s12**2 + s13**2, u2**2 + s23**2, u3**2  # of Σ/m about the centre
    xy, xz, yz = s12 * u2 + s13 * s23, s13 * u3, s23 * u3
    J = matrix(
        (m * (yy + zz), -m * xy, -m * xz), (-m * xy, m * (xx + zz), -m * yz), (-m * xz, -m * yz, m * (xx + yy))
    )
    return inertial_parameters(m, vector(*t), J)


def to_log_cholesky(phi: Vec3) -> Vec3:
    """Log-Cholesky coordinates θ (10) of inertial parameters φ whose pseudo-inertia is positive definite."""
    m, centre, J = split_parameters(phi)
    xx, xy, xz, yy, yz, zz = (s / m for s in six_of(poinsot_matrix(J)))
    u3 = function("sqrt", zz)
    s23, s13 = yz / u3, xz / u3
    u2 = function("sqrt", yy - s23**2)
    s12 = (xy - s13 * s23) / u2
    u1 = function("sqrt", xx - s12**2 - s13**2)
    logs = [function("log", u) for u in (u1, u2, u3)]
    return vector(function("log", m) / 2, *logs, s12, s23, s13, *(component(centre, i) for i in range(3)))
