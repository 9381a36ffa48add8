"""Mesh files of a new folder: copied into it, so that it can be moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from poinsot.app.scene.visuals import FORMATS, MAX_BYTES
from poinsot.errors import PoinsotError
from poinsot.model.mechanism import Mechanism
from poinsot.model.meshes import found_mesh, mesh_names, names_from, renamed
from poinsot.store import read_regular
from poinsot.store.files import write_aside

HOME = "meshes"  # the folder for them
PARTED = (".gltf",)  # kinds whose points stand in further files


def gathered(mechanism: Mechanism, folder: Path) -> tuple[Mechanism, dict[str, Path]]:
    """The mechanism with the meshes of a new folder, and the files to be copied by their names in it.

    What cannot be drawn is not copied, nor what needs further files: these are named where they are.
    """
    copies: dict[str, Path] = {}
    names: dict[str, str] = {}
    for name, file in _movable(mechanism):
        same = next((own for own, source in copies.items() if source.samefile(file)), None)
        names[name] = same or next(own for own in _names(file) if own.lower() not in map(str.lower, copies))
        copies[names[name]] = file
    return renamed(mechanism, names_from(mechanism, folder) | names), copies


def copy_meshes(copies: Mapping[str, Path], folder: Path) -> None:
    """Copy the files into the new folder, where what is there already may be replaced."""
    if copies:
        (folder / HOME).mkdir(exist_ok=True)
    for name, file in copies.items():
        write_aside(folder / name, read_regular(file)[0])


def _movable(mechanism: Mechanism) -> Iterator[tuple[str, Path]]:
    for name in mesh_names(mechanism):
        try:
            file = found_mesh(name, mechanism.folder)
        except PoinsotError:
            continue  # it is missing, which is said elsewhere
        suffix = file.suffix.lower()
        if suffix in FORMATS and suffix not in PARTED and file.stat().st_size <= MAX_BYTES:
            yield name, file


def _names(file: Path) -> Iterator[str]:
    """Names for a file, further ones for those that are called the same."""
    yield f"{HOME}/{file.name}"
    number = 2
    while True:
        yield f"{HOME}/{file.stem}_{number}{file.suffix}"
        number += 1
