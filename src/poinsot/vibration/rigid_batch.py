"""M and K of a mechanism in the coordinates of its pose, for many poses and parameter sets in one native call.

With the coordinates s of the pose as the independent ones, ṡ = J v, all that a sample needs comes from one factor:

    B = [C; J]⁻¹ [0; 1],    [λ; τ] = [C; J]⁻ᵀ Q,    M_i = BᵀMB,    K_i = −Bᵀ ∂(Q − Cᵀλ)/∂q N B

Coordinates are measured by the machine's size or the radian. What the factor leaves open tells which samples are not
to be trusted: singular poses, and redundant joints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.elements.frame import Frame
from poinsot.engine import kernel
from poinsot.model.assembly.constraints import row_lengths
from poinsot.model.assembly.turns import winds
from poinsot.model.mechanism import Mechanism
from poinsot.motion.driven import Driven, driven
from poinsot.statics.point import Given, Point
from poinsot.statics.residual import balance
from poinsot.system.scaled_rank import Sizes, rank_of
from poinsot.system.system import System, start, system
from poinsot.vibration.equations import batch_functions, place_twist
from poinsot.vibration.linear_model.rigid import BALANCED, choose_locked

if TYPE_CHECKING:
    from poinsot.model.assembly.assembly import Assembly

STRIDE = 0.25  # of a coordinate, in one step towards a pose  [rad or of the machine's size]
TURNED, FINER = 0.5, 8  # change of an answer in one step that may be one of branch; how many times finer steps get
Placed = tuple[np.ndarray, np.ndarray, np.ndarray]  # coordinates (N, nq), reached, perhaps on another branch (N,)
HELD = 1e-6  # of the largest force along a coordinate, up to which actuators hold it
EXACT = 1e-10  # what the factor of a sample may leave of constraints and forces, at their natural sizes


@dataclass(frozen=True, eq=False)
class Batched:
    """Matrices of N samples in k coordinates; those that are not good hold no meaning."""

    M: np.ndarray  # (N, k, k)
    K: np.ndarray  # (N, k, k)
    T: np.ndarray  # (N, 6, k) twist of a place, if one was asked for
    reached: np.ndarray  # (N,)
    good: np.ndarray  # (N,) reached, solved to round-off, and at rest
    unsure: np.ndarray  # (N,) reached, but to be found by other means
    Z: np.ndarray | None = None  # (N, d, k) motions of the pose's d coordinates that locked actuators leave

    @property
    def failed(self) -> tuple[int, int]:
        """How many samples are not reachable, and how many not at rest."""
        return int(np.sum(~self.reached)), int(np.sum(self.reached & ~self.good & ~self.unsure))


def prescribes(mechanism: Mechanism, names: tuple[str, ...], parameters: tuple[str, ...]) -> bool:
    """Whether named coordinates prescribe all freedoms at home, and a Newton step from there can be taken."""
    compiled = system(mechanism, "joint", parameters)
    sizes, C = Sizes.of(compiled), compiled.dynamics.jacobian_at_home
    freedom = len(sizes.speeds) - rank_of(C * sizes.speeds / sizes.rows[:, None])
    if not names or freedom != len(names):
        return False
    if len(C) + freedom == len(sizes.speeds):
        return True
    home = start(mechanism, None)  # equations that depend on each other here, or everywhere
    p = compiled.parameters(mechanism, home.poses)
    moved, _ = driven(compiled, names).newton(compiled.coordinates(home, p), np.zeros(len(names)), p)
    return bool(np.isfinite(moved).all())


class BatchMatrices:
    """Matrices of a mechanism over poses that prescribe all its freedoms, and over parameters."""

    def __init__(self, mechanism: Mechanism, names: tuple[str, ...], parameters: tuple[str, ...], locked: Any):
        self.begin = begin = start(mechanism, None)
        self.compiled: System = system(mechanism, "joint", parameters)
        self.p = self.compiled.parameters(mechanism, begin.poses)
        self.q = self.compiled.coordinates(begin, self.p)
        self.drive: Driven = driven(self.compiled, names)
        self.columns = [self.compiled.equations.symbols.names.index(name) for name in parameters]
        functions, nu = balance(self.compiled), self.compiled.equations.u.size1()
        self.drives = functions.sizes.drives
        given = Given(np.zeros(nu), tuple(range(nu)), (), np.zeros(0), functions.rests(self.q, self.p), self.p)
        point = Point(functions, self.q, given)
        self.held = choose_locked(mechanism.elements, point, locked)
        written = batch_functions(self.compiled, names)
        self.same_pose = not set(self.columns) & set(written.facts)  # none is in constraints or coordinates
        self.hold, self.matrices = (kernel(written.functions[name]) for name in ("hold", "matrices"))

    @classmethod
    def of(
        cls, mechanism: Mechanism, names: tuple[str, ...], parameters: tuple[str, ...], locked: Any
    ) -> BatchMatrices | None:
        """The matrices of a mechanism, or None where its poses do not prescribe all freedoms of rigid bodies."""
        return cls(mechanism, names, parameters, locked) if prescribes(mechanism, names, parameters) else None

    def __call__(self, s: np.ndarray, values: np.ndarray, frame: Frame | None = None) -> Batched:
        """Matrices at poses s (N, k), or (1, k) for all, and parameter sets (N, p)."""
        return self.at(self.place(s, values), values, frame)

    @one_blas_thread()
    def place(self, s: np.ndarray, values: np.ndarray) -> Placed:
        """Coordinates at poses s (N, k) with parameter sets (N, p), or (1, p) for all."""
        p = self._parameters(values) if self.columns and not (len(s) == 1 and self.same_pose) else self.p
        return reach(self.drive, self.begin, self.q, s, p[0] if len(values) == 1 and p.ndim == 2 else p)

    def _parameters(self, values: np.ndarray) -> np.ndarray:
        """All parameters (N, …) of parameter sets (N, p)."""
        p = np.tile(self.p, (len(values), 1))
        p[:, self.columns] = values
        return p

    @one_blas_thread()
    def at(
        self, placed: Placed, values: np.ndarray, frame: Frame | None = None, near: Batched | None = None
    ) -> Batched:
        """Matrices at coordinates that were reached, of N samples or of one for all, with parameter sets (N, p).

        Motions that locked actuators leave are those of `near` where it is given, up to what the parameters change.
        """
        q, reached, turned = placed
        p = self._parameters(values) if self.columns else self.p
        count = max(len(q), len(values)) if self.columns else len(q)
        if len(q) < count:
            q, reached = q[0], np.broadcast_to(reached, (count,))
        k, samples = len(self.drive.names), count if q.ndim == 2 or p.ndim == 2 else 1
        u, rates = self._holding(q, p, samples)
        M, K, left, terms, lost = self.matrices(q, u, p)
        T = self.twist(frame)(q, p)[0] if frame is not None else np.zeros((samples, 6, k))
        M, K, T = (x.reshape(samples, -1, k) for x in (M, K, T))
        left, terms, lost = (x.reshape(samples, -1) for x in (left, terms, lost))
        solved = np.isfinite(M).all(axis=(1, 2)) & np.isfinite(K).all(axis=(1, 2)) & (lost <= EXACT**2).all(axis=1)
        rests = (np.abs(left) <= BALANCED * terms).all(axis=1)
        M, K, T, rates = (np.broadcast_to(x, (count, *x.shape[1:])) for x in (M, K, T, rates))
        solved, rests = (np.broadcast_to(x, count) for x in (solved & ~turned, rests))
        return self._unlocked(Batched(M, K, T, reached, reached & solved & rests, reached & ~solved), rates, near)

    def _unlocked(self, at: Batched, rates: np.ndarray, near: Batched | None) -> Batched:
        """The samples in the motions that locked actuators leave."""
        if not self.held:
            return at
        rows = rates[:, list(self.held)]
        if near is None:
            Z, independent = _left_free(rows)
        else:
            assert near.Z is not None
            Z = near.Z - np.linalg.pinv(rows) @ (rows @ near.Z)
            independent = np.array([True] * len(rows))
        Zt = Z.transpose(0, 2, 1)
        unsure = at.unsure | (at.reached & ~independent)
        return Batched(Zt @ at.M @ Z, Zt @ at.K @ Z, at.T @ Z, at.reached, at.good & independent, unsure, Z)

    def holding(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Least forces (N, nu) of the actuators that hold coordinates q (N, nq) at rest, springs with the rest "pose"
        being relaxed there, and which of them they hold (N,)  [N or N·m]."""
        u, rates = self._holding(q, self.p, len(q))
        force = self.hold(q, self.p)[0].reshape(len(q), -1)
        left = force + np.einsum("nuk,nu->nk", rates, u * self.drives)
        size = np.max(np.abs(force), axis=1, keepdims=True)
        return u, np.all(np.abs(left) <= HELD * size, axis=1)

    def _holding(self, q: np.ndarray, p: np.ndarray, samples: int) -> tuple[np.ndarray, np.ndarray]:
        """Least forces u (N, nu) of the actuators that hold each sample at rest, and their rates J_a B (N, nu, k) at
        natural sizes."""
        k, nu = len(self.drive.names), len(self.compiled.commands)
        if not nu:
            return np.zeros((samples, 0)), np.zeros((samples, 0, k))
        force, rates = self.hold(q, p)
        force, rates = force.reshape(samples, k), rates.reshape(samples, nu, k)
        rates = np.nan_to_num(rates, posinf=0.0, neginf=0.0) / self.drives[:, None]
        if not np.any(force):
            return np.zeros((samples, nu)), rates
        force, across = np.nan_to_num(force, posinf=0.0, neginf=0.0)[..., None], rates.transpose(0, 2, 1)
        inverse = np.linalg.pinv(across, rcond=1e-10)
        u = -(inverse @ force)
        u = u - inverse @ (force + across @ u)  # small forces keep their digits beside large ones
        return u[..., 0] / self.drives, rates

    def twist(self, frame: Frame) -> Any:
        """(q, p) -> twist (6, k) of a place in world axes, per rate of the coordinates."""
        return place_twist(self.compiled, frame.body, frame.name, self.drive.names)


