"""Files of unknown origin: only regular ones are opened, and it is known whose they are."""

from __future__ import annotations

import os
import stat
from pathlib import Path

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
