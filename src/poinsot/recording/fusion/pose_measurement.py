"""What encoders and closed loops say about the pose X_WB of one body, all other coordinates eliminated.

With X̂ the pose of the state, X = X̂ Exp(ξ) the true one, and coordinates q near it, to first order

    J δq = ε + ξ,   ε = log(X_WB(q)⁻¹ X̂)        C δq = −Φ        H δq + n = y − h(q)

Rows N of the left null space of [J; C; H] do not see δq:  Nᵀ[ε + ξ; −Φ; y − h − n] = 0, so that

    z = −N_Jᵀ ε + N_Cᵀ Φ − N_Hᵀ (y − h) = N_Jᵀ ξ − N_Hᵀ n                          (theory/measurements, eq. 9)

is a measurement of ξ alone, of covariance N_Hᵀ R N_H. Where loops leave a body less than six freedoms some rows have
no noise: loops are exact measurements. Encoders of coordinates that the body does not share drop out by themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial.transform import Rotation

from poinsot.model.assembly.constraints import row_lengths
from poinsot.model.mechanism import Mechanism
from poinsot.recording.fusion.equations import pose_rows
from poinsot.system.functions import displaced_states
from poinsot.system.scales import natural_speeds
from poinsot.system.system import System, system

__all__ = ["PoseMeasurement", "log_pose", "pose_measurement"]

RANK = 1e-9  # of the largest singular value, in natural sizes
WEIGHTS = 1.0, 1e-3, 1e-6  # of loops, pose and encoders where they contradict each other
STEPS, SMALL = 30, 1e-11  # of Newton's method, in natural sizes


@dataclass(frozen=True, eq=False)
class PoseMeasurement:
    """Encoders and loops of a mechanism as measurements of one body's pose."""

    system: System
    body: str
    encoders: tuple[str, ...]  # e sensors
    p: np.ndarray
    size: float  # of the machine  [m]

    @cached_property
    def scales(self) -> tuple[np.ndarray, np.ndarray]:
        """Natural sizes of the columns (nv,) and of the rows (6 + m + e,)."""
        sensors = (self.system.mechanism.sensors[name].on for name in self.encoders)
        read = [self.size if on is not None and on.unit == "m" else 1.0 for on in sensors]
        loops = row_lengths(self.system.outline.all_rows, self.size)
        return natural_speeds(self.system, self.size), np.concatenate([[self.size] * 3, [1.0] * 3, loops, read])

    @cached_property
    def turning(self) -> np.ndarray:
        """Which encoders read angles up to whole turns (e,)."""
        sensors = (self.system.mechanism.sensors[name].on for name in self.encoders)
        return np.array([on is not None and on.unit == "rad" and not self.system.counts(on) for on in sensors], bool)

    def linear(self, q: np.ndarray, R: np.ndarray, p: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """[J; C; H] (n, 6 + m + e, nv) and its right-hand sides [ε; −Φ; y − h], in natural sizes."""
        place, J, phi, C, h, H = pose_rows(self.system, self.body, self.encoders)(q, self.p)
        n, nv = len(q), self.system.sizes[1]
        A = np.concatenate([part.reshape(n, -1, nv) for part in (J, C, H)], axis=1)
        away = y - h.reshape(n, -1)
        away[:, self.turning] -= 2 * np.pi * np.round(away[:, self.turning] / (2 * np.pi))
        place = place.reshape(n, 12)
        b = np.concatenate(
            [log_pose(place[:, 3:].reshape(n, 3, 3), place[:, :3], R, p), -phi.reshape(n, -1), away], 1
        )
        columns, rows = self.scales
        A *= columns / rows[:, None]
        return A, b / rows

    @cached_property
    def square(self) -> bool:
        """Whether pose and loops tell all coordinates, and no more than that."""
        q = self.system.coordinates(self.system.home, self.p)[None]
        A, _ = self.linear(q, np.eye(3)[None], np.zeros((1, 3)), np.zeros((1, len(self.encoders))))
        A = A[0, : A.shape[1] - len(self.encoders)]
        return A.shape[0] == A.shape[1] == np.linalg.matrix_rank(A, RANK * np.linalg.norm(A))

    def follow(
        self, q: np.ndarray, R: np.ndarray, p: np.ndarray, y: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Coordinates (n, nq) nearest to poses R (n, 3, 3), p (n, 3), loops closed, and the linear rows there.

        Encoders y (n, e) tell those coordinates that the pose does not.
        """
        known = np.isfinite(y)
        y, e = np.where(known, y, 0.0), len(self.encoders)
        m = len(self.scales[1]) - 6 - e
        weight = np.repeat(np.array([WEIGHTS[1], WEIGHTS[0], WEIGHTS[2]]), [6, m, e])
        weight = np.broadcast_to(weight, (len(q), len(weight))).copy()
        weight[:, 6 + m :] *= known
        for _ in range(STEPS):
            A, b = self.linear(q, R, p, y)
            if self.square:
                step = np.linalg.solve(A[:, : 6 + m], b[:, : 6 + m, None])[..., 0]
            else:
                step = (np.linalg.pinv(A * weight[:, :, None], rcond=1e-12) @ (b * weight)[:, :, None])[..., 0]
            if np.max(np.abs(step)) < SMALL:
                break
            q = displaced_states(self.system, q, step * self.scales[0], self.p)
        return q, A, b

    def measured(
        self, A: np.ndarray, b: np.ndarray, y: np.ndarray, noise: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """z (n, k), N_J (n, k, 6) and variances (n, k) of independent measurements, from the rows at n poses.

        Rows of zeros, of variance 1, stand for what is not measured.
        """
        sigma, known = noise / self.scales[1][len(self.scales[1]) - len(self.encoders) :], np.isfinite(y)
        if self.square:
            z, N_J = self._solved(A, b)
            return np.where(known, z, 0.0), np.where(known[..., None], N_J, 0.0), np.where(known, sigma**2, 1.0)
        z, N_J, variance = np.zeros((len(A), 0)), np.zeros((len(A), 0, 6)), np.ones((len(A), 0))
        patterns, which = np.unique(known, axis=0, return_inverse=True)
        for number, pattern in enumerate(patterns):
            rows = np.concatenate([np.ones(A.shape[1] - len(pattern), bool), pattern])
            at = np.flatnonzero(which.ravel() == number)
            U, s, _ = np.linalg.svd(A[at][:, rows])
            ranks = np.sum(s > RANK * s[:, :1], axis=1)
            for rank in np.unique(ranks):
                same = ranks == rank
                found = self._projected(np.swapaxes(U[same][:, :, rank:], 1, 2), b[at[same]][:, rows], sigma[pattern])
                more = max(0, found[0].shape[1] - z.shape[1])
                z, N_J = (np.pad(x, [(0, 0), (0, more)] + [(0, 0)] * (x.ndim - 2)) for x in (z, N_J))
                variance = np.pad(variance, [(0, 0), (0, more)], constant_values=1.0)
                for whole, part in zip((z, N_J, variance), found):
                    whole[at[same], : part.shape[1]] = part
        return z, N_J, variance

    def _solved(self, A: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Encoders as functions of the pose: H [J; C]⁻¹ (n, e, 6)."""
        m = A.shape[2]
        N = np.linalg.solve(np.swapaxes(A[:, :m], 1, 2), np.swapaxes(A[:, m:], 1, 2))
        z = b[:, m:] - np.einsum("nij,ni->nj", N, b[:, :m])
        return z, np.swapaxes(N[:, :6], 1, 2) / self.scales[1][:6]

    def _projected(self, N: np.ndarray, b: np.ndarray, sigma: np.ndarray) -> tuple[np.ndarray, ...]:
        """What the left null space N (n, k, rows) tells, turned so that the noise of its rows is independent."""
        N_H = N[:, :, N.shape[2] - len(sigma) :] * sigma
        variance, turn = np.linalg.eigh(N_H @ np.swapaxes(N_H, 1, 2))
        N = np.swapaxes(turn, 1, 2) @ N
        variance = np.where(variance < (RANK * np.max(sigma, initial=0.0)) ** 2, 0.0, variance)  # loops are exact
        blind = np.linalg.norm(N[:, :, :6], axis=2) < RANK  # rows that compare encoders with each other
        z = np.where(blind, 0.0, -np.einsum("nki,ni->nk", N, b))
        N_J = np.where(blind[..., None], 0.0, N[:, :, :6] / self.scales[1][:6])
        return z, N_J, np.where(blind, 1.0, variance)


def log_pose(R_A: np.ndarray, p_A: np.ndarray, R_B: np.ndarray, p_B: np.ndarray) -> np.ndarray:
    """ε (n, 6): from poses A to poses B, displacement and rotation vector in the axes of A, to first order."""
    back = np.swapaxes(R_A, -1, -2)
    angle = Rotation.from_matrix(back @ R_B).as_rotvec()
    return np.concatenate([np.einsum("nij,nj->ni", back, p_B - p_A), angle], axis=1)


def pose_measurement(mechanism: Mechanism, body: str, encoders: tuple[str, ...]) -> PoseMeasurement:
    """What the named encoders say about a body's pose."""
    compiled = system(mechanism)
    return PoseMeasurement(compiled, body, encoders, compiled.parameters(mechanism), compiled.home.size)
