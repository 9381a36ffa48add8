"""Design: an experiment that was designed, what it will tell, and which limits it rests on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError, unknown
from poinsot.estimate.results.folder import nominal_file
from poinsot.estimate.results.text import in_columns, with_error
from poinsot.experiment.limits import LimitReached
from poinsot.model.mechanism import Mechanism
from poinsot.results import BarPanel, Panel, Result
from poinsot.results.pictures import error_panel, relative_errors
from poinsot.store.folder import new_folder
from poinsot.store.provenance import provenance


class DesignStatus(StrEnum):
    """How a design ended. The text says what to do next; empty means success."""

    DONE = ""
    NOT_IDENTIFIABLE = "This experiment does not determine some unknowns: see Design.undetermined."
    NOT_SETTLED = "The search did not settle: give it more time, or look at Design.steps."
    VIOLATED = "The design violates a limit: see Design.limits."


@dataclass(frozen=True)
class Prediction:
    """What the experiment will tell of one unknown."""

    name: str
    unit: str
    nominal: float  # in the model  [SI]
    deviation: float  # predicted standard error; NaN where it is not told  [SI]

    def __str__(self) -> str:
        if not np.isfinite(self.deviation):
            return f"{self.name}: not determined by this experiment"
        return f"{self.name} = {with_error(self.nominal, self.deviation)} {self.unit}"


Figure = Mapping[str, np.ndarray]  # columns of equal length by name with unit, "f1 [Hz]"


@dataclass(frozen=True, eq=False, kw_only=True)
class Design(Result):
    """An experiment for k unknowns; every task adds what it designs."""

    mechanism: Mechanism
    name: str
    task: str
    predictions: tuple[Prediction, ...]  # k
    criteria: Mapping[str, float]  # by name, see `experiment.criteria`; smaller is better
    limits: tuple[LimitReached, ...]
    status: DesignStatus
    steps: tuple[str, ...]  # everything that was done, one sentence each
    figures: Mapping[str, Figure] = field(default_factory=dict)  # data of plots by name
    seed: int = 0
    remarks: tuple[str, ...] = ()  # what was taken for granted or not looked at, one sentence each
    text: str = ""  # of the file that it was asked in
    recordings: Mapping[str, Any] = field(default_factory=dict)  # earlier ones with the hashes of their files

    _hidden = ("mechanism", "text", "recordings")
    _extra = {"undetermined": "undetermined", "binding": "binding"}
    _columns = {"predictions": ("", "nominal=SI deviation=SI")}
    _shared = False  # its poses are no rows of the table

    def _rows(self) -> dict[str, Any]:
        return {"parameter": np.array([p.name for p in self.predictions])}

    def panels(self) -> tuple[Panel, ...]:
        """Predicted relative standard errors, and how far the design goes within its limits."""
        p = self.predictions
        told = [one.name for one in p], [one.unit for one in p], [one.nominal for one in p], self.deviation
        errors = [error_panel(*relative_errors(*told), title="predicted by the design")] if p else []
        bounded = [one for one in self.limits if np.isfinite(one.upper - one.lower) and one.upper > one.lower]
        if not bounded:
            return tuple(errors)
        used = [
            200 * max(one.greatest - (one.upper + one.lower) / 2, (one.upper + one.lower) / 2 - one.least)
            / (one.upper - one.lower)
            for one in bounded
        ]  # fmt: skip
        names, x = tuple(one.name for one in bounded), "use of the limits [%]"
        return (*errors, BarPanel(names=names, x=x, series={"use": np.array(used)}, levels={"limit": 100.0}))

    def __getitem__(self, name: str) -> Prediction:
        for one in self.predictions:
            if one.name == name:
                return one
        raise PoinsotError(unknown("unknown of this design", name, [p.name for p in self.predictions]))

    @property
    def deviation(self) -> np.ndarray:
        """Predicted standard errors (k,), NaN where an unknown is not told  [SI]."""
        return np.array([p.deviation for p in self.predictions])

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Unknowns that the experiment does not tell."""
        return tuple(p.name for p in self.predictions if not np.isfinite(p.deviation))

    @property
    def binding(self) -> tuple[str, ...]:
        """Names of the limits that the design rests on."""
        return tuple(limit.name for limit in self.limits if limit.binds)

    @property
    def _found(self) -> tuple[str, ...]:
        """The design itself, in lines."""
        return ()

    def _files(self) -> Mapping[str, str]:
        """Further files of its folder: text by name."""
        return {}

    def save(self, folder: str | Path, overwrite: bool = False) -> Path:
        """Write it to a folder: `design.json`, the data of every figure as CSV, and what the machine needs.

        `nominal.toml` is the mechanism, and `design.toml` what was asked where it was a file.
        """
        with new_folder(folder, "design.json", overwrite) as aside:
            origin = {"model": self.mechanism.name, "recordings": dict(self.recordings), **provenance()}
            whole = {"format": 1, **self.to_dict(), "provenance": origin}
            text = json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
            figures = {f"{name}.csv": table_text(columns) for name, columns in self.figures.items()}
            asked = {"design.toml": self.text} if self.text else {}
            asked |= nominal_file(self.mechanism, aside)
            for name, content in {"design.json": text, **figures, **self._files(), **asked}.items():
                (aside / name).write_text(content, encoding="utf-8")
        return Path(folder)

    def __str__(self) -> str:
        lines = [f"{self.mechanism.name}: {self.task}", *self._found]
        lines += ["  ".join(f"{name} {value:.4g}" for name, value in self.criteria.items())]
        lines += ["predicted:"] if self.predictions else []
        told = [p for p in self.predictions if np.isfinite(p.deviation)]
        lines += in_columns([(p.name, with_error(p.nominal, p.deviation), p.unit) for p in told])
        if self.undetermined:
            lines.append(f"not determined by this experiment: {', '.join(self.undetermined)}")
        lines += ["limits:", *(f"  {limit}" for limit in self.limits)] if self.limits else []
        return "\n".join([*lines, *self.remarks, *([str(self.status)] if self.status else [])])


def table_text(columns: Figure) -> str:
    """Columns as CSV text."""
    heads = ",".join('"' + name.replace('"', '""') + '"' for name in columns)
    rows = zip(*(np.asarray(values).tolist() for values in columns.values()))
    return "\n".join([heads, *(",".join(_cell(x) for x in row) for row in rows)]) + "\n"


def _cell(x: Any) -> str:
    return (
        (f"{x:.12g}" if np.isfinite(x) else "")
        if isinstance(x, float)
        else f'"{x}"'
        if isinstance(x, str)
        else str(x)
    )
