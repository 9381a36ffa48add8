"""Estimate: parameters identified from recordings, what they are worth, and the mechanism that has them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path

import numpy as np

from poinsot.errors import ConsistencyWarning, PoinsotError, listing, unknown
from poinsot.estimate.consistency.full import FullParameters, completed
from poinsot.estimate.excitation import Excitation
from poinsot.estimate.folder import write_folder
from poinsot.estimate.identified import full_values, with_linear
from poinsot.estimate.methods.hausman import BiasTest
from poinsot.estimate.problem import LinearProblem
from poinsot.estimate.study import Study
from poinsot.estimate.validation import RunFit, poorly_predicted
from poinsot.model.mechanism import Mechanism
from poinsot.results import Result

SHOWN = 60  # rows of a printed table
SHRUNK = 0.5  # of a standard error, by which noise of the motion may shrink a value without a word


class EstimateStatus(StrEnum):
    """How an estimation ended. The text says what to do next; empty means success."""

    DONE = ""
    NOT_IDENTIFIABLE = "The data does not determine some parameters: see Estimate.undetermined and .combinations."
    NOT_SETTLED = "The method did not settle: see Estimate.verdict."


@dataclass(frozen=True)
class Value:
    """One unknown."""

    name: str
    unit: str
    value: float  # NaN where undetermined  [SI]
    deviation: float  # standard error  [SI]
    nominal: float  # in the model  [SI]
    remark: str = ""  # why it is undetermined, or what besides the standard error is to be known

    @property
    def determined(self) -> bool:
        """Whether the data determines it."""
        return bool(np.isfinite(self.value))

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        if not self.determined:
            return f"{self.name}: undetermined, {self.remark}"
        return f"{self.name} = {with_error(self.value, self.deviation)} {self.unit}" + (
            self.remark and f" ({self.remark})"
        )


@dataclass(frozen=True)
class Combination:
    """A combination of parameters that the data determines."""

    text: str  # "link1.mx + 0.3 link2.m"
    unit: str
    value: float  # [SI]
    deviation: float  # [SI]
    nominal: float  # in the model  [SI]

    def __str__(self) -> str:
        return f"{self.text} = {with_error(self.value, self.deviation)} {self.unit}"


@dataclass(frozen=True, eq=False)
class Estimate(Result):
    """Parameters identified from recordings: k unknowns, b combinations that the data determines."""

    study: Study
    method: str
    parameters: tuple[Value, ...]  # k
    covariance: np.ndarray  # (k, k), NaN where undetermined
    combinations: tuple[Combination, ...]  # b
    base_covariance: np.ndarray  # of all base parameters (b, b)
    fit: RunFit  # in the runs that were identified from
    validation: RunFit | None  # in runs that were not; None: not evaluated
    status: EstimateStatus
    numerics: tuple[str, ...]  # what is wrong with the numbers; none: sound
    steps: tuple[str, ...]  # everything that was done, one sentence each
    problem: LinearProblem
    beta: np.ndarray  # all base parameters (b,)  [SI]
    held: int = 0  # directions that noise alone excites: they stay at the model's values
    consistent: FullParameters | None = None  # found together with the values, by the method of that name
    bias: BiasTest | None = None  # of least squares, where the controllers are known

    _hidden = ("study", "problem", "beta", "consistent")
    _extra = {"undetermined": "undetermined", "verdict": "verdict"}
    _columns = {"parameters": ("", "")}

    def _rows(self) -> dict[str, np.ndarray]:
        return {"parameter": np.array(self.names)}

    def __getitem__(self, name: str) -> Value:
        for value in self.parameters:
            if value.name == name:
                return value
        raise PoinsotError(unknown("unknown of this study", name, self.names))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the unknowns, k."""
        return tuple(p.name for p in self.parameters)

    @property
    def units(self) -> tuple[str, ...]:
        """Units of the unknowns, k."""
        return tuple(p.unit for p in self.parameters)

    @property
    def value(self) -> np.ndarray:
        """Values (k,), NaN where undetermined  [SI]."""
        return np.array([p.value for p in self.parameters])

    @property
    def deviation(self) -> np.ndarray:
        """Standard errors (k,), NaN where undetermined  [SI]."""
        return np.array([p.deviation for p in self.parameters])

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Unknowns of which the data says nothing by themselves."""
        return tuple(p.name for p in self.parameters if not p.determined)

    @property
    def verdict(self) -> str:
        """Whether to believe the values: numerics, prediction, and what was not evaluated."""
        numerics = "numerics sound" if not self.numerics else "numerics in doubt: " + " ".join(self.numerics)
        if self.validation is None:
            prediction = "prediction not evaluated: give a run to validate"
        elif poor := poorly_predicted(self.fit, self.validation):
            prediction = f"does not predict held-out runs as well as it fits: {listing(poor)}"
        else:
            worst = self.validation.relative.max()
            prediction = f"predicts held-out runs (residual {worst:.3f} of a channel's deviation at most)"
        flat = [f.channel for f in (self.validation or self.fit).channels if f.constant]
        said = f"; no better than a constant: {listing(flat)}" if flat else ""
        wrong = [f"{run.name}: {f.channel} {f.message}" for run in self.study.runs for f in run.recording.problems]
        doubts = f"; recordings in doubt: {listing(wrong, 3)}" if wrong else ""
        return f"{numerics}; {prediction}{said}{doubts}" + (f"; {self.bias}" if self.bias else "")

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
        return with_linear(unknowns.mechanism, unknowns.linear, self.full)

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

    def save(self, folder: str | Path, overwrite: bool = False) -> Path:
        """Write it to a folder: JSON, signals as CSV, and the identified model as TOML, MJCF and URDF."""
        fits = {"fit": self.fit, "validation": self.validation}
        return write_folder(folder, self.to_dict(), self.study, fits, lambda: self.mechanism, overwrite)

    def __str__(self) -> str:
        lines = [
            f"{self.study.mechanism.name}: {len(self.combinations)} combinations of {len(self.parameters)} unknowns "
            f"by {self.method} from {listing(self.fit.runs, 6)}",
            f"verdict: {self.verdict}",
        ]
        if self.held:
            lines.append(
                f"{self.held} directions are not excited above the noise of the motion and stay at the model"
            )
        known = [p for p in self.parameters if p.determined]
        lines += _table(
            [(p.name, with_error(p.value, p.deviation), p.unit, f"model {p.nominal:.6g}", p.remark) for p in known]
        )
        mixed = [c for c in self.combinations if c.text not in {p.name for p in known}]
        if self.undetermined:
            lines.append(f"undetermined by themselves: {listing(self.undetermined, 24)}")
        if mixed:
            lines.append("determined together:")
            lines += _table(
                [(with_error(c.value, c.deviation), c.unit, f"model {c.nominal:.6g}", c.text) for c in mixed]
            )
        lines += [] if self.consistent is None else [str(self.consistent)]
        lines += ["fit:", str(self.fit)]
        lines += [] if self.validation is None else ["held out:", str(self.validation)]
        return "\n".join([*lines, *([str(self.status)] if self.status else [])])


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max((len(row[i]) for row in rows), default=0) for i in range(len(rows[0]) if rows else 0)]
    lines = ["  " + "  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip() for row in rows[:SHOWN]]
    return lines + ([f"  … ({len(rows)} in all)"] if len(rows) > SHOWN else [])


def with_error(value: float, deviation: float) -> str:
    """A value with as many digits as its standard error is worth.

    >>> with_error(6.83712, 0.00093)
    '6.83712 ± 0.00093'
    """
    if not (np.isfinite(deviation) and deviation > 0):
        return f"{value:.6g}"
    digits = 1 - int(np.floor(np.log10(deviation)))
    if -4 < digits < 9 and abs(value) < 1e7:
        return f"{value:.{max(digits, 0)}f} ± {deviation:.{max(digits, 0)}f}"
    return f"{value:.6g} ± {deviation:.2g}"


def values_of(
    problem: LinearProblem, beta: np.ndarray, covariance: np.ndarray, excitation: Excitation
) -> tuple[tuple[Value, ...], tuple[Combination, ...], np.ndarray]:
    """Unknowns one by one, the combinations that are determined, and the covariance (k, k) of the unknowns."""
    unknowns, base = problem.unknowns, problem.base
    spread = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    texts = dict(zip(base.independent, base.combinations))
    units = dict(zip(unknowns.names, unknowns.units))
    bias = excitation.shrinkage(problem, beta)
    combinations = tuple(
        Combination(texts[name], units[name], float(beta[j]), float(spread[j]), float(problem.nominal[j]))
        for j, name in enumerate(base.independent)
        if not excitation.hidden(j)
    )
    values, alone = [], []
    for k, (name, unit, nominal) in enumerate(zip(unknowns.names, unknowns.units, unknowns.start)):
        j = base.independent.index(name) if texts.get(name) == name else -1
        if j < 0 or excitation.hidden(j):
            values.append(Value(name, unit, np.nan, np.nan, float(nominal), _why(problem, texts, name)))
            continue
        said = [f"noise of the motion shrinks it by {abs(bias[j]):.2g}"] if abs(bias[j]) > SHRUNK * spread[j] else []
        one = unknowns.given[k]
        said += [] if one.lower <= beta[j] <= one.upper else [f"beyond its bounds [{one.lower:g}, {one.upper:g}]"]
        values.append(Value(name, unit, float(beta[j]), float(spread[j]), float(nominal), ", ".join(said)))
        alone.append((k, j))
    whole = np.full((len(values), len(values)), np.nan)
    known, picked = [k for k, _ in alone], [j for _, j in alone]
    whole[np.ix_(known, known)] = covariance[np.ix_(picked, picked)]
    return tuple(values), combinations, whole


def _why(problem: LinearProblem, texts: dict[str, str], name: str) -> str:
    """Why an unknown is undetermined."""
    base = problem.base
    if name in base.null:
        return "no effect on the channels"
    if texts.get(name) == name:
        return "hardly excited above the noise of the motion"
    if name in texts:
        return f"determined together: {texts[name]}"
    at = base.eliminated.index(name)
    mixed = [texts[other] for other, row in zip(base.independent, base.coefficients) if row[at] != 0]
    return f"determined together: {'; '.join(mixed[:2])}" + ("; …" if len(mixed) > 2 else "")


def status_of(parameters: tuple[Value, ...], numerics: tuple[str, ...]) -> EstimateStatus:
    """How it ended."""
    if any(not p.determined for p in parameters):
        return EstimateStatus.NOT_IDENTIFIABLE
    return EstimateStatus.NOT_SETTLED if any("settle" in text for text in numerics) else EstimateStatus.DONE
