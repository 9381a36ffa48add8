"""Criterion and limits of a motion as functions of its numbers z, with exact gradients.

s = B(t) c ,  c = c* + u z        J(F(c)) ,   dJ = 2 Σ_n ⟨R⁻¹ M_n G, dM_n⟩        (theory/design, eq. 22)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.engine.nonlinear_program import NonlinearProgram, solve_program
from poinsot.experiment.excitation.centre import centre_of
from poinsot.experiment.excitation.machine import DrivenMachine, DrivenStates
from poinsot.experiment.excitation.restrictions import KEPT, Restrictions
from poinsot.experiment.excitation.shapes import Shape
from poinsot.experiment.excitation.slopes import NORM, value_and_slope

if TYPE_CHECKING:
    from poinsot.experiment.excitation.information import Information

WEAK = 100.0  # standard error in sizes of an unknown, beyond which it makes no difference: the regularisation
GAIN, PATIENCE = 1e-3, 40  # of the criterion, which a motion must gain in so many steps


class Settled(Exception):
    """A motion gains no more."""


@dataclass(frozen=True, eq=False)
class ExcitationProgram:
    """Motions of one family by a machine: k coordinates with m numbers each, n samples."""

    machine: DrivenMachine
    shape: Shape
    information: Information
    restrictions: Restrictions
    criterion: str
    rate: float  # of measurements  [Hz]
    norm: int = NORM  # p of what stands for a largest or smallest number

    @cached_property
    def t(self) -> np.ndarray:
        """Times (n,) of a search  [s]."""
        return self.shape.grid

    @cached_property
    def B(self) -> np.ndarray:
        """The family and its derivatives (3, n, m)."""
        return self.shape.at(self.t)

    @cached_property
    def weight(self) -> np.ndarray:
        """Measured samples that each sample (n,) of the search stands for."""
        begin, end = self.shape.measured
        return self.inside * (self.rate * (end - begin) / max(np.count_nonzero(self.inside), 1))

    @cached_property
    def inside(self) -> np.ndarray:
        """Which samples (n,) of the search are measured; they are at equal times."""
        return self.measured(self.t)

    def measured(self, t: np.ndarray) -> np.ndarray:
        """Which times (n,) are in the part that is measured."""
        begin, end = self.shape.measured
        return (t >= begin - 1e-9) & (t <= end + 1e-9)

    @cached_property
    def anchor(self) -> np.ndarray:
        """Numbers (k, m) of standing still where there is room inside the limits."""
        found = np.zeros((len(self.machine.names), self.shape.count))
        found[:, 0] = centre_of(self.machine, self.restrictions)
        return found

    @cached_property
    def unit(self) -> np.ndarray:
        """Sizes u (k, m) of the numbers: what each of them may be by itself."""
        largest = np.maximum(np.max(np.abs(self.B), axis=1), 1e-12)  # (3, m)
        found = np.repeat(self.machine.targets[:, None], self.shape.count, axis=1) / largest[0]
        for limit, j, d in self.restrictions.driven:
            room = max(abs(limit.lower), abs(limit.upper)) if d else (limit.upper - limit.lower) / 2
            if np.isfinite(room):
                found[j] = np.minimum(found[j], np.where(largest[d] > 1e-9, room / largest[d], np.inf))
        return found

    def signals(self, c: np.ndarray, B: np.ndarray | None = None) -> np.ndarray:
        """s, ṡ, s̈ (3, …, n, k) of numbers (…, k, m)."""
        B = self.B if B is None else B
        return np.moveaxis(np.einsum("dnm,...km->...dnk", B, c), -3, 0)

    @one_blas_thread()
    def gram(self, at: DrivenStates, motions: int = 1) -> np.ndarray:
        """F (motions, b, b), relative to sizes, with what is known already and the regularisation."""
        M = self.columns(at).reshape(motions, -1, len(self.information.chosen))
        return np.swapaxes(M, 1, 2) @ M + self.known

    @cached_property
    def known(self) -> np.ndarray:
        """F₀ (b, b) and the regularisation."""
        return self.information.before + np.eye(len(self.information.chosen)) / WEAK**2

    def columns(self, at: DrivenStates) -> np.ndarray:
        """R^-½ M (N, c, b) of samples, N of n of some motions, each with its weight."""
        W = self.machine.regressor(at) @ self.information.scaled
        weight = np.tile(np.sqrt(self.weight), len(at.q) // len(self.t))
        return W * weight[:, None, None] / self.information.sigma[:, None]

    def along(self, c: np.ndarray) -> tuple[DrivenStates, np.ndarray]:
        """States of many motions (N, k, m), one after another, and the largest violation (N,) over widths."""
        s = self.signals(c)
        N, n = s.shape[1:3]
        at = self.machine.along(s.reshape(3, N * n, -1))
        values = self.restrictions.values(self.machine, at).reshape(N, n, -1)
        worst = np.max(self.restrictions.excess(values), axis=1, initial=0.0)
        if self.restrictions.speeds:
            worst = np.maximum(worst, np.max(1 - self.restrictions.met(s[1][:, self.inside]), axis=-1))
        return at, np.where(at.reached.reshape(N, n).all(axis=1), worst, np.inf)

    def costs(self, at: DrivenStates) -> np.ndarray:
        """The criterion (N,) of motions one after another; infinite where it is no number."""
        F = self.gram(at, len(at.q) // len(self.t))
        return np.array(
            [value_and_slope(self.criterion, f, self.norm)[0] if np.isfinite(f).all() else np.inf for f in F]
        )


@dataclass(eq=False)
class MotionPoint:
    """Everything at one set of numbers z (k·m,), made when it is first asked for."""

    program: ExcitationProgram
    z: np.ndarray
    near: DrivenStates | None  # a motion that is near

    @cached_property
    def c(self) -> np.ndarray:
        """Numbers (k, m)."""
        return self.program.anchor + self.program.unit * self.z.reshape(self.program.unit.shape)

    @cached_property
    def at(self) -> DrivenStates:
        """States (n)."""
        s = self.program.signals(self.c)
        found = self.program.machine.along(s, self.near)
        return found if found.reached.all() or self.near is None else self.program.machine.along(s)

    @cached_property
    def good(self) -> bool:
        """Whether the mechanism can move so."""
        return bool(self.at.reached.all())

    @cached_property
    def _criterion(self) -> tuple[float, np.ndarray]:
        return value_and_slope(self.program.criterion, self.program.gram(self.at)[0], self.program.norm)

    @cached_property
    def cost(self) -> float:
        """The criterion."""
        return self._criterion[0] if self.good else np.nan

    @cached_property
    @one_blas_thread()
    def gradient(self) -> np.ndarray:
        """Of the criterion (k·m,)."""
        program, info = self.program, self.program.information
        Y = 2 * program.columns(self.at) @ self._criterion[1] @ info.scaled.T
        Y *= np.sqrt(program.weight)[:, None, None] / info.sigma[:, None]
        by_s = program.machine.regressor_gradient(self.at, Y)
        return (np.einsum("dnk,dnm->km", by_s, program.B) * program.unit).ravel()

    @cached_property
    def _limits(self) -> tuple[np.ndarray, np.ndarray]:
        return self.program.restrictions.slopes(self.program.machine, self.at)

    @cached_property
    def rows(self) -> np.ndarray:
        """Limits (n·r,) over their widths, then targets of speed."""
        return np.append((self._limits[0] / self.program.restrictions.width).ravel(), self._speeds[0])

    @cached_property
    def row_slopes(self) -> np.ndarray:
        """The same by z (n·r + …, k·m)."""
        program = self.program
        by_s = self._limits[1] / program.restrictions.width[:, None]
        found = np.einsum("dnrk,dnm->nrkm", by_s, program.B) * program.unit
        return np.concatenate([found.reshape(-1, len(self.z)), self._speeds[1]])

    @cached_property
    def _speeds(self) -> tuple[np.ndarray, np.ndarray]:
        """Targets of speed, and their gradients."""
        program, targets = self.program, self.program.restrictions.speeds
        rate, B = self.at.s[1][program.inside], program.B[1][program.inside]
        values, slopes = np.zeros(len(targets)), np.zeros((len(targets), *program.unit.shape))
        for i, one in enumerate(targets):
            values[i], by_rate = one.smooth(rate[:, one.j])
            slopes[i, one.j] = by_rate @ B * program.unit[one.j]
        return values, slopes.reshape(len(targets), program.unit.size)

    @cached_property
    def violation(self) -> float:
        """The largest, over widths."""
        if not self.good:
            return np.inf
        return float(np.max(self.beyond, initial=0.0))

    @property
    def beyond(self) -> np.ndarray:
        """By how much rows are violated, over widths; negative where there is room."""
        low, high = bounds(self.program)
        return np.maximum(low - self.rows, self.rows - high)

    def kept_but(self, wider: np.ndarray) -> tuple[float, float]:
        """Violation of the rows that are not `wider`, 0 where they are kept, then that of those."""
        if not self.good:
            return np.inf, np.inf
        hard, soft = (float(np.max(self.beyond[rows], initial=0.0)) for rows in (~wider, wider))
        return hard if hard > KEPT else 0.0, soft


def bounds(program: ExcitationProgram) -> tuple[np.ndarray, np.ndarray]:
    """Least and greatest values of `MotionPoint.rows`."""
    low, high = (np.tile(x, len(program.t)) for x in program.restrictions.bounds)
    speeds = [one.least for one in program.restrictions.speeds]
    return np.append(low, speeds), np.append(high, np.full(len(speeds), np.inf))


@dataclass(eq=False)
class MotionSearch:
    """One polish of a motion: points that were asked for, the best of them that keeps all limits."""

    program: ExcitationProgram
    told: Callable[[float], Any]
    last: MotionPoint | None = None
    best: MotionPoint | None = None
    patient: bool = False  # whether to go on where nothing is gained
    costs: list[float] = field(default_factory=list)  # of the best, point by point

    def at(self, z: np.ndarray) -> MotionPoint:
        """The point of numbers, from memory if it is the last one."""
        if self.last is None or not np.array_equal(self.last.z, z):
            near = next((p.at for p in (self.last, self.best) if p is not None and p.good), None)
            self.last = MotionPoint(self.program, z.copy(), near)
            self._keep(self.last)
        return self.last

    def _keep(self, point: MotionPoint) -> None:
        bound = self.best.cost if self.best else np.inf
        if point.violation <= KEPT and point.cost < bound:
            self.best = point
        self.costs.append(self.best.cost if self.best else np.inf)
        self.told(self.costs[-1])
        if not self.patient and len(self.costs) > PATIENCE and self.costs[-1 - PATIENCE] - self.costs[-1] < GAIN:
            raise Settled

    def polish(self, z: np.ndarray, iterations: int, tolerance: float) -> str:
        """Improve from numbers z (k·m,); what is wrong with the end, or nothing."""
        low, high = bounds(self.program)
        free = np.full(len(z), np.inf)
        pattern = self._pattern(len(z), len(low))
        found = NonlinearProgram(
            cost=lambda x: self.at(x).cost,
            gradient=lambda x: self.at(x).gradient,
            lower=-free,
            upper=free,
            constraints=lambda x: self.at(x).rows,
            constraint_jacobian=lambda x: self.at(x).row_slopes,
            least=low,
            greatest=high,
            pattern=pattern,
        )
        try:
            return solve_program(found, z, iterations, tolerance)[0]
        except Settled:
            return ""

    def _pattern(self, count: int, rows: int) -> Any:
        """Which rows depend on which numbers, a sparse matrix: limits of a driven coordinate on its own."""
        from scipy.sparse import csc_array

        program, (k, m) = self.program, self.program.unit.shape
        found = np.ones((rows, k, m), bool)
        own = found[: len(program.t) * program.restrictions.count].reshape(len(program.t), -1, k, m)
        for i, (_, j, _) in enumerate(program.restrictions.driven):
            own[:, i] = (np.arange(k) == j)[:, None]
        return csc_array(found.reshape(rows, count).astype(float))

    def feasible(self, z: np.ndarray, iterations: int, wider: np.ndarray | None = None) -> MotionPoint:
        """Numbers with the least largest violation: min τ with limits wider by τ on both sides, those of some rows
        (n·r + …,) or all."""
        low, high = bounds(self.program)
        wider = np.ones(len(low), bool) if wider is None else wider
        seen: list[MotionPoint] = []

        def point(x: np.ndarray) -> MotionPoint:
            found = self.at(x[:-1])
            seen[:] = [min([*seen, found], key=lambda one: one.kept_but(wider))]
            return found

        def rows(x: np.ndarray) -> np.ndarray:
            return np.concatenate([point(x).rows + wider * x[-1], point(x).rows - wider * x[-1]])

        def slopes(x: np.ndarray) -> np.ndarray:
            J, one = point(x).row_slopes, wider[:, None].astype(float)
            return np.concatenate([np.hstack([J, one]), np.hstack([J, -one])])

        far = np.full(len(low), np.inf)
        program = NonlinearProgram(
            cost=lambda x: float(x[-1]) if point(x).good else np.nan,
            gradient=lambda x: np.append(np.zeros(len(z)), 1.0),
            lower=np.append(np.full(len(z), -np.inf), -1e-3),
            upper=np.full(len(z) + 1, np.inf),
            constraints=rows,
            constraint_jacobian=slopes,
            least=np.append(low, -far),
            greatest=np.append(far, high),
        )
        begin = self.at(z).violation
        solve_program(program, np.append(z, begin if np.isfinite(begin) else 1.0), iterations, 1e-6)
        return seen[0]
