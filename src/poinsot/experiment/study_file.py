"""Files of designs: a study of an experiment as TOML."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from poinsot.errors import PoinsotError, unknown
from poinsot.estimate.study import noise_of
from poinsot.estimate.study_file import (
    RecordingTable,
    StrictTable,
    checked_table,
    mechanism_of,
    noise_value,
    run_of,
    unknowns_beside,
)
from poinsot.experiment.limits import limits_of
from poinsot.experiment.registry import task_of
from poinsot.experiment.study import DesignStudy
from poinsot.model.toml import as_path, read_document

STUDIES = Path(__file__).parents[1] / "library" / "studies"


class DesignTable(StrictTable):
    """The contents of a file of a design."""

    format: Literal[1] = 1
    name: str = ""
    description: str = ""
    model: str  # a name from the library, or a model file beside this one
    known: dict[str, float | str] = {}  # values of the model's parameters that are known better
    design: dict[str, Any]  # the task, and its options
    unknowns: list[str] | dict[str, dict[str, Any]] = []
    limits: dict[str, float | str | list[float | str]] = {}
    channels: list[str] = []
    noise: dict[str, float | str] = {}  # standard deviation of a sample, by channel or pattern
    recordings: dict[str, RecordingTable] = {}  # earlier ones, whose information counts
    seed: int = 0
    dask: str = ""


def study_names() -> tuple[str, ...]:
    """Names of the designs that come with Poinsot."""
    return tuple(sorted(path.stem for path in STUDIES.glob("*.toml")))


def read_design(path: str | Path) -> DesignStudy:
    """A design from its file, or one of the library by name; files that it names are looked for beside it."""
    file = _place(as_path(path))
    text, document = read_document(file, "a file of a design")
    table = checked_table(DesignTable, document, file.name)
    mechanism = mechanism_of(table.model, table.known, file.parent)
    return DesignStudy(
        mechanism,
        task_of(table.design, mechanism, DesignTable.model_fields),
        unknowns_beside(table.known, table.unknowns, mechanism, file.name),
        limits_of(table.limits, mechanism),
        tuple(table.channels),
        noise_of({name: noise_value(sigma, name) for name, sigma in table.noise.items()}),
        tuple(run_of(name, one, file.parent, mechanism) for name, one in table.recordings.items()),
        table.seed,
        table.dask,
        table.name or file.stem,
        tuple(f"'{name}' is known to be {value}" for name, value in table.known.items()),
        text,
    )


def _place(path: Path) -> Path:
    """A file, or one of the library of that name."""
    if not path.exists() and len(path.parts) == 1 and path.stem in study_names() and path.suffix in ("", ".toml"):
        return STUDIES / f"{path.stem}.toml"
    if not path.exists() and not path.suffix:
        raise PoinsotError(unknown("design in the library (and no file)", str(path), study_names()))
    return path
