"""What measured channels along a motion tell of the unknowns, beside priors and earlier recordings.

F = Σ_n M_nᵀ R⁻¹ M_n + F₀ ,   M = W ∂θ/∂p        F₀ of priors and of recordings that exist    (theory/design, eq. 21)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property

import numpy as np

from poinsot import estimate
from poinsot.blas import one_blas_thread
from poinsot.errors import PoinsotError, listing, number_of, unknown
from poinsot.estimate.study import Study
from poinsot.estimate.unknowns import Unknowns, unknowns_in
from poinsot.experiment.record import Prediction
from poinsot.experiment.study import DesignStudy
from poinsot.experiment.unknown_rows import predictions, prior_rows, reduced_rows, unknown_regressor
from poinsot.identifiability.base_parameters import BaseParameters
from poinsot.identifiability.channels import MeasuredChannel, channels
from poinsot.identifiability.determinable import references
from poinsot.identifiability.linear import LinearParameter
from poinsot.identifiability.regressor import Regressor
from poinsot.identifiability.states import States, random_states
from poinsot.system.system import system

STATES = 60  # at random, by which it is decided what can be determined at all
LEAST = 4  # rows of the regressor for every unknown


@dataclass(frozen=True, eq=False)
class Information:
    """k unknowns in c channels with noise, and what is known of them already."""

    unknowns: Unknowns
    measured: tuple[MeasuredChannel, ...]  # c
    sigma: np.ndarray  # (c,) standard deviation of a sample  [SI]
    known: np.ndarray  # rows (r, k) of priors and earlier recordings, over their standard deviations
    generic: Regressor  # of the unknowns, at random states
    aim: Mapping[str, float]  # standard errors that are aimed at, by unknown  [SI]

    @cached_property
    def slopes(self) -> np.ndarray:
        """∂θ/∂p of all linear parameters and unknowns."""
        return self.unknowns.slopes(self.unknowns.model)

    @cached_property
    def sizes(self) -> np.ndarray:
        """What standard errors (k,) are compared with: aims, else the sizes of the unknowns  [SI]."""
        found = references(self.generic, np.tile(self.sigma, len(self.generic.t)))
        return np.array([self.aim.get(name, size) for name, size in zip(self.unknowns.names, found)])

    @cached_property
    def base(self) -> BaseParameters:
        """What any motion can determine."""
        return self.reduced(self.generic)

    @cached_property
    def chosen(self) -> list[int]:
        """Numbers (b,) of the unknowns that stand for all others."""
        return [self.unknowns.names.index(name) for name in self.base.independent]

    @cached_property
    def linear(self) -> tuple[LinearParameter, ...]:
        """The K linear parameters that hang on these."""
        return tuple(p for p, row in zip(self.unknowns.linear, self.slopes[:, self.chosen]) if np.any(row))

    @cached_property
    def scaled(self) -> np.ndarray:
        """∂θ/∂p (K, b) of these linear parameters, unknowns relative to their sizes."""
        rows = self.slopes[:, self.chosen]
        return rows[np.any(rows, axis=1)] * self._sizes

    @cached_property
    def _sizes(self) -> np.ndarray:
        sizes = self.sizes[self.chosen]
        return np.where(sizes > 0, sizes, 1.0)

    @cached_property
    def before(self) -> np.ndarray:
        """F₀ (b, b), relative to sizes."""
        rows = self.known[:, self.chosen] * self._sizes
        return rows.T @ rows

    def reduced(self, W: Regressor) -> BaseParameters:
        """Base parameters of a regressor of the unknowns together with what is known already."""
        weights = np.tile(1 / self.sigma, len(W.t))
        return reduced_rows(W, W.matrix * weights[:, None], weights, self.known)

    def regressor(self, states: States) -> Regressor:
        """The regressor of the unknowns at states."""
        return unknown_regressor(self.unknowns, states, [c.name for c in self.measured])

    @one_blas_thread()
    def predictions(
        self, W: Regressor, repeated: int = 1
    ) -> tuple[tuple[Prediction, ...], tuple[str, ...], np.ndarray]:
        """Standard errors of the unknowns from a regressor that is measured some times, the combinations that are
        determined, and their standard errors."""
        base = self.reduced(W)
        rows = W.matrix * np.tile(np.sqrt(repeated) / self.sigma, len(W.t))[:, None]
        found, spread = predictions(W, base, np.concatenate([rows, self.known]))
        return found, base.combinations, spread


def information_of(study: DesignStudy, aim: Mapping[str, float] | None = None) -> Information:
    """What a study asks for, what it measures, and what is known already."""
    if any(one.payload for one in study.unknowns):
        raise PoinsotError("an excitation is designed for the mechanism as it is: leave out what a payload adds")
    unknowns = unknowns_in(study, study.unknowns)
    mechanism = unknowns.mechanism
    measured = channels(system(mechanism), study.channels or None)
    sigma = np.array([_noise(study, channel, [c.name for c in measured]) for channel in measured])
    count = max(STATES, -(-LEAST * len(unknowns.names) // len(measured)))
    states = random_states(mechanism, count, np.random.default_rng(0))
    generic = unknown_regressor(unknowns, states, [c.name for c in measured])
    known = np.concatenate([prior_rows(unknowns), earlier_rows(study, unknowns)])
    found = Information(unknowns, measured, sigma, known, generic, _aims(aim or {}, unknowns))
    for name in aim or {}:
        if name in unknowns.names and name not in found.base.independent:
            raise PoinsotError(
                f"'{name}' is told only together with others, so that a standard error of it cannot be aimed at; aim "
                f"at those that stand for all: {listing(found.base.independent)}"
            )
    return found


def _aims(given: Mapping[str, float], unknowns: Unknowns) -> dict[str, float]:
    """Standard errors that are aimed at by unknown, from names or patterns."""
    found: dict[str, float] = {}
    for pattern, value in given.items():
        names = [name for name in unknowns.names if fnmatchcase(name, pattern)]
        if not names:
            raise PoinsotError(unknown("unknown to aim at", pattern, unknowns.names))
        found |= {name: number_of(value, f"the standard error aimed at of '{name}'") for name in names}
    return found


def _noise(study: DesignStudy, channel: MeasuredChannel, names: list[str]) -> float:
    """Standard deviation of a sample of a channel."""
    for pattern in study.noise:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise PoinsotError(
                f"the study gives noise for '{pattern}', which is no measured channel: {listing(names)}"
            )
    given = next(
        (sigma for pattern, sigma in study.noise.items() if fnmatchcase(channel.name, pattern)), channel.noise
    )
    if not given > 0:
        raise PoinsotError(f"standard errors need the noise of channel '{channel.name}', its standard deviation")
    return float(given)


def earlier_rows(study: DesignStudy, unknowns: Unknowns) -> np.ndarray:
    """Rows (r, k) with RᵀR the information of earlier recordings: what was identified from them, with its errors."""
    if not study.runs:
        return np.zeros((0, len(unknowns.names)))
    bare = tuple(replace(one, prior=None, deviation=None) for one in study.unknowns)
    found = estimate.estimated(Study(study.mechanism, study.runs, bare, name=study.name))
    length = np.sqrt(np.diagonal(found.base_covariance))
    length = np.where(length > 0, length, 1.0)
    values, V = np.linalg.eigh(found.base_covariance / length[:, None] / length)
    kept = values > 1e-12 * values[-1]  # directions that noise alone excites have none
    return (V[:, kept] / np.sqrt(values[kept])).T / length @ found.problem.combine
