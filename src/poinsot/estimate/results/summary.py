"""What a comparison needs of a result, at hand or in a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.estimate.methods.base import Influence
from poinsot.estimate.results.folder import origin
from poinsot.estimate.role import Role
from poinsot.model.toml import read_text

if TYPE_CHECKING:
    from poinsot.estimate.results.estimate import Estimate

MOST = 500_000_000  # bytes of a result file


@dataclass(frozen=True, eq=False)
class Summary:
    """One result."""

    name: str
    method: str
    values: Mapping[str, tuple[str, float, float]]  # by unknown or combination: unit, value, standard error  [SI]
    fit: Mapping[str, float]  # by channel, residual over the channel's deviation
    held_out: Mapping[str, float]  # the same of runs that were not used
    verdict: str
    samples: tuple[tuple[frozenset[str], float, float], ...]  # runs that were used: digests, first and last time  [s]
    t: tuple[np.ndarray, ...] = ()  # of the rows, by run (n,)  [s]
    places: Mapping[str, int] = field(default_factory=dict)  # by unknown or combination, its column in `influence`
    influence: Influence | None = None  # of samples; None: not known

    def shares_samples(self, other: Summary) -> bool:
        """Whether any sample was used by both."""
        pairs = ((a, b) for a in self.samples for b in other.samples)
        return any(a[0] & b[0] and max(a[1], b[1]) < min(a[2], b[2]) for a, b in pairs)

    def same_rows(self, other: Summary) -> bool:
        """Whether both say how each sample counts, at the same times of the same runs."""
        times = len(self.t) == len(other.t) and all(map(np.array_equal, self.t, other.t))
        known = self.influence is not None and other.influence is not None
        return known and times and self.samples == other.samples


def summary_of(estimate: Estimate, name: str) -> Summary:
    """A result at hand."""
    found = _summary(name, estimate.to_dict(), origin(estimate.study))
    influence, columns = estimate.sample_influence
    places = {text: j for text, j in columns.items() if text in found.values}
    return replace(found, t=estimate.fit.t, places=places, influence=influence)


def summary_in(folder: Path, name: str) -> Summary:
    """A result in a folder, as `Estimate.save` writes it."""
    path = folder / "estimate.json"
    if not path.is_file():
        what = "the folder of a design" if (folder / "design.json").is_file() else "a folder without estimate.json"
        raise PoinsotError(
            f"{folder}: this is {what}, not that of an estimate; `poinsot identify STUDY --out DIR` writes one"
        )
    text = read_text(path, MOST, "a result")
    try:
        data = json.loads(text)
        return _summary(name, data, data["provenance"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise PoinsotError(f"{path} is not the result of an identification") from None


def _summary(name: str, data: Mapping[str, Any], origin: Mapping[str, Any]) -> Summary:
    """A result from what `Estimate.to_dict` has."""
    named = {p["name"]: p for p in data["parameters"] if p["value"] is not None}
    named |= {c["text"]: c for c in data["combinations"] if c["text"] not in named}
    runs = [run for run in origin["recordings"].values() if run["role"] != Role.VALIDATE]
    return Summary(
        name,
        str(data["method"]),
        {key: (str(x["unit"]), float(x["value"]), float(x["deviation"])) for key, x in named.items()},
        _relative(data["fit"]),
        _relative(data["validation"]),
        str(data["verdict"]),
        tuple(
            (frozenset([run["samples"], *(f["sha256"] for f in run["files"])]), float(begin), float(end))
            for run in runs
            for begin, end in [run["span"]]
        ),
    )


def _relative(fit: Mapping[str, Any] | None) -> dict[str, float]:
    """Residual over deviation by channel; nothing without runs."""
    found = {} if fit is None else {c["channel"]: c["relative"] for c in fit["channels"]}
    return {name: np.inf if x is None else float(x) for name, x in found.items()}
