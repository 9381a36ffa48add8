"""MJCF in: the file is looked at before MuJoCo reads it, because MuJoCo opens whatever files it names."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import ModuleType
from typing import Any

from poinsot.errors import MissingExtraError, PoinsotError
from poinsot.model.interchange.xml import parse_xml

__all__ = ["compile_mjcf", "inspect_mjcf", "mujoco_package"]

MAX_INCLUDES = 8  # files deep
REFUSED = ("extension", "plugin")
PATHS = ("file", "meshdir", "texturedir", "assetdir")


def mujoco_package() -> ModuleType:
    """The package mujoco, or an error that says how to install it."""
    try:
        return import_module("mujoco")
    except ImportError:
        raise MissingExtraError("reading MJCF", "mujoco", "mujoco") from None


def inspect_mjcf(path: Path, roots: tuple[str, ...] = ("mujoco",), depth: int = 0) -> None:
    """Refuse a file that is malformed, loads plugins, or names files outside its own folder."""
    if depth > MAX_INCLUDES:
        raise PoinsotError(f"{path}: files include each other more than {MAX_INCLUDES} deep")
    for element in parse_xml(path, *roots).iter():
        if element.tag in REFUSED:
            raise PoinsotError(f"{path}: <{element.tag}> is not read: plugins run foreign code")
        for attribute in PATHS:
            named = element.get(attribute, "")
            outside = PurePosixPath(named).is_absolute() or PureWindowsPath(named).is_absolute()
            if outside or ".." in named.replace("\\", "/").split("/"):
                raise PoinsotError(f"{path}: <{element.tag}> names '{named}', outside the folder of the model")
        if element.tag == "include" or (element.tag == "model" and element.get("file")):
            inner = path.parent / element.get("file", "")
            if not inner.is_file():
                raise PoinsotError(f"{path}: <{element.tag}> names '{inner.name}', which is not there")
            inspect_mjcf(inner, ("mujoco", "mujocoinclude"), depth + 1)


def compile_mjcf(path: Path) -> Any:
    """The model that MuJoCo makes of a file, after it was looked at."""
    mujoco = mujoco_package()
    inspect_mjcf(path)
    try:
        return mujoco.MjModel.from_xml_path(str(path))
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        said = "; ".join(line.strip() for line in str(error).splitlines() if line.strip())
        raise PoinsotError(f"{path}: MuJoCo cannot read it: {said.removeprefix('Error: ')[:300]}") from None
