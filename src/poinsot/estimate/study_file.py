"""Study files: a study as TOML, with its recordings beside it."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from poinsot.errors import PoinsotError, listing, unknown
from poinsot.estimate.closed_loop.controllers import control_of
from poinsot.estimate.modal_run import modal_run_of
from poinsot.estimate.role import Role
from poinsot.estimate.study import Processing, Run, Study, Unknown, noise_of, unknowns_of
from poinsot.model.build.complaints import told
from poinsot.model.file_kinds import DESIGN, RESULTS, STUDY, another_kind
from poinsot.model.load import library_names, load
from poinsot.model.mechanism import Mechanism
from poinsot.model.quantities.parameters import as_value
from poinsot.model.toml import as_path, read_document
from poinsot.recording.read import read

Checked = TypeVar("Checked", bound=BaseModel)


class StrictTable(BaseModel):
    """A table in which every entry has a meaning."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class RecordingTable(StrictTable):
    """One run: a file, or several on one clock, and what it is for."""

    file: str | list[str]  # beside the study file
    role: Role = Role.IDENTIFY
    begin: Annotated[float | str | None, Field(alias="from")] = None  # [s]
    end: Annotated[float | str | None, Field(alias="to")] = None  # [s]
    against: str = ""  # name of a run of the same motion: the difference to it is used
    sha256: str | list[str] | None = None  # of the file or files; another content is refused
    columns: str | dict[str, Any] | list[Any] | None = None  # a columns file, or as `read` takes them
    time: str | int | dict[str, Any] | list[str | int | dict[str, Any]] | None = None
    rate: float | str | None = None  # samples a second of a file without times  [Hz]
    couplings: list[dict[str, Any]] = []
    format: str | None = None
    every: int = 1


class ProcessingTable(StrictTable):
    """How rows are made; see `Processing`."""

    method: str = "filter"
    cutoff: float | str | dict[str, float | str] | None = None  # [Hz], or by channel
    period: float | str | None = None  # [s]
    harmonics: int | None = None
    rate: float | str | None = None  # [Hz]
    force_cutoff: float | str | None = None  # [Hz]
    fuse: bool | None = None
    apart: float = 0.5
    robust: bool = False
    inputs: str = "linear"
    segment: float | str | None = None  # [s]
    continuity: float = 0.01


class ModalTable(StrictTable):
    """Modes that were measured in one pose; see `ModalRun`."""

    frequencies: list[float | str]  # "-" or nan for modes that were not seen  [Hz]
    pose: dict[str, float | str] | None = None
    deviation: float | str | list[float | str] | None = None  # "0.5 %", "0.2 Hz", or one each  [Hz]
    damping: list[float | str] | None = None
    damping_deviation: float | str | list[float | str] | None = None
    shapes: list[list[float]] | None = None  # a row for every point
    points: list[str] = []
    shape_deviation: float | str | list[float | str] | list[list[float]] | None = None  # "2 %", or numbers
    role: Role = Role.IDENTIFY
    locked: str | list[str] | None = None


class StudyTable(StrictTable):
    """The contents of a study file."""

    format: Literal[1] = 1
    name: str = ""
    description: str = ""
    model: str  # a name from the library, or a model file beside the study file
    recordings: dict[str, RecordingTable] = {}
    modal: dict[str, ModalTable] = {}
    unknowns: list[str] | dict[str, dict[str, Any]] = []
    choose: list[str] = []  # alternatives, each a pattern of unknowns, of which the data chooses
    known: dict[str, float | str] = {}  # values of the model's parameters that are known better
    channels: list[str] = []
    noise: dict[str, float | str] = {}  # standard deviation of a sample, by channel or pattern
    method: str | dict[str, Any] | None = None
    problem: str = "forces"  # what is explained
    processing: ProcessingTable = ProcessingTable()
    control: dict[str, Any] | None = None  # controllers by actuator, beside their sampling rate
    dask: str = ""  # a scheduler, or "local"
    bootstrap: int = 0
    seed: int = 0


def read_study(path: str | Path) -> Study:
    """A study from its file; files that it names are looked for beside it."""
    file = as_path(path)
    text, document = read_document(file, "a study file")
    table = study_table(document, file.name)
    _require_recordings(file, table)
    mechanism = mechanism_of(table.model, table.known, file.parent)
    unknowns = unknowns_beside(table.known, table.unknowns, mechanism, file.name)
    runs = tuple(run_of(name, one, file.parent, mechanism) for name, one in table.recordings.items())
    return Study(
        mechanism,
        runs,
        unknowns,
        tuple(table.channels),
        noise_of({name: noise_value(sigma, name) for name, sigma in table.noise.items()}),
        table.method,
        _processing(table.processing),
        table.name or file.stem,
        tuple(f"'{name}' is known to be {value}" for name, value in table.known.items()),
        control_of(table.control, mechanism),
        tuple(table.choose),
        table.problem,
        tuple(modal_run_of(name, one.model_dump(), mechanism) for name, one in table.modal.items()),
        table.dask,
        table.bootstrap,
        table.seed,
        text,
    )


