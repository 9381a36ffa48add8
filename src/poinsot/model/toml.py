"""TOML model files: read with care, written back with their comments."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

from poinsot.errors import PoinsotError, one_line
from poinsot.model.admissible import require_moments
from poinsot.model.file_kinds import MODEL, another_kind
from poinsot.model.mechanism import Mechanism, build, require_mechanism
from poinsot.model.meshes import relocated
from poinsot.model.record import keep_mechanism, kept_mechanism
from poinsot.model.sharing import put_values
from poinsot.store import IrregularFileError, content_key, read_regular
from poinsot.store.files import as_path, check_place, write_aside

MAX_BYTES = 4_000_000  # a model of some thousand bodies is far below this
# The time to read a dotted key grows with the square of its parts, so that many are refused before reading.
_DEEP_KEY = re.compile(r"""(?<![\w"'-])(?:(?:"[^"\n]*+"|'[^'\n]*+'|[\w-]++)[ \t]*+\.[ \t]*+){40}""")


def read_text(path: Path, limit: int = MAX_BYTES, what: str = "a model file") -> str:
    """Contents of a text file in UTF-8; errors name the file. Pipes and devices are not opened."""
    try:
        data, status = read_regular(path, limit)
        if len(data) > limit:
            size = f"{max(len(data), status.st_size) / 1e6:.1f} MB"
            raise PoinsotError(f"{path}: {size} is too large for {what}; at most {limit / 1e6:g} MB are read")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PoinsotError(f"{path}: not a text file in UTF-8 (byte {error.start} cannot be read)") from None
    except IrregularFileError as error:
        raise PoinsotError(f"{path}: this is {error.kind}, not {what}") from None
    except OSError as error:
        raise PoinsotError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}") from None
    except ValueError:  # a zero in the name
        raise PoinsotError(f"{one_line(str(path))}: no file can have this name") from None


def read_toml(path: Path) -> Mechanism:
    """Read a model file in TOML; an error names the file and the path in it."""
    text = read_text(path)
    key = content_key("model", path.stem, text)
    if (known := kept_mechanism(key)) is not None:
        return known
    document: dict[str, Any] = {}
    try:
        document = parsed_toml(text)
        mechanism = build(document, path.stem, text)
        require_moments(mechanism.elements)
        keep_mechanism(key, mechanism)
        return mechanism
    except RecursionError:
        raise PoinsotError(f"{path}: nested too deeply") from None
    except PoinsotError as error:
        raise PoinsotError(f"{path}: {another_kind(document, MODEL) or one_line(str(error))}") from None


def loads(text: str, name: str = "model") -> Mechanism:
    """Make a mechanism from the text of a model file in TOML, as `dumps` gives it; `name` is the mechanism's.

    >>> loads("format = 1\\n[bodies]\\nbob = { mass = '200 g' }", "weight").bodies["bob"].mass
    0.2
    """
    if not isinstance(text, str):
        raise PoinsotError(f"a model file is text, not {type(text).__name__}")
    mechanism = build(parsed_toml(text), name, text)
    require_moments(mechanism.elements)
    return mechanism


def read_document(path: Path, what: str) -> tuple[str, dict[str, Any]]:
    """Text and contents of a TOML file, before anything is made of them; errors name the file."""
    text = read_text(path, what=what)
    try:
        return text, parsed_toml(text)
    except PoinsotError as error:
        raise PoinsotError(f"{path}: {error}") from None


def parsed_toml(text: str) -> dict[str, Any]:
    """Contents of a TOML file, before anything is made of them."""
    if _DEEP_KEY.search(text):
        raise PoinsotError("nested too deeply: a key has more than 40 parts")
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PoinsotError(f"not a TOML file: {str(error)[0].lower()}{str(error)[1:]}") from None
    except ValueError:  # Python refuses whole numbers of thousands of digits
        raise PoinsotError("not a TOML file: a number has too many digits") from None


def dumps(mechanism: Mechanism) -> str:
    """Write a mechanism as a model file: the file it came from, comments included, with its present values."""
    import tomlkit

    require_mechanism(mechanism)
    document = (
        tomlkit.parse(mechanism.text) if mechanism.text else tomlkit.item(copy.deepcopy(dict(mechanism.nominal)))
    )
    put_values(document, build(mechanism.nominal).parameters, mechanism.parameters)
    return tomlkit.dumps(document)


def save(mechanism: Mechanism, path: str | Path, overwrite: bool = False) -> Path:
    """Write a mechanism to a TOML file; an existing file is kept unless `overwrite` is given.

    `mechanism` goes to `path`, which is returned. Mesh files are named as they are seen from there.
    """
    path = as_path(path)
    writer = {".xml": "write_mjcf", ".mjcf": "write_mjcf", ".urdf": "write_urdf"}.get(path.suffix.lower())
    if writer is not None:
        raise PoinsotError(f"{path}: a model file is TOML; poinsot.{writer} writes '{path.suffix}' files")
    check_place(path, overwrite)
    return write_aside(path, dumps(relocated(require_mechanism(mechanism), path.parent)))
