"""Estimates by search, with drawn noise in place of residuals.

e*(p) = e(p) − e(p̂) + ε*        ε* normal, or of the colour of e(p̂) where residuals are time series
                                                                                        (theory/search, eq. 44)
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.estimate.bootstrap.draws import Replicas
from poinsot.estimate.bootstrap.noise import SeriesNoise, series_noise
from poinsot.estimate.problems.base import Measurement
from poinsot.estimate.search.base import SearchMethod
from poinsot.estimate.search.determined import apart
from poinsot.estimate.search.problem import SearchProblem, with_priors
from poinsot.estimate.search.registry import onwards
from poinsot.identifiability.base_parameters import combination_text


@dataclass(frozen=True, eq=False)
class Shifted(SearchProblem):
    """A problem with other noise in its measurements."""

    of: SearchProblem
    shift: np.ndarray  # (m,) of the residuals

    def residuals(self, p: np.ndarray) -> np.ndarray:
        """Those of the data, and the shift."""
        return self.of.residuals(p) + self.shift

    def jacobian(self, p: np.ndarray) -> np.ndarray:
        """That of the data."""
        return self.of.jacobian(p)


class SearchReplicas(Replicas):
    """What measurements of any kind determine near values (k,) that were found."""

    def __init__(self, measured: Measurement, p: np.ndarray, method: SearchMethod):
        self.p, self.method, self.problem = p, onwards(method), with_priors(measured.problem)
        found = measured.determined(p)
        self.reduction, self.rows = found.reduction, len(measured.problem.residuals(p))
        self.e = self.problem.residuals(p)
        widened = not measured.known or found.misfit
        if widened and not found.spare > 0:
            raise PoinsotError("no bootstrap: as many measured values as unknowns leave no residuals that tell noise")
        self.scale = float(np.sqrt(found.ratio)) if widened else 1.0
        self.shapes, self.changes = measured.series(p), measured.changes
        self.drawing = self._series(found.spare) if self.shapes else None
        self.noise = (
            "residuals in blocks, with their colour" if self.shapes else "normal, of the residuals' deviation"
        )

    def _series(self, spare: int) -> SeriesNoise:
        e = self.e[: self.rows]
        left = self._parts(e if self.changes is None else apart(e, self.changes))
        good = [part != 0 for part in left]  # masked samples have none
        count = sum(int(use.sum()) for use in good)
        return series_noise(left, good, wider=np.sqrt(count / max(spare, 1)))

    def _parts(self, e: np.ndarray) -> list[np.ndarray]:
        edges = np.cumsum([0, *(n * c for n, c in self.shapes)])
        return [e[a:b].reshape(shape) for (a, b), shape in zip(pairwise(edges.tolist()), self.shapes)]

    @property
    def texts(self) -> tuple[str, ...]:
        """Unknowns that are determined alone, and combinations."""
        names, found = self.problem.space.names, self.reduction
        return tuple(
            combination_text(
                names[j], {names[i]: float(c) for i, c in zip(found.eliminated, found.coefficients[row]) if c != 0}
            )
            for row, j in enumerate(found.independent)
        )

    def values(self, rng: np.random.Generator) -> np.ndarray:
        """p₁ + B p₂ (b,), NaN where the method does not settle; what is not determined stays."""
        problem = Shifted(self.problem.space, self.problem.fresh(), self._shift(rng)).at(self.p)
        end = self.method.descend(problem.holding((*self.reduction.eliminated, *self.reduction.null)))
        first, second = end.p[list(self.reduction.independent)], end.p[list(self.reduction.eliminated)]
        return np.full(len(first), np.nan) if end.message else first + self.reduction.coefficients @ second

    def _shift(self, rng: np.random.Generator) -> np.ndarray:
        """(m,): other noise in place of the residuals; what joins segments of a simulation is no noise."""
        fresh = self.scale * rng.standard_normal(len(self.e))
        fresh[self.rows :] /= self.scale  # a prior is worth as much as its deviation says
        if self.drawing is not None:
            drawn = np.concatenate([part.ravel() for part in self.drawing.drawn(rng)])
            fresh[: self.rows] = self.e[: self.rows]
            fresh[: len(drawn)] = np.where(self.e[: len(drawn)] != 0, drawn, 0.0)
        if self.changes is not None:
            K = self.changes.shape[1]
            fresh[: self.rows] += self.changes @ rng.standard_normal(K) / np.sqrt(K)
        return fresh - self.e
