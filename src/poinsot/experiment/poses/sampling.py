"""Poses × parameter sets in chunks: each is drawn from a seed of its own, and is a pure function of its number."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from poinsot.experiment.poses.assessment import Assessor, PoseTest
from poinsot.experiment.poses.correlation import correlations, interplay_of_correlations
from poinsot.experiment.poses.matrices import PoseMatrices
from poinsot.experiment.poses.prior import ParameterPrior
from poinsot.experiment.poses.space import PoseSpace
from poinsot.model.mechanism import Mechanism
from poinsot.parallel.chunks import rng_of

LEAST, MOST = 128, 1024  # poses in a chunk
SETS, ROBUST, REFINING = 0, 1, 2  # first number of what is drawn; chunks of poses follow from `POSES` on
POSES = 8


@dataclass(frozen=True, eq=False)
class Sampling:
    """What is drawn and how it is judged; can be sent to other processes."""

    mechanism: Mechanism
    space: PoseSpace
    prior: ParameterPrior
    test: PoseTest
    locked: str | tuple[str, ...] | None
    poses: int
    sets: int
    robust_sets: int
    seed: int

    @property
    def size(self) -> int:
        """Poses in a chunk; it does not depend on how many threads there are."""
        return min(MOST, max(LEAST, self.poses // 16))

    @property
    def chunks(self) -> int:
        """How many there are."""
        return -(-self.poses // self.size)

    def rng(self, number: int) -> np.random.Generator:
        """The generator of one part of the sampling."""
        return rng_of(self.seed, number)


@dataclass(frozen=True, eq=False)
class Judge:
    """What judges poses of one sampling."""

    assessor: Assessor
    sets: np.ndarray  # (R, k) parameter sets of the correlations


@lru_cache(maxsize=4)
def judge(sampling: Sampling) -> Judge:
    """The judge of a sampling, made once in a process."""
    prior = sampling.prior
    matrices = PoseMatrices(sampling.mechanism, sampling.space, prior, sampling.locked)
    robust = prior.draw(sampling.rng(ROBUST), sampling.robust_sets)
    return Judge(Assessor(matrices, sampling.test, robust), prior.draw(sampling.rng(SETS), sampling.sets))


def judged(sampling: Sampling, s: np.ndarray) -> dict[str, np.ndarray]:
    """All that is said of poses s (N, d), with the correlations of those that are not refused."""
    by = judge(sampling)
    found, local = by.assessor(s)
    good = np.flatnonzero(found.good)
    m, k = found.sensitivity.shape[1:]
    rho, interplay = np.full((len(s), m, k), np.nan), np.full(len(s), np.inf)
    if len(good):
        rho[good] = correlations(by.assessor.matrices, s[good], local[good], by.sets, m)
        interplay[good] = interplay_of_correlations(rho[good], found.seen[good])
    names = ("s", "refused", "limited", "frequencies", "seen", "spacing", "sensitivity", "F", "value")
    return {name: getattr(found, name) for name in names} | {"rho": rho, "interplay": interplay}


def chunk(sampling: Sampling, number: int) -> dict[str, np.ndarray]:
    """The poses of one chunk, drawn and judged; chunks of 10⁵ poses stay small."""
    count = min(sampling.size, sampling.poses - number * sampling.size)
    return judged(sampling, sampling.space.draw(sampling.rng(POSES + number), count))


def joined(parts: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Chunks one after another."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