def _left_free(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Motions (N, k, f) that locked actuators (N, h, k) leave, and where these do not depend on each other (N,)."""
    h, k = rows.shape[1:]
    _, size, Vt = np.linalg.svd(rows)
    independent = size[:, -1] > 1e-10 * size[:, 0] if h <= k else np.zeros(len(rows), bool)
    return Vt[:, h:].transpose(0, 2, 1), independent


def reach(drive: Driven, begin: Assembly, q0: np.ndarray, s: np.ndarray, p: np.ndarray) -> Placed:
    """Coordinates (N, nq) at poses s (N, k), straight from q0, those of the pose `begin`, in small steps; which of
    them were reached, and which on a branch that may be another one (N,).

    Whole turns are walked where they are another pose of the machine, and otherwise added in the end.
    """
    size = begin.size
    lengths = np.where(drive.turns, 1.0, size)
    units = np.concatenate([row_lengths(drive.compiled.outline.rows, size), lengths])
    now = drive.values(begin, q0, p if p.ndim == 1 else p[0])
    walked = ~drive.turns | winds(drive.compiled.mechanism.elements)
    turns = np.where(walked, 0.0, 2 * np.pi * np.rint((s - now) / (2 * np.pi)))
    way = s - now - turns
    steps = max(1, int(np.ceil(np.max(np.abs(way / lengths), initial=0.0) / STRIDE)))
    q, reached, turned = _walk(drive, q0, now, way, p, units, steps)
    for finer in (FINER * steps, FINER**2 * steps):
        again = np.flatnonzero(turned & reached if finer > FINER * steps else turned | ~reached)
        if len(again):
            own = p if p.ndim == 1 else p[again]
            q[again], reached[again], turned[again] = _walk(drive, q0, now, way[again], own, units, finer)
    for name, column in zip(drive.names, turns.T):
        at = drive.compiled.reading.angles.get(drive.compiled.mechanism.elements.coordinates[name])
        if at is not None:
            q[:, at] += column
    return q, reached, turned


def _walk(
    drive: Driven, q0: np.ndarray, now: np.ndarray, way: np.ndarray, p: np.ndarray, units: np.ndarray, steps: int
) -> tuple[np.ndarray, ...]:
    """Newton at every step of the way, coarse in between, to round-off at the end; gaps are measured by units."""
    q = np.tile(q0, (len(way), 1))
    before, turned = drive.answers(q, p)[0], np.zeros(len(way), bool)
    for step in range(1, steps + 1):
        target = now + way * (step / steps)
        goal = 1e-4 if step < steps else 1e-13
        for _ in range(4 if step < steps else 12):
            moved, gap = drive.newton(q, target, p)
            error = np.max(np.abs(gap / units), axis=1)
            if np.all(~(error > goal)):
                break
            q = np.where((error > goal)[:, None], moved, q)
        after = drive.answers(q, p)[0]
        change, least = _squares(after - before), np.minimum(_squares(before), _squares(after))
        turned |= ~np.all(change <= TURNED**2 * least, axis=1)
        before = after
    _, gap = drive.newton(q, target, p)
    return q, np.max(np.abs(gap / units), axis=1) < 1e-11, turned


def _squares(answers: np.ndarray) -> np.ndarray:
    """Squares of the lengths of columns (N, k)."""
    return np.sum(answers**2, axis=1)
