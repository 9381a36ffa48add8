"""Estimates by base parameters: values, combinations, and the mechanism nearest to the model that has them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poinsot.errors import ConsistencyWarning, listing
from poinsot.estimate.consistency.full import FullParameters, completed
from poinsot.estimate.excitation import Excitation, Told
from poinsot.estimate.methods.base import Influence
from poinsot.estimate.methods.hausman import BiasTest
from poinsot.estimate.problem import LinearProblem
from poinsot.estimate.problems.forces import ForceResiduals, force_space
from poinsot.estimate.results.estimate import Combination, Estimate, Value
from poinsot.estimate.results.identified import full_values, with_linear
from poinsot.estimate.results.kept import BodyMotion
from poinsot.estimate.search.problem import SearchProblem, with_priors
from poinsot.model.mechanism import Mechanism

SHRUNK = 0.5  # of a standard error, by which noise of the motion may move a value without a word
BIASED = 1.0  # standard errors, by which it may move one without a doubt


@dataclass(frozen=True, eq=False, kw_only=True)
class LinearEstimate(Estimate):
    """Parameters in which measured forces are linear, or nearly: by base parameters."""

    base_covariance: np.ndarray  # of all base parameters (b, b)
    problem: LinearProblem
    beta: np.ndarray  # all base parameters (b,)  [SI]
    influence: Influence  # of samples on the combinations
    told: Told  # which combinations of base parameters the data determines
    held: int = 0  # directions that noise alone excites: they stay at the model's values
    consistent: FullParameters | None = None  # found together with the values, by the method of that name
    bias: BiasTest | None = None  # of least squares, where the controllers are known

    _hidden = ("study", "problem", "beta", "influence", "consistent", "told")

    @property
    def sample_influence(self) -> tuple[Influence, dict[str, int]]:
        """How samples count in base parameters, and the column of each unknown or combination."""
        return self.influence, {text: j for j, text in enumerate(self.told.texts)}

    @property
    def _besides(self) -> tuple[str, ...]:
        return (str(self.bias),) if self.bias else ()

    @property
    def _remarks(self) -> tuple[str, ...]:
        many = "1 direction is" if self.held == 1 else f"{self.held} directions are"
        stay = "stays" if self.held == 1 else "stay"
        which = f": {listing(self.told.open, 3)}" if self.told.open else ""
        held = f"{many} not excited above the noise of the motion and {stay} at the model{which}"
        more = [str(one) for one in (self.consistent, self.selection) if one is not None]
        return (*([held] if self.held else []), *more)

    @cached_property
    def mechanism(self) -> Mechanism:  # type: ignore[override]
        """The mechanism with the values; what the data leaves open stays as near to the model as they allow.

        Where those values are impossible, it has the nearest possible ones, and warns: `full_parameters` tells why.
        """
        unknowns = self.problem.unknowns
        if unknowns.in_file:
            problem = self.problem
            d = np.linalg.pinv(problem.directions) @ (self.beta - problem.nominal)
            found = dict(zip(unknowns.names[: unknowns.own], problem.at_values(d).tolist()))
            acting = {name: value for name, value in found.items() if name not in problem.base.null}
            return unknowns.mechanism.with_parameters(acting)
        if self.consistent is None and self.full_parameters.status:
            warnings.warn(str(self.full_parameters), ConsistencyWarning, stacklevel=2)
        loads = {p.name: p.value for p in self.parameters[unknowns.own :] if p.name in unknowns.mechanism.parameters}
        found = with_linear(unknowns.mechanism, unknowns.linear, self.full)
        return found.with_parameters({name: max(value, 0.0) for name, value in loads.items() if np.isfinite(value)})

    @property
    def motion(self) -> BodyMotion:
        """Poses of all bodies in the first run that was used."""
        states = self.problem.runs[0].motion.states
        return BodyMotion.of(states.system, states.t, states.q, states.p)

    @property
    def _search(self) -> tuple[SearchProblem, np.ndarray, float]:
        problem, sigma = self.problem, np.array([f.rms for f in self.fit.channels])
        d = np.linalg.pinv(problem.directions) @ (self.beta - problem.nominal)
        rows = ForceResiduals(force_space(problem), problem, np.where(sigma > 0, sigma, problem.scale))
        return with_priors(rows), problem.at_values(d), 1.0

    @property
    def full(self) -> np.ndarray:
        """Values of the mechanism's unknowns, nearest to the model's among those that explain the data as well."""
        return self.full_parameters.values

    @cached_property
    def full_parameters(self) -> FullParameters:
        """Values of the mechanism's unknowns, and how they were chosen."""
        if self.consistent is not None:
            return self.consistent
        problem, values = self.problem, full_values(self.problem, self.beta)
        back = np.linalg.pinv(problem.directions)
        return completed(problem, values, back @ (self.beta - problem.nominal), back @ self.base_covariance @ back.T)


