"""Entries on disk, by key: checked when read, written aside and renamed, bounded in size.

Several processes may use one cache: a reader sees a whole file or none. Entries are code that runs: a directory or a
file that somebody else could have written is not read. If the directory cannot be used, all works without a cache and
says so once.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poinsot.errors import PoinsotError
from poinsot.store.container import CorruptEntryError, pack_entry, unpack_entry
from poinsot.store.files import distrust, read_regular

_log = logging.getLogger("poinsot.engine")
_ENDINGS = (".code", ".kept", ".work")  # compiled code; functions and models as text; arrays
CACHE_BYTES = 512 * 2**20
_ASIDE = "writing-"  # begins the name of a file that is being written
_ORPHAN_SECONDS = 3600.0  # no entry takes so long to write: its process has ended
_TALLY, _TALLY_BYTES = "tally", 4096  # a file with one byte for so many bytes in the cache
_complained: set[str] = set()
_swept: set[str] = set()  # directories whose orphans this process has removed


@dataclass(frozen=True)
class CacheReport:
    """What the cache holds."""

    directory: str
    files: int
    bytes: int
    limit: int  # bytes
    writable: bool
    refused: str = ""  # why it is not used: others could have written what it holds

    def __str__(self) -> str:
        note = "" if self.writable else "; it cannot be written"
        note = f"; it is not used: {self.refused}" if self.refused else note
        return (
            f"{self.directory}: {self.files} compiled functions and models, {self.bytes / 1e6:.1f} of "
            f"{self.limit / 1e6:.0f} MB{note}"
        )


def read_entry(key: str, kind: str = "code") -> tuple[dict[str, Any], bytes] | None:
    """Read metadata and content; None when there is none, it is another's or damaged (it is then removed)."""
    directory = cache_directory()
    path = directory / f"{key}.{kind}"
    if _refused(directory):
        return None
    try:
        data, status = read_regular(path)
    except (OSError, ValueError):
        return None
    try:
        if reason := distrust(status):
            raise CorruptEntryError(reason)
        result = unpack_entry(data, key, kind)
    except (CorruptEntryError, ValueError, TypeError) as error:
        _log.warning("the cached file %s is damaged (%s) and will be made again", path.name, error)
        _remove(path)
        return None
    with suppress(OSError):  # otherwise the order of eviction suffers, nothing else
        os.utime(path)
    return result


def write_entry(key: str, metadata: dict[str, Any], content: bytes, kind: str = "code") -> bool:
    """Store an entry under a key; False when the cache cannot be used."""
    import tempfile

    directory = cache_directory()
    try:
        _make_private(directory)
        if _refused(directory):
            return False
        handle, aside = tempfile.mkstemp(prefix=_ASIDE, dir=directory)
    except OSError as error:
        _complain(directory, f"it cannot be written ({error.strerror or error})")
        return False
    data = pack_entry(metadata, content, key, kind)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(aside, directory / f"{key}.{kind}")
    except OSError as error:
        _remove(Path(aside))
        _complain(directory, f"it cannot be written ({error.strerror or error})")
        return False
    _remove_orphans(directory)
    if _counted(directory, len(data)) > cache_bytes():
        _evict(directory)
    return True


def cache_report() -> CacheReport:
    """Describe the cache: where it is, how much it holds."""
    directory = cache_directory()
    sizes = [size for _, size, _ in _files(directory)]
    nearest = directory
    while not nearest.exists() and nearest != nearest.parent:
        nearest = nearest.parent
    writable = nearest.is_dir() and os.access(nearest, os.W_OK)
    return CacheReport(str(directory), len(sizes), sum(sizes), cache_bytes(), writable, _reason_to_refuse(directory))


def clear_cache() -> CacheReport:
    """Remove everything; returns what was there."""
    report = cache_report()
    if report.refused:
        raise PoinsotError(f"{report.directory} is not cleared: {report.refused}")
    for name in _names(cache_directory()):
        if name.endswith(_ENDINGS) or name.startswith(_ASIDE) or name == _TALLY:
            _remove(cache_directory() / name)
    return report


def _names(directory: Path) -> list[str]:
    try:
        return os.listdir(directory)
    except OSError:
        return []


