"""MATLAB files of version 4 to 7.2: numbers, texts, and the fields of structures; objects and functions are left out.

Version 7.3 is HDF5.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.recording.readers.arrays import table_of_arrays
from poinsot.recording.readers.foreign import foreign
from poinsot.recording.readers.table import ReadRequest, Table

__all__ = ["read_matlab"]

DEEPEST = 6  # structures within structures
HEADER = 128  # bytes before the first variable
NUMBERS = (1, 2, 3, 4, 5, 6, 7, 9, 12, 13)  # types of elements that hold numbers
TEXTS, MATRIX, PACKED = (16, 17, 18), 14, 15
DOUBLES, SPARSE, CHARACTERS = range(6, 16), 5, 4  # classes of matrices: numbers of all kinds, sparse, text
OBJECTS = (3, 16, 17)  # objects, functions, what only MATLAB knows
FIELDS = {1: [], 2: [5, 1]}  # cells and structures: what stands before their matrices
LARGEST = 2000  # bytes that one byte of a packed variable can stand for


def read_matlab(path: Path, request: ReadRequest) -> Table:
    """A table of the arrays of a MATLAB file."""
    from scipy.io import loadmat
    from scipy.io.matlab import matfile_version

    with foreign("a MATLAB file"):
        if matfile_version(path)[0] == 1:  # of version 5 to 7.2
            data = path.read_bytes()
            _require_tags(data[HEADER:], ">" if data[HEADER - 2 : HEADER] == b"MI" else "<", packed=True)
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


def _require_tags(data: bytes, order: str, packed: bool = False, depth: int = 0) -> list[int]:
    """Types of the elements, which must be known and end within their parent: SciPy's reader crashes on others.

    An element is a tag (type, size) and its bytes, filled up to eight; a small one has both in eight bytes.
    """
    at, types = 0, []
    while at < len(data):
        if len(data) - at < 8 or depth > 3 * DEEPEST:
            raise PoinsotError("this MATLAB file ends within an element")
        type_number, size = struct.unpack_from(f"{order}II", data, at)
        small = type_number >> 16
        type_number, size, first = (type_number & 0xFFFF, small, at + 4) if small else (type_number, size, at + 8)
        end, known = first + size, (*NUMBERS, *TEXTS, MATRIX, *([PACKED] if packed else []))
        if type_number not in known or end > len(data) or small > 4:
            raise PoinsotError(f"this MATLAB file has an element of unknown type or size ({type_number}, {size})")
        if type_number == PACKED:
            inner = zlib.decompressobj().decompress(data[first:end], LARGEST * max(size, 1))
            _require_tags(inner, order, depth=depth + 1)
        elif type_number == MATRIX and size:
            _require_matrix(data[first:end], order, _require_tags(data[first:end], order, depth=depth + 1))
        types.append(type_number)
        at = at + 8 if small else end if type_number == PACKED else first + -(-size // 8) * 8
    return types


def _require_matrix(data: bytes, order: str, parts: list[int]) -> None:
    """See that a matrix has flags, dimensions, a name, and as many parts as its class needs, of the right types."""
    flags = struct.unpack_from(f"{order}I", data, 8)[0] if len(data) >= 16 else 0
    of_class, imaginary = flags & 0xFF, bool(flags & 0x800)
    head, rest = parts[:3], parts[3:]
    if of_class in DOUBLES:
        valid = len(rest) == 1 + imaginary and set(rest) <= {*NUMBERS}
    elif of_class == SPARSE:
        valid = len(rest) == 3 + imaginary and set(rest) <= {*NUMBERS}
    elif of_class == CHARACTERS:
        valid = len(rest) == 1 and set(rest) <= {*NUMBERS, *TEXTS}
    elif of_class in FIELDS:
        valid = rest[: len(FIELDS[of_class])] == FIELDS[of_class] and set(rest[len(FIELDS[of_class]) :]) <= {MATRIX}
    else:
        valid, head = of_class in OBJECTS, [6, 5, 1]  # they are left out, whatever they hold
    if not valid or head != [6, 5, 1] or len(data) < 24 or _long(data, order):
        raise PoinsotError("a matrix of this MATLAB file is damaged")


def _long(data: bytes, order: str) -> bool:
    """Whether a matrix has more than 32 dimensions."""
    type_number, size = struct.unpack_from(f"{order}II", data, 16)
    return not type_number >> 16 and size > 128


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
