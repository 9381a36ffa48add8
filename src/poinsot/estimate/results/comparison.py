"""Several results in one table, and what their differences are worth.

Δ = (p_i − p_1)/s ,    s² = var(p_i − p_1)                                             (theory/estimation, eq. 41)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.estimate.error_bars import sandwich
from poinsot.estimate.methods.base import Influence
from poinsot.estimate.residuals import colour_of
from poinsot.estimate.results.summary import Summary
from poinsot.estimate.results.text import in_columns, with_error
from poinsot.results import BarPanel, Panel, Result
from poinsot.results.pictures import value_panel

ROUND_OFF = 1e-6  # of a standard error, below which two values are one
INDEPENDENT = "other samples: errors are independent"
SAME = "the same samples: errors are correlated, by how each sample counts in both"
SHARED = (
    "some of the same samples, how each counts is not known: errors are taken as independent, "
    "so that differences are worth more than is said"
)


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """m results, k unknowns and combinations that any of them determines, c channels."""

    results: tuple[str, ...]  # m names
    methods: tuple[str, ...]  # m
    names: tuple[str, ...]  # k
    units: tuple[str, ...]  # k
    value: np.ndarray  # (k, m), NaN where undetermined  [SI]
    deviation: np.ndarray  # standard errors (k, m)  [SI]
    difference: np.ndarray  # from the first result (k, m), in joint standard errors  [-]
    correlation: np.ndarray  # of the errors with those of the first result (k, m)  [-]
    channels: tuple[str, ...]  # c
    residual: np.ndarray  # (c, m) of a channel's deviation, in the runs that were used
    held_out: np.ndarray  # (c, m) in runs that were not; NaN: not evaluated
    verdicts: tuple[str, ...]  # m
    assumed: tuple[str, ...]  # m: what is known of errors that a result has in common with the first
    refused: Mapping[str, str]  # methods that cannot be used here, and why

    _over = ("parameter", "names")
    _columns: ClassVar = {"units": ("unit", "")} | {
        column: (lambda self, column=column: [f"{column} {name}" for name in self.results], unit)
        for column, unit in (("value", "SI"), ("deviation", "SI"), ("difference", "-"), ("correlation", "-"))
    }

    def panels(self) -> tuple[Panel, ...]:
        """Values of all results against those of the first, and residuals by channel."""
        told = {name: (self.value[:, k], self.deviation[:, k]) for k, name in enumerate(self.results)}
        values = value_panel(self.names, self.units, self.value[:, 0], told, f"'{self.results[0]}'")
        shares = {name: self.residual[:, k] for k, name in enumerate(self.results)}
        return values, BarPanel(names=self.channels, x="residual, of a channel's deviation [-]", series=shares)

    def __str__(self) -> str:
        heads = [f"Δ {name}" for name in self.results[1:]]
        rows = [("", "", *self.results, *heads)]
        for k, (name, unit) in enumerate(zip(self.names, self.units)):
            values = [with_error(v, s) if np.isfinite(v) else "–" for v, s in zip(self.value[k], self.deviation[k])]
            rows.append((name, unit, *values, *(_signed(x) for x in self.difference[k, 1:])))
        lines = in_columns(rows)
        lines.append(f"Δ: difference from '{self.results[0]}' in joint standard errors")
        lines += [f"  {name}: {text}" for name, text in zip(self.results[1:], self.assumed[1:])]
        lines.append("residual of a channel's deviation, in the fit / held out:")
        shares = [("", *self.results)]
        for name, fit, other in zip(self.channels, self.residual, self.held_out):
            shares.append((name, *(f"{_share(a)} / {_share(b)}" for a, b in zip(fit, other))))
        lines += in_columns(shares)
        lines += [f"{name}: {text}" for name, text in zip(self.results, self.verdicts)]
        return "\n".join([*lines, *(f"{name}: not used, {reason}" for name, reason in self.refused.items())])


def compared(summaries: Sequence[Summary], refused: Mapping[str, str]) -> Comparison:
    """Results side by side, each against the first."""
    names = list(dict.fromkeys(name for s in summaries for name in s.values))
    common = set(names).intersection(*(s.values for s in summaries))
    if not common:
        raise PoinsotError("these results determine nothing in common: they cannot be compared")
    units = {name: entry[0] for s in summaries for name, entry in s.values.items()}
    lost = ("", np.nan, np.nan)
    value, deviation = (np.array([[s.values.get(n, lost)[i] for s in summaries] for n in names]) for i in (1, 2))
    channels = list(dict.fromkeys(name for s in summaries for name in s.fit))
    residual, held_out = (
        np.array([[part.get(c, np.nan) for part in parts] for c in channels]).reshape(len(channels), len(summaries))
        for parts in ([s.fit for s in summaries], [s.held_out for s in summaries])
    )
    correlation = np.stack([_correlations(summaries[0], s, names) for s in summaries], axis=1)
    return Comparison(
        results=tuple(s.name for s in summaries),
        methods=tuple(s.method for s in summaries),
        names=tuple(names),
        units=tuple(units[name] for name in names),
        value=value,
        deviation=deviation,
        difference=_differences(value, deviation, correlation),
        correlation=correlation,
        channels=tuple(channels),
        residual=residual,
        held_out=held_out,
        verdicts=tuple(s.verdict for s in summaries),
        assumed=tuple(_assumed(summaries[0], s) for s in summaries),
        refused=dict(refused),
    )


def _assumed(first: Summary, other: Summary) -> str:
    if not first.shares_samples(other):
        return INDEPENDENT
    return SAME if first.same_rows(other) else SHARED


def _differences(value: np.ndarray, deviation: np.ndarray, correlation: np.ndarray) -> np.ndarray:
    """Δ (k, m) against the first column; values that agree to round-off do not differ."""
    first, s = deviation[:, :1], value - value[:, :1]
    joint = np.sqrt(np.maximum(first**2 + deviation**2 - 2 * correlation * first * deviation, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.abs(s) <= ROUND_OFF * first, 0.0, s / joint)


def _correlations(first: Summary, other: Summary, names: Sequence[str]) -> np.ndarray:
    """Of the errors of two results, by unknown (k,); 0 where nothing is known of it."""
    found = np.zeros(len(names))
    if not first.same_rows(other) or first.influence is None or other.influence is None:
        return found
    known = [k for k, name in enumerate(names) if name in first.places and name in other.places]
    parts, s = [], []
    for one, counts in ((first, first.influence), (other, other.influence)):
        at = [one.places[names[k]] for k in known]
        parts.append(replace(counts, rows=tuple(part[..., at] for part in counts.rows)))
        s.append(np.array([one.values[names[k]][2] for k in known]))
    found[known] = correlations(parts[0], parts[1], s[0], s[1])
    return found


def correlations(a: Influence, b: Influence, s_a: np.ndarray, s_b: np.ndarray) -> np.ndarray:
    """Correlation (k,) of the errors of two results with standard errors (k,), from how samples count in both.

    What is left of ψ_b when ψ_a explains what it can, ψ_b = γ ψ_a + ψ, has a colour of its own; errors are then
    B_a ψ_a and γ B_b ψ_a + B_b ψ, with innovations of ψ_a and ψ correlated.
    """
    squares, products = (
        sum(np.sum(x * y, axis=0) for x, y in zip(a.scores, other)) for other in (a.scores, b.scores)
    )
    share = products / np.maximum(squares, 1e-300)  # γ (c,)
    colour = colour_of([np.concatenate([x, y - share * x], axis=1) for x, y in zip(a.scores, b.scores)])
    B_a = [np.concatenate([x, 0 * x], axis=1) / s_a for x in a.rows]
    B_b = [np.concatenate([x * share[:, None], x], axis=1) / s_a for x in b.rows]

    def variance(B: list[np.ndarray]) -> np.ndarray:
        return np.diagonal(sandwich(B, np.eye(len(s_a)), colour))

    wide_a, wide_b, apart = variance(B_a), variance(B_b), variance([x - y for x, y in zip(B_a, B_b)])
    scale = s_a * s_b / np.sqrt(wide_a * wide_b)  # influence tells the ratio, standard errors the size
    return np.clip((s_a**2 + s_b**2 - scale * apart) / (2 * s_a * s_b), -1.0, 1.0)


def _signed(x: float) -> str:
    return "–" if np.isnan(x) else f"{x:+.1f}"


def _share(x: float) -> str:
    return "–" if np.isnan(x) else f"{x:.3f}"
