"""Inertia about any point, Poinsot's matrix, pseudo-inertia, and what a body can have.

The ten inertial parameters are always in the order

    φ = (m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz),    h = m c,    I about the body's origin

in which the equations of motion are linear. Files and people give the mass, the centre c and the inertia J
about the centre; I = J + m (|c|² 1 − c cᵀ).
"""

from __future__ import annotations

import numpy as np

from poinsot.spatial.algebra import Mat3, Scalar, Vec3, component, is_symbolic, matrix, skew, transpose, vector


def inertia_matrix(six: Vec3) -> Mat3:
    """Symmetric matrix of (xx, xy, xz, yy, yz, zz)  [kg·m²]."""
    xx, xy, xz, yy, yz, zz = (component(six, i) for i in range(6))
    return matrix((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def six_of(J: Mat3) -> list[Scalar]:
    """Entries xx, xy, xz, yy, yz, zz of a symmetric matrix."""
    if is_symbolic(J):
        return [J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2]]
    J = np.asarray(J, float)
    return [J[..., 0, 0], J[..., 0, 1], J[..., 0, 2], J[..., 1, 1], J[..., 1, 2], J[..., 2, 2]]


def inertia_about(J_centre: Mat3, mass: Scalar, offset: Vec3) -> Mat3:
    """Inertia about a point at −offset from the centre of mass (Steiner): J − m [d]× [d]×  [kg·m²]."""
    D = skew(offset)
    m = mass if is_symbolic(mass) else np.asarray(mass, float)[..., None, None]
    return J_centre - m * (D @ D)


def rotate_inertia(R_AB: Mat3, J_B: Mat3) -> Mat3:
    """Inertia expressed in frame A: R J Rᵀ  [kg·m²]."""
    return R_AB @ J_B @ transpose(R_AB)


def inertial_parameters(mass: Scalar, centre: Vec3, J_centre: Mat3) -> Vec3:
    """The ten parameters φ of a body from mass [kg], centre [m] and inertia about the centre [kg·m²].

    >>> inertial_parameters(2.0, [1.0, 0.0, 0.0], np.eye(3)).tolist()
    [2.0, 2.0, 0.0, 0.0, 1.0, 0.0, 0.0, 3.0, 0.0, 3.0]
    """
    h = [mass * component(centre, i) for i in range(3)]
    return vector(mass, *h, *six_of(inertia_about(J_centre, mass, centre)))


def split_parameters(phi: Vec3) -> tuple[Scalar, Vec3, Mat3]:
    """Mass, centre and inertia about the centre from the ten parameters; the mass must not be zero."""
    m = component(phi, 0)
    h = vector(*(component(phi, i) for i in (1, 2, 3)))
    centre = h / m if is_symbolic(h, m) else h / np.asarray(m)[..., None]
    return m, centre, inertia_about(inertia_matrix(_tail(phi)), -m, centre)


def _tail(phi: Vec3) -> Vec3:
    return phi[4:] if is_symbolic(phi) else np.asarray(phi)[..., 4:]


def poinsot_matrix(J: Mat3) -> Mat3:
    """Poinsot's matrix K = ½ tr(J) 1 − J = ∫ r rᵀ dm  [kg·m²]; its own inverse map is J = tr(K) 1 − K."""
    half = (
        (J[0, 0] + J[1, 1] + J[2, 2]) / 2 if is_symbolic(J) else np.trace(J, axis1=-2, axis2=-1)[..., None, None] / 2
    )
    return half * np.eye(3) - J


def pseudo_inertia(phi: Vec3) -> Mat3:
    """Pseudo-inertia [[Σ, h], [hᵀ, m]] with Σ = ∫ r rᵀ dm about the origin: positive (semi)definite for a body."""
    m, hx, hy, hz = (component(phi, i) for i in range(4))
    S = poinsot_matrix(inertia_matrix(_tail(phi)))
    s = six_of(S)
    return matrix((s[0], s[1], s[2], hx), (s[1], s[3], s[4], hy), (s[2], s[4], s[5], hz), (hx, hy, hz, m))


def planar_inertia(phi: Vec3) -> Mat3:
    """Inertia matrix [[J, h], [hᵀ, m 1]] of a body in the plane about its origin, from its ten parameters.

    It is positive (semi)definite exactly when a pseudo-inertia [[Σ, h], [hᵀ, m]] with tr Σ = J is: both say
    m ≥ 0 and J m ≥ |h|².

    >>> np.linalg.eigvalsh(planar_inertia([2.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0])).round(12).tolist()
    [0.0, 2.0, 4.0]
    """
    m, hx, hy, J = (component(phi, i) for i in (0, 1, 2, 9))
    return matrix((J, hx, hy), (hx, m, 0 * m), (hy, 0 * m, m))


def parameters_from_pseudo_inertia(P: Mat3) -> Vec3:
    """The ten parameters φ of a pseudo-inertia matrix (4 × 4)."""
    P = P if is_symbolic(P) else np.asarray(P, float)
    S = P[..., :3, :3] if not is_symbolic(P) else P[:3, :3]
    trace = S[0, 0] + S[1, 1] + S[2, 2] if is_symbolic(S) else np.trace(S, axis1=-2, axis2=-1)[..., None, None]
    last = [P[i, 3] for i in (3, 0, 1, 2)] if is_symbolic(P) else [P[..., i, 3] for i in (3, 0, 1, 2)]
    return vector(*last, *six_of(trace * np.eye(3) - S))


def inertia_defect(mass: float, J_centre: np.ndarray, rtol: float = 1e-9) -> str | None:
    """Say in words why no body can have this mass and inertia about its centre; None when one can.

    A body has m ≥ 0, J positive semidefinite and principal moments that obey J₁ + J₂ ≥ J₃ (equality for a
    flat body; one zero moment for a thin rod). Inertia without mass is that of a rotor seen behind its gear.

    >>> inertia_defect(1.0, np.diag([1.0, 1.0, 2.5]))
    'principal moments 1, 1, 2.5 kg·m² break the triangle inequality (1 + 1 < 2.5)'
    """
    if not np.all(np.isfinite(J_centre)) or not np.isfinite(mass):
        return "mass and inertia must be finite numbers"
    if mass < 0:
        return f"mass {mass:g} kg is negative"
    a, b, c = np.linalg.eigvalsh(np.asarray(J_centre, float))
    tolerance = rtol * max(abs(a), abs(c))
    if a < -tolerance:
        return f"inertia is not positive definite (principal moments {a:.6g}, {b:.6g}, {c:.6g} kg·m²)"
    if a + b < c - tolerance:
        moments = f"principal moments {a:.6g}, {b:.6g}, {c:.6g} kg·m²"
        return f"{moments} break the triangle inequality ({a:.6g} + {b:.6g} < {c:.6g})"
    return None
