"""Base parameters: the combinations of parameters that measurements can determine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

import numpy as np

from poinsot import identifiability
from poinsot.errors import PoinsotError, one_line, one_or_more_names, unknown
from poinsot.identifiability.linear import LinearParameter, chosen, parameter_values
from poinsot.identifiability.reduction import Gap, Reduction, reduce_columns
from poinsot.identifiability.regressor import Regressor, evaluate_regressor, regressor
from poinsot.identifiability.states import random_states
from poinsot.model.mechanism import Mechanism
from poinsot.results import Curve, LinePanel, Panel, Result
from poinsot.results.pictures import matrix_panel
from poinsot.spatial.algebra import Numbers

ROWS = 4  # for every column, when states are drawn at random
LEAST = 40  # states

ROUND_OFF = 1e-13  # of the terms of a base parameter, below which their sum is printed as 0


@dataclass(frozen=True, eq=False)
class BaseParameters(Result):
    """Base parameters φ_b = φ₁ + β φ₂ of a mechanism and some channels: b of k parameters."""

    mechanism: Mechanism
    channels: tuple[str, ...]
    columns: tuple[str, ...]  # k
    units: tuple[str, ...]  # k
    independent: tuple[str, ...]  # b, φ₁ in the order of the model: of a body first moments, mass, second moments
    eliminated: tuple[str, ...]  # k − b, φ₂
    coefficients: np.ndarray  # β (b, k − b), zero where it would be round-off
    null: tuple[str, ...]  # parameters without any effect, among those eliminated
    gap: Gap
    singular_values: np.ndarray  # of the columns with effect, scaled to length 1
    lengths: np.ndarray  # (k,) of the columns of the regressor
    linear: tuple[LinearParameter, ...]  # k
    kept: tuple[str, ...] = ()  # asked to be eliminated, but not expressed by others with coefficients below 1e4

    _over, _hidden = ("parameter", "independent"), ("lengths", "linear", "kept")
    _extra = {"rank": "rank", "values": "values"}
    _columns = {
        "values": ("value", "SI"),
        "base_units": ("unit", ""),
        "combinations": ("combination", ""),
        "coefficients": (lambda base: base.eliminated, lambda base: base.coefficient_units),
    }

    def panels(self) -> tuple[Panel, ...]:
        """Singular values with the gap that decides the rank, and what each eliminated parameter adds to others."""
        size = self.singular_values / self.singular_values.max(initial=1e-300)
        curve = Curve("singular values", np.arange(1, len(size) + 1), size, style="points")
        label = "singular value, of the largest [-]"
        found = LinePanel(x="number", y=label, curves=(curve,), log="y", marks={f"rank {self.rank}": self.rank + 0.5})
        if not self.eliminated:
            return (found,)
        title = "coefficients of eliminated parameters"
        return found, matrix_panel(self.independent, self.eliminated, self.coefficients, "β [SI]", title=title)

    @property
    def rank(self) -> int:
        """Number b of base parameters."""
        return len(self.independent)

    @property
    def base_units(self) -> tuple[str, ...]:
        """Units (b,) of the base parameters: all terms of one have that of its first."""
        units = dict(zip(self.columns, self.units))
        return tuple(units[name] for name in self.independent)

    @property
    def coefficient_units(self) -> tuple[str, ...]:
        """Units (k − b,) of β by eliminated parameter: that of the row's base parameter over its own."""
        units = dict(zip(self.columns, self.units))
        return tuple(f"unit/({units[name]})" for name in self.eliminated)

    def values(self, mechanism: Mechanism | None = None) -> np.ndarray:
        """Values (b,) of the base parameters of a mechanism of the same structure  [SI]."""
        numbers = dict(zip(self.columns, parameter_values(mechanism or self.mechanism, self.linear)))
        first, second = (np.array([numbers[n] for n in names]) for names in (self.independent, self.eliminated))
        return first + self.coefficients @ second

    def _sizes(self) -> np.ndarray:
        """Sizes (b,) of the base parameters if nothing cancelled in them, for what is their round-off."""
        numbers = dict(zip(self.columns, np.abs(parameter_values(self.mechanism, self.linear))))
        first, second = (np.array([numbers[n] for n in names]) for names in (self.independent, self.eliminated))
        return first + np.abs(self.coefficients) @ second

    @cached_property
    def symbolic(self) -> Any:
        """The base parameters as SymPy expressions of parameters and lengths, one for each of `independent`."""
        return self.in_symbols()

    def in_symbols(self, progress: Callable[[str, float], None] | None = None) -> Any:
        """The same, telling what is being done and the fraction that is done."""
        return identifiability.symbolise(self.mechanism, self, progress=progress)

    @property
    def combinations(self) -> tuple[str, ...]:
        """The base parameters as text with numbers."""
        return tuple(
            combination_text(name, dict(zip(self.eliminated, row)))
            for name, row in zip(self.independent, self.coefficients)
        )

    def __str__(self) -> str:
        lines = [
            f"{self.mechanism.name}: {self.rank} base parameters of {len(self.columns)} "
            f"(channels: {', '.join(self.channels[:8])}{', …' if len(self.channels) > 8 else ''})",
            str(self.gap),
        ]
        told = zip(self.base_units, self.values(), self._sizes(), self.combinations)
        rows = [(f"{x if abs(x) > ROUND_OFF * size else 0.0:.6g}", unit, text) for unit, x, size, text in told]
        widths = [max((len(row[i]) for row in rows), default=0) for i in range(2)]
        lines += [f"  {v.rjust(widths[0])} {u.ljust(widths[1])}  {text}" for v, u, text in rows]
        if self.null:
            lines.append(f"no effect: {', '.join(self.null)}")
        if self.kept:
            lines.append(f"cannot be eliminated as asked: {', '.join(self.kept)}")
        return "\n".join(lines)


