"""MATLAB files of version 4 to 7.2: numbers, texts, and the fields of structures; objects and functions are left out.

Version 7.3 is HDF5.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.recording.readers.arrays import table_of_arrays
from poinsot.recording.readers.foreign import foreign
from poinsot.recording.readers.table import Request, Table

__all__ = ["read_matlab"]

DEEPEST = 6  # structures within structures


def read_matlab(path: Path, request: Request) -> Table:
    """A table of the arrays of a MATLAB file."""
    from scipy.io import loadmat

    with foreign("a MATLAB file"):
        variables = loadmat(path, struct_as_record=True, squeeze_me=False, chars_as_strings=True)
    arrays: dict[str, np.ndarray] = {}
    constants: dict[str, Any] = {}
    left_out: list[str] = []
    for name, value in variables.items():
        if not name.startswith("__"):
            _sorted_in(name, value, arrays, constants, left_out)
    if not arrays:
        raise PoinsotError("this MATLAB file has no arrays of numbers")
    return table_of_arrays(arrays, constants, "matlab", request.wanted, left_out=tuple(left_out))


def _sorted_in(name: str, value: Any, arrays: dict, constants: dict, left_out: list, depth: int = 0) -> None:
    """Put a variable under the arrays, the constants or what is left out; structures by their fields."""
    a = np.asarray(value)
    if a.dtype.names and a.size == 1 and depth < DEEPEST and type(value) is np.ndarray:
        for field in a.dtype.names:
            _sorted_in(f"{name}.{field}", a.flat[0][field], arrays, constants, left_out, depth + 1)
    elif a.dtype.kind in "fiubc" and a.size == 1:
        constants[name] = a.item()
    elif a.dtype.kind in "fiubc" and a.size:
        arrays[name] = a
    elif a.dtype.kind == "U" and a.size <= 1:
        constants[name] = a.item() if a.size else ""
    elif a.size:
        left_out.append(name)
