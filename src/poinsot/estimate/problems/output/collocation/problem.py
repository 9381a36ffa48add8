"""Residuals of parameters alone: states and inputs are those of least cost that obey the equations of motion.

[RᵀR  Aᵀ] [∂s/∂x]     [RᵀR_x]
[A    0 ] [  ·  ] = − [A_x  ] ,     J = R_x + R ∂s/∂x        (theory/search, eq. 29)
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import bmat, csc_matrix, eye, vstack
from scipy.sparse.linalg import splu

from poinsot.blas import one_blas_thread
from poinsot.engine.nonlinear_program import LeastSquaresProgram, solve_program
from poinsot.estimate.search.collocation import Simultaneous
from poinsot.estimate.search.problem import Space

if TYPE_CHECKING:
    from poinsot.estimate.problems.output.collocation.grid import Grid
    from poinsot.estimate.problems.output.collocation.program import Collocated, CollocatedPoint

OPEN = 1e-12  # of the mean square of slopes, added where nothing tells a state
ON = 0.01  # of a sample, within which a delay lies on a bound
PROBES = 64  # random vectors by which a trace is estimated
ITERATIONS, TOLERANCE = 100, 1e-9  # for given parameters


@dataclass
class LastPoint:
    """The last solution, from which the next is looked for."""

    variables: np.ndarray | None = None  # (n,)
    key: bytes = b""
    point: CollocatedPoint | None = None  # None: no motion was found
    slopes: tuple[np.ndarray, np.ndarray] | None = None


@dataclass(frozen=True, eq=False)
class CollocationResiduals(Simultaneous):
    """Channels of all runs in their order of time, then deviations of the inputs."""

    collocated: Collocated
    last: LastPoint = field(default_factory=LastPoint)

    def all_at_once(self, space: Space, iterations: int, tolerance: float) -> tuple[str, np.ndarray]:
        """States, inputs and parameters from the recorded motion on."""
        while True:
            near = self._near(space)
            message, variables = self._solved(near, iterations, tolerance)
            if not np.isfinite(variables).all():
                return message, space.start
            self.last.variables, p = variables, space.inside(variables[-len(space.start) :] * self.collocated.size)
            room = ON * min(run.period for run in self.grid.prepared.runs)
            above, below = (p > near.upper - room) & (near.upper < space.upper), p < near.lower + room
            if (
                message
                or not (above | (below & (near.lower > space.lower)))[len(self.grid.prepared.unknowns) :].any()
            ):
                return message, p
            space = replace(space, start=p)

    def _near(self, space: Space) -> Space:
        """The space with delays less than a sample from their start, which keeps the pattern of derivatives."""
        one, lower, upper = self.grid.prepared, space.lower.copy(), space.upper.copy()
        own, period = slice(len(one.unknowns), None), min(run.period for run in one.runs)
        lower[own] = np.maximum(lower[own], space.start[own] - period)
        upper[own] = np.minimum(upper[own], space.start[own] + period)
        return replace(space, lower=lower, upper=upper)

    def residuals(self, p: np.ndarray) -> np.ndarray:
        """(m,), NaN where no motion was found."""
        found = self.point(p)
        return np.full(self._rows, np.nan) if found is None else found.e

    def jacobian(self, p: np.ndarray) -> np.ndarray:
        """(m, k), states and inputs following."""
        return self._slopes(p)[0]

    def natural(self, p: np.ndarray) -> np.ndarray:
        """Sizes (k,) of what is summed in the columns."""
        return self._slopes(p)[1]

    def absorbed(self, p: np.ndarray) -> int:
        """As many as there are states and inputs that defects leave free, and samples that are masked."""
        nz, nw, _, defects = self.grid.sizes
        return nz + nw - defects + int(np.count_nonzero(~np.isfinite(self.grid.measured)))

    def point(self, p: np.ndarray) -> CollocatedPoint | None:
        """States and inputs of least cost for values (k,)."""
        last, key = self.last, np.asarray(p, float).tobytes()
        if last.key != key:
            held = replace(self.space, start=p, lower=p, upper=p, prior=np.full(len(p), np.nan))
            message, variables = self._solved(held, ITERATIONS, TOLERANCE)
            last.key, last.slopes, last.point = key, None, None
            if not message and np.isfinite(variables).all():
                last.variables, last.point = variables, self.collocated.point(variables)
        return last.point

    @one_blas_thread()
    def spare(self, p: np.ndarray) -> np.ndarray:
        """Samples (c + i,) of channels and inputs that the motion does not take up: tr(1 − projection), by probes."""
        found, probes = self.point(p), np.random.default_rng(0).choice([-1.0, 1.0], (self._rows, PROBES))
        assert found is not None
        each = np.mean(probes * Following(found, len(p)).left(probes), axis=1)
        channels, inputs = np.split(each, [self.grid.measured.size])
        measured, u = np.isfinite(self.grid.measured), np.concatenate([~r.gaps for r in self.grid.prepared.runs])
        parts = (
            channels.reshape(measured.shape) * measured,
            inputs.reshape(self.grid.noise.shape) * u[:, self.grid.drives],
        )
        return np.concatenate([np.sum(part, axis=0) for part in parts])

    @property
    def grid(self) -> Grid:
        """Nodes of all runs."""
        return self.collocated.grid

    @property
    def _rows(self) -> int:
        return self.grid.measured.size + self.grid.noise.size

    @one_blas_thread()
    def _solved(self, space: Space, iterations: int, tolerance: float) -> tuple[str, np.ndarray]:
        """IPOPT from the last solution, or from the recorded motion, parameters being those of the start."""
        size, k = self.collocated.size, len(space.start)
        begin = np.zeros(sum(self.grid.sizes[:2]) + k) if self.last.variables is None else self.last.variables.copy()
        begin[-k:] = space.start / size
        lower, upper = (np.concatenate([np.full(len(begin) - k, x), y / size]) for x, y in _sides(space))
        at, known = _Memory(self.collocated, space), np.zeros(self.grid.sizes[3])
        program = LeastSquaresProgram(
            residuals=at.residuals,
            jacobian=at.jacobian,
            lower=lower,
            upper=upper,
            constraints=at.defects,
            constraint_jacobian=at.slopes,
            least=known,
            greatest=known,
            pattern=at.pattern(begin),
        )
        return solve_program(program, begin, iterations, tolerance)

    @one_blas_thread()
    def _slopes(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = self.point(p)
        assert found is not None
        if self.last.slopes is None:
            J, natural = Following(found, len(p)).slopes()
            self.last.slopes = J / self.collocated.size, natural / self.collocated.size
        return self.last.slopes


@dataclass(frozen=True, eq=False)
class Following:
    """States and inputs as they follow what changes besides, obeying the equations of motion to first order."""

    point: CollocatedPoint
    k: int  # last variables, which are parameters

    @cached_property
    def _factors(self) -> Any:
        R, A = self.point.R[:, : -self.k], self.point.A[:, : -self.k]
        H = R.T @ R
        return splu(bmat([[H + OPEN * H.diagonal().mean() * eye(H.shape[0]), A.T], [A, None]], format="csc"))

    def slopes(self) -> tuple[np.ndarray, np.ndarray]:
        """J (m, k) of the parameters alone, and the sizes (k,) of what is summed in it."""
        R, R_x, A_x = self.point.R[:, : -self.k], *(y[:, -self.k :].toarray() for y in (self.point.R, self.point.A))
        follow = -self._factors.solve(np.concatenate([R.T @ R_x, A_x]))[: R.shape[1]]
        return R_x + R @ follow, np.linalg.norm(abs(R_x) + abs(R) @ abs(follow), axis=0)

    def left(self, probes: np.ndarray) -> np.ndarray:
        """What is left (m, r) of changes (m, r) of the measurements when the motion has followed them."""
        R = self.point.R[:, : -self.k]
        right = np.concatenate([R.T @ probes, np.zeros((self.point.A.shape[0], probes.shape[1]))])
        return probes - R @ self._factors.solve(right)[: R.shape[1]]


class _Memory:
    """Functions of the program, each point evaluated once."""

    point: CollocatedPoint | None

    def __init__(self, collocated: Collocated, space: Space) -> None:
        self.collocated, self.space, self.size = collocated, space, collocated.size
        self.known = np.flatnonzero(np.isfinite(space.prior))
        self.key, self.point = b"", None

    def at(self, x: np.ndarray) -> CollocatedPoint:
        """Everything at a point."""
        key = x.tobytes()
        if self.point is None or key != self.key:
            self.key, self.point = key, self.collocated.point(x)
        return self.point

    def residuals(self, x: np.ndarray) -> np.ndarray:
        """Those of the data, then of the priors."""
        p = x[-len(self.size) :] * self.size
        return np.append(self.at(x).e, ((self.space.prior - p) / self.space.deviation)[self.known])

    def jacobian(self, x: np.ndarray) -> Any:
        """Sparse."""
        columns = len(x) - len(self.size) + self.known
        data = -(self.size / self.space.deviation)[self.known]
        known = csc_matrix((data, (np.arange(len(data)), columns)), shape=(len(data), len(x)))
        return vstack([self.at(x).R, known], format="csc")

    def defects(self, x: np.ndarray) -> np.ndarray:
        """Zero for motions."""
        return self.at(x).g

    def slopes(self, x: np.ndarray) -> Any:
        """Sparse."""
        return self.at(x).A

    def pattern(self, x: np.ndarray) -> tuple:
        """Where JᵀJ and ∂g/∂x may have entries."""
        R, A = self.collocated.pattern(self.at(x), x[-len(self.size) :] * self.size)
        return R.T @ R + eye(len(x)), A


def _sides(space: Space) -> tuple[tuple[float, np.ndarray], tuple[float, np.ndarray]]:
    """Bounds of states and inputs, which have none, and of parameters."""
    return (-np.inf, space.lower), (np.inf, space.upper)
