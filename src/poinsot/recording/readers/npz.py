"""NumPy archives of arrays; objects, which would run code, are refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.recording.readers.arrays import table_of_arrays
from poinsot.recording.readers.foreign import foreign
from poinsot.recording.readers.table import ReadRequest, Table

__all__ = ["read_npz"]


def read_npz(path: Path, request: ReadRequest) -> Table:
    """A table of the arrays of a NumPy archive (.npz), or of one array (.npy)."""
    with foreign("a NumPy archive"):
        held = np.load(path)  # without objects
        held = {"column": held} if isinstance(held, np.ndarray) else {name: held[name] for name in held.files}
    numbers = {name: a for name, a in held.items() if a.dtype.kind in "fiubc" and a.size > 1}
    single = {name: a.item() for name, a in held.items() if a.dtype.kind in "fiubcU" and a.size == 1}
    if not numbers:
        raise PoinsotError("this NumPy archive has no arrays of numbers")
    others = tuple(name for name in held if name not in numbers and name not in single)
    return table_of_arrays(numbers, single, "npz", request.wanted, left_out=others)
