"""Study files: a study as TOML, with its recordings beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from poinsot.errors import PoinsotError, one_line, unknown
from poinsot.estimate.closed_loop.controllers import control_of
from poinsot.estimate.study import Processing, Role, Run, Study, noise_of, unknowns_of
from poinsot.model.load import load
from poinsot.model.mechanism import Mechanism
from poinsot.model.quantities.parameters import as_value
from poinsot.model.toml import as_path, parsed_toml, read_text
from poinsot.recording.read import read


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RecordingTable(_Table):
    """One run: a file, or several on one clock, and what it is for."""

    file: str | list[str]  # beside the study file
    role: Role = Role.IDENTIFY
    begin: Annotated[float | str | None, Field(alias="from")] = None  # [s]
    end: Annotated[float | str | None, Field(alias="to")] = None  # [s]
    sha256: str | list[str] | None = None  # of the file or files; another content is refused
    columns: str | dict[str, Any] | list[Any] | None = None  # a columns file, or as `read` takes them
    time: str | int | dict[str, Any] | None = None
    rate: float | None = None  # samples a second of a file without times  [Hz]
    couplings: list[dict[str, Any]] = []
    format: str | None = None
    every: int = 1


class ProcessingTable(_Table):
    """How rows are made; see `Processing`."""

    method: str = "filter"
    cutoff: float | str | dict[str, float | str] | None = None  # [Hz], or by channel
    period: float | str | None = None  # [s]
    harmonics: int | None = None
    rate: float | str | None = None  # [Hz]
    force_cutoff: float | str | None = None  # [Hz]
    fuse: bool | None = None


class StudyTable(_Table):
    """The contents of a study file."""

    format: Literal[1] = 1
    name: str = ""
    description: str = ""
    model: str  # a name from the library, or a model file beside the study file
    recordings: dict[str, RecordingTable]
    unknowns: list[str] | dict[str, dict[str, Any]] = []
    known: dict[str, float | str] = {}  # values of the model's parameters that are known better
    channels: list[str] = []
    noise: dict[str, float | str] = {}  # standard deviation of a sample, by channel or pattern
    method: str | dict[str, Any] = "weighted"
    processing: ProcessingTable = ProcessingTable()
    control: dict[str, Any] | None = None  # controllers by actuator, beside their sampling rate


def read_study(path: str | Path) -> Study:
    """A study from its file; files that it names are looked for beside it."""
    file = as_path(path)
    table = study_table(parsed_toml(read_text(file, what="a study file")), file.name)
    mechanism = _mechanism(table, file.parent)
    runs = tuple(_run(name, one, file.parent, mechanism) for name, one in table.recordings.items())
    return Study(
        mechanism,
        runs,
        unknowns_of(table.unknowns or None, mechanism),
        tuple(table.channels),
        noise_of({name: _number(sigma, f"the noise of '{name}'") for name, sigma in table.noise.items()}),
        table.method,
        _processing(table.processing),
        table.name or file.stem,
        tuple(f"'{name}' is known to be {value}" for name, value in table.known.items()),
        control_of(table.control),
    )


def study_table(document: dict[str, Any], name: str) -> StudyTable:
    """A study file's contents, checked; an error names the place and what exists there."""
    try:
        return StudyTable.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        where = [str(part) for part in first["loc"]]
        if first["type"] == "extra_forbidden":
            raise PoinsotError(f"{name}: {'.'.join(where[:-1])}: {_entry(where)}".replace(": : ", ": ")) from None
        raise PoinsotError(f"{name}: {'.'.join(where)}: {one_line(first['msg'], 200).lower()}") from None


def _entry(where: list[str]) -> str:
    """That an entry does not exist, and which do."""
    table = {"recordings": RecordingTable, "processing": ProcessingTable}.get(where[0], StudyTable)
    return unknown("entry", where[-1], [field.alias or name for name, field in table.model_fields.items()])


def _mechanism(table: StudyTable, folder: Path) -> Mechanism:
    beside = folder / table.model
    mechanism = load(beside if beside.is_file() else table.model)
    return mechanism.with_parameters(table.known) if table.known else mechanism


def _run(name: str, table: RecordingTable, folder: Path, mechanism: Mechanism) -> Run:
    files = [table.file] if isinstance(table.file, str) else table.file
    columns = table.columns
    if isinstance(columns, str):
        columns = str(folder / columns)
    recording = read(
        [folder / file for file in files] if len(files) > 1 else folder / files[0],
        columns=columns,
        time=table.time,
        rate=table.rate,
        couplings=table.couplings,
        mechanism=mechanism,
        format=table.format,
        every=table.every,
    )
    wanted = [table.sha256] if isinstance(table.sha256, str) else table.sha256 or []
    if wanted and len(wanted) != len(recording.sources):
        raise PoinsotError(f"recording '{name}': {len(recording.sources)} files have {len(wanted)} SHA-256 values")
    for source, digest in zip(recording.sources, wanted):
        if source.sha256 != digest.lower():
            raise PoinsotError(
                f"recording '{name}': {source.name} is not the file of this study: its SHA-256 is {source.sha256}, "
                f"the study says {digest}"
            )
    begin = -np.inf if table.begin is None else _number(table.begin, f"'{name}' from", "s")
    end = np.inf if table.end is None else _number(table.end, f"'{name}' to", "s")
    return Run(name, recording, table.role, begin, end)


def _processing(table: ProcessingTable) -> Processing:
    values = table.model_dump()
    if isinstance(table.cutoff, dict):
        values["cutoff"] = {name: _number(x, f"processing.cutoff.{name}", "Hz") for name, x in table.cutoff.items()}
    for key, unit in (("cutoff", "Hz"), ("period", "s"), ("rate", "Hz"), ("force_cutoff", "Hz")):
        values[key] = (
            values[key]
            if values[key] is None or isinstance(values[key], dict)
            else _number(values[key], f"processing.{key}", unit)
        )
    return Processing(**values)


def _number(value: float | str, what: str, unit: str = "") -> float:
    """A number in SI, or a text with a unit of whatever dimension."""
    if isinstance(value, str) and not unit:
        number, _, written = value.strip().partition(" ")
        return as_value(value, written or "-", what) if number else as_value(value, "-", what)
    return as_value(value, unit or "-", what)
