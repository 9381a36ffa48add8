"""Result: a record that a verb gives becomes data for JSON, a table, a plot, in one way for all.

The rows of a table are what the result is over: times, modes, frequencies, channels, parameters. Columns are named by
body, joint, coordinate or actuator: "platform.x", "A.fx", "theta1", "theta1.rate", "leg1.force".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from poinsot.errors import MissingExtraError, counted
from poinsot.results.drawing import draw
from poinsot.results.notebook import page, shortened
from poinsot.results.panels import ROW_UNITS, Panel, trace_panels, with_unit
from poinsot.results.tables import column_of, csv_text, data_of, parts_of
from poinsot.store.files import as_path, check_place, write_aside

Texts = str | Callable[[Any], Sequence[str]]  # with blanks between them, or told by the result
DISPLACEMENT = "x y z rx ry rz"  # components of a displacement and a small turn
WRENCH = "fx fy fz tx ty tz"  # components of a force and a moment
_NEWTONS = "N N N N·m N·m N·m"
COLUMNS: Mapping[str, tuple[Texts, Texts]] = {  # by attribute: labels and units of its components in one row
    "position": ("x y z", "m"),
    "rotation": ("R11 R12 R13 R21 R22 R23 R31 R32 R33", "-"),
    "poses": ("x y z R11 R12 R13 R21 R22 R23 R31 R32 R33", "m m m - - - - - - - - -"),
    "velocity": ("vx vy vz", "m/s"),
    "angular_velocity": ("wx wy wz", "rad/s"),
    "acceleration": ("ax ay az", "m/s²"),
    "angular_acceleration": ("alphax alphay alphaz", "rad/s²"),
    "coordinates": ("", "coordinate"),
    "rates": ("rate", "coordinate/s"),
    "forces": ("force", "force"),
    "power": ("power", "W"),
    "reactions": (WRENCH, _NEWTONS),
    "coupling_forces": ("force", "coupling"),
    "body_forces": (WRENCH, _NEWTONS),
    "energy": ("energy", "J"),
    "work": ("work", "J"),
    "check": ("check", "-"),
}


class Result:
    """A frozen record that a verb gives: `to_dict` for JSON, `to_frame`, `to_csv`, and `plot` to look at."""

    mechanism: Any  # which tells the units of what has a name
    units: Any  # of channels, where it has any
    _over: ClassVar[tuple[str, str]] = ("", "")  # name of the rows, attribute that tells them, "#" counts; none: one
    _hidden: ClassVar[tuple[str, ...]] = ()  # fields that are no data for others
    _extra: ClassVar[Mapping[str, str]] = {}  # further data by name, from attributes such as "base.rank"
    _columns: ClassVar[Mapping[str, tuple[Texts, Texts]]] = {}  # as `COLUMNS`, of this result; of records "value=SI"
    _shared: ClassVar[bool] = True  # whether fields with a name in `COLUMNS` are columns of its table
    _plot: ClassVar[Mapping[str, str]] = {}  # attributes with columns that are drawn over the rows, and their words

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__repr__ is Result.__repr__:
            cls.__repr__ = Result.__repr__  # its own, which a dataclass then leaves: one of all numbers is no help

    def __repr__(self) -> str:
        return f"<{shortened(self._said())}>"

    def to_dict(self) -> dict[str, Any]:
        """As data for JSON: arrays are lists, complex numbers {"re", "im"}, numbers that are not finite null."""
        parts = {name: x for name, x in parts_of(self).items() if name not in self._hidden}
        return data_of(parts | {name: _told(self, path) for name, path in self._extra.items()})

    def to_frame(self) -> Any:
        """A pandas DataFrame, a row for each of what the result is over; units are in `frame.attrs["units"]`."""
        try:
            import pandas
        except ImportError:
            raise MissingExtraError("a table of a result", "pandas", "data") from None
        index, columns = self._whole_table()
        named = pandas.MultiIndex.from_arrays([*index.values()], names=[*index]) if index else None
        for name, values in index.items() if len(index) == 1 else ():
            named = pandas.Index(values, name=name)
        frame = pandas.DataFrame({name: values for name, (values, _) in columns.items()}, index=named)
        frame.attrs["units"] = {name: unit for name, (_, unit) in columns.items()}
        return frame

    def to_columns(self) -> dict[str, tuple[np.ndarray, str]]:
        """By name, the columns of its table with their units, without what tells the rows apart."""
        return self._whole_table()[1]

    def to_csv(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the table of `to_frame` as CSV with units in its heads; an existing file is kept unless told."""
        place = as_path(path)
        check_place(place, overwrite)
        index, columns = self._whole_table()
        heads = {with_unit(name, ROW_UNITS.get(name, "")): values for name, values in index.items()}
        return write_aside(place, csv_text(heads, columns))

    def panels(self) -> tuple[Panel, ...]:
        """What `plot` shows, as data: one panel for each pair of axes."""
        return self.traces(**self._plot)

    def traces(self, **words: str) -> tuple[Panel, ...]:
        """Panels of attributes, by name with what to call them, that have columns in the table: lines over its rows,
        a panel for each unit."""
        rows = self._rows()
        shape = np.shape(next(iter(rows.values()))) if rows else ()
        return trace_panels(rows, {said: self._table(name, _told(self, name), shape) for name, said in words.items()})

    def plot(self, axes: Any = None, *, panels: Sequence[int] | int | None = None) -> Any:
        """Draw it with Matplotlib and give the Axes as an array (k,), one for each of its k panels.

        `axes` to draw into, one for each panel, or a single one for the first; without them a new Figure is made,
        which no window or global state knows: `result.plot()[0].figure.savefig("result.png")`. `panels` are numbers
        of those to draw, by default all; one number, not in a list, gives that Axes itself, as a single Axes does:
        `result.plot(panels=0).set_title("forces")`.
        """
        return draw(self.panels(), axes, panels)

    def _repr_html_(self) -> str:
        text = self._said() if type(self).__str__ is not object.__str__ else (type(self).__doc__ or "").split("\n")[0]
        return page(text, *self._whole_table(), self.panels)

    def _said(self) -> str:
        """Its text; without one, what it is, of which mechanism, and how many rows its table has."""
        if type(self).__str__ is not object.__str__:
            return str(self)
        rows, name = self._rows(), getattr(getattr(self, "mechanism", None), "name", "")
        of = f" of {name}" if name else ""
        count = f", {counted(np.size(next(iter(rows.values()))), 'row')} ({', '.join(rows)})" if rows else ""
        return f"{type(self).__name__}{of}{count}"

    def _whole_table(self) -> tuple[dict[str, np.ndarray], dict[str, tuple[np.ndarray, str]]]:
        """The index (n,) by name, and columns (n,) with units by name."""
        rows = self._rows()
        shape = np.shape(next(iter(rows.values()))) if rows else ()
        columns: dict[str, tuple[np.ndarray, str]] = {}
        names = parts_of(self) if self._shared else ()
        shared = [name for name in names if name in COLUMNS and name not in self._hidden]
        for name in dict.fromkeys([*shared, *self._columns]):
            columns |= self._table(name, _told(self, name), shape)
        return {name: np.ravel(values) for name, values in rows.items()}, columns

    def _rows(self) -> dict[str, Any]:
        """By name, the values that tell the rows apart, in arrays of one shape."""
        name, path = self._over
        if not name:
            return {}
        told = _told(self, path.lstrip("#"))
        return {name: np.arange(len(told)) if path.startswith("#") else np.asarray(told)}

    def _table(self, name: str, value: Any, shape: tuple[int, ...]) -> dict[str, tuple[np.ndarray, str]]:
        """Columns of one attribute, which has `shape` in front, with their units."""
        labels, units = {**COLUMNS, **self._columns}[name]
        if isinstance(value, tuple) and all(map(is_dataclass, value)):  # a record for every row
            each, told = fields(value[0]) if value else (), dict(pair.split("=") for pair in str(units).split())
            return {f.name: (column_of([getattr(x, f.name) for x in value]), told.get(f.name, "")) for f in each}
        wrt: tuple[str, ...] = getattr(self, "wrt", ())
        found: dict[str, tuple[np.ndarray, str]] = {}
        by_name: Mapping[str, Any] = value if isinstance(value, Mapping) else {"": value}
        for key, x in by_name.items():
            x = np.concatenate([x.p, np.ravel(x.R)]) if hasattr(x, "R") else np.asarray(x)
            width = int(np.prod(x.shape[len(shape) :]))
            flat = x.reshape(int(np.prod(shape)), width)
            count = width // len(wrt) if wrt else width
            each = _texts(labels, self, count, numbered=x.ndim - bool(wrt) > len(shape))
            written = [".".join(part for part in (key, label) if part) for label in each]
            unit = [self._unit(u, key) for u in _texts(units, self, count)]
            if wrt:
                per = [self.mechanism.parameters[p].unit for p in wrt]
                written = [f"{label} / {p}" for label in written for p in wrt]
                unit = [f"({u})/({p})" for u in unit for p in per]
            for k, (label, u) in enumerate(zip(written, unit, strict=True)):
                if np.iscomplexobj(flat):
                    found |= {f"re {label}": (np.real(flat[:, k]), u), f"im {label}": (np.imag(flat[:, k]), u)}
                else:
                    found[label] = (flat[:, k], u)
        return found

    def _unit(self, unit: str, key: str) -> str:
        """A unit in which "coordinate", "parameter", "channel" and "force" are those of what has that name."""
        if unit.startswith("coordinate"):
            return unit.replace("coordinate", self.mechanism.coordinates[key].unit)
        if unit == "channel":
            return self.units[key]
        if unit == "parameter":
            return self.mechanism.parameters[key].unit
        if unit == "force":
            return self.mechanism.actuators[key].unit
        return unit


def _told(result: Result, path: str) -> Any:
    value = attrgetter(path)(result)
    return value() if callable(value) else value


def _texts(given: Texts, result: Result, count: int, numbered: bool = False) -> list[str]:
    """`count` labels or units: as many as are given, or one for all, with a number if they must differ."""
    if not isinstance(given, str):
        return [*given(result)]
    found = given.split(" ")
    one = len(found) != count or count == 1
    return [f"{given}{k + 1}" if numbered else given for k in range(count)] if one else found
