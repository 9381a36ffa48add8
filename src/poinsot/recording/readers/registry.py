"""Which reader reads a file: by its first bytes, else by its ending; text tables are what is left."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from poinsot.errors import PoinsotError, unknown
from poinsot.recording.readers.bag import is_bag, read_bag
from poinsot.recording.readers.csv import read_csv
from poinsot.recording.readers.dataphysics import is_dataphysics, read_dataphysics
from poinsot.recording.readers.hdf5 import read_hdf5
from poinsot.recording.readers.labview import is_labview, read_labview
from poinsot.recording.readers.matlab import read_matlab
from poinsot.recording.readers.npz import read_npz
from poinsot.recording.readers.parquet import read_parquet
from poinsot.recording.readers.table import ReadRequest, Table
from poinsot.recording.readers.uff import read_uff
from poinsot.recording.text import head_of

__all__ = ["READERS", "Reader", "reader_of"]

_UFF = re.compile(rb"\A[\s\0]*-1\s*\r?\n\s*\d{1,6}[ b\r\n]")
_HDF5 = b"\x89HDF\r\n\x1a\n"


@dataclass(frozen=True)
class Reader:
    """A format of files."""

    name: str
    endings: tuple[str, ...]
    begins: Callable[[bytes], bool]  # whether its files have such first bytes, after gzip
    read: Callable[[Path, ReadRequest], Table]
    text: bool = False  # read in blocks: gzip is unpacked and rows are averaged meanwhile
    parts: bool = False  # a file may hold several tables


def _starts(*marks: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(marks)


def _hdf5(head: bytes) -> bool:
    return head.startswith(_HDF5) or head[512:520] == _HDF5  # MATLAB 7.3 puts a header before


DESCRIPTIONS = (".toml", ".urdf", ".mjcf", ".xacro")
WORKBOOKS = (".xlsx", ".xlsm", ".xls", ".ods")

READERS = (
    Reader("hdf5", (".h5", ".hdf5", ".hdf"), _hdf5, read_hdf5),
    Reader("matlab", (".mat",), _starts(b"MATLAB 5.0"), read_matlab),
    Reader("parquet", (".parquet", ".pq"), _starts(b"PAR1"), read_parquet),
    Reader("npz", (".npz", ".npy"), _starts(b"PK\x03\x04", b"\x93NUMPY"), read_npz),
    Reader("uff", (".uff", ".unv", ".uf"), lambda head: bool(_UFF.match(head)), read_uff, parts=True),
    Reader("bag", (".mcap", ".db3"), _starts(b"\x89MCAP0\r\n", b"SQLite format 3\0"), read_bag),
    Reader("labview", (".lvm",), is_labview, read_labview, text=True),
    Reader("dataphysics", (), is_dataphysics, read_dataphysics, text=True),
    Reader("csv", (".csv", ".txt", ".dat", ".tsv", ".log", ".asc"), lambda head: False, read_csv, text=True),
)


def reader_of(path: Path, format: str | None = None) -> Reader:
    """The reader of a file; a folder is read if it is a bag."""
    by_name = {reader.name: reader for reader in READERS}
    if format is not None:
        if not isinstance(format, str) or format not in by_name:
            raise PoinsotError(unknown("format", format, by_name))
        return by_name[format]
    if path.is_dir():
        if not is_bag(path):
            raise PoinsotError("this is a folder, and no ROS 2 bag: give the files in it as a list")
        return by_name["bag"]
    if path.suffix.lower() in WORKBOOKS:
        raise PoinsotError("this is a workbook of a spreadsheet, which is not read: save the sheet as CSV")
    if path.suffix.lower() in DESCRIPTIONS:
        raise PoinsotError("this is a description of a model, a study or a design, and no recording")
    head = head_of(path)
    packed = _is_gzip(path)
    for reader in READERS:
        if reader.begins(head):
            if packed and not reader.text:
                raise PoinsotError(
                    f"it is compressed by gzip, in which files of the format {reader.name} are not read"
                )
            return reader
    ending = path.name.lower().removesuffix(".gz")
    named = [reader for reader in READERS if ending.endswith(reader.endings or ("\n",))]
    return named[0] if named and not packed else by_name["csv"]


def _is_gzip(path: Path) -> bool:
    with open(path, "rb") as file:
        return file.read(2) == b"\x1f\x8b"