def _files(directory: Path) -> list[tuple[float, int, str]]:
    """List time of last use, size and name of every entry, in the order in which they go: arrays, then the oldest."""
    found = []
    for name in _names(directory):
        if name.endswith(_ENDINGS):
            with suppress(OSError):  # another process removed it
                status = os.stat(directory / name)
                found.append((status.st_mtime, status.st_size, name))
    return sorted(found, key=lambda entry: (not entry[2].endswith(".work"), *entry))


def _counted(directory: Path, size: int) -> int:
    """Count an entry of so many bytes; gives about how many there are in all, without looking at them  [bytes]."""
    units = -(-size // _TALLY_BYTES)
    try:
        with open(directory / _TALLY, "ab") as tally:
            tally.write(b"." * units)
            tally.flush()
            total = os.fstat(tally.fileno()).st_size
    except OSError:
        return sys.maxsize  # not known
    return total * _TALLY_BYTES if total > units else sys.maxsize  # a new tally does not know what was there before


def _evict(directory: Path) -> None:
    """Remove what was not used for longest until an eighth is free, if there is too much; count anew."""
    files, limit = _files(directory), cache_bytes()
    total = sum(size for _, size, _ in files)
    if total > limit:
        for _, size, name in files:
            if total <= limit - limit // 8:
                break
            _remove(directory / name)
            total -= size
    with suppress(OSError):  # it is counted again at the next entry
        os.truncate(directory / _TALLY, -(-total // _TALLY_BYTES))


def _remove_orphans(directory: Path) -> None:
    """Remove, once in a process, what was begun by others that have ended."""
    if str(directory) in _swept:
        return
    _swept.add(str(directory))
    for name in _names(directory):
        if name.startswith(_ASIDE):
            with suppress(OSError):  # it has become an entry
                if time.time() - os.lstat(directory / name).st_mtime > _ORPHAN_SECONDS:
                    _remove(directory / name)


def _make_private(directory: Path) -> None:
    """Make a directory, and those above it that are missing, for its owner only."""
    missing = [directory]
    while not missing[-1].parent.exists() and missing[-1].parent != missing[-1]:
        missing.append(missing[-1].parent)
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)


def _reason_to_refuse(directory: Path) -> str:
    try:
        return distrust(os.stat(directory))
    except (OSError, ValueError):
        return ""  # there is none, and nothing in it


def _refused(directory: Path) -> bool:
    """Tell whether others could have written what a directory holds; that is said once."""
    if reason := _reason_to_refuse(directory):
        _complain(directory, f"{reason}, and what is kept there would run (chmod 700, or set POINSOT_CACHE_DIR)")
    return bool(reason)


def _remove(path: Path) -> None:
    with suppress(OSError):  # in use elsewhere, or read-only
        path.unlink(missing_ok=True)


def _complain(directory: Path, reason: str) -> None:
    if str(directory) not in _complained:
        _complained.add(str(directory))
        _log.warning("compiled code is not kept in %s: %s", directory, reason)


def cache_directory() -> Path:
    """Give the directory of cached code: POINSOT_CACHE_DIR, else the user's cache directory."""
    text = os.environ.get("POINSOT_CACHE_DIR", "").strip()
    try:
        if text:
            return Path(text).expanduser()
        if sys.platform == "win32":
            base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
            return base / "poinsot" / "cache"
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches" / "poinsot"
        base = Path(os.environ.get("XDG_CACHE_HOME", ""))
        return (base if base.is_absolute() else Path.home() / ".cache") / "poinsot"
    except RuntimeError:  # nobody's home is known
        if text:
            raise PoinsotError(f"POINSOT_CACHE_DIR names the home of a user who is not known: '{text}'") from None
    import tempfile

    return Path(tempfile.gettempdir()) / f"poinsot-cache-{os.geteuid() if hasattr(os, 'geteuid') else 'user'}"


def cache_bytes() -> int:
    """Give the size that the cache may have: POINSOT_CACHE_BYTES, else 512 MB  [bytes]."""
    text = os.environ.get("POINSOT_CACHE_BYTES", "").strip()
    if not text:
        return CACHE_BYTES
    if not (text.isdecimal() and len(text) <= 18):
        raise PoinsotError(f"POINSOT_CACHE_BYTES must be a whole number of bytes, not '{text[:40]}'")
    return int(text)
