"""Mesh files with which bodies are drawn: where they are looked for, and which are missing.

A mesh file is looked for beside the model file; `package://name/…` there and in the folders above. A mechanism
that is written to another folder names the same files as they are seen from there.
"""

from __future__ import annotations

import copy
import os
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from poinsot.elements.bodies import RigidBody
from poinsot.errors import MissingMeshWarning, PoinsotError, listing, one_line
from poinsot.model.mechanism import Mechanism

ABOVE = 3  # folders above the model file in which packages are looked for

PACKAGE = "package://"  # how names in a package of ROS begin

SHOWN = 4  # names of files and of folders in a sentence


class MissingMeshError(PoinsotError):
    """A mesh file that is nowhere."""


def found_mesh(name: str, folder: str) -> Path:
    """The file that a model means; PoinsotError names it, and the places, where it is not there."""
    if (place := _first_file(name, folder)) is not None:
        return place
    tried = listing(str(place) for place in _places(name, folder))
    raise MissingMeshError(f"the mesh '{one_line(name, 120)}' is not beside the model file (tried: {tried})")


def mesh_names(mechanism: Mechanism) -> tuple[str, ...]:
    """Mesh files of a mechanism, as its model file has them, each once."""
    bodies = (mechanism.template.ground, *mechanism.template.bodies.values())
    return tuple(dict.fromkeys(visual.file for body in bodies for visual in body.visuals if visual.file))


def beside(mechanism: Mechanism, path: Path) -> Mechanism:
    """A mechanism that knows where the meshes are with which its bodies are drawn: beside its file."""
    return replace(mechanism, folder=str(path.parent)) if mesh_names(mechanism) else mechanism


def warn_of_missing(mechanism: Mechanism, path: Path) -> None:
    """Warn of mesh files that are not there."""
    if note := missing_meshes(mechanism):
        warnings.warn(MissingMeshWarning(path.name, (note,)), stacklevel=4)


def relocated(mechanism: Mechanism, folder: Path) -> Mechanism:
    """The same for a model file in another folder, from where its meshes are found."""
    return replace(renamed(mechanism, names_from(mechanism, folder)), folder=mechanism.folder and str(folder))


def names_from(mechanism: Mechanism, folder: Path) -> dict[str, str]:
    """Meshes that would not be found from another folder, with their names relative to it, or their whole paths where
    no relative one leads to them."""
    names = {}
    for name in mesh_names(mechanism) if mechanism.folder else ():
        file, seen = (_first_file(name, home) for home in (mechanism.folder, str(folder)))
        if file is not None and (seen is None or not os.path.samefile(file, seen)):
            names[name] = _seen_from(folder, file)
    return names


def paths_from(mechanism: Mechanism, folder: Path) -> dict[str, str]:
    """Mesh files that are there, by their names in the model file, as paths that any program finds from a folder."""
    files = {name: _first_file(name, mechanism.folder) for name in mesh_names(mechanism)} if mechanism.folder else {}
    return {name: _seen_from(folder, file) for name, file in files.items() if file is not None}


def renamed(mechanism: Mechanism, names: Mapping[str, str]) -> Mechanism:
    """A mechanism with other names for some of its mesh files, in its model file too."""
    if not names:
        return mechanism
    import tomlkit

    def put(entries: Iterator[Any]) -> None:
        for entry in entries:
            if (name := entry.get("mesh")) in names:
                entry["mesh"] = names[name]

    def shown(body: RigidBody) -> RigidBody:
        return replace(body, visuals=tuple(replace(v, file=names.get(v.file, v.file)) for v in body.visuals))

    document = copy.deepcopy(dict(mechanism.nominal))
    put(_visual_entries(document))
    text = tomlkit.parse(mechanism.text) if mechanism.text else None
    if text is not None:
        put(_visual_entries(text))
    before = mechanism.template
    bodies = {name: shown(body) for name, body in before.bodies.items()}
    template = replace(before, ground=shown(before.ground), bodies=bodies)
    whole = "" if text is None else tomlkit.dumps(text)
    return replace(mechanism, template=template, nominal=document, text=whole)


def _visual_entries(document: Any) -> Iterator[Any]:
    """Shapes in a model file, and in its components."""
    for body in document.get("bodies", {}).values():
        given = body.get("visual", ())
        yield from (given,) if isinstance(given, Mapping) else given
    for component in document.get("components", {}).values():
        yield from _visual_entries(component)


def _seen_from(folder: Path, file: Path) -> str:
    """How a file is called in one of a folder."""
    whole = Path(os.path.realpath(file.parent)) / file.name
    try:
        return Path(os.path.relpath(whole, os.path.realpath(folder))).as_posix()
    except ValueError:  # on another drive
        return str(whole)


def missing_meshes(mechanism: Mechanism) -> str:
    """Which mesh files of a mechanism that was read from a file are not there, in a sentence; empty: none."""
    if not mechanism.folder:
        return ""
    places = {name: _places(name, mechanism.folder) for name in mesh_names(mechanism)}
    missing = {name: tried for name, tried in places.items() if not any(map(_is_file, tried))}
    if not missing:
        return ""
    folders = dict.fromkeys(str(place.parent) for tried in missing.values() for place in tried)
    named, where = listing((one_line(name, 120) for name in missing), SHOWN), listing(folders, SHOWN)
    return f"Mesh files are not found, and their bodies are drawn from their joints: {named} (tried in {where})."


def _first_file(name: str, folder: str) -> Path | None:
    return next((place for place in _places(name, folder) if _is_file(place)), None)


def _places(name: str, folder: str) -> list[Path]:
    home = Path(folder or ".")
    if not name.startswith(PACKAGE):
        return [home / name.removeprefix("file://"), home / "meshes" / name, home / "assets" / name]
    parts = name.removeprefix(PACKAGE).split("/")
    above = [home, *list(home.resolve().parents)[:ABOVE]]
    return list(dict.fromkeys(base / Path(*own) for base in above for own in (parts, parts[1:]) if own))


def _is_file(place: Path) -> bool:
    try:
        return place.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False
