"""Notes: what a conversion could not carry over, said once, where the user sees it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poinsot.errors import ConversionWarning, PoinsotError
from poinsot.model.mechanism import Mechanism, build
from poinsot.model.toml import check_place, write_aside
from poinsot.results import Result

__all__ = ["Conversion", "built", "distinct", "written"]


@dataclass(frozen=True)
class Conversion(Result):
    """The outcome of writing a mechanism for another program; prints as what was written and what was not."""

    files: tuple[Path, ...]
    notes: tuple[str, ...]  # one sentence each: what cannot be represented, or was approximated

    _over, _columns = ("number", "#notes"), {"notes": ("note", "")}

    def __str__(self) -> str:
        return "\n".join([f"wrote {', '.join(map(str, self.files))}", *(f"  note: {note}" for note in self.notes)])


def distinct(notes: Iterable[str]) -> tuple[str, ...]:
    """Each note once, in the order in which they came up."""
    return tuple(dict.fromkeys(notes))


def built(document: dict[str, Any], path: Path, notes: Iterable[str]) -> Mechanism:
    """Build what a reader made of a file; its notes go into the description and out as warnings."""
    said = distinct(notes)
    lines = [f"Read from {path.name}.", *said]
    try:
        mechanism = build({**document, "description": "\n".join(lines)}, path.stem)
    except RecursionError:
        raise PoinsotError(f"{path}: nested too deeply") from None
    except PoinsotError as error:
        raise PoinsotError(f"{path}: {error}") from None
    for note in said:
        warnings.warn(f"{path.name}: {note}", ConversionWarning, stacklevel=3)
    return mechanism


def written(files: dict[Path, str], notes: Iterable[str], overwrite: bool) -> Conversion:
    """Write files beside their places and rename them; existing ones are kept unless `overwrite` is given."""
    for path in files:
        check_place(path, overwrite)
    return Conversion(tuple(write_aside(path, text) for path, text in files.items()), distinct(notes))
