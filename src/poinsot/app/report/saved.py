"""A folder of results, read back: from `poinsot identify` or `poinsot design`, of this version or an older one."""

from __future__ import annotations

import csv
import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from poinsot.app.report.signals import MOST, Signals, read_signals
from poinsot.errors import PoinsotError
from poinsot.estimate.results.kept import POSE, POSES, BodyMotion
from poinsot.model.load import load
from poinsot.model.mechanism import Mechanism
from poinsot.model.toml import as_path, read_text

TURNING = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])  # marks of the direction of writing
SIGNS = ("estimate.json", "design.json")  # by which folders are known


@dataclass(frozen=True, eq=False)
class SavedResult:
    """An estimate or a design, as data."""

    folder: Path
    sign: str  # of SIGNS
    data: Mapping[str, Any]
    fit: Signals | None = None
    validation: Signals | None = None
    surfaces: Mapping[str, Any] = field(default_factory=dict)
    motion: BodyMotion | None = None
    figures: Mapping[str, Mapping[str, list[Any]]] = field(default_factory=dict)  # of a design: columns by name

    @property
    def designed(self) -> bool:
        """Whether it is a design."""
        return self.sign == "design.json"

    @property
    def study(self) -> Mapping[str, Any]:
        """What was asked; empty in folders that do not tell."""
        return self.data.get("study") or {}

    @property
    def asked(self) -> dict[str, Mapping[str, Any]]:
        """Bounds, priors and starts by unknown."""
        return {one["name"]: one for one in self.study.get("unknowns", ())}

    @property
    def origin(self) -> Mapping[str, Any]:
        """Where it comes from."""
        return self.data.get("provenance") or {}

    @property
    def model(self) -> str:
        """Name of the mechanism."""
        return str(self.origin.get("model") or "mechanism")

    @property
    def mechanism(self) -> Mechanism | None:
        """The identified mechanism, else the one before; None where the folder has neither."""
        return self._models[0]

    @property
    def not_identified(self) -> str:
        """Why the mechanism is the one before, where it is; empty where it is the identified one, or a design's."""
        return self._models[1]

    @cached_property
    def _models(self) -> tuple[Mechanism | None, str]:
        """The mechanism to be shown, and why it is not the identified one."""
        found, why = self._loaded("model.toml")
        if found is not None:
            return found, ""
        nominal, _ = self._loaded("nominal.toml")
        why = str((self.data.get("models") or {}).get("model.toml") or why)
        told = "" if self.designed else f"no identified model could be written: {why or 'the folder has none'}"
        return nominal, told

    def _loaded(self, name: str) -> tuple[Mechanism | None, str]:
        if not (self.folder / name).is_file():
            return None, ""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return load(self.folder / name), ""
            except PoinsotError as error:
                return None, str(error)


def read_result(folder: str | Path) -> SavedResult:
    """What a folder holds; an error says what is missing."""
    place = as_path(folder)
    sign = next((name for name in SIGNS if (place / name).is_file()), "")
    if not sign:
        raise PoinsotError(
            f"{place} is no folder of a result: it has neither {' nor '.join(SIGNS)}; "
            "`poinsot identify STUDY --out DIR` writes one"
        )
    try:
        data = _in_one_direction(json.loads(read_text(place / sign, MOST, "a result")))
        if not isinstance(data, dict) or not isinstance(
            data["parameters" if sign == SIGNS[0] else "predictions"], list
        ):
            raise ValueError
    except (ValueError, KeyError, RecursionError):
        raise PoinsotError(f"{place / sign} is not the result of an identification or a design") from None
    if sign == "design.json":
        return SavedResult(place, sign, data, figures=_figures(place))
    return SavedResult(
        place,
        sign,
        data,
        read_signals(place / "fit.csv"),
        read_signals(place / "validation.csv"),
        _surfaces(place / "surfaces.json"),
        _motion(place / "motion.csv"),
    )


def _in_one_direction(data: Any) -> Any:
    """Texts of a user without the characters that would turn all text after them about."""
    if isinstance(data, dict):
        return {_in_one_direction(key): _in_one_direction(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_in_one_direction(one) for one in data]
    return data.translate(TURNING) if isinstance(data, str) else data


def _surfaces(path: Path) -> Mapping[str, Any]:
    if not path.is_file():
        return {}
    try:
        found = json.loads(read_text(path, MOST, "cost surfaces"))
        for one in found["surfaces"]:
            if np.shape(one["cost"]) != (len(one["first"]), len(one["second"])):
                raise ValueError
        return found
    except (ValueError, TypeError, KeyError, RecursionError):
        raise PoinsotError(f"{path} does not hold cost surfaces") from None


def _table(path: Path) -> tuple[list[str], list[list[str]]]:
    rows = list(csv.reader(read_text(path, MOST, "a table").splitlines()))
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise PoinsotError(f"{path} is not a table")
    return rows[0], rows[1:]


def _motion(path: Path) -> BodyMotion | None:
    """Poses of bodies from `motion.csv`."""
    from scipy.spatial.transform import Rotation

    if not path.is_file():
        return None
    heads, rows = _table(path)
    try:
        numbers = np.array(rows, float).reshape(len(rows), -1)
        bodies = [head.removesuffix(f" {POSE[0]}") for head in heads[1 :: len(POSE)]]
        parts = numbers[:, 1:].reshape(len(rows), len(bodies), len(POSE))
        turned = {
            name: Rotation.from_quat(np.roll(parts[:, k, 3:], -1, axis=1)).as_matrix()
            for k, name in enumerate(bodies)
        }
    except ValueError:
        raise PoinsotError(f"{path} does not hold a motion") from None
    places = {name: parts[:, k, :3] for k, name in enumerate(bodies)}
    return BodyMotion(numbers[:, 0], places, turned, heads[0] == POSES)


def _figures(folder: Path) -> dict[str, dict[str, list[Any]]]:
    """Tables of a design by name, in columns."""
    found = {}
    for path in sorted(folder.glob("*.csv")):
        heads, rows = _table(path)
        found[path.stem] = {head: [_cell(row[k]) for row in rows] for k, head in enumerate(heads)}
    return found


def _cell(text: str) -> Any:
    try:
        return float(text) if text else None
    except ValueError:
        return text


def numeric(values: Sequence[Any]) -> bool:
    """Whether a column holds numbers."""
    return any(isinstance(x, float) for x in values) and not any(isinstance(x, str) for x in values)
