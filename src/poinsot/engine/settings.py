"""What the environment says about the engine, and the limits that were measured for it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ..errors import PoinsotError, unknown

__all__ = [
    "CACHE_BYTES",
    "CHILD_SECONDS",
    "DIRECT_INSTRUCTIONS",
    "MAX_NATIVE_INSTRUCTIONS",
    "QUICK_INSTRUCTIONS",
    "cache_bytes",
    "cache_directory",
    "chosen_engine",
    "default_threads",
    "waits_for_optimised",
]

# Measured on one core of 2.45 GHz, LLVM 22, see docs/decisions/0003-engine.md.
DIRECT_INSTRUCTIONS = 2_000  # up to here optimised code is made at once, in about 0.2 s
QUICK_INSTRUCTIONS = 60_000  # up to here quick code is made in this process, in about 1.5 s
MAX_NATIVE_INSTRUCTIONS = 500_000  # up to here a child process makes native code, in about a minute
CHILD_SECONDS = 600.0  # a child that takes longer is ended
CACHE_BYTES = 512 * 2**20

ENGINES = ("auto", "native", "vm")


def chosen_engine(asked: str | None = None) -> str:
    """Tell which engine to use: the one asked for, else POINSOT_ENGINE, else "auto"."""
    source = "engine" if asked is not None else "POINSOT_ENGINE"
    name = asked if asked is not None else os.environ.get("POINSOT_ENGINE", "").strip().lower() or "auto"
    if name not in ENGINES:
        raise PoinsotError(f"{source}: {unknown('engine', name, ENGINES)}")
    return name


def waits_for_optimised() -> bool:
    """Tell whether every kernel waits for its optimised code (POINSOT_ENGINE_WAIT=1)."""
    return os.environ.get("POINSOT_ENGINE_WAIT", "").strip() not in ("", "0")


def default_threads() -> int:
    """Count the threads to use: POINSOT_THREADS, else the processors this process may run on."""
    text = os.environ.get("POINSOT_THREADS", "").strip()
    if text:
        if not text.isdigit() or int(text) < 1:
            raise PoinsotError(f"POINSOT_THREADS must be a whole number from 1 upwards, not '{text}'")
        return int(text)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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
