"""Estimate: parameters identified from recordings, what they are worth, and the mechanism that has them."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from poinsot.errors import PoinsotError, counted, listing, unknown
from poinsot.estimate.methods.base import Influence
from poinsot.estimate.results.bootstrap import Bootstrap
from poinsot.estimate.results.folder import write_folder
from poinsot.estimate.results.kept import BodyMotion, asked, surface_text, texts_of
from poinsot.estimate.results.surface import CostSurface
from poinsot.estimate.results.text import in_brackets, in_columns, with_error
from poinsot.estimate.results.validation import RunFit, poorly_predicted
from poinsot.estimate.search.base import Convergence
from poinsot.estimate.search.problem import SearchProblem, Space
from poinsot.estimate.search.profile import Profile, profile
from poinsot.estimate.search.starts import SearchStarts
from poinsot.estimate.selection.sets import Selection
from poinsot.estimate.study import Study
from poinsot.estimate.unknowns import PAYLOAD
from poinsot.model.mechanism import Mechanism
from poinsot.model.toml import as_path
from poinsot.results import BarPanel, Panel, Result
from poinsot.results.pictures import correlation_panel, value_panel
from poinsot.store.folder import check_folder

NOT_NEGATIVE = ("m", "Ixx", "Iyy", "Izz", "J")  # linear parameters of a body
DELAY = "delay "  # in front of the name of a channel
SURELY = 3.0  # standard errors beyond which a value is impossible and not only uncertain


class EstimateStatus(StrEnum):
    """How an estimation ended. The text says what to do next; empty means success."""

    DONE = ""
    NOT_IDENTIFIABLE = "The data does not determine some parameters: see what is told instead in the result."
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


@dataclass(frozen=True, eq=False, kw_only=True)
class Estimate(Result):
    """Parameters identified from measurements: k unknowns, b combinations that the data determines."""

    study: Study
    method: str
    parameters: tuple[Value, ...]  # k
    covariance: np.ndarray  # (k, k), NaN where undetermined
    combinations: tuple[Combination, ...]  # b
    fit: RunFit  # in the runs that were identified from
    validation: RunFit | None  # in runs that were not; None: not evaluated
    status: EstimateStatus
    numerics: tuple[str, ...]  # what is wrong with the numbers; none: sound
    steps: tuple[str, ...]  # everything that was done, one sentence each
    convergence: Convergence | None = None  # of a search, iteration by iteration
    starts: SearchStarts | None = None  # of a search from many points
    selection: Selection | None = None  # of alternatives, where the study lets the data choose
    bootstrap: Bootstrap | None = None  # intervals, where the study asks for them

    _hidden = ("study",)
    _extra = {"undetermined": "undetermined", "verdict": "verdict", "doubts": "doubts"}
    _columns = {"parameters": ("", "value=SI deviation=SI nominal=SI")}

    def _rows(self) -> dict[str, np.ndarray]:
        return {"parameter": np.array(self.names)}

    def panels(self) -> tuple[Panel, ...]:
        """Values against the model's, residuals by channel, correlation of the errors, and the fit itself."""
        nominal = np.array([p.nominal for p in self.parameters])
        values = value_panel(self.names, self.units, nominal, {"estimate": (self.value, self.deviation)})
        shares = {"identified from": self.fit.relative}
        if self.validation is not None and len(self.validation.channels) == len(self.fit.channels):
            shares["held out"] = self.validation.relative
        names = tuple(f.channel for f in self.fit.channels)
        left = BarPanel(names=names, x="residual, of a channel's deviation [-]", series=shares)
        known = np.isfinite(self.value)
        together = [correlation_panel([n for n, k in zip(self.names, known) if k], self.covariance[known][:, known])]
        return (values, left, *(together if known.sum() > 1 else ()), *self.fit.panels())

    def __getitem__(self, name: str) -> Value:
        """The value of an unknown; what a payload adds, "payload load.m", is "load.m" too where that is none."""
        for key in (name, f"{PAYLOAD}{name}"):
            for value in self.parameters:
                if value.name == key:
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
    def delays(self) -> dict[str, float]:
        """Delays of channels that were found, by what these measure  [s]."""
        found = [one for one in self.parameters if one.determined and one.name.startswith(DELAY)]
        return {one.name.removeprefix(DELAY).removeprefix("sensor "): one.value for one in found}

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Unknowns of which the data says nothing by themselves."""
        return tuple(p.name for p in self.parameters if not p.determined)

    @property
    def sample_influence(self) -> tuple[Influence | None, dict[str, int]]:
        """How samples count, and the column of each unknown or combination in it; None: not known."""
        return None, {}

    @property
    def doubts(self) -> tuple[str, ...]:
        """What speaks against the values; none: nothing that was looked at does."""
        poor = () if self.validation is None else poorly_predicted(self.fit, self.validation)
        fits = [f for runs in (self.fit, self.validation) if runs for f in runs.channels]
        flat = list(dict.fromkeys(f.column for f in fits if f.constant))
        left = {f.column: f"{f.column} ({f.relative:.2f} of its deviation is left)" for f in fits if f.unexplained}
        left = {name: text for name, text in left.items() if name not in flat}
        runs = self.study.runs
        wrong = [f"{run.name}: '{f.channel}': {f.message}" for run in runs for f in run.recording.problems]
        found = {
            "numerics in doubt": " ".join(self.numerics).rstrip("."),
            "does not predict held-out runs as well as it fits": poor and listing(poor),
            "no better than a constant": flat and listing(flat),
            "hardly explained, and not for noise": left and listing(left.values()),
            "impossible values": listing(self._impossible, 6) if self._impossible else "",
            "recordings in doubt": wrong and listing(wrong, 3),
        }
        return tuple(f"{what}: {which}" for what, which in found.items() if which)

    @property
    def _impossible(self) -> tuple[str, ...]:
        """Unknowns with values that no mechanism has, by more than a few standard errors."""
        known = self.study.mechanism.parameters
        groups = {u.name: u.parameters[0] for u in self.study.unknowns if u.parameters}
        found = []
        for p in self.parameters:
            name = groups.get(p.name, p.name)
            inertia = name.rpartition(".")[2] in NOT_NEGATIVE and not name.startswith(PAYLOAD)
            low, high = (
                (known[name].lower, known[name].upper) if name in known else (0.0 if inertia else -np.inf, np.inf)
            )
            if p.determined and not low - SURELY * p.deviation <= p.value <= high + SURELY * p.deviation:
                found.append(f"{p.name} = {with_error(p.value, p.deviation)} {p.unit}")
        return tuple(found)

    @property
    def verdict(self) -> str:
        """Whether to believe the values: numerics, prediction, and what was not evaluated."""
        said = list(self.doubts)
        if not self.numerics:
            said.insert(0, "numerics sound")
        if self.validation is None:
            said.insert(1, "prediction not evaluated: give a run to validate")
        elif not poorly_predicted(self.fit, self.validation):
            said.insert(1, self._predicted(self.validation))
        return "; ".join([*said, *self._besides])

    @staticmethod
    def _predicted(held_out: RunFit) -> str:
        """What runs that leave no more than the fit say: nothing, where they do not move or hardly are explained."""
        worst = max((f.relative for f in held_out.channels if f.judged and f.relative >= 0), default=np.nan)
        flat, poor = any(fit.constant for fit in held_out.channels), [c.column for c in held_out.hardly_explained]
        but = "but hardly move" if flat else f"but hardly anything of {listing(poor)} is explained"
        alike = f"held-out runs leave no more than the fit, {but}" if flat or poor else "predicts held-out runs"
        return alike if np.isnan(worst) else f"{alike} (residual {worst:.3f} of a channel's deviation at most)"

    @property
    def _besides(self) -> tuple[str, ...]:
        """What else is to be said in the verdict."""
        return ()

    @property
    @abstractmethod
    def mechanism(self) -> Mechanism:  # type: ignore[override]
        """The mechanism with the values; what the data leaves open stays as near to the model as they allow."""

    @property
    @abstractmethod
    def _search(self) -> tuple[SearchProblem, np.ndarray, float]:
        """The problem as that of a search, its values (k,), and the variance of its residuals."""

    @property
    def space(self) -> Space:
        """Where each unknown was looked for: bounds, priors, start."""
        return self._search[0].space

    @property
    def motion(self) -> BodyMotion | None:
        """Poses of all bodies in the first run that was used; None where nothing moves, or it is not known."""
        return None

    def cost_surface(
        self,
        first: str,
        second: str,
        n: int = 41,
        *,
        within: Mapping[str, Sequence[float]] | None = None,
        at: Mapping[str, float] | None = None,
    ) -> CostSurface:
        """Costs over a grid (n, n) of two unknowns, the others at their values, or `at` those that are given.

        `within` are limits of the two by name; by default their bounds, or half their size to either side.
        """
        problem, p, _ = self._search
        return CostSurface.of(problem, p, (first, second), n, within or {}, at or {})

    def profile(self, name: str, level: float = 0.95) -> Profile:
        """Interval of an unknown by the profile of the likelihood, all others at their best along it."""
        problem, p, variance = self._search
        return profile(problem, p, self.names.index(self[name].name), level, variance)

    def save(self, folder: str | Path, overwrite: bool = False) -> Path:
        """Write it to a folder: JSON, signals as CSV, and the identified model as TOML, MJCF and URDF.

        A file that cannot be made besides is left out: a warning and `estimate.json` say why.
        """
        check_folder(as_path(folder), "estimate.json", overwrite)
        fits = {"fit": self.fit, "validation": self.validation}
        kept, left_out = texts_of(
            {
                "surfaces.json": lambda: surface_text(
                    self.names, self.value, self.covariance, self.space, self.cost_surface
                ),
                "starts.csv": lambda: "" if self.starts is None else self.starts.text(),
                "motion.csv": lambda: "" if (motion := self.motion) is None else motion.text(),
            }
        )
        data = self.to_dict() | {"study": asked(self.study, self.space), "left_out": left_out}
        for name, why in left_out.items():
            warnings.warn(f"{name} could not be written: {why}", stacklevel=2)
        return write_folder(folder, data, self.study, fits, lambda: self.mechanism, overwrite, kept)

    def __str__(self) -> str:
        lines = [
            f"{self.study.mechanism.name}: {counted(len(self.combinations), 'combination')} of "
            f"{counted(len(self.parameters), 'unknown')} by {self.method} from {listing(self.fit.runs, 6)}",
            f"verdict: {self.verdict}",
        ]
        if silent := [f.channel for f in self.fit.channels if f.silent]:
            lines.append(f"not judged, since the model predicts zero there whatever the values: {listing(silent)}")
        lines += self._remarks
        known = [p for p in self.parameters if p.determined]
        lines += in_columns([(p.name, *self._numbers(p, p.name), f"model {p.nominal:.6g}", p.remark) for p in known])
        mixed = [c for c in self.combinations if c.text not in {p.name for p in known}]
        if self.undetermined:
            lines.append(f"undetermined by themselves: {listing(self.undetermined, 24)}")
        if mixed:
            lines.append("determined together:")
            lines += in_columns([(*self._numbers(c, c.text), f"model {c.nominal:.6g}", c.text) for c in mixed])
        lines += [] if self.bootstrap is None else [f"in brackets: {self.bootstrap}"]
        lines += ["fit:", str(self.fit)]
        lines += [] if self.validation is None else ["held out:", str(self.validation)]
        return "\n".join([*lines, *([str(self.status)] if self.status else [])])

    def _numbers(self, one: Value | Combination, text: str) -> tuple[str, str, str]:
        """Value with standard error, unit, and the interval of a bootstrap, if there is one."""
        interval = "" if self.bootstrap is None else in_brackets(*self.bootstrap[text])
        return with_error(one.value, one.deviation), one.unit, interval

    @property
    def _remarks(self) -> tuple[str, ...]:
        """Lines behind the verdict."""
        return ()


def status_of(parameters: tuple[Value, ...], settled: bool) -> EstimateStatus:
    """How it ended."""
    if not settled:
        return EstimateStatus.NOT_SETTLED
    return EstimateStatus.DONE if all(p.determined for p in parameters) else EstimateStatus.NOT_IDENTIFIABLE
