"""All estimates of a bootstrap, in parts on threads or a cluster, and the intervals that they give."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.estimate.results.bootstrap import Bootstrap
from poinsot.estimate.results.estimate import Estimate
from poinsot.parallel.chunks import Arrays, over_chunks, rng_of
from poinsot.parallel.remade import Remade

EACH = 8  # estimates of a part
LEVEL = 0.95
LOST = 0.05  # of the estimates, from which intervals are in doubt


class Replicas(ABC):
    """An estimate that can be made again from drawn noise."""

    noise: str  # which, in words

    @property
    @abstractmethod
    def texts(self) -> tuple[str, ...]:
        """Names of what is determined: unknowns and combinations."""

    @abstractmethod
    def values(self, rng: np.random.Generator) -> np.ndarray:
        """Their values from noise that is drawn now, NaN if there are none."""


@dataclass(frozen=True, eq=False)
class Redrawn:
    """A bootstrap."""

    replicas: Remade
    seed: int


def _part(shared: Redrawn, number: int) -> Arrays:
    """Some of the estimates (EACH, …)."""
    replicas: Replicas = shared.replicas.get()
    return {"values": np.array([_one(replicas, rng_of(shared.seed, EACH * number + k)) for k in range(EACH)])}


def _one(replicas: Replicas, rng: np.random.Generator) -> np.ndarray:
    try:
        return replicas.values(rng)
    except PoinsotError:
        return np.full(len(replicas.texts), np.nan)


def percentile(draws: np.ndarray, share: float) -> np.ndarray:
    """Values (b,) below which another draw lies with such a probability: number (N + 1) × share of N draws (N, b)."""
    return np.quantile(draws, share, axis=0, method="weibull")


def with_bootstrap(estimate: Estimate, again: Remade) -> Estimate:
    """The estimate with intervals by as many others as its study asks for."""
    study, replicas = estimate.study, again.get()
    parts = over_chunks(
        _part, Redrawn(again, study.seed), -(-study.bootstrap // EACH), dask=study.dask, what="bootstrap"
    )
    every = np.concatenate([part["values"] for part in parts])[: study.bootstrap]
    good = np.isfinite(every).all(axis=1)
    columns = [replicas.texts.index(one.text) for one in estimate.combinations]
    draws, lost = every[good][:, columns], int(np.sum(~good))
    if len(draws) < 2:
        raise PoinsotError(f"no bootstrap: {lost} of {len(every)} estimates from drawn noise found no values")
    ends = (1 - LEVEL) / 2
    found = Bootstrap(
        noise=replicas.noise,
        level=LEVEL,
        seed=study.seed,
        names=tuple(one.text for one in estimate.combinations),
        units=tuple(one.unit for one in estimate.combinations),
        lower=percentile(draws, ends),
        upper=percentile(draws, 1 - ends),
        deviation=np.std(draws, axis=0, ddof=1),
        draws=draws,
        lost=lost,
    )
    said = f"{lost} of {len(every)} estimates of the bootstrap found no values."
    doubts = (said,) if lost > LOST * len(every) else ()
    return replace(estimate, bootstrap=found, numerics=(*estimate.numerics, *doubts))
