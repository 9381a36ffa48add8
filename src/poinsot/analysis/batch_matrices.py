"""M and K of a mechanism in the coordinates of its pose, for many poses and parameter sets in one native call.

With the coordinates s of the pose as the independent ones, ṡ = J v, all that a sample needs comes from one factor:

    B = [C; J]⁻¹ [0; 1],    [λ; τ] = [C; J]⁻ᵀ Q,    M_i = BᵀMB,    K_i = −Bᵀ ∂(Q − Cᵀλ)/∂q N B
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from poinsot.analysis.balance import Given, Point, balance
from poinsot.analysis.kinematics import Driven, driven
from poinsot.analysis.small_rigid import BALANCED, choose_locked
from poinsot.analysis.system import System, start, system
from poinsot.blas import one_blas_thread
from poinsot.elements.frame import Frame
from poinsot.engine import kernel
from poinsot.model.mechanism import Mechanism
from poinsot.spatial.motion import carry_twist

__all__ = ["BatchMatrices", "Batched"]

STRIDE = 0.25  # of a coordinate, in one step towards a pose  [rad or of the machine's size]


@dataclass(frozen=True, eq=False)
class Batched:
    """Matrices of N samples in k coordinates; those that are not good hold no meaning."""

    M: np.ndarray  # (N, k, k)
    K: np.ndarray  # (N, k, k)
    T: np.ndarray  # (N, 6, k) twist of a place, if one was asked for
    reached: np.ndarray  # (N,)
    good: np.ndarray  # (N,) reached and at rest
    skew: float = 0.0  # largest |K − Kᵀ| of those that are good, as a fraction of |K|

    @property
    def failed(self) -> tuple[int, int]:
        """How many samples are not reachable, and how many not at rest."""
        return int(np.sum(~self.reached)), int(np.sum(self.reached & ~self.good))


class BatchMatrices:
    """Matrices of a mechanism over poses that prescribe all its freedoms, and over parameters."""

    def __init__(self, mechanism: Mechanism, names: tuple[str, ...], parameters: tuple[str, ...], actuators: Any):
        begin = start(mechanism, None)
        self.size = begin.size
        self.compiled: System = system(mechanism, "joint", parameters)
        self.p = self.compiled.parameters(mechanism, begin.poses)
        self.q = self.compiled.coordinates(begin, self.p)
        self.drive: Driven = driven(self.compiled, names)
        self.columns = [self.compiled.equations.symbols.names.index(name) for name in parameters]
        functions, nu = balance(self.compiled), self.compiled.equations.u.size1()
        given = Given(np.zeros(nu), tuple(range(nu)), (), np.zeros(0), functions.rests(self.q, self.p), self.p)
        point = Point(functions, self.q, given)
        self.held = choose_locked(mechanism.elements, point, actuators)
        self.same_pose = not self._moves_the_pose()
        self.hold, self.matrices = _functions(self.compiled, self.drive)

    @classmethod
    def of(
        cls, mechanism: Mechanism, names: tuple[str, ...], parameters: tuple[str, ...], actuators: Any
    ) -> BatchMatrices | None:
        """The matrices of a mechanism, or None where its poses do not prescribe all freedoms of rigid bodies."""
        _, n, m, _ = system(mechanism, "joint", parameters).equations.sizes
        return cls(mechanism, names, parameters, actuators) if names and n - m == len(names) else None

    def _moves_the_pose(self) -> bool:
        """Whether a parameter of the batch enters constraints or coordinates."""
        import casadi

        slopes = casadi.jacobian(self.drive.equations.gap, self.compiled.equations.p)
        return bool(set(self.columns) & set(slopes.sparsity().get_triplet()[1]))

    @one_blas_thread()
    def __call__(self, s: np.ndarray, values: np.ndarray, frame: Frame | None = None) -> Batched | None:
        """Matrices at poses s (N, k), or (1, k) for all, and parameter sets (N, p); None where a lock is singular."""
        p: np.ndarray = self.p
        if self.columns:
            p = np.tile(self.p, (len(values), 1))
            p[:, self.columns] = values
        q, reached = reach(self.drive, self.q, s, p if len(s) > 1 or not self.same_pose else self.p, self.size)
        count = max(len(s), len(values)) if self.columns else len(s)
        if len(s) < count:
            q, reached = q[0], np.broadcast_to(reached, (count,))
        k, samples = s.shape[1], count if q.ndim == 2 or p.ndim == 2 else 1
        u, rates = self._holding(q, p, samples)
        M, K, squares = self.matrices(q, u, p)
        T = self.twist(frame)(q, p)[0] if frame is not None else np.zeros((samples, 6, k))
        M, K, T = (x.reshape(samples, -1, k) for x in (M, K, T))
        M, K, T, rates = (np.broadcast_to(x, (count, *x.shape[1:])) for x in (M, K, T, rates))
        M2, K2, skew2, left2, force2 = squares.reshape(samples, 5).T
        good = reached & np.isfinite(M2 + K2) & (left2 <= BALANCED**2 * np.maximum(K2, force2))
        skew = float(np.sqrt(np.max(np.where(good & (K2 > 0), skew2 / np.where(K2 > 0, K2, 1.0), 0.0), initial=0.0)))
        if not self.held:
            return Batched(M, K, T, reached, good, skew)
        Z = _left_free(rates[:, list(self.held)], good)
        if Z is None:
            return None
        Zt = Z.transpose(0, 2, 1)
        return Batched(Zt @ M @ Z, Zt @ K @ Z, T @ Z, reached, good, skew)

    def _holding(self, q: np.ndarray, p: np.ndarray, samples: int) -> tuple[np.ndarray, np.ndarray]:
        """Least forces u (N, nu) of the actuators that hold each sample at rest, and their rates J_a B (N, nu, k)."""
        k, nu = len(self.drive.names), len(self.compiled.commands)
        if not nu:
            return np.zeros((samples, 0)), np.zeros((samples, 0, k))
        force, rates = self.hold(q, p)
        force, rates = force.reshape(samples, k), rates.reshape(samples, nu, k)
        if not np.any(force):
            return np.zeros((samples, nu)), rates
        inverse = np.linalg.pinv(np.nan_to_num(rates).transpose(0, 2, 1), rcond=1e-10)
        return -(inverse @ np.nan_to_num(force)[..., None])[..., 0], rates

    def twist(self, frame: Frame) -> Any:
        """(q, p) -> twist (6, k) of a place in world axes, per rate of the coordinates."""
        import casadi

        key = ("batch twist", frame.label, *self.drive.names)
        if key not in self.compiled._kernels:
            e = self.compiled.equations
            own = next((f for f in self.compiled.elements.bodies[frame.body].frames if f.name == frame.name), frame)
            V = carry_twist(own.pose(), e.twists[frame.body])
            R = casadi.SX(e.poses[frame.body].R @ own.pose().R)
            world = casadi.vertcat(R @ casadi.SX(V.v), R @ casadi.SX(V.w))
            still = casadi.substitute(casadi.jacobian(world, e.v), e.v, casadi.SX.zeros(e.v.shape))
            T = casadi.densify(still @ _basis(self.compiled, self.drive))
            self.compiled._kernels[key] = kernel(casadi.Function("twist", [e.q, e.p], [T]))
        return self.compiled._kernels[key]


def _left_free(rows: np.ndarray, good: np.ndarray) -> np.ndarray | None:
    """Motions (N, k, f) that locked actuators (N, h, k) leave; None where they depend on each other."""
    h, k = rows.shape[1:]
    if h > k:
        return None
    _, size, Vt = np.linalg.svd(np.where(np.isfinite(rows), rows, 0.0))
    return None if np.any(size[good, -1] < 1e-10 * size[good, 0]) else Vt[:, h:].transpose(0, 2, 1)


def _basis(compiled: System, drive: Driven) -> Any:
    """B (nv, k): all speeds per rate of the coordinates."""
    import casadi

    k, m = len(drive.names), compiled.equations.phi.size1()
    right = casadi.vertcat(casadi.SX(m, k), casadi.SX.eye(k))
    return drive.equations.solve(right)


def _functions(compiled: System, drive: Driven) -> tuple[Any, Any]:
    """(q, p) -> forces along the coordinates and rates of the actuators; (q, u, p) -> M_i, K_i and sums of squares of
    M_i, K_i, K_i − K_iᵀ, of the forces that are left and of those without actuators."""
    import casadi

    key = ("batch matrices", *drive.names)
    if key not in compiled._kernels:
        e, b = compiled.equations, balance(compiled)
        k, m, n = len(drive.names), e.phi.size1(), e.v.size1()
        columns = _basis(compiled, drive)
        Q, J_a = casadi.substitute([b.Q, b.J_a], [b.rho], [b.read])
        idle = casadi.substitute(Q, e.u, casadi.SX.zeros(e.u.shape))
        hold = casadi.Function("hold", [e.q, e.p], [columns.T @ idle, casadi.densify(J_a @ columns)])
        B = casadi.SX.sym("B", n, k)
        slopes = [casadi.jtimes(b.Q - b.C.T @ b.lam, e.q, b.N @ B[:, j]) for j in range(k)]
        lam = drive.equations.multipliers(Q)[:m, :]
        KB = casadi.substitute(casadi.horzcat(*slopes), b.rho, b.read)
        KB = -casadi.substitute([KB], [b.lam, B], [lam, columns])[0]
        M, K = columns.T @ e.M @ columns, columns.T @ KB
        squares = casadi.vertcat(*(casadi.sumsqr(x) for x in (M, K, K - K.T, columns.T @ Q, columns.T @ idle)))
        outputs = [casadi.densify(x) for x in (M, K, squares)]
        matrices = casadi.Function("matrices", [e.q, e.u, e.p], outputs)
        compiled._kernels[key] = kernel(hold), kernel(matrices)
    return compiled._kernels[key]


def reach(drive: Driven, q0: np.ndarray, s: np.ndarray, p: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates (N, nq) at poses s (N, k), in small steps from q0, and which of them were reached (N,)."""
    k = s.shape[1]
    _, gap = drive.newton(q0, np.zeros(k), p if p.ndim == 1 else p[0])
    now = gap[-k:]
    way = np.where(drive.turns, np.remainder(s - now + np.pi, 2 * np.pi) - np.pi, s - now)
    far = np.max(np.abs(way / np.where(drive.turns, 1.0, size)), initial=0.0)
    q, reached = _walk(drive, q0, now, way, p, size, max(1, int(np.ceil(far / STRIDE))))
    if not reached.all():
        lost = np.flatnonzero(~reached)
        own = p if p.ndim == 1 else p[lost]
        steps = 8 * max(1, int(np.ceil(far / STRIDE)))
        q[lost], reached[lost] = _walk(drive, q0, now, way[lost], own, size, steps)
    return q, reached


def _walk(
    drive: Driven, q0: np.ndarray, now: np.ndarray, way: np.ndarray, p: np.ndarray, size: float, steps: int
) -> tuple[np.ndarray, np.ndarray]:
    """Newton at every step of the way, coarse in between, to round-off at the end."""
    q = np.tile(q0, (len(way), 1))
    for step in range(1, steps + 1):
        target = now + way * (step / steps)
        goal = 1e-4 if step < steps else 1e-12
        for _ in range(4 if step < steps else 12):
            moved, gap = drive.newton(q, target, p)
            error = np.max(np.abs(gap), axis=1)
            if np.all(~(error > goal * max(size, 1.0))):
                break
            q = moved
    _, gap = drive.newton(q, target, p)
    return q, np.max(np.abs(gap), axis=1) < 1e-11 * max(size, 1.0)
