"""Reading a million rows of CSV with their clock, units and findings, against pandas that only parses them."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas

import poinsot
from poinsot.recording.readers.csv import read_csv
from poinsot.recording.readers.table import ReadRequest

from .measure import Table, interleave

ROWS, COLUMNS = 1_000_000, 6
GOALS = {"table": 1.0, "recording": 4.0}  # times pandas


def run() -> Table:
    """Parse the same file by turns: pandas as it comes and by Arrow, the reader alone, and a whole recording."""
    with tempfile.TemporaryDirectory() as folder:
        path = _written(Path(folder) / "run.csv")
        candidates = {
            "pandas": lambda: pandas.read_csv(path),
            "pandas, Arrow": lambda: pandas.read_csv(path, engine="pyarrow"),
            "table": lambda: read_csv(path, ReadRequest()),
            "recording": lambda: poinsot.read(path),
            "recording, means of 100 rows": lambda: poinsot.read(path, every=100),
        }
        timings = interleave(candidates, repeats=3)
        size = path.stat().st_size / 1e6
    ratios = {name: timings[name].best / timings["pandas"].best for name in candidates}
    rows = tuple((name, timings[name].best, size / timings[name].best, ratios[name]) for name in candidates)
    return Table(
        f"reading {ROWS} rows of {COLUMNS + 1} columns, {size:.0f} MB",
        ("how", "seconds", "MB/s", "times pandas"),
        rows,
        tuple(
            (f"the {x} within {goal:g} of pandas: {ratios[x]:.2f}", ratios[x] <= goal) for x, goal in GOALS.items()
        ),
        {f"{name} [pandas]": ratio for name, ratio in ratios.items()} | {"pandas [s]": timings["pandas"].best},
    )


def _written(path: Path) -> Path:
    """A walk of several channels at 1 kHz."""
    x = np.cumsum(np.random.default_rng(0).standard_normal((ROWS, COLUMNS)), axis=0) / 100
    table = np.column_stack([np.arange(ROWS) / 1e3, x])
    header = ",".join(["t [s]", *(f"q{k} [rad]" for k in range(1, COLUMNS + 1))])
    np.savetxt(path, table, fmt="%.8g", delimiter=",", header=header, comments="")
    return path
