"""A mechanism at rest in one pose: what balances, what moves freely, how stiff it is, in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poinsot.statics.residual import Balance
from poinsot.system.scaled_rank import free_motions, least_squares

CLOSED = 1e-12  # of the machine's size or of a radian, up to which joints count as closed


@dataclass(frozen=True, eq=False)
class Given:
    """What is given where a mechanism rests."""

    u: np.ndarray  # (nu,) forces of the actuators that are not solved for
    solved: tuple[int, ...]  # actuators whose force balance decides
    held: tuple[int, ...]  # actuators whose coordinate does not move
    at: np.ndarray  # where they hold it
    rho: np.ndarray  # rests of the clamped springs
    p: np.ndarray


class Point:
    """Forces, constraints and stiffness at one pose; forces in least squares where they do not balance.

    Balance and ranks are decided at natural sizes: forces times displacements of natural size are energies.
    """

    def __init__(self, functions: Balance, q: np.ndarray, given: Given):
        self.q, self.given, self.functions = q, given, functions
        held, solved, sizes = list(given.held), list(given.solved), functions.sizes
        u = given.u.copy()
        u[solved] = 0.0
        values = [np.asarray(x) for x in functions.forces(q, u, given.rho, given.p)]
        Q, phi, C, energy, J_a, s_a = values
        Q, phi, self.energy = Q.ravel(), phi.ravel(), energy.item()
        C, J_a = C.reshape(len(phi), len(Q)), J_a.reshape(len(u), len(Q))
        self.C, self.J_a = C, J_a
        self.rows = np.vstack([C, J_a[held]])
        self.row_sizes = np.concatenate([sizes.rows, sizes.drives[held]])
        self.phi = np.concatenate([phi, (s_a.ravel()[held] - given.at)])
        joints, drives = C * sizes.speeds / sizes.rows[:, None], J_a * sizes.speeds / sizes.drives[:, None]
        if solved:
            B = free_motions(joints)
            pushed = least_squares((drives[solved] @ B).T, -B.T @ (Q * sizes.speeds))
            u[solved] = pushed / sizes.drives[solved]
        Q = Q + J_a[solved].T @ u[solved]
        self.u, self.Q = u, Q
        self.lam = least_squares(joints.T, Q * sizes.speeds) / sizes.rows
        self.left = Q - C.T @ self.lam
        self.residual = float(np.max(np.abs(self.left), initial=0.0))

    @cached_property
    def motions(self) -> np.ndarray:
        """Motions (nv, k) that joints and locked actuators leave, at natural sizes."""
        return free_motions(self.rows * self.functions.sizes.speeds / self.row_sizes[:, None])

    @cached_property
    def free(self) -> np.ndarray:
        """The same motions (nv, k) as displacements  [m or rad]."""
        return self.functions.sizes.speeds[:, None] * self.motions

    @cached_property
    def force(self) -> np.ndarray:
        """Work (k,) of all forces along the free motions  [J]."""
        return self.free.T @ self.Q

    @cached_property
    def summed(self) -> np.ndarray:
        """Moduli (nv,) of what is summed up in the generalised forces  [N or N·m]."""
        return np.asarray(self.functions.terms(self.q, self.u, self.given.rho, self.given.p)).ravel()

    @cached_property
    def terms(self) -> np.ndarray:
        """Moduli (k,) of what is summed up in `force`  [J]."""
        return np.abs(self.free).T @ self.summed

    @cached_property
    def stiffness_terms(self) -> np.ndarray:
        """Moduli (nv, nv) of what is summed up in K: a displacement of natural size turns forces by all that they
        are."""
        return np.abs(self.K) + np.diag(self.summed / self.functions.sizes.speeds)

    @property
    def imbalance(self) -> float:
        """Largest force along a free motion, as a fraction of the terms that are summed up in it."""
        return float(np.max(np.abs(self.force) / np.where(self.terms > 0, self.terms, np.inf), initial=0.0))

    @property
    def gap(self) -> float:
        """How far joints are open, as a fraction of the machine's size or in radians."""
        return float(np.max(np.abs(self.phi / self.row_sizes), initial=0.0))

    @property
    def error(self) -> float:
        """What is left to mend: forces that do not balance, or joints that are open, whichever is more."""
        return max(self.imbalance, self.gap)

    @cached_property
    def K(self) -> np.ndarray:
        """−∂(Q − Cᵀλ)/∂q N (nv, nv)."""
        n = len(self.Q)
        return np.asarray(self.functions.stiffness(self.q, self.u, self.lam, self.given.rho, self.given.p)).reshape(
            n, n
        )

    def settles(self, tolerance: float) -> bool:
        """Whether joints are closed and what is left of the forces is round-off of their terms."""
        return self.gap < CLOSED and self.imbalance <= tolerance