def _require_recordings(file: Path, table: StudyTable) -> None:
    """A study that a result keeps is told where it can be run: its recordings stay beside the original."""
    each = (one.file for one in table.recordings.values())
    files = [name for given in each for name in ([given] if isinstance(given, str) else given)]
    missing = [name for name in dict.fromkeys(files) if not (file.parent / name).exists()]
    if missing and any((file.parent / sign).is_file() for sign in RESULTS):
        own = "" if table.model in library_names() else ", nominal.toml there as its model"
        raise PoinsotError(
            f"{file}: this study is kept with its result, and {listing(missing)} stood beside the original: to run "
            f"it again copy it into another folder{own}, and the recordings"
        )


def study_table(document: dict[str, Any], name: str) -> StudyTable:
    """A study file's contents, checked; an error names the place and what exists there."""
    return checked_table(StudyTable, document, name)


def checked_table(kind: type[Checked], document: dict[str, Any], name: str) -> Checked:
    """The contents of a file of some kind, checked; an error names the place and what exists there."""
    try:
        return kind.model_validate(document)
    except ValidationError as error:
        if said := another_kind(document, DESIGN if "design" in kind.model_fields else STUDY):
            raise PoinsotError(f"{name}: {said}") from None
        first = error.errors()[0]
        where = [str(part) for part in first["loc"]]
        if first["type"] == "extra_forbidden":
            said = _entry(kind, where)
            raise PoinsotError(f"{name}: {'.'.join(where[:-1])}: {said}".replace(": : ", ": ")) from None
        place, words = told(error, document)
        raise PoinsotError(f"{name}: {'.'.join(map(str, place))}: {words}") from None


def _entry(kind: type[BaseModel], where: list[str]) -> str:
    """That an entry does not exist, and which do."""
    table = {"recordings": RecordingTable, "modal": ModalTable, "processing": ProcessingTable}.get(where[0], kind)
    return unknown("entry", where[-1], [field.alias or name for name, field in table.model_fields.items()])


def mechanism_of(model: str, known: dict[str, float | str], folder: Path) -> Mechanism:
    """A mechanism of the library, or from a file beside the study file, with values that are known better."""
    beside = folder / model
    mechanism = load(beside if beside.is_file() else model)
    return mechanism.with_parameters(known) if known else mechanism


def unknowns_beside(known: Iterable[str], given: Any, mechanism: Mechanism, file: str) -> tuple[Unknown, ...]:
    """The unknowns of a study file; one that is also among the parameters that are known is an error."""
    found = unknowns_of(given or None, mechanism)
    for name in known:
        for one in found:
            if any(fnmatchcase(name, pattern) for pattern in (one.name, *one.parameters)):
                by = "" if one.name == name else f" (as '{one.name}')"
                raise PoinsotError(
                    f"{file}: '{name}' stands in [known] and in [unknowns]{by}: leave it in one of them"
                )
    return found


def run_of(name: str, table: RecordingTable, folder: Path, mechanism: Mechanism) -> Run:
    """A run with its recording, which is read and must be the one that was meant."""
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
    begin = -np.inf if table.begin is None else as_value(table.begin, "s", f"'{name}' from")
    end = np.inf if table.end is None else as_value(table.end, "s", f"'{name}' to")
    return Run(name, recording, table.role, begin, end, table.against)


def _processing(table: ProcessingTable) -> Processing:
    values = table.model_dump()
    if isinstance(table.cutoff, dict):
        values["cutoff"] = {name: as_value(x, "Hz", f"processing.cutoff.{name}") for name, x in table.cutoff.items()}
    for key, unit in (("cutoff", "Hz"), ("period", "s"), ("rate", "Hz"), ("force_cutoff", "Hz"), ("segment", "s")):
        values[key] = (
            values[key]
            if values[key] is None or isinstance(values[key], dict)
            else as_value(values[key], unit, f"processing.{key}")
        )
    return Processing(**values)


def noise_value(value: float | str, channel: str) -> float:
    """Standard deviation in SI of a channel, which measures a force, a torque, a power, a length or an angle."""
    if isinstance(value, str):
        for unit in ("N", "N·m", "W", "m"):
            try:
                return as_value(value, unit, channel)
            except PoinsotError:
                continue
        return as_value(value, "rad", f"the noise of '{channel}', in N, N·m, W, m or rad")
    return as_value(value, "N, N·m, W, m or rad", f"the noise of '{channel}'")
