"""Mesh files with which bodies are drawn: where they are looked for, and which are missing.

A mesh file is looked for beside the model file; `package://name/…` there and in the folders above.
"""

from __future__ import annotations

from pathlib import Path

from poinsot.errors import PoinsotError, listing, one_line
from poinsot.model.mechanism import Mechanism

ABOVE = 3  # folders above the model file in which packages are looked for

SHOWN = 4  # names of files and of folders in a sentence


def found_mesh(name: str, folder: str) -> Path:
    """The file that a model means; PoinsotError names it, and the places, where it is not there."""
    places = _places(name, folder)
    for place in places:
        if _is_file(place):
            return place
    tried = listing(str(place) for place in places)
    raise PoinsotError(f"the mesh '{one_line(name, 120)}' is not beside the model file (tried: {tried})")


def missing_meshes(mechanism: Mechanism) -> str:
    """Which mesh files of a mechanism that was read from a file are not there, in a sentence; empty: none."""
    if not mechanism.folder:
        return ""
    bodies = (mechanism.template.ground, *mechanism.template.bodies.values())
    names = dict.fromkeys(visual.file for body in bodies for visual in body.visuals if visual.file)
    places = {name: _places(name, mechanism.folder) for name in names}
    missing = {name: tried for name, tried in places.items() if not any(map(_is_file, tried))}
    if not missing:
        return ""
    folders = dict.fromkeys(str(place.parent) for tried in missing.values() for place in tried)
    named, where = listing((one_line(name, 120) for name in missing), SHOWN), listing(folders, SHOWN)
    return f"Mesh files are not found, and their bodies are drawn from their joints: {named} (tried in {where})."


def _places(name: str, folder: str) -> list[Path]:
    home = Path(folder or ".")
    if not name.startswith("package://"):
        return [home / name.removeprefix("file://"), home / "meshes" / name, home / "assets" / name]
    parts = name.removeprefix("package://").split("/")
    above = [home, *list(home.resolve().parents)[:ABOVE]]
    return list(dict.fromkeys(base / Path(*own) for base in above for own in (parts, parts[1:]) if own))


def _is_file(place: Path) -> bool:
    try:
        return place.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False
