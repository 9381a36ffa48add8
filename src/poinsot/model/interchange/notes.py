"""Notes: what a conversion could not carry over, said once, where the user sees it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from poinsot.errors import ConversionWarning, PoinsotError, listing
from poinsot.model.interchange.drives import name_coordinates
from poinsot.model.mechanism import Mechanism, build
from poinsot.model.meshes import beside
from poinsot.model.toml import check_place, write_aside
from poinsot.results import Panel, Result, TextPanel

SHOWN = 4  # names of things to which the same happened
_VARIES = re.compile(r"'.*?'(?=\W|$)|\b\d[\w.+-]*")


class Lost(str):
    """A note on something that acts in the file and not here, so that the machine moves otherwise: always shown."""


@dataclass(frozen=True)
class Conversion(Result):
    """The outcome of writing a mechanism for another program; prints as what was written and what was not."""

    files: tuple[Path, ...]
    notes: tuple[str, ...]  # one sentence each: what cannot be represented, or was approximated

    _over, _columns = ("number", "#notes"), {"notes": ("note", "")}

    @property
    def lost(self) -> tuple[str, ...]:
        """Notes on what acts in the mechanism and not in the file."""
        return tuple(note for note in self.notes if isinstance(note, Lost))

    def panels(self) -> tuple[Panel, ...]:
        """What was written, and what was not."""
        return (TextPanel(title="conversion", lines=tuple(str(self).splitlines())),)

    def __str__(self) -> str:
        return "\n".join([f"wrote {', '.join(map(str, self.files))}", *(f"  note: {note}" for note in self.notes)])


def by_kind(notes: Iterable[str]) -> list[str]:
    """One note for all that differ only in names, which stand in quotation marks, and numbers.

    >>> by_kind(["The body 'a' is left out.", "The body 'b' is left out."])
    ["The body 'a' is left out, and likewise 1 more: b."]
    """
    kinds: dict[str, list[str]] = {}
    for note in notes:
        kinds.setdefault(_VARIES.sub("", note), []).append(note)
    return [first if not others else _likewise(first, others) for first, *others in kinds.values()]


def _likewise(first: str, others: list[str]) -> str:
    names = [_VARIES.findall(other)[0].strip("'") for other in others]
    more = ", …" if len(names) > SHOWN else ""
    return f"{first.removesuffix('.')}, and likewise {len(names)} more: {', '.join(names[:SHOWN])}{more}."


def built(document: dict[str, Any], path: Path, notes: Iterable[str]) -> Mechanism:
    """Build what a reader made of a file; its notes go into the description and out as warnings.

    What acts no longer is a warning each, so that it is read; the other notes are one, which tells how many.
    """
    said = tuple(dict.fromkeys(notes))  # each once
    lines = [f"Read from {path.name}.", *said]
    try:
        mechanism = build({**name_coordinates(document), "description": "\n".join(lines)}, path.stem)
    except RecursionError:
        raise PoinsotError(f"{path}: nested too deeply") from None
    except PoinsotError as error:
        raise PoinsotError(f"{path}: {error}") from None
    for note in by_kind(note for note in said if isinstance(note, Lost)):
        warnings.warn(ConversionWarning(path.name, (note,)), stacklevel=3)
    if kinds := tuple(by_kind(note for note in said if not isinstance(note, Lost))):
        warnings.warn(ConversionWarning(path.name, kinds), stacklevel=3)
    return replace(beside(mechanism, path), source=path.name)


def dropped(mechanism: Mechanism, kept: Iterable[str] = ()) -> list[str]:
    """What other formats have no words for, one note each kind; coordinates that are `kept` are not among it."""
    named, parameters = mechanism.coordinates, mechanism.parameters
    own = [name for name, c in named.items() if named.of_joint(name) != c and name not in kept]
    symbols = [*(p.name for p in parameters.values() if p.role == "named"), *parameters.derived]
    bounded = [p.name for p in parameters.values() if p.source and p.description]
    kinds = {
        "Named coordinates are left out": own,
        "Named parameters and expressions become numbers": symbols,
        "Parameters that copies of a component share become numbers of each": [
            p.name for p in parameters.values() if p.copies
        ],
        "Descriptions of parameters are left out": bounded,
        "Choices for the identification are left out": list(mechanism.eliminate),
    }
    return [f"{what}: {listing(names)}." for what, names in kinds.items() if names]


def written(files: dict[Path, str], notes: Iterable[str], overwrite: bool) -> Conversion:
    """Write files beside their places and rename them; existing ones are kept unless `overwrite` is given."""
    for path in files:
        check_place(path, overwrite)
    return Conversion(tuple(write_aside(path, text) for path, text in files.items()), tuple(dict.fromkeys(notes)))
