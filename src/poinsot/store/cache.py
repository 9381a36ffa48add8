"""Entries on disk, by key: checked when read, written aside and renamed, bounded in size.

Several processes may use one cache: a reader sees a whole file or none. If the directory cannot be written,
all works without a cache and says so once.
"""

from __future__ import annotations

import logging
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poinsot.errors import PoinsotError
from poinsot.store.container import CorruptEntryError, pack_entry, unpack_entry

__all__ = ["CacheReport", "cache_report", "clear_cache", "read_entry", "write_entry"]

_log = logging.getLogger("poinsot.engine")
_KINDS = ("code", "kept")  # compiled code; functions and models as text
CACHE_BYTES = 512 * 2**20
_complained: set[str] = set()


@dataclass(frozen=True)
class CacheReport:
    """What the cache holds."""

    directory: str
    files: int
    bytes: int
    limit: int  # bytes
    writable: bool

    def __str__(self) -> str:
        note = "" if self.writable else "; it cannot be written"
        return (
            f"{self.directory}: {self.files} compiled functions and models, {self.bytes / 1e6:.1f} of "
            f"{self.limit / 1e6:.0f} MB{note}"
        )


def read_entry(key: str, kind: str = "code") -> tuple[dict[str, Any], bytes] | None:
    """Read metadata and content; None when there is none or the file is damaged (it is then removed)."""
    path = cache_directory() / f"{key}.{kind}"
    try:
        data = path.read_bytes()
    except OSError:
        return None
    try:
        result = unpack_entry(data)
    except (CorruptEntryError, ValueError) as error:
        _log.warning("the cached file %s is damaged (%s) and will be made again", path.name, error)
        _remove(path)
        return None
    _touch(path)
    return result


def write_entry(key: str, metadata: dict[str, Any], content: bytes, kind: str = "code") -> bool:
    """Store an entry under a key; False when the cache cannot be written."""
    import tempfile

    directory = cache_directory()
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, aside = tempfile.mkstemp(prefix="writing-", dir=directory)
    except OSError as error:
        _complain(directory, error)
        return False
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(pack_entry(metadata, content))
        os.replace(aside, directory / f"{key}.{kind}")
    except OSError as error:
        _remove(Path(aside))
        _complain(directory, error)
        return False
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
    return CacheReport(str(directory), len(sizes), sum(sizes), cache_bytes(), writable)


def clear_cache() -> CacheReport:
    """Remove everything; returns what was there."""
    report = cache_report()
    for _, _, path in _files(cache_directory()):
        _remove(path)
    for path in cache_directory().glob("writing-*"):
        _remove(path)
    return report


def _files(directory: Path) -> list[tuple[float, int, Path]]:
    """List time of last use, size and path of every file, oldest first."""
    found = []
    for path in (path for kind in _KINDS for path in directory.glob(f"*.{kind}")):
        try:
            status = path.stat()
        except OSError:
            continue  # another process removed it
        found.append((status.st_mtime, status.st_size, path))
    return sorted(found)


def _evict(directory: Path) -> None:
    """Remove what was not used for longest until the rest fits."""
    files = _files(directory)
    excess = sum(size for _, size, _ in files) - cache_bytes()
    for _, size, path in files:
        if excess <= 0:
            break
        _remove(path)
        excess -= size


def _touch(path: Path) -> None:
    try:
        os.utime(path)
    except OSError:
        return  # the order of eviction suffers, nothing else


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return  # in use elsewhere, or read-only


def _complain(directory: Path, error: OSError) -> None:
    if str(directory) not in _complained:
        _complained.add(str(directory))
        _log.warning("compiled code is not kept: %s cannot be written (%s)", directory, error.strerror or error)


def cache_directory() -> Path:
    """Give the directory of cached code: POINSOT_CACHE_DIR, else the user's cache directory."""
    if text := os.environ.get("POINSOT_CACHE_DIR", "").strip():
        return Path(text).expanduser()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
        return base / "poinsot" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "poinsot"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "poinsot"


def cache_bytes() -> int:
    """Give the size that the cache may have: POINSOT_CACHE_BYTES, else 512 MB  [bytes]."""
    text = os.environ.get("POINSOT_CACHE_BYTES", "").strip()
    if not text:
        return CACHE_BYTES
    if not text.isdigit():
        raise PoinsotError(f"POINSOT_CACHE_BYTES must be a whole number of bytes, not '{text}'")
    return int(text)
