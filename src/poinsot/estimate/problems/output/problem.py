"""Residuals of parameters alone: initial states are those of least cost for them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.estimate.problems.output.elimination import Eliminated, eliminated, without_states
from poinsot.estimate.problems.output.shooting import Shooting
from poinsot.estimate.search.problem import SearchProblem

MEMORY = 4e6  # numbers that candidates of one batch may need
ROUGH = 1e-6  # of its cost, to which a candidate's is known


@dataclass
class LastStates:
    """The last initial states that were found, from which the next are looked for."""

    z: np.ndarray | None = None
    key: bytes = b""
    found: Eliminated | None = None
    slopes: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None


@dataclass(frozen=True, eq=False)
class OutputResiduals(SearchProblem):
    """Samples of all runs in their order of time, then gaps between segments."""

    shooting: Shooting
    last: LastStates = field(default_factory=LastStates)

    def fresh(self) -> OutputResiduals:
        """From the initial states of the recorded motion."""
        return replace(self, last=LastStates())

    def residuals(self, p: np.ndarray) -> np.ndarray:
        """(m,), NaN where the simulation has no answer."""
        found = self.states(p)
        e = np.append(found.shot.e[0][self.shooting.own].ravel(), found.shot.r[0].ravel())
        return e if np.isfinite(found.cost[0]) else np.full(len(e), np.nan)

    def jacobian(self, p: np.ndarray) -> np.ndarray:
        """(m, k), initial states following."""
        return self._slopes(p)[1]

    def natural(self, p: np.ndarray) -> np.ndarray:
        """Sizes (k,) of the columns before initial states take their part of them."""
        return self._slopes(p)[2]

    def absorbed(self, p: np.ndarray) -> int:
        """As many as there are initial states, which were eliminated, and samples that are masked."""
        masked = ~np.isfinite(self.shooting.measured_for(p)[self.shooting.own])
        return len(self.shooting.segments) * self.shooting.starts.G.shape[2] + int(masked.sum())

    @one_blas_thread()
    def costs(self, P: np.ndarray) -> np.ndarray:
        """Of many candidates, batch by batch, initial states known well enough to tell the better ones."""
        z = self._begin()
        each = z.size * self.shooting.longest * 2 * (len(self.shooting.prepared.channels) + 1)
        block = max(1, int(MEMORY / each))
        parts = [P[k : k + block] for k in range(0, len(P), block)]
        found = (eliminated(self.shooting, X, np.repeat(z, len(X), axis=0), ROUGH) for X in parts)
        return np.concatenate([one.cost for one in found])

    @one_blas_thread()
    def states(self, p: np.ndarray) -> Eliminated:
        """Initial states of least cost for values (k,)."""
        last, key = self.last, np.asarray(p, float).tobytes()
        if last.found is None or last.key != key:
            last.found, last.key, last.slopes = eliminated(self.shooting, p[None], self._begin()), key, None
            if np.isfinite(last.found.cost[0]):
                last.z = last.found.z
        return last.found

    @one_blas_thread()
    def _slopes(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        found = self.states(p)
        if self.last.slopes is None:
            shot = self.shooting.shot(p[None], found.z, parameters=True)
            self.last.slopes = without_states(self.shooting, shot)
        return self.last.slopes

    def _begin(self) -> np.ndarray:
        """Initial states (1, S, b) to go on from."""
        if self.last.z is not None:
            return self.last.z
        return np.zeros((1, len(self.shooting.segments), self.shooting.starts.G.shape[2]))