def values_of(
    problem: LinearProblem,
    beta: np.ndarray,
    covariance: np.ndarray,
    excitation: Excitation,
    bias: np.ndarray,
    told: Told,
) -> tuple[tuple[Value, ...], tuple[Combination, ...], np.ndarray]:
    """Unknowns one by one, the combinations that are determined, and the covariance (k, k) of the unknowns.

    `bias` (b,) is what noise of the motion does to base parameters β (b,).
    """
    unknowns, base = problem.unknowns, problem.base
    spread = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    texts = dict(zip(base.independent, base.combinations))
    units = dict(zip(unknowns.names, unknowns.units))
    bars = np.sqrt(np.maximum(np.einsum("cb,bd,cd->c", told.rows, covariance, told.rows), 0.0))
    numbers = zip(told.rows @ beta, bars, told.rows @ problem.nominal)
    combinations = tuple(
        Combination(text, units[name], *map(float, one)) for text, name, one in zip(told.texts, told.names, numbers)
    )
    values, alone = [], []
    for k, (name, unit, nominal) in enumerate(zip(unknowns.names, unknowns.units, unknowns.model)):
        j = base.independent.index(name) if texts.get(name) == name else -1
        if j < 0 or excitation.hidden(j):
            values.append(Value(name, unit, np.nan, np.nan, float(nominal), _why(problem, told, name)))
            continue
        said, one = _moved(bias[j]) if abs(bias[j]) > SHRUNK * spread[j] else [], unknowns.given[k]
        said += [] if one.admits(beta[j]) else [f"beyond its bounds [{one.lower:g}, {one.upper:g}]"]
        values.append(Value(name, unit, float(beta[j]), float(spread[j]), float(nominal), ", ".join(said)))
        alone.append((k, j))
    whole = np.full((len(values), len(values)), np.nan)
    known, picked = [k for k, _ in alone], [j for _, j in alone]
    whole[np.ix_(known, known)] = covariance[np.ix_(picked, picked)]
    return tuple(values), combinations, whole


def _moved(bias: float) -> list[str]:
    """How a bias moves a value."""
    return [f"noise of the motion makes it {abs(bias):.2g} too {'small' if bias < 0 else 'large'}"]


def biased_values(
    problem: LinearProblem, covariance: np.ndarray, excitation: Excitation, bias: np.ndarray, method: str
) -> list[str]:
    """One sentence, where noise of the motion moves base parameters (b,) by a standard error or more."""
    spread = np.sqrt(np.maximum(np.diagonal(covariance), 1e-300))
    moved = [j for j in np.argsort(-np.abs(bias / spread)) if abs(bias[j]) > BIASED * spread[j]]
    names = [
        f"{problem.base.combinations[j]} by {bias[j] / spread[j]:+.1f}" for j in moved if not excitation.hidden(j)
    ]
    if not names:
        return []
    other = "total" if problem.simulate is None else "instruments"
    return [
        f"Noise of the motion biases the values of '{method}', in standard errors: {listing(names, 4)}; use the "
        f"method '{other}', or a lower cut-off."
    ]


def _why(problem: LinearProblem, told: Told, name: str) -> str:
    """Why an unknown is undetermined."""
    if name in problem.base.null:
        return "no effect on the channels"
    mixed = [text for text in told.texts if name in text.split()]
    if not mixed:
        return "hardly excited above the noise of the motion"
    return f"determined together: {'; '.join(mixed[:2])}" + ("; …" if len(mixed) > 2 else "")
