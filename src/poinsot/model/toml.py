"""TOML model files: read with care, written back with their comments."""

from __future__ import annotations

import copy
import os
import re
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

from poinsot.errors import PoinsotError, one_line
from poinsot.model.admissible import require_moments
from poinsot.model.mechanism import Mechanism, build, require_mechanism
from poinsot.model.record import keep_mechanism, kept_mechanism
from poinsot.model.sharing import put_number
from poinsot.store import IrregularFileError, content_key, file_kind, read_regular

MAX_BYTES = 4_000_000  # a model of some thousand bodies is far below this
# The time to read a dotted key grows with the square of its parts, so that many are refused before reading.
_DEEP_KEY = re.compile(r"""(?<![\w"'-])(?:(?:"[^"\n]*+"|'[^'\n]*+'|[\w-]++)[ \t]*+\.[ \t]*+){40}""")


def as_path(given: Any) -> Path:
    """A path from a text or a path."""
    if isinstance(given, str | os.PathLike) and Path(given).name:
        return Path(given)
    raise PoinsotError(f"expected the name of a file, not {given!r} ({type(given).__name__})")


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
    try:
        mechanism = build(parsed_toml(text), path.stem, text)
        require_moments(mechanism.elements)
        keep_mechanism(key, mechanism)
        return mechanism
    except RecursionError:
        raise PoinsotError(f"{path}: nested too deeply") from None
    except PoinsotError as error:
        raise PoinsotError(f"{path}: {one_line(str(error))}") from None


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
        tomlkit.parse(mechanism.text) if mechanism.text else tomlkit.item(copy.deepcopy(dict(mechanism.document)))
    )
    original = build(mechanism.document).parameters
    for name, parameter in mechanism.parameters.items():
        if parameter.value != original[name].value:
            bare = parameter.role != "named" or parameter.unit == "-"
            value = parameter.value if bare else f"{parameter.value!r} {parameter.unit}"
            path = parameter.source or ("parameters", name)
            sources = {p.source: p.value for p in mechanism.parameters.values() if p.source}
            whole = {s[-1]: x for s, x in sources.items() if s[:-1] == path[:-1]}  # of a list that leaves some out
            put_number(document, path, value, [whole[i] for i in range(len(whole)) if i in whole])
    return tomlkit.dumps(document)


def save(mechanism: Mechanism, path: str | Path, overwrite: bool = False) -> Path:
    """Write a mechanism to a TOML file; an existing file is kept unless `overwrite` is given.

    `mechanism` goes to `path`, which is returned.
    """
    path = as_path(path)
    writer = {".xml": "write_mjcf", ".mjcf": "write_mjcf", ".urdf": "write_urdf"}.get(path.suffix.lower())
    if writer is not None:
        raise PoinsotError(f"{path}: a model file is TOML; poinsot.{writer} writes '{path.suffix}' files")
    check_place(path, overwrite)
    return write_aside(path, dumps(mechanism))


def check_place(path: Path, overwrite: bool, advice: str = "allow overwriting") -> os.stat_result | None:
    """Status of the file that will be replaced, None if there is none; an error if it must not be.

    Only a regular file of one's own is replaced: no device, no folder, no symbolic link, no file of another user.
    """
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise PoinsotError(f"{one_line(str(path))}: cannot be written: {reason}") from None
    if not isinstance(overwrite, int):
        raise PoinsotError(f"overwrite is True or False, not {type(overwrite).__name__}")
    if not overwrite:
        raise PoinsotError(f"{path}: exists already; choose another name or {advice}")
    if not stat.S_ISREG(status.st_mode):
        raise PoinsotError(f"{path}: this is {file_kind(status)}; only files are replaced")
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        raise PoinsotError(f"{path}: the file belongs to another user; only files of your own are replaced")
    return status


def write_aside(path: Path, content: str | bytes) -> Path:
    """Write a file beside its place and rename it, so that no half-written file is ever seen.

    A file that is replaced (`check_place`) keeps its permissions.
    """
    import secrets

    before = check_place(path, overwrite=True)
    aside = path.parent / f".poinsot-{secrets.token_hex(8)}"
    try:
        handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        with os.fdopen(handle, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape"))
        if before is not None:
            os.chmod(aside, stat.S_IMODE(before.st_mode) & 0o777)
        os.replace(aside, path)
    except OSError as error:
        raise PoinsotError(f"{path}: cannot be written: {(error.strerror or str(error)).lower()}") from None
    finally:
        with suppress(OSError):
            aside.unlink()
    return path
