"""A machine along many motions at once: states, regressor, limited quantities, and gradients of all of them.

Every sample is reached from a known pose along a straight line in the driven coordinates, by Newton, all samples in
one native batch; a motion that is found is the known one of the next step of a search.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.experiment.excitation.equations import (
    Limited,
    adjoint,
    held_bend,
    held_slopes,
    limited_quantities,
    regressor_function,
    regressor_slope,
)
from poinsot.identifiability.channels import MeasuredChannel
from poinsot.identifiability.linear import LinearParameter
from poinsot.model.assembly.constraints import row_lengths
from poinsot.model.mechanism import Mechanism
from poinsot.motion.driven import Driven, driven, require_count
from poinsot.system.functions import coordinate_rates
from poinsot.system.scales import natural_speeds, step_sizes
from poinsot.system.system import System, start, system

REACH = 0.5  # longest way of a driven coordinate in one go  [rad or of the machine's size]
CLOSED = 1e-11  # largest error of a constraint or driven coordinate, in natural sizes
SINGULAR = 1e-14  # of the squared size of a Jacobian: what is added to its square
HELD = 1e-9  # check value below which a pose is singular
LONGEST = 1.0  # step of Newton  [rad or of the machine's size]
ITERATIONS = 10


@dataclass(frozen=True, eq=False)
class DrivenStates:
    """States at N samples of k driven coordinates."""

    s: np.ndarray  # (3, N, k): s, ṡ, s̈
    q: np.ndarray  # (N, nq)
    v: np.ndarray  # (N, nv)
    a: np.ndarray  # (N, nv)
    reached: np.ndarray  # (N,) whether the mechanism can be there

    def cut(self, chosen: np.ndarray) -> DrivenStates:
        """Some of the samples."""
        return DrivenStates(self.s[:, chosen], *(x[chosen] for x in (self.q, self.v, self.a, self.reached)))


@dataclass(frozen=True, eq=False)
class DrivenMachine:
    """A mechanism driven by k coordinates, in the chart of its home pose."""

    mechanism: Mechanism
    names: tuple[str, ...]  # k
    measured: tuple[MeasuredChannel, ...]  # c
    linear: tuple[LinearParameter, ...]  # K columns of the regressor
    limited: tuple[Limited, ...]  # h quantities that are not of the driven coordinates alone

    @cached_property
    def compiled(self) -> System:
        """The equations."""
        found = system(self.mechanism)
        require_count(found, self.names)
        return found

    @cached_property
    def drive(self) -> Driven:
        """Newton steps and rates."""
        return driven(self.compiled, self.names)

    @cached_property
    def size(self) -> float:
        """Of the machine  [m]."""
        return self.compiled.home.size

    @cached_property
    def targets(self) -> np.ndarray:
        """Natural sizes of the driven coordinates (k,)."""
        return np.where(self.drive.turns, 1.0, self.size)

    @cached_property
    def p(self) -> np.ndarray:
        """Parameters, and the chart of the home pose."""
        return self.compiled.parameters(self.mechanism, start(self.mechanism, None).poses)

    @cached_property
    def home(self) -> tuple[np.ndarray, np.ndarray]:
        """s (k,) and q (nq,) of the model file's pose."""
        begin = start(self.mechanism, None)
        q = self.compiled.coordinates(begin, self.p)
        return self.drive.values(begin, q, self.p), q

    @cached_property
    def weights(self) -> np.ndarray:
        """Of the actuators' squared forces (nu,)."""
        return np.ones(self.compiled.sizes[3])

    def along(self, s: np.ndarray, known: DrivenStates | None = None) -> DrivenStates:
        """States for s, ṡ, s̈ (3, N, k), from a known motion at as many samples, or from the home pose."""
        N = s.shape[1]
        begin, q = (known.s[0], known.q) if known is not None else (np.tile(x, (N, 1)) for x in self.home)
        q, reached = self._followed(q, begin, s[0])
        v, a, check = self.drive.rates(q, s[1], s[2], self.p)
        good = np.isfinite(v).all(axis=1) & np.isfinite(a).all(axis=1)
        return DrivenStates(s, q, v, a, reached & good & (check.ravel() > HELD))

    def _followed(self, q: np.ndarray, begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Poses at driven coordinates `end` (N, k), and which were reached; in shorter steps where it takes these."""
        far = np.max(np.abs(end - begin) / self.targets, axis=1, initial=0.0)
        found, reached, left = q.copy(), np.zeros(len(q), bool), np.flatnonzero(np.isfinite(far))
        pieces = max(1, int(np.ceil(np.max(far[left], initial=0.0) / REACH)))
        for finer in (1, 4, 16):
            if len(left):
                found[left], reached[left] = self._stepped(q[left], begin[left], end[left], finer * pieces)
                left = left[~reached[left]]
        return found, reached

    def _stepped(
        self, q: np.ndarray, begin: np.ndarray, end: np.ndarray, pieces: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same in equal steps."""
        reached, turned = (
            np.ones(len(q), bool),
            coordinate_rates(self.compiled, self.home[1], self.drive.speeds, self.p),
        )
        sizes = np.maximum(step_sizes(self.compiled, self.size)[0], np.abs(turned))
        rows = np.concatenate([row_lengths(self.compiled.outline.rows, self.size), self.targets])
        for share in np.arange(1, pieces + 1) / pieces:
            goal, error = begin + share * (end - begin), np.full(len(q), np.inf)
            for _ in range(ITERATIONS):
                best, gap = self.drive.newton(q, goal, self.p)
                error = np.max(np.abs(gap) / rows, axis=1)
                step = np.max(np.abs(best - q) / sizes, axis=1)
                moving = reached & (step < LONGEST) & ~(error < CLOSED)
                if not moving.any():
                    break
                q = np.where(moving[:, None], best, q)
            reached &= error < CLOSED
        return q, reached

    @property
    def _state(self) -> tuple[np.ndarray, np.ndarray]:
        return self.weights, self.p

    def regressor(self, at: DrivenStates) -> np.ndarray:
        """W (N, c, K)."""
        W, _ = regressor_function(self.compiled, self.measured, self.linear)(at.q, at.v, at.a, *self._state)
        return W.reshape(len(at.q), len(self.measured), -1)

    def regressor_gradient(self, at: DrivenStates, Y: np.ndarray) -> np.ndarray:
        """Gradients (3, N, k) of Σ Y W of every sample, Y (N, c, K), with respect to s, ṡ, s̈."""
        run = regressor_slope(self.compiled, self.measured, self.linear)
        return self.pulled_back(at, *run(at.q, at.v, at.a, *self._state, _matrices(Y)))

    def quantities(self, at: DrivenStates) -> np.ndarray:
        """Limited quantities (N, h)."""
        return self._quantities(at)[0]

    def _quantities(self, at: DrivenStates) -> tuple[np.ndarray, ...]:
        if not self.limited:
            return (np.zeros((len(at.q), 0)),)
        run = limited_quantities(self.compiled, self.limited)
        return tuple(
            x.reshape(len(at.q), len(self.limited), -1) if i else x.reshape(len(at.q), -1)
            for i, x in enumerate(run(at.q, at.v, at.a, *self._state))
        )

    def quantity_gradients(self, at: DrivenStates) -> tuple[np.ndarray, np.ndarray]:
        """Limited quantities (N, h), and their gradients (3, N, h, k) with respect to s, ṡ, s̈."""
        h, *slopes = self._quantities(at)
        N, count = h.shape
        if not count:
            return h, np.zeros((3, N, 0, len(self.names)))
        many = DrivenStates(at.s, *(np.repeat(x, count, axis=0) for x in (at.q, at.v, at.a, at.reached)))
        found = self.pulled_back(many, *(x.reshape(N * count, -1) for x in slopes))
        return h, found.reshape(3, N, count, -1)

    def pulled_back(self, at: DrivenStates, g_q: np.ndarray, g_v: np.ndarray, g_a: np.ndarray) -> np.ndarray:
        """Gradients (3, N, k) with respect to s, ṡ, s̈ from those with respect to q, v, v̇ (N, …)."""
        parts = (g.reshape(len(at.q), -1) for g in (g_q, g_v, g_a))
        return np.stack(adjoint(self.compiled, self.names)(at.q, at.v, at.a, self.p, *parts))

    @one_blas_thread()
    def holding(self, at: DrivenStates, slopes: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """1/κ (N,) of constraints and actuators J in natural sizes, and on demand its gradients (N, k) by s.

        κ = ‖J‖ ‖J⁺‖ in Frobenius' norm, which is smooth:  ‖J⁺‖² = tr (JᵀJ)⁻¹        (theory/design, eq. 24)
        """
        (J,) = held_slopes(self.compiled, self.names)(at.q, self.p)
        nv = self.compiled.sizes[1]
        J = J.reshape(len(at.q), -1, nv)
        left, right = 1 / self._held_rows(J.shape[1])[:, None], natural_speeds(self.compiled, self.size)
        J = np.where(np.isfinite(J).all(axis=(1, 2))[:, None, None], J * left * right, 0.0)
        size = np.maximum(np.sum(J**2, axis=(1, 2)), np.finfo(float).tiny)
        square = np.swapaxes(J, 1, 2) @ J / size[:, None, None]
        inverse = np.linalg.inv(square + SINGULAR * np.eye(nv))
        kappa = np.sqrt(np.einsum("nii->n", inverse))
        if not slopes:
            return 1 / kappa, np.zeros((len(at.q), 0))
        seed = (J @ inverse @ inverse / (kappa**2)[:, None, None] - J) / (size * kappa)[:, None, None]
        (g_q,) = held_bend(self.compiled, self.names)(at.q, self.p, _matrices(seed * left * right))
        zero = np.zeros((len(at.q), nv))
        return 1 / kappa, self.pulled_back(at, g_q, zero, zero)[0]

    def _held_rows(self, count: int) -> np.ndarray:
        """Natural sizes of the rows of `held_slopes`."""
        rows = row_lengths(self.compiled.outline.rows, self.size)
        along = [actuator.on for actuator in self.mechanism.actuators.values()]
        if len(along) != count - len(rows):
            along = [self.mechanism.coordinates[name] for name in self.names]
        return np.concatenate([rows, [1.0 if one.unit == "rad" else self.size for one in along]])


def _matrices(x: np.ndarray) -> np.ndarray:
    """Matrices (N, r, c) as kernels take them: columns are vectors."""
    return x[..., 0] if x.shape[-1] == 1 else x
