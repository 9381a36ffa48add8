"""MJCF in: the file is looked at before MuJoCo reads it, because MuJoCo opens whatever files it names."""

from __future__ import annotations

import os
import stat
from importlib import import_module
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import ModuleType
from typing import Any
from xml.etree.ElementTree import Element

from poinsot.errors import MissingExtraError, PoinsotError, listing, one_line
from poinsot.model.interchange.mjcf.size import refuse_large
from poinsot.model.interchange.xml import parse_xml
from poinsot.store import file_kind

MAX_INCLUDES = 8  # files deep
MAX_FILES = 200  # in all
MAX_ASSET_BYTES = 500_000_000  # of a mesh or texture
REFUSED = ("extension", "plugin")
FOLDERS = ("meshdir", "texturedir", "assetdir")


def mujoco_package() -> ModuleType:
    """The package mujoco, or an error that says how to install it."""
    try:
        return import_module("mujoco")
    except ImportError:
        raise MissingExtraError("reading MJCF", "mujoco", "mujoco") from None


def inspect_mjcf(path: Path) -> None:
    """Refuse a file that is malformed, loads plugins, names files outside its own folder, or becomes too large."""
    survey = _Survey(path)
    survey.read(path, ("mujoco",), ())
    survey.check_assets()
    refuse_large(path, survey.roots)


class _Survey:
    """All files of a model, each read once.

    MuJoCo looks for an included file in the folder of the model, then in that of the file which includes it, and for
    meshes and textures in these and in folders that any of the files names. All these places must lie inside the
    folder of the model, symbolic links followed, and none may be a pipe or a device.
    """

    def __init__(self, main: Path):
        self.main = main
        self.folder = os.path.realpath(main.parent)
        self.roots: dict[Path, tuple[Element, dict[Element, list[Path]]]] = {}  # by file, with those it includes
        self.folders = {""}  # named for meshes and textures
        self.assets: dict[tuple[str, str], Path] = {}  # tag and name, with the file that has them

    def read(self, path: Path, roots: tuple[str, ...], trail: tuple[str, ...]) -> None:
        """Read a file and those that it includes."""
        real = os.path.realpath(path)
        if real in trail or len(trail) > MAX_INCLUDES:
            raise PoinsotError(f"{path}: files include each other more than {MAX_INCLUDES} deep")
        if path in self.roots:
            return
        if len(self.roots) >= MAX_FILES:
            raise PoinsotError(f"{self.main}: more than {MAX_FILES} files include each other")
        inner: dict[Element, list[Path]] = {}
        root = parse_xml(path, *roots)
        self.roots[path] = root, inner
        for element in root.iter():
            if element.tag in REFUSED:
                raise PoinsotError(f"{path}: <{element.tag}> is not read: plugins run foreign code")
            for attribute, value in element.attrib.items():
                if attribute in FOLDERS or attribute.startswith("file"):
                    self._refuse_path(path, element.tag, value)
                if attribute in FOLDERS:
                    self.folders.add(value)
                elif attribute.startswith("file"):
                    self.assets.setdefault((element.tag, value), path)
            if element.tag == "include" or (element.tag == "model" and element.get("file")):
                inner[element] = self._included(path, element)
                for other in inner[element]:
                    self.read(other, ("mujoco", "mujocoinclude"), (*trail, real))

    def _included(self, path: Path, element: Element) -> list[Path]:
        """The files that an element can mean."""
        name = element.get("file", "")
        places = dict.fromkeys(parent / name for parent in (self.main.parent, path.parent))
        found = [place for place in places if name and self._inside(path, element.tag, place)]
        if not found:
            raise PoinsotError(f"{path}: <{element.tag}> names '{one_line(Path(name).name, 80)}', which is not there")
        return found

    def check_assets(self) -> None:
        """Refuse meshes and textures that could be read from outside, and meshes that are missing."""
        folders = {path.parent for path in self.roots}
        for (tag, name), path in self.assets.items():
            last = name.replace("\\", "/").rsplit("/", 1)[-1]  # what `strippath` leaves
            places = [
                folder / inner / given for folder in folders for inner in self.folders for given in {name, last}
            ]
            there = [self._inside(path, tag, place) for place in places]
            if tag == "mesh" and not any(there):
                tried = listing(sorted({str(place) for place in places}))
                named = one_line(name, 80)
                raise PoinsotError(f"{path}: <mesh> names '{named}', which is not there (tried: {tried})")

    def _refuse_path(self, path: Path, tag: str, named: str) -> None:
        absolute = PurePosixPath(named).is_absolute() or PureWindowsPath(named).is_absolute()
        if absolute or PureWindowsPath(named).drive or ".." in named.replace("\\", "/").split("/"):
            raise self._outside(path, tag, named)

    def _outside(self, path: Path, tag: str, named: str) -> PoinsotError:
        return PoinsotError(f"{path}: <{tag}> names '{one_line(named, 80)}', outside the folder of the model")

    def _inside(self, path: Path, tag: str, place: Path) -> bool:
        """Tell whether a file is there; an error if it is outside, or nothing that can be read like a file."""
        try:
            real = os.path.realpath(place)
            status = os.stat(real)
        except (OSError, ValueError):
            return False
        if os.path.commonpath([self.folder, real]) != self.folder:
            raise self._outside(path, tag, place.name)
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
            raise PoinsotError(
                f"{path}: <{tag}> names '{one_line(place.name, 80)}': this is {file_kind(status)}, not a file"
            )
        if status.st_size > MAX_ASSET_BYTES and stat.S_ISREG(status.st_mode):
            raise PoinsotError(
                f"{path}: <{tag}> names '{one_line(place.name, 80)}' of {status.st_size / 1e6:.0f} MB; at most "
                f"{MAX_ASSET_BYTES / 1e6:.0f} MB are read"
            )
        return stat.S_ISREG(status.st_mode)


def compile_mjcf(path: Path) -> Any:
    """The model that MuJoCo makes of a file, after it was looked at."""
    inspect_mjcf(path)
    mujoco = mujoco_package()
    try:
        return mujoco.MjModel.from_xml_path(str(path))
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        said = "; ".join(line.strip() for line in str(error).splitlines() if line.strip())
        raise PoinsotError(f"{path}: MuJoCo cannot read it: {said.removeprefix('Error: ')[:300]}") from None
