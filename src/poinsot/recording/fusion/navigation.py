"""State of an inertial unit S on SO(3) × Rⁿ, and how its readings carry it on.

    Ṙ = R [ω]×,   v̇ = R f + g,   ṗ = v,        ω = y_ω − b_ω − n_ω,   f = y_f − b_f − n_f

R is R_WS, p and v are of S in the world. Errors are x = x̂ ⊞ δ: R = R̂ Exp(δθ), all other parts by addition, in the
order θ, p, v, b_f, b_ω, lever arm, misalignment, time offset, n_f, n_ω         (theory/measurements, eq. 4 to 6)

A sample's noise acts in the two intervals that it ends and begins: that of the last sample is a part of the state.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from poinsot.recording.fusion.nodes import Nodes

__all__ = ["LEVER", "NOISE", "OFFSET", "SIZE", "TURN", "Navigation", "between_nodes", "propagate", "skew_of"]

ANGLE, PLACE, SPEED = slice(0, 3), slice(3, 6), slice(6, 9)
BIASES = slice(9, 15)  # of accelerometer and gyroscope
LEVER, TURN, OFFSET = slice(15, 18), slice(18, 21), slice(21, 22)
NOISE = slice(22, 28)  # of the last sample of accelerometer and gyroscope
SIZE = 28


@dataclass(frozen=True, eq=False)
class Navigation:
    """States of the unit at n times."""

    R: np.ndarray  # R_WS (n, 3, 3)
    p: np.ndarray  # (n, 3)  [m]
    v: np.ndarray  # (n, 3)  [m/s]
    c: np.ndarray  # (n, 19): b_f [m/s²], b_ω [rad/s], lever arm [m], misalignment [rad], time offset [s], n_f, n_ω

    def __len__(self) -> int:
        return len(self.p)

    def __getitem__(self, which: slice | np.ndarray) -> Navigation:
        return Navigation(self.R[which], self.p[which], self.v[which], self.c[which])

    def plus(self, d: np.ndarray) -> Navigation:
        """x ⊞ δ for errors d (n, 28)."""
        turn = Rotation.from_rotvec(d[:, ANGLE]).as_matrix()
        return Navigation(self.R @ turn, self.p + d[:, PLACE], self.v + d[:, SPEED], self.c + d[:, 9:])

    def minus(self, other: Navigation) -> np.ndarray:
        """δ (n, 28) with other ⊞ δ = self."""
        angle = Rotation.from_matrix(np.swapaxes(other.R, -1, -2) @ self.R).as_rotvec()
        return np.concatenate([angle, self.p - other.p, self.v - other.v, self.c - other.c], axis=1)

    def body(self, R_BS: np.ndarray, p_BS: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """R_WB (n, 3, 3) and p_WB (n, 3) of the body that carries the unit at X_BS, and ∂ξ/∂δ (n, 6, 28).

        ξ = (R_BW δp_B, δθ_B) is the error of the body's pose in its own axes.
        """
        n = len(self)
        R_BS = R_BS @ Rotation.from_rotvec(self.c[:, 9:12]).as_matrix()
        arm = p_BS + self.c[:, 6:9]
        R_WB = self.R @ np.swapaxes(R_BS, -1, -2)
        p_WB = self.p - np.einsum("nij,nj->ni", R_WB, arm)
        slope = np.zeros((n, 6, SIZE))
        slope[:, 3:, ANGLE], slope[:, 3:, TURN] = R_BS, -R_BS @ _right_jacobian(self.c[:, 9:12])
        slope[:, :3, PLACE] = np.swapaxes(R_WB, -1, -2)
        slope[:, :3, LEVER] = -np.eye(3)
        slope[:, :3] += skew_of(arm) @ slope[:, 3:]
        return R_WB, p_WB, slope


def skew_of(w: np.ndarray) -> np.ndarray:
    """[w]× (n, 3, 3) of vectors (n, 3)."""
    S = np.zeros((len(w), 3, 3))
    S[:, 0, 1], S[:, 0, 2], S[:, 1, 2] = -w[:, 2], w[:, 1], -w[:, 0]
    return S - np.swapaxes(S, 1, 2)


def _right_jacobian(m: np.ndarray) -> np.ndarray:
    """J (n, 3, 3) with Exp(m + δ) = Exp(m) Exp(J δ), m (n, 3): ∫₀¹ Exp(−s m) ds by Gauss's rule."""
    nodes, weights = np.polynomial.legendre.leggauss(5)
    turns = [w / 2 * Rotation.from_rotvec(-(1 + x) / 2 * m).as_matrix() for x, w in zip(nodes, weights)]
    return np.sum(turns, axis=0)


