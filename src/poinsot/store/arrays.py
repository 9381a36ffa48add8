"""Arrays that took long to make, kept on disk under a digest of all that they depend on.

Work that was interrupted goes on from what is kept; where the cache is full, arrays are the first to go.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from poinsot.store.cache import read_entry, write_entry

Kept = tuple[dict[str, Any], dict[str, np.ndarray]]  # facts that JSON can hold, and arrays by name
KIND = "work"
WORTH = 0.1  # time to make, from which arrays are kept  [s]
LARGEST = 192 * 2**20  # bytes of one entry


def kept_arrays(key: str, make: Callable[[], Kept]) -> Kept:
    """Facts and arrays under a key: from disk, or made now and kept; without a key they are always made."""
    known = read_arrays(key)
    if known is not None:
        return known
    begin = time.perf_counter()
    facts, arrays = make()
    if time.perf_counter() - begin > WORTH:
        keep_arrays(key, facts, arrays)
    return facts, arrays


def keep_arrays(key: str, facts: dict[str, Any], arrays: Mapping[str, np.ndarray]) -> bool:
    """Put facts and arrays under a key; False where there is no key, no place, or they are too large."""
    if not key or sum(x.nbytes for x in arrays.values()) >= LARGEST:
        return False
    about = {name: [str(x.dtype), list(x.shape)] for name, x in arrays.items()}
    content = b"".join(np.ascontiguousarray(x).tobytes() for x in arrays.values())
    return write_entry(key, {"facts": facts, "arrays": about}, content, KIND)


def read_arrays(key: str) -> Kept | None:
    """Facts and arrays under a key; None where nothing is kept."""
    known = read_entry(key, KIND) if key else None
    if known is None:
        return None
    metadata, content = known
    arrays, at = {}, 0
    for name, (dtype, shape) in metadata["arrays"].items():
        count = int(np.prod(shape))
        arrays[name] = np.frombuffer(content, dtype, count, at).reshape(shape).copy()
        at += arrays[name].nbytes
    return metadata["facts"], arrays


def arrays_digest(*arrays: np.ndarray | None) -> str:
    """SHA-256 of arrays, their shapes included."""
    found = hashlib.sha256()
    for x in arrays:
        found.update(b"none" if x is None else f"{x.dtype}{x.shape}".encode() + np.ascontiguousarray(x).tobytes())
    return found.hexdigest()
