"""Frequencies, sensitivities and criteria of many poses.

∂ω²/∂p = φᵀ(∂K/∂p − ω² ∂M/∂p) φ ,    φᵀMφ = 1                                       (theory/design, eq. 10)
S_ij = (p̂_j/σ_i) ∂f_i/∂p_j ,    F = SᵀS + F₀                                         (theory/design, eq. 11)
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.engine import eigh
from poinsot.experiment.criteria import criterion_of
from poinsot.experiment.holding import holding_forces
from poinsot.experiment.poses.local import LocalMatrices
from poinsot.experiment.poses.prior import ParameterPrior
from poinsot.experiment.poses.space import ROUND, limit_size

if TYPE_CHECKING:
    from poinsot.experiment.poses.matrices import PoseMatrices

RATIOS = ("condition", "A", "E", "worst")
STILL = 1e-6  # of the highest frequency, below which a motion has none


class Refused(IntEnum):
    """Why a pose is not tried; the first reason counts."""

    NOT = 0
    UNREACHABLE = 1
    NOT_AT_REST = 2
    BEYOND_LIMIT = 3
    TOO_CLOSE = 4


REASONS = {
    Refused.UNREACHABLE: "not reachable",
    Refused.NOT_AT_REST: "singular, or held by nothing",
    Refused.BEYOND_LIMIT: "beyond a limit",
    Refused.TOO_CLOSE: "with modes too close to be separated",
}


@dataclass(frozen=True)
class PoseTest:
    """What a modal test can measure, and how poses are judged."""

    modes: int  # number of the lowest that are measured
    band: tuple[float, float]  # that the shaker or hammer excites  [Hz]
    spacing: float  # of a frequency, to the next one, from which on a test separates them
    relative: float  # standard deviation of a frequency, as a part of it
    absolute: float  # the same in  [Hz]
    criterion: str
    robust: str  # "nominal", or "mean" or "worst" over parameter sets

    @property
    def deviation(self) -> str:
        """Standard deviation of a frequency, in words."""
        parts = {f"{100 * self.relative:.3g} %": self.relative, f"{self.absolute:.3g} Hz": self.absolute}
        return " and ".join(text for text, size in parts.items() if size)


@dataclass(frozen=True, eq=False)
class Assessed:
    """N poses; those that are refused hold no meaning in F and value."""

    s: np.ndarray  # (N, d)
    refused: np.ndarray  # (N,) of `Refused`
    limited: np.ndarray  # (N, l) what is limited
    frequencies: np.ndarray  # (N, m)  [Hz]
    seen: np.ndarray  # (N, m) whether the test measures it
    spacing: np.ndarray  # (N,) least distance of a measured frequency to its neighbours, as a part of it
    sensitivity: np.ndarray  # (N, m, k) ∂ln f/∂ln p at the model's parameters, 0 where not seen
    F: np.ndarray  # (N, k, k) there, with the prior's
    value: np.ndarray  # (N,) criterion, over parameter sets if it is robust

    @property
    def good(self) -> np.ndarray:
        """Poses (N,) that may be tried."""
        return self.refused == Refused.NOT


class Assessor:
    """Judges poses of a mechanism for a test."""

    def __init__(self, matrices: PoseMatrices, test: PoseTest, sets: np.ndarray):
        """`sets` (r, k) are the parameter sets over which a criterion is robust."""
        self.matrices, self.test, self.sets = matrices, test, sets
        self.criterion = criterion_of(test.criterion)
        self.prior: ParameterPrior = matrices.prior
        compiled = matrices.batch.compiled
        self._p = compiled.parameters(matrices.mechanism)

    @one_blas_thread()
    def __call__(self, s: np.ndarray) -> tuple[Assessed, LocalMatrices]:
        """Judge poses s (N, d)."""
        placed, nominal = self.matrices.place(s), np.broadcast_to(self.prior.nominal, (len(s), len(self.prior.names)))
        at = self.matrices.at(s, placed, nominal)
        resolved = self.matrices.resolved(at)
        space = self.matrices.space
        batch = self.matrices.batch
        forces = holding_forces(batch, space.forces, placed[0])
        limited = space.values(batch.compiled, placed[0], self._p, forces)
        room = ROUND * np.array([limit_size(limit) for limit in space.limits])
        beyond = (space.excess(limited) > room).any(axis=1)
        local = self.matrices.local(s, placed, nominal, at).where(resolved)
        f, seen, spacing, S = self.spectrum(local)
        refused = np.select(
            [~at.reached, ~resolved, beyond, ~(spacing > self.test.spacing)],
            [Refused.UNREACHABLE, Refused.NOT_AT_REST, Refused.BEYOND_LIMIT, Refused.TOO_CLOSE],
            Refused.NOT,
        )
        F = self.information(f, seen, S)
        value = self._robust(s, placed, local, F, refused == Refused.NOT)
        return Assessed(s, refused, limited, f, seen, spacing, S, F, value), local

    def spectrum(self, local: LocalMatrices) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Frequencies, which are seen, their least spacing, and ∂ln f/∂ln p of those that are."""
        values, X = eigh(local.K, local.M)
        m = min(self.test.modes, values.shape[1])
        f = np.sign(values) * np.sqrt(np.abs(values)) / (2 * np.pi)
        still = STILL * np.max(np.abs(f), axis=1, keepdims=True)
        seen = (f > still) & (f >= self.test.band[0]) & (f <= self.test.band[1])
        seen[:, m:] = False
        gaps = np.pad(np.diff(f, axis=1), ((0, 0), (1, 1)), constant_values=np.inf)
        nearest = np.minimum(gaps[:, 1:], gaps[:, :-1]) / np.where(seen, f, 1.0)
        spacing = np.min(np.where(seen, nearest, np.inf), axis=1, initial=np.inf)
        X = X[:, None, :, :m]
        slopes = np.sum(X * (local.dK @ X - local.dM @ X * values[:, None, None, :m]), axis=2)  # (N, k, m)
        S = slopes.swapaxes(1, 2) / (2 * np.where(seen, values, 1.0)[:, :m, None])
        return f[:, :m], seen[:, :m], spacing, np.where(seen[:, :m, None], S, 0.0)

    def information(self, f: np.ndarray, seen: np.ndarray, S: np.ndarray) -> np.ndarray:
        """F (N, k, k) of frequencies f (N, m) that are seen, with the prior's."""
        deviation = np.hypot(self.test.relative, self.test.absolute / np.where(seen, f, 1.0))
        rows = S / deviation[:, :, None]
        return rows.swapaxes(1, 2) @ rows + self.prior.information

    def _robust(self, s, placed, local: LocalMatrices, F: np.ndarray, good: np.ndarray) -> np.ndarray:
        """The criterion of good poses, at the model's parameters or over the parameter sets."""
        value, where = np.full(len(s), np.inf), np.flatnonzero(good)
        if not len(where):
            return value
        if self.test.robust == "nominal":
            value[where] = self.criterion(F[where])
            return value
        each = np.array([self._with(p, s[where], [x[where] for x in placed], local[where]) for p in self.sets])
        value[where] = each.max(axis=0) if self.test.robust == "worst" else self._mean(each)
        return value

    def _mean(self, each: np.ndarray) -> np.ndarray:
        """Mean over parameter sets (r, N): of logarithms where a criterion is a ratio."""
        if self.test.criterion not in RATIOS:
            return each.mean(axis=0)
        return np.exp(np.log(each).mean(axis=0))

    def _with(self, p: np.ndarray, s: np.ndarray, placed: list[np.ndarray], local: LocalMatrices) -> np.ndarray:
        """The criterion of poses (N,) with a parameter set p (k,)."""
        if self.matrices.affine:
            step = (p - self.prior.nominal) / self.prior.size
            M, K = (x + np.einsum("k,nkij->nij", step, dx) for x, dx in ((local.M, local.dM), (local.K, local.dK)))
            local = LocalMatrices(M, K, local.dM, local.dK)
        else:
            local = self.matrices.local(s, (placed[0], placed[1], placed[2]), np.broadcast_to(p, (len(s), len(p))))
            whole = np.isfinite(local.K.sum(axis=(1, 2)) + local.dK.sum(axis=(1, 2, 3)))
            local = local.where(np.asarray(whole))
        f, seen, _, S = self.spectrum(local)
        return self.criterion(self.information(f, seen, S))
