"""HDF5 files, and MATLAB files of version 7.3, which are some: datasets of numbers in any group.

Links to other files, virtual and external datasets are not followed: only what is in the file is read.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from poinsot.errors import MissingExtraError, PoinsotError
from poinsot.recording.readers.arrays import SMALL, column_names, common_length, table_of_arrays
from poinsot.recording.readers.foreign import foreign
from poinsot.recording.readers.table import ReadRequest, Table

__all__ = ["read_hdf5"]

PACKED = 2000  # bytes that one byte of a file can stand for; beyond, its header is damaged
UNITS = ("unit", "units", "Unit", "Units")
MATLAB_CLASS = "MATLAB_class"


def read_hdf5(path: Path, request: ReadRequest) -> Table:
    """A table of the datasets of an HDF5 file."""
    try:
        import h5py
    except ImportError:
        raise MissingExtraError("reading HDF5 and MATLAB 7.3 files", "h5py", "data") from None
    with foreign("an HDF5 file"), h5py.File(path, "r") as file:
        held = _Datasets(h5py, path.stat().st_size)
        file.visititems(held.visit)
        held.attributes("", file)
        arrays, constants = held.read(request)
    if not arrays:
        raise PoinsotError("this HDF5 file has no datasets of numbers")
    return table_of_arrays(
        arrays,
        constants,
        "hdf5",
        request.wanted,
        units=held.units,
        across=held.matlab,  # MATLAB writes its columns as rows
        left_out=tuple(held.left_out),
    )


class _Datasets:
    """What is found while an HDF5 file is visited."""

    def __init__(self, h5py: Any, size: int):
        self.h5py, self.size = h5py, size
        self.datasets: dict[str, Any] = {}
        self.constants: dict[str, Any] = {}
        self.units: dict[str, str] = {}
        self.left_out: list[str] = []
        self.matlab = False

    def visit(self, path: str, item: Any) -> None:
        name = path.replace("/", ".")
        if path.startswith(("#refs#", "#subsystem#")) or not isinstance(item, self.h5py.Dataset):
            return
        self.matlab = self.matlab or MATLAB_CLASS in item.attrs
        self.attributes(name, item)
        if item.dtype.kind not in "fiubc" or item.is_virtual or item.external or not item.shape:
            single = item.dtype.kind in "fiub" and item.shape == () and not item.is_virtual
            self.constants |= {name: item[()].item()} if single else {}
            self.left_out += [] if single else [name]
        elif item.attrs.get(MATLAB_CLASS) == b"char":
            self.constants[name] = "".join(map(chr, item[()].T.ravel())) if item.size <= SMALL else ""
        elif item.nbytes > PACKED * max(self.size, 1):
            raise PoinsotError(f"dataset '{name}' claims {item.nbytes} bytes in a file of {self.size}")
        elif item.size and not item.attrs.get("MATLAB_empty", 0):
            self.datasets[name] = item

    def attributes(self, name: str, item: Any) -> None:
        """Single numbers and texts that stand beside a dataset, a group or the file."""
        for key, value in item.attrs.items():
            text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
            if key in UNITS and isinstance(text, str):
                self.units[name] = text
            elif not key.startswith(("MATLAB", "H5PATH", "_")) and np.ndim(text) == 0:
                plain = text.item() if isinstance(text, np.generic) else text
                if isinstance(plain, str | float | int | bool):
                    self.constants[f"{name}.{key}" if name else key] = plain

    def read(self, request: ReadRequest) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Arrays of which some column is wanted, or that are small; single numbers go to the constants."""
        n = common_length({name: item.shape for name, item in self.datasets.items()})
        arrays = {}
        for name, item in self.datasets.items():
            of = column_names(name, item.shape, n)
            if item.size == 1:
                self.constants[name] = item[()].item()
            elif any(map(request.wanted, of)) or (not of and item.size <= SMALL):
                arrays[name] = item[()]
            elif not of:
                self.left_out.append(name)
        return arrays, self.constants
