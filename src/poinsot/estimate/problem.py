"""All rows of a study on its base parameters: the linear problem that every linear method solves.

z = M p + e,    M = W ∂θ/∂p ,    M p = X β        β = p₁ + B p₂ the base parameters   (theory/estimation, eq. 2)

What noise alone excites stays at the model's value: β = β₀ + G d with r ≤ b directions G.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import PoinsotError
from poinsot.estimate.methods.base import LinearRows
from poinsot.estimate.rows.channel_terms import ChannelTerm, with_terms
from poinsot.estimate.rows.runs import RunRows
from poinsot.estimate.unknowns import Unknowns, in_words_of_regressor
from poinsot.identifiability.base_parameters import BaseParameters, reduce_regressor

Simulate = Callable[["LinearProblem", np.ndarray], tuple[RunRows, ...]]
ENOUGH = 2000  # samples of a run from which its rank is told
ROUND_OFF = 1e-9  # of what is summed in a column, up to which it is zero
SILENT = 1e-6  # of what is summed in a channel, up to which no sensor tells it from zero


@dataclass(frozen=True, eq=False)
class LinearProblem:
    """Rows of several runs, c channels, as a linear function of k unknowns, b combinations of which count."""

    unknowns: Unknowns
    runs: tuple[RunRows, ...]
    at: np.ndarray  # (k,) values at which the rows are linear  [SI]
    slopes: np.ndarray  # ∂θ/∂p (K, own) there
    base: BaseParameters
    scale: np.ndarray  # (c,) size of every channel's noise, or of its samples
    directions: np.ndarray  # G (b, r) in which base parameters are looked for
    terms: tuple[ChannelTerm, ...] = ()  # of measuring chains, the last unknowns
    values_only: bool = False  # whether nobody asks for the covariance by the colour of residuals
    simulate: Simulate | None = None  # rows of the runs along the motions that values d (r,) give under control

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the channels, c."""
        return self.runs[0].regressor.channels

    @property
    def nominal(self) -> np.ndarray:
        """β₀ (b,) of the model  [SI]."""
        return self.base_of(self.unknowns.model)

    def base_of(self, p: np.ndarray) -> np.ndarray:
        """Base parameters (b,) of unknowns (k,)."""
        numbers = dict(zip(self.unknowns.names, p))
        first, second = (
            np.array([numbers[n] for n in names]) for names in (self.base.independent, self.base.eliminated)
        )
        return first + self.base.coefficients @ second

    @property
    def combine(self) -> np.ndarray:
        """(b, k): base parameters of unknowns."""
        index = {name: j for j, name in enumerate(self.unknowns.names)}
        found = np.zeros((self.base.rank, len(index)))
        found[range(self.base.rank), [index[name] for name in self.base.independent]] = 1.0
        found[:, [index[name] for name in self.base.eliminated]] = self.base.coefficients
        return found

    def behind(self, run: RunRows) -> RunRows:
        """A run behind the measuring chains, as far as they are known."""
        return with_terms(run, self.terms, self.at[self.unknowns.own :], self.unknowns.theta(self.at))

    def measured(self, run: RunRows) -> np.ndarray:
        """Channels (n, c) of a run as measured, NaN where they are masked or their delay leaves them open."""
        return self.behind(run).y

    def base_columns(self, run: RunRows, noise: bool = False) -> np.ndarray:
        """X (n, c, b) of a run; with `noise`, what the noise of the motion adds to it."""
        index = [self.unknowns.names.index(name) for name in self.base.independent]
        return all_columns(self.behind(run), self.slopes, noise)[..., index]

    def columns(self, run: RunRows, noise: bool = False) -> np.ndarray:
        """X G (n, c, r) of a run."""
        return self.base_columns(run, noise) @ self.directions

    def target(self, run: RunRows) -> np.ndarray:
        """z − X β₀ (n, c) of a run, with z = X β about the last values: what is eliminated stays there."""
        behind, step = self.behind(run), self.base_of(self.at) - self.nominal
        return behind.target - behind.W @ self.unknowns.theta(self.at) + self.base_columns(run) @ step

    def _noise(self, run: RunRows) -> np.ndarray:
        """What noise of the motion adds to X G and to z − X β₀ (n, c, r + 1), what is known included."""
        behind, N = self.behind(run), self.base_columns(run, noise=True)
        assert behind.noise is not None
        taken = behind.noise[..., -1] + behind.noise[..., :-1] @ self.unknowns.theta(self.at)
        target = N @ (self.base_of(self.at) - self.nominal) - taken
        return np.concatenate([N @ self.directions, target[:, :, None]], axis=2)

    def at_values(self, d: np.ndarray) -> np.ndarray:
        """Unknowns (k,) for steps d (r,): what is eliminated stays, the others follow."""
        index = [self.unknowns.names.index(name) for name in (*self.base.independent, *self.base.eliminated)]
        first, second = index[: self.base.rank], index[self.base.rank :]
        at = self.at.copy()
        at[first] = self.base_values(d) - self.base.coefficients @ at[second]
        return at

    def silent(self, runs: Sequence[RunRows]) -> tuple[str, ...]:
        """Channels that are zero in all of some runs, whatever the unknowns are, up to round-off."""
        theta = self.unknowns.theta(self.at)
        found = np.array([_silent(self.behind(run), self.slopes, theta) for run in runs], bool)
        return tuple(name for c, name in enumerate(self.channels) if found[:, c].all())

    def base_values(self, d: np.ndarray) -> np.ndarray:
        """β (b,) for steps d (r,) from the model  [SI]."""
        return self.nominal + self.directions @ d

    def predicted(self, run: RunRows, d: np.ndarray) -> np.ndarray:
        """Channels (n, c) of a run for steps d (r,)."""
        return self.measured(run) - self.target(run) + self.columns(run) @ d

    @property
    def rows(self) -> LinearRows:
        """What methods solve."""
        noise, good = [], tuple(np.isfinite(self.measured(run)) for run in self.runs)
        for run, use in zip(self.runs, good):
            if run.noise is not None:
                noise.append(np.where(use[:, :, None], self._noise(run), 0.0))
        X, z = self._columns_and_targets(self.runs)
        whole = tuple(noise) if len(noise) == len(X) else None
        simulated = None if self.simulate is None else self._simulated
        return LinearRows(tuple(X), tuple(z), good, self.priors, self.scale, whole, simulated, self.values_only)

    def _columns_and_targets(self, runs: tuple[RunRows, ...]) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """X G (n, c, r) and z − X β₀ (n, c) by run, zero where samples are masked."""
        masks = [np.isfinite(self.measured(run)) for run in runs]
        X = [np.where(use[:, :, None], self.columns(run), 0.0) for run, use in zip(runs, masks)]
        return X, [np.where(use, self.target(run), 0.0) for run, use in zip(runs, masks)]

    def _simulated(self, d: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
        assert self.simulate is not None
        return self._columns_and_targets(self.simulate(self, d))

    @property
    def known_besides(self) -> tuple[tuple[str, float, float], ...]:
        """Unknowns with a prior, m: name, value and standard deviation  [SI]."""
        return tuple(
            (name, one.prior, one.deviation)
            for one, name in zip(self.unknowns.given, self.unknowns.names)
            if one.prior is not None and one.deviation is not None and name in self.base.independent
        )

    @property
    def priors(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows (m, r) and targets (m,) of what is known besides, weighted."""
        index = {name: j for j, name in enumerate(self.base.independent)}
        rows, targets = [], []
        for name, value, deviation in self.known_besides:
            rows.append(self.directions[index[name]] / deviation)
            targets.append((value - self.nominal[index[name]]) / deviation)
        return np.array(rows).reshape(len(rows), self.directions.shape[1]), np.array(targets)


def all_columns(run: RunRows, slopes: np.ndarray, noise: bool = False) -> np.ndarray:
    """Columns (n, c, k) of all unknowns: of the mechanism, then of the measuring chains."""
    W = run.W
    if noise:
        assert run.noise is not None
        W = run.noise[..., :-1]
    extra = [] if run.extra is None else [0.0 * run.extra if noise else run.extra]
    (n, c, K), k = W.shape, slopes.shape[1]
    columns = (W.reshape(n * c, K) @ slopes).reshape(n, c, k)  # one product, not one for each sample
    return np.concatenate([columns, *extra], axis=2) if extra else columns


def _silent(run: RunRows, slopes: np.ndarray, theta: np.ndarray) -> list[bool]:
    """Whether channels (c,) are zero with parameters (K,), and none of the unknowns acts on them."""
    W, units = run.regressor, run.regressor.channel_units
    n, c, found = len(W.t), len(units), []
    value, columns = _rms(run.W @ theta + run.known), _rms(all_columns(run, slopes))
    for k, unit in enumerate(units):
        natural = W.natural(np.tile(np.arange(c) == k, n).astype(float)) / np.sqrt(n)
        size = natural @ np.abs(theta) + max(_rms(run.known[:, j]) for j in range(c) if units[j] == unit)
        own = natural @ np.abs(slopes)
        acts = columns[k] > ROUND_OFF * np.append(own, np.full(columns.shape[1] - len(own), size))
        found.append(bool(value[k] <= SILENT * size and not acts.any()))
    return found


def _rms(x: np.ndarray) -> np.ndarray:
    """Of every column, NaN left out."""
    return np.sqrt(np.nanmean(x**2, axis=0))


@one_blas_thread()
def linear_problem(
    unknowns: Unknowns,
    runs: tuple[RunRows, ...],
    scale: np.ndarray,
    terms: tuple[ChannelTerm, ...] = (),
    at: np.ndarray | None = None,
) -> LinearProblem:
    """The problem of some runs, linear about values `at` (k,), by default the start of the unknowns."""
    first, at = runs[0].regressor, unknowns.start if at is None else at
    if any(run.regressor.channels != first.channels for run in runs):
        raise PoinsotError("all runs of a study must have recorded the same channels; name those that all have")
    slopes, theta = unknowns.slopes(at), unknowns.theta(at)
    behind = [with_terms(run, terms, at[unknowns.own :], theta) for run in runs]
    base = reduce_regressor(*_stacked(unknowns, behind, slopes, scale))
    return LinearProblem(unknowns, runs, at, slopes, base, scale, np.eye(base.rank), terms)


def _stacked(unknowns: Unknowns, runs: Sequence[RunRows], slopes: np.ndarray, scale: np.ndarray):
    """One regressor for all runs and priors, the parameters to eliminate, and the weights of its rows."""
    matrices, weights, parts = [], [], []
    for run in runs:
        step = max(1, len(run.t) // ENOUGH)
        columns = all_columns(run, slopes)[::step]
        matrices.append(columns.reshape(-1, columns.shape[2]))
        weights.append(np.tile(1 / scale, len(columns)))
        share = np.sqrt(len(columns) / len(run.regressor.t))
        natural = run.regressor.natural(np.tile(1 / scale, len(run.regressor.t))) @ np.abs(slopes) * share
        own = np.linalg.norm(columns[..., len(natural) :] / scale[:, None], axis=(0, 1))
        parts.append(np.append(natural, own))
    prior = np.array([0.0 if one.deviation is None else 1 / one.deviation for one in unknowns.given])
    known = np.flatnonzero(prior)
    matrices.append(np.eye(len(prior))[known])
    weights.append(prior[known])
    natural = np.sqrt(np.sum(np.square([*parts, prior]), axis=0))
    together = replace(
        runs[0].regressor,
        mechanism=unknowns.mechanism,
        columns=unknowns.names,
        units=unknowns.units,
        matrix=np.concatenate(matrices),
        parameters=unknowns.model,
        linear=in_words_of_regressor(unknowns),
        natural=_constant(natural),
    )
    return together, None, np.concatenate(weights)


def _constant(value: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    return lambda weights: value
