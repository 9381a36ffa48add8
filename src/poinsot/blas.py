"""One BLAS thread for small matrices.

The default of many threads makes a 90 × 90 problem a hundred times slower than one thread, and more on a busy
machine, where the threads wait for each other.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

_depth = 0
_before: list[tuple[Any, int]] = []
_lock = threading.Lock()


def _blas_controls() -> list[tuple[Any, Any]]:
    """The functions that read and set the threads of every OpenBLAS that is loaded."""
    return _found_controls(tuple(name for name in ("numpy", "scipy") if name in sys.modules))


@cache
def _found_controls(packages: tuple[str, ...]) -> list[tuple[Any, Any]]:
    controls = []
    for package in packages:
        home = Path(sys.modules[package].__path__[0])
        folders = [home.parent / f"{home.name}.libs", home / ".dylibs"]
        for path in [p for folder in folders if folder.is_dir() for p in folder.glob("*openblas*")]:
            try:
                library = ctypes.CDLL(str(path))
            except OSError:
                continue
            for name in ("scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads"):
                if hasattr(library, name.format("set")):
                    controls.append((getattr(library, name.format("get")), getattr(library, name.format("set"))))
    return controls


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Run the block with one thread in each BLAS call; without a BLAS that can be told, nothing changes."""
    global _depth
    with _lock:
        if _depth == 0:
            _before[:] = [(set_threads, get()) for get, set_threads in _blas_controls()]
            for set_threads, _ in _before:
                set_threads(1)
        _depth += 1
    try:
        yield
    finally:
        with _lock:
            _depth -= 1
            if _depth == 0:
                for set_threads, count in _before:
                    set_threads(count)
