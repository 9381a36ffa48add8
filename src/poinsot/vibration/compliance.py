"""Static compliance and stiffness of a body or frame: its displacement under a constant wrench.

    δ = T Z (ZᵀKZ)⁻¹ ZᵀTᵀ F        (theory/vibration, eq. 10)

T is the twist of the place per displacement, Z the motions that joints and locked actuators leave.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import PoinsotError
from poinsot.model.assembly.constraints import IN_PLANE
from poinsot.model.mechanism import Mechanism
from poinsot.vibration.eigenmodes import ZERO, reduced
from poinsot.vibration.linear_model.model import linear_model


@one_blas_thread()
def compliance(
    mechanism: Mechanism,
    at: str,
    pose: Mapping[str, float] | None = None,
    *,
    formulation: str | None = None,
    actuators: str | Sequence[str] | None = None,
) -> np.ndarray:
    """Displacement (x, y, z) [m] and turn (rx, ry, rz) [rad] of a place per force [N] and moment [N·m], world axes.

    `mechanism` at rest in a `pose` of named coordinates [m or rad]; `formulation` and `actuators` as for
    `modes`.

    (6, 6), or (3, 3) for x, y, rz of a planar mechanism: blocks [m/N], [m/(N·m)], [rad/N], [rad/(N·m)]. `at` is a
    body ("platform") or one of its frames ("platform.P1"); a wrench acts there.

    >>> import poinsot
    >>> found = poinsot.compliance(poinsot.load("three_link"), "link1")
    >>> bool(abs(found[2, 2] - 1 / 21.10) < 1e-12)
    True
    """
    linear = linear_model(mechanism, pose, formulation=formulation, actuators=actuators)
    T = np.asarray(linear.twist(linear.mechanism.frame(at)))
    T = (T[list(IN_PLANE)] if linear.mechanism.planar else T) @ linear.free
    K = reduced(linear)[2]
    size = np.max(np.abs(linear.free).T @ (abs(linear.K) @ np.abs(linear.free)), initial=0.0)
    if (K.size and np.linalg.svd(K, compute_uv=False)[-1] <= ZERO * size) or (K.size and size == 0):
        raise PoinsotError(f"{linear.mechanism.name} can move without resistance here: it has no static compliance")
    return T @ np.linalg.solve(K, T.T) if K.size else np.zeros((len(T), len(T)))


@one_blas_thread()
def stiffness(
    mechanism: Mechanism,
    at: str,
    pose: Mapping[str, float] | None = None,
    *,
    formulation: str | None = None,
    actuators: str | Sequence[str] | None = None,
) -> np.ndarray:
    """Inverse of the compliance: wrench per displacement of a place, [N/m], [N/rad], [N·m/m], [N·m/rad].

    `mechanism`, `at`, `pose`, `formulation` and `actuators` as for `compliance`; (6, 6), or (3, 3) in the
    plane.
    """
    found = compliance(mechanism, at, pose, formulation=formulation, actuators=actuators)
    scale = np.sqrt(np.abs(np.diag(found)))
    if not scale.all() or np.linalg.cond(found / np.outer(scale, scale)) > 1e12:
        raise PoinsotError(
            f"'{at}' cannot yield in every direction: its stiffness is infinite in some; ask for its compliance"
        )
    return np.linalg.inv(found)