def between_nodes(x: Navigation, nodes: Nodes, k: np.ndarray) -> tuple[Navigation, np.ndarray]:
    """States (n) at nodes k (n,) carried to when the encoders were read, and their rates (n, 3) [rad/s]."""
    dt = nodes.late[k][:, None]
    rate = nodes.rate[k] - x.c[:, 3:6] - x.c[:, 16:19]
    a = np.einsum("nij,nj->ni", x.R, nodes.force[k] - x.c[:, :3] - x.c[:, 13:16]) + nodes.gravity
    R = x.R @ Rotation.from_rotvec(rate * dt).as_matrix()
    return Navigation(R, x.p + dt * x.v + dt**2 / 2 * a, x.v + dt * a, x.c), rate


def propagate(x: Navigation, nodes: Nodes, k: np.ndarray) -> tuple[Navigation, np.ndarray, np.ndarray]:
    """States (n) after the intervals k (n,) of the nodes, F (n, 28, 28) and Q (n, 28, 28) of their errors.

    Readings are linear between samples: trapezoidal velocities, positions of third order.
    """
    n, dt = len(x), nodes.step[k][:, None]
    before = nodes.rate[k] - x.c[:, 16:19]
    w = (before + nodes.rate[k + 1]) / 2 - x.c[:, 3:6]
    turn, half = (Rotation.from_rotvec(w * part).as_matrix() for part in (dt, dt / 2))
    R = x.R @ turn
    f0, f1 = nodes.force[k] - x.c[:, 13:16] - x.c[:, :3], nodes.force[k + 1] - x.c[:, :3]
    a0, a1 = (np.einsum("nij,nj->ni", *pair) + nodes.gravity for pair in ((x.R, f0), (R, f1)))
    c = x.c.copy()
    c[:, 13:] = 0.0
    ahead = Navigation(R, x.p + dt * x.v + dt**2 / 6 * (2 * a0 + a1), x.v + dt / 2 * (a0 + a1), c)
    h = dt[:, :, None]
    first, last = -x.R @ skew_of(f0), -x.R @ skew_of(np.einsum("nij,nj->ni", turn, f1))  # ∂a/∂θ at both ends
    F = np.tile(np.eye(SIZE), (n, 1, 1))
    F[:, ANGLE, ANGLE] = np.swapaxes(turn, 1, 2)
    F[:, SPEED, ANGLE], F[:, PLACE, ANGLE] = h / 2 * (first + last), h**2 / 6 * (2 * first + last)
    F[:, PLACE, SPEED] = h * np.eye(3)
    old, new = np.zeros((n, SIZE, 6)), np.zeros((n, SIZE, 6))  # what errors of the two samples do
    turned = -h / 2 * np.swapaxes(half, 1, 2)  # attitude at the end
    late = -R @ skew_of(f1) @ turned  # acceleration there
    for slope, R_k, third in ((old, x.R, 1 / 3), (new, R, 1 / 6)):
        slope[:, SPEED, :3], slope[:, PLACE, :3] = -h / 2 * R_k, -(h**2) * third * R_k
        slope[:, ANGLE, 3:], slope[:, SPEED, 3:], slope[:, PLACE, 3:] = turned, h / 2 * late, h**2 / 6 * late
    F[:, :, BIASES] += old + new
    F[:, :, NOISE] = old
    new[:, NOISE] = np.eye(6)
    spread = nodes.noise**2 * (nodes.period / dt)  # (n, 6); samples that are interpolated share their noise
    Q = (new * spread[:, None]) @ np.swapaxes(new, 1, 2)
    Q[:, BIASES, BIASES] += h * np.diag(nodes.drift**2)
    return ahead, F, Q
