"""Branches of a set of equations: whether two poses belong to one.

A branch ends where the Jacobian A loses rank. With A₀ and A₁ at two near poses and B = A₀⁻¹ A₁ all matrices between
them, A₀ + θ (A₁ − A₀) = A₀ (1 + θ (B − 1)), are regular as long as B has no eigenvalue on the negative real axis. A
passage to another branch turns the sign of an eigenvalue, of two where two loops do so together, which a determinant
would not show. Eigenvalues of B do not depend on units.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import listing
from poinsot.spatial.rotation import rotation_between

if TYPE_CHECKING:
    from poinsot.elements.joints import Joint
    from poinsot.model.parts import Elements
    from poinsot.spatial.pose import Pose

NEAR = 0.9  # eigenvalues of B − 1 up to which those of B are not looked at
POWERS = 3  # times that B − 1 is squared
SINGULAR = 1e-7  # size of an eigenvalue of B, or of B⁻¹: one of the poses is singular, and signs are round-off
LEAST = 0.1  # real part of an eigenvalue of B over its size: less is no near pose of one branch


@one_blas_thread()
def along_branch(A: np.ndarray) -> np.ndarray:
    """Whether each pose is on the branch of the one before (n − 1,), from Jacobians (n, m, k), m ≥ k."""
    n, m, k = A.shape
    if n < 2 or not k:
        return np.ones(max(n - 1, 0), bool)
    try:
        return _alike(np.linalg.solve(A[:-1], A[1:]) if m == k else np.linalg.pinv(A[:-1]) @ A[1:])
    except np.linalg.LinAlgError:  # a singular pose is on no branch
        return np.array([n > 2 and along_branch(A[i : i + 2])[0] for i in range(n - 1)])


def one_branch(A0: np.ndarray, A1: np.ndarray, least: float) -> bool:
    """The same for two Jacobians of any shape (m, k); singular values up to `least` of the largest count as zero.

    Motions that A₀ leaves free are not looked at, nor are equations that follow from others.
    """
    U, s, V = np.linalg.svd(A0, full_matrices=False)
    rank = int(np.count_nonzero(s > least * np.max(s, initial=0.0)))
    return bool(_alike((U[:, :rank].T @ A1 @ (V[:rank].T / s[:rank]))[None])[0]) if rank else True


def _alike(B: np.ndarray) -> np.ndarray:
    """Whether eigenvalues of B (n, k, k) keep away from the negative real axis (n,)."""
    power = B - np.eye(B.shape[-1])
    for _ in range(POWERS):  # |(B − 1)ⁿ|^(1/n) bounds all eigenvalues of B − 1, and comes near the largest
        power = power @ power
    off = np.max(np.sum(np.abs(power), axis=-1), axis=-1)
    same = off < NEAR ** (2**POWERS)
    for i in np.flatnonzero(~same & np.isfinite(off)):
        values = np.linalg.eigvals(B[i])
        size = np.abs(values)
        same[i] = bool(np.all((values.real > LEAST * size) & (size > SINGULAR) & (size < 1 / SINGULAR)))
    return same


def branch_hint(elements: Elements, given: Collection[str]) -> str:
    """How to reach a pose that another branch may have: the way from the file's pose is straight, and ends before."""
    others = [name for name in elements.coordinates if name not in given]
    by = f"pose the machine by {listing(others, 4)} instead, or " if others else ""
    return f"; if another branch has it, {by}give a pose on that branch as [pose] of the file (home= in Python)"


def is_flipped(joint: Joint, poses: Mapping[str, Pose]) -> bool:
    """Tell whether a joint's equations hold but its motion does not reach the pose: an axis is reversed."""
    return joint.carries and not_bridged(joint, poses) > 1e-3


def not_bridged(joint: Joint, poses: Mapping[str, Pose]) -> float:
    """Angle [rad] between the bodies of a joint that is left when it moves as far as it can."""
    X_FM = joint.relative(poses[joint.a.body], poses[joint.b.body])
    return float(rotation_between(X_FM.R, joint.motion(joint.measure(X_FM)).R))
