"""Folders of results: written aside and renamed, nothing of others overwritten."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from poinsot.errors import OccupiedError, PoinsotError

# Files that results are made of: those of an older one go with it.
OWN = (
    *("estimate.json", "design.json", "surfaces.json", "fit.csv", "validation.csv", "starts.csv", "motion.csv"),
    *("poses.csv", "errors.csv", "nominal.toml", "study.toml", "model.toml", "model.xml", "model.urdf", "model.yaml"),
    "report.html",
)


@contextmanager
def new_folder(place: str | Path, sign: str, overwrite: bool = False) -> Iterator[Path]:
    """A folder aside that takes its place when all is written; one that is there already is replaced only if that is
    allowed and the file `sign` shows that it is a result of the same kind. What others put into it stays in it."""
    place = Path(place)
    check_folder(place, sign, overwrite)
    aside = place.parent / f".poinsot-{secrets.token_hex(8)}"
    try:
        aside.mkdir(parents=True)
        yield aside
        before = place.parent / f"{aside.name}-before"
        if place.exists():
            os.replace(place, before)
        os.replace(aside, place)
        for file in before.iterdir() if before.exists() else ():
            if file.name not in OWN and not (place / file.name).exists():
                os.replace(file, place / file.name)
        with suppress(FileNotFoundError):
            shutil.rmtree(before)
    except OSError as error:
        raise PoinsotError(f"{place}: cannot be written: {(error.strerror or str(error)).lower()}") from None
    finally:
        with suppress(OSError):
            shutil.rmtree(aside)


def check_folder(place: Path, sign: str, overwrite: bool) -> None:
    """That a folder of results may be written to a place, for callers that ask before long work."""
    if place.exists() and not overwrite:
        raise OccupiedError(place)
    if place.exists() and not (place / sign).is_file():
        raise PoinsotError(f"{place} is no folder of {_article(Path(sign).stem)}: it is not overwritten")
    check_parents(place)


def check_parents(place: Path) -> None:
    """That a folder can be made: the first of its parents that exists is a folder that may be written to."""
    parent = next((p for p in (place, *place.parents) if p.exists()), Path())
    if not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
        why = "may not be written to" if parent.is_dir() else "is no folder"
        raise PoinsotError(f"{place}: cannot be written: '{parent}' {why}")


def _article(word: str) -> str:
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"
