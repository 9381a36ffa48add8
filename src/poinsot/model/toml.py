"""TOML model files: read with care, written back with their comments."""

from __future__ import annotations

import copy
import os
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from poinsot.errors import PoinsotError
from poinsot.model.build import build
from poinsot.model.mechanism import Mechanism

__all__ = ["MAX_BYTES", "dumps", "put_number", "read_text", "read_toml", "save", "write_aside"]

MAX_BYTES = 4_000_000  # a model of some thousand bodies is far below this


def read_text(path: Path, limit: int = MAX_BYTES) -> str:
    """Contents of a text file in UTF-8; errors name the file."""
    try:
        size = path.stat().st_size
        if path.is_dir():
            raise PoinsotError(f"{path}: this is a folder, not a model file")
        if size > limit:
            raise PoinsotError(
                f"{path}: {size / 1e6:.1f} MB is too large for a model file; at most {limit / 1e6:g} MB are read"
            )
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PoinsotError(f"{path}: not a text file in UTF-8 (byte {error.start} cannot be read)") from None
    except OSError as error:
        raise PoinsotError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}") from None


def read_toml(path: Path) -> Mechanism:
    """Read a model file in TOML; an error names the file and the path in it."""
    text = read_text(path)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PoinsotError(f"{path}: not a TOML file: {str(error)[0].lower()}{str(error)[1:]}") from None
    except RecursionError:
        raise PoinsotError(f"{path}: nested too deeply") from None
    try:
        return build(document, path.stem, text)
    except RecursionError:
        raise PoinsotError(f"{path}: nested too deeply") from None
    except PoinsotError as error:
        raise PoinsotError(f"{path}: {error}") from None


def dumps(mechanism: Mechanism) -> str:
    """Write a mechanism as a model file: the file it came from, comments included, with its present values."""
    import tomlkit

    document = (
        tomlkit.parse(mechanism.text) if mechanism.text else tomlkit.item(copy.deepcopy(dict(mechanism.document)))
    )
    original = build(mechanism.document).parameters
    for name, parameter in mechanism.parameters.items():
        if parameter.value != original[name].value:
            put_number(document, parameter.source or ("parameters", name), parameter.value)
    return tomlkit.dumps(document)


def put_number(document: Any, path: tuple[str | int, ...], value: float | str) -> None:
    """Set the number at a path, making tables and lists on the way where the file left them out."""
    here = document
    for step, following in zip(path, (*path[1:], None)):
        if step == "position" and isinstance(here, list):
            continue  # a frame written as a bare list of coordinates
        if isinstance(step, int):
            while len(here) <= step:
                here.append(0.0)
        if following is None:
            here[step] = value
            return
        if isinstance(here, dict) and step not in here:
            here[step] = [0.0] * _length(document, path) if isinstance(following, int) else {}
        here = here[step]


def _length(document: Mapping[str, Any], path: tuple[str | int, ...]) -> int:
    return 2 if document.get("planar") else 3


def save(mechanism: Mechanism, path: str | Path, overwrite: bool = False) -> Path:
    """Write a mechanism to a TOML file; an existing file is kept unless `overwrite` is given."""
    path = Path(path)
    if path.exists() and not overwrite:
        raise PoinsotError(f"{path}: exists already; choose another name or allow overwriting")
    return write_aside(path, dumps(mechanism))


def write_aside(path: Path, text: str) -> Path:
    """Write a file beside its place and rename it, so that no half-written file is ever seen."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise PoinsotError(f"{path}: cannot be written: {(error.strerror or str(error)).lower()}") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return path
