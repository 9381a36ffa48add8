"""What noise of recorded forces does to the residuals of a simulation that takes them as exact.

Δe = (e(u + ε n) − e(u))/ε ,    n ~ N(0, σ_u²) at every sample        (theory/search, eq. 32)

Noise that samples show may be a rough force that acted: it is no more than residuals e ~ N(0, 1 + s C) allow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import listing
from poinsot.estimate.problems.output.elimination import followed
from poinsot.estimate.problems.output.records import Prepared, force_unit
from poinsot.estimate.problems.output.shooting import Shooting
from poinsot.estimate.rows.runs import bridged

if TYPE_CHECKING:
    from poinsot.estimate.problems.output.problem import OutputResiduals

DRAWS = 100  # of the noise: error bars by it are known to 7 %
PART = 0.1  # of the noise that is simulated: to first order
MEMORY = 4e6  # numbers that draws of one batch may need
LIKELY = 0.5  # of the logarithm of a likelihood, by which a noise may be below the most likely: one standard error
SHARES = np.append(0.0, np.logspace(-6, 0, 121))  # s that are tried
LARGE = 2.0  # times as long error bars: what the verdict says


@one_blas_thread()
def input_changes(problem: OutputResiduals, p: np.ndarray) -> tuple[np.ndarray | None, str]:
    """Changes (m, K) of residuals at values (k,) by draws of the noise, and what was done; None: there is none."""
    one, found = problem.shooting.prepared, problem.states(p)
    sigma = one.input_noise.sigma
    if not sigma.any() or not np.isfinite(found.cost[0]):
        return None, ""
    changes, said = _changes(problem.shooting, p, found.z, sigma), ""
    if changes is not None and not one.input_noise.told.all():
        s = likely(_unexplained(changes, problem.jacobian(p)), problem.residuals(p))
        if s < 1:
            sigma = np.where(one.input_noise.told, sigma, np.sqrt(s) * sigma)
            changes = _changes(problem.shooting, p, found.z, sigma) if sigma.any() else None
            said = ", as residuals allow"
    if not sigma.any():
        return None, ""
    noise = f"noise of the recorded forces, {_sizes(one, sigma)}{said},"
    if changes is None:
        return None, f"{noise} is not in the error bars: simulations with it are unstable"
    return changes, f"{noise} is in the error bars: {changes.shape[1]} draws"


def more_by_inputs(without: np.ndarray, whole: np.ndarray) -> tuple[str, ...]:
    """What the verdict says where covariances (b, b) are mostly by the noise of forces."""
    longer = np.sqrt(np.max(np.diagonal(whole) / np.diagonal(without), initial=1.0))
    if longer <= LARGE:
        return ()
    return (
        f"noise of the recorded forces makes error bars up to {longer:.2g} times as long: "
        'method = "collocation" weighs it, with the noise of forces in the study',
    )


def likely(left: np.ndarray, e: np.ndarray) -> float:
    """The largest share s of covariance Σ left leftᵀ/K, up to 1, that residuals e (m,) of variance 1 allow.

    −2 log L = Σ log(1 + s λ) + (uᵀe)²/(1 + s λ) ,    λ, u: eigenvalues and vectors of left (m, K)
    """
    U, S, _ = np.linalg.svd(left, full_matrices=False)
    size = 1 + SHARES[:, None] * S**2 / left.shape[1]
    cost = np.sum(np.log(size) + (U.T @ e) ** 2 / size, axis=1) / 2
    return float(SHARES[np.flatnonzero(cost <= cost.min() + LIKELY)[-1]])


def _changes(shooting: Shooting, p: np.ndarray, Z: np.ndarray, sigma: np.ndarray) -> np.ndarray | None:
    """(m, K), initial states following; None: the noise makes the simulation unstable."""
    shot, rng, found = shooting.shot(p[None], Z), np.random.default_rng(0), []
    block = max(1, int(MEMORY / shooting.table.size))
    for first in range(0, DRAWS, block):
        count = min(block, DRAWS - first)
        e, r = _noisy(shooting, sigma, count, rng).residuals(p[None], np.tile(Z, (1, count, 1)))
        e, r = ((x.reshape(count, *own.shape[1:]) - own) / PART for x, own in ((e, shot.e), (r, shot.r)))
        e, r = followed(shooting, shot, e, r)
        found.append(np.concatenate([e[:, shooting.own].reshape(count, -1), r.reshape(count, -1)], axis=1))
    changes = np.concatenate(found)
    changes = changes[np.isfinite(changes).all(axis=1)].T
    return changes if changes.shape[1] else None


def _noisy(shooting: Shooting, sigma: np.ndarray, count: int, rng: np.random.Generator) -> Shooting:
    """The same segments so many times, with other noise in their forces each time."""
    one, segments = shooting.prepared, []
    drives = [one.compiled.commands.index(name) for name in one.driven]
    for _ in range(count):
        noisy = {}
        for run in one.runs:
            n = np.zeros(run.u.shape)
            n[:, drives] = PART * sigma * rng.standard_normal((len(n), len(drives)))
            noisy[run.name] = replace(run, u=run.u + bridged(np.where(run.gaps, np.nan, n)))
        segments += [(noisy[run.name], a, b) for run, a, b in shooting.segments]
    starts = replace(shooting.starts, **{k: _repeated(x, count) for k, x in vars(shooting.starts).items()})
    weights = None if shooting.weights is None else _repeated(shooting.weights, count)
    return replace(shooting, segments=tuple(segments), starts=starts, weights=weights)


def _repeated(x: np.ndarray, count: int) -> np.ndarray:
    return np.concatenate([x] * count)


def _unexplained(changes: np.ndarray, J: np.ndarray) -> np.ndarray:
    """What parameters with J (m, k) leave of changes (m, K)."""
    size = np.linalg.norm(J, axis=0)
    J = J[:, size > 0] / size[size > 0]
    return changes - J @ np.linalg.lstsq(J, changes, rcond=None)[0]


def _sizes(one: Prepared, sigma: Sequence[float] | np.ndarray) -> str:
    found = zip(one.driven, sigma)
    return listing([f"{s:.3g} {force_unit(one.mechanism, name)} of {name}" for name, s in found if s > 0])
