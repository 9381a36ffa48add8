"""Values of results as data for JSON, as columns and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import PurePath
from typing import Any

import numpy as np

from poinsot.results.panels import with_unit

_LEFT_OUT = object()  # what is no data: functions, compiled systems, caches


def parts_of(record: Any) -> dict[str, Any]:
    """Fields by name; of a mechanism its own name."""
    found = {f.name: getattr(record, f.name) for f in fields(record)}
    return found | ({"mechanism": found["mechanism"].name} if "mechanism" in found else {})


def column_of(values: list[Any]) -> np.ndarray:
    """Values (n,), whatever they are."""
    found = np.empty(len(values), object)
    found[:] = values
    return np.array(values) if all(isinstance(x, int | float) for x in values) else found


def data_of(value: Any) -> Any:
    """A value as data for JSON."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str | PurePath):
        return str(value)
    if isinstance(value, float | complex | np.number | np.bool_):
        return data_of(np.asarray(value))
    if hasattr(value, "toarray"):  # a sparse matrix
        value = value.toarray()
    if isinstance(value, np.ndarray):
        if np.iscomplexobj(value):
            return {"re": data_of(value.real), "im": data_of(value.imag)}
        if value.dtype.kind == "f" and not (finite := np.isfinite(value)).all():
            value = value.astype(object)
            value[~finite] = None
        return value.tolist()
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {key: x for key, x in ((key, data_of(x)) for key, x in value.items()) if x is not _LEFT_OUT}
    if isinstance(value, tuple | list):
        return [data_of(x) for x in value]
    if is_dataclass(value):
        return data_of(parts_of(value))
    return _LEFT_OUT


def csv_text(index: Mapping[str, np.ndarray], columns: Mapping[str, tuple[np.ndarray, str]]) -> str:
    """A table as CSV with all digits; heads carry units, "theta1 [rad]", as `read` understands them, but where a
    column `unit` tells those of each row."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    of_rows = "SI" if "unit" in columns else ""
    writer.writerow([*index, *(with_unit(name, unit.removeprefix(of_rows)) for name, (_, unit) in columns.items())])
    rows = zip(*index.values(), *(values for values, _ in columns.values()), strict=True)
    writer.writerows([_cell(x) for x in row] for row in rows)
    return out.getvalue()


def _cell(x: Any) -> str:
    if isinstance(x, float | np.floating):
        return repr(float(x)) if np.isfinite(x) else ""
    return "; ".join(map(str, x)) if isinstance(x, tuple | list) else str(x)