def base_parameters(
    mechanism: Mechanism,
    motion: Mapping[str, Any] | None = None,
    t: Numbers | None = None,
    channels: Sequence[str] | str | None = None,
    eliminate: Sequence[str] | str | None = None,
    *,
    parameters: Sequence[str] | str | None = None,
    seed: int = 0,
) -> BaseParameters:
    """The combinations of parameters that channels can determine: along a motion, or at all.

    `mechanism`; `motion` and `t` (n,) [s] as for `regressor`; `seed` of the random states.

    Without a motion, states are drawn at random over the workspace, with the constraints exact in each and away from
    singular poses: what they do not determine, no motion does. `channels` and `parameters` are those of
    `regressor`. `eliminate` names parameters to be expressed by others, the most wanted first; then come those that
    the model file names ([identify] eliminate), then second moments, first moments, masses and constants of laws,
    each in the order of the model, as far as coefficients stay small.

    >>> import poinsot
    >>> b = poinsot.base_parameters(poinsot.load("pendulum"))
    >>> b.combinations, b.null
    (('bob.mx', 'bob.my', 'bob.J'), ('bob.m',))
    """
    asked = chosen(mechanism, parameters)
    if motion is None:
        count = -(-ROWS * len(asked) // max(1, len(mechanism.actuators)))  # as if no more were measured than these
        states = random_states(mechanism, max(LEAST, count), _generator(seed))
        W = evaluate_regressor(mechanism, states, channels, parameters)
    else:
        W = regressor(mechanism, motion, t, channels, parameters=parameters)
    return reduce_regressor(W, eliminate)


def _generator(seed: Any) -> np.random.Generator:
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise PoinsotError(f"seed must be a whole number from 0 upwards, not {one_line(repr(seed), 40)}") from None


def reduce_regressor(
    W: Regressor, eliminate: Sequence[str] | str | None = None, weights: np.ndarray | None = None
) -> BaseParameters:
    """Base parameters of a regressor, its rows weighted (n·c,); by default moments over the machine's size."""
    wanted = _numbers(W, () if eliminate is None else eliminate)
    turned = not W.mechanism.planar and W.mechanism.nominal.get("planar", False)  # modelled in space: J is Izz
    preferred = [f"{n[:-2]}.Izz" if turned and n.endswith(".J") else n for n in W.mechanism.eliminate]
    wished = list(dict.fromkeys([*wanted, *_numbers(W, preferred)]))
    order = [j for power in (2, 1, 0, 3) for j, p in enumerate(W.linear) if p.order == power]
    if (
        weights is None
    ):  # no channel is scaled by itself: one that reads nothing but round-off would count as others do
        weights = np.tile([1.0 if unit == "N" else 1 / W.size for unit in W.channel_units], len(W.t))
    found = reduce_columns(W.matrix * weights[:, None], order, W.natural(weights), wished)
    return _named(W, found, weights, [j for j in wanted if j in found.independent])


def _named(W: Regressor, found: Reduction, weights: np.ndarray, kept: Sequence[int]) -> BaseParameters:
    def names(numbers: Sequence[int]) -> tuple[str, ...]:
        return tuple(W.columns[j] for j in numbers)

    rows = sorted(range(len(found.independent)), key=lambda row: _place(W.linear, found.independent[row]))
    return BaseParameters(
        mechanism=W.mechanism,
        channels=W.channels,
        columns=W.columns,
        units=W.units,
        independent=names([found.independent[row] for row in rows]),
        eliminated=names(found.eliminated),
        coefficients=found.coefficients[rows],
        null=names(found.null),
        gap=found.gap,
        singular_values=found.singular_values,
        lengths=np.linalg.norm(W.matrix * weights[:, None], axis=0),
        linear=W.linear,
        kept=names(kept),
    )


def _place(linear: Sequence[LinearParameter], j: int) -> tuple[int, int, int]:
    """Where a parameter is listed: with its body, the moments that others are added to in front of the mass."""
    owner = (linear[j].table, linear[j].owner)
    first = next(i for i, p in enumerate(linear) if (p.table, p.owner) == owner)
    return first, (1, 0, 2, 3)[linear[j].order], j


def _numbers(W: Regressor, patterns: Sequence[str] | str) -> list[int]:
    """Columns by name or pattern, in the order asked for; a name that no linear parameter has is an error."""
    found: list[int] = []
    for pattern in one_or_more_names(patterns, "parameters to eliminate"):
        if not chosen(W.mechanism, [pattern]):
            raise PoinsotError(unknown("linear parameter", pattern, W.columns))
        found += [j for j, name in enumerate(W.columns) if fnmatchcase(name, pattern) and j not in found]
    return found


def combination_text(name: str, coefficients: Mapping[str, float]) -> str:
    """A base parameter as text.

    >>> combination_text("link1.mx", {"link1.J": -1 / 0.3, "link2.J": 0.0})
    'link1.mx − 3.33333 link1.J'
    """
    parts = [name]
    for other, beta in coefficients.items():
        if beta != 0:
            factor = "" if abs(abs(beta) - 1) < 1e-9 else f"{abs(beta):.6g} "
            parts.append(f"{'−' if beta < 0 else '+'} {factor}{other}")
    return " ".join(parts)
