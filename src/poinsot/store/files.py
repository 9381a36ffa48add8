"""Files of unknown origin: only regular ones are opened, and it is known whose they are; files of one's own are
written aside and renamed."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

from poinsot.errors import OccupiedError, PoinsotError, one_line

_KINDS = {
    stat.S_IFREG: "a file",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFLNK: "a symbolic link",
}
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


class IrregularFileError(OSError):
    """A folder, pipe or device where a file was expected; `kind` is the word for it."""

    def __init__(self, kind: str):
        super().__init__(f"this is {kind}, not a file")
        self.kind = kind


def file_kind(status: os.stat_result) -> str:
    """What stands under a name, in words: "a file", "a folder", "a pipe", "a device" …"""
    return _KINDS.get(stat.S_IFMT(status.st_mode), "a device")


def read_regular(path: Path | str, limit: int | None = None) -> tuple[bytes, os.stat_result]:
    """Contents and status of a regular file, at most `limit` + 1 bytes of it; nothing else is opened."""
    if not stat.S_ISREG((status := os.stat(path)).st_mode):
        raise IrregularFileError(file_kind(status))
    with os.fdopen(os.open(path, _FLAGS), "rb") as file:
        status = os.fstat(file.fileno())  # of what was opened: the name may mean another file by now
        if not stat.S_ISREG(status.st_mode):
            raise IrregularFileError(file_kind(status))
        return file.read(-1 if limit is None else limit + 1), status


def distrust(status: os.stat_result) -> str:
    """Why code from a file or folder must not run: others could have written it. Empty if nobody else could."""
    if not hasattr(os, "geteuid"):
        return ""  # Windows: the user's profile is protected by its own rules
    if status.st_uid != os.geteuid():
        return "it belongs to another user"
    return "other users can write to it" if status.st_mode & _OTHERS_WRITE else ""


def as_path(given: Any) -> Path:
    """A path from a text or a path."""
    if isinstance(given, str | os.PathLike) and os.fspath(given):
        path = Path(given)
        return path if path.name else path.resolve()
    raise PoinsotError(f"expected the name of a file, not {given!r} ({type(given).__name__})")


def check_place(path: Path, overwrite: bool) -> os.stat_result | None:
    """Status of the file that will be replaced, None if there is none; an error if nothing can be written there.

    Only a regular file of one's own is replaced: no device, no folder, no symbolic link, no file of another user.
    A new file needs a folder that exists.
    """
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return _check_parent(path)
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise PoinsotError(f"{one_line(str(path))}: cannot be written: {reason}") from None
    if not isinstance(overwrite, int):
        raise PoinsotError(f"overwrite is True or False, not {type(overwrite).__name__}")
    if not overwrite:
        raise OccupiedError(path)
    if not stat.S_ISREG(status.st_mode):
        raise PoinsotError(f"{path}: this is {file_kind(status)}; only files are replaced")
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        raise PoinsotError(f"{path}: the file belongs to another user; only files of your own are replaced")
    return status


def _check_parent(path: Path) -> None:
    if not path.parent.exists():
        raise PoinsotError(f"{one_line(str(path))}: cannot be written: there is no folder '{path.parent}'")
    if not path.parent.is_dir():
        raise PoinsotError(f"{one_line(str(path))}: cannot be written: '{path.parent}' is no folder")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise PoinsotError(
            f"{one_line(str(path))}: cannot be written: the folder '{path.parent}' may not be written to"
        )


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
