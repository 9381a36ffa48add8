"""Run benchmarks, print their tables, and keep the figures in benchmarks/results.json."""

from __future__ import annotations

import json
import os
import platform
import sys
import tempfile
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.table import Table as RichTable

from poinsot.errors import PoinsotError, unknown

from . import REGISTRY
from .measure import Table

RESULTS = Path(__file__).with_name("results.json")


def main(names: list[str]) -> int:
    """Run the named benchmarks, or all; the exit code tells whether every goal was met."""
    console = Console()
    for name in names:
        if name not in REGISTRY:
            raise PoinsotError(unknown("benchmark", name, REGISTRY))
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    met = True
    for name in names or REGISTRY:
        table = import_module(f"{__package__}.{name}").run()
        _show(console, table)
        met = met and all(ok for _, ok in table.goals)
        results[name] = {
            "figures": table.figures,
            "goals": dict(table.goals),
            "machine": f"{platform.machine()}, {os.cpu_count()} processors",
        }
        _write(results)
    return 0 if met else 1


def _show(console: Console, table: Table) -> None:
    grid = RichTable(*table.headings, title=table.title)
    for row in table.rows:
        grid.add_row(*[f"{cell:.3g}" if isinstance(cell, float) else str(cell) for cell in row])
    console.print(grid)
    for goal, met in table.goals:
        console.print(f"  {'met   ' if met else 'NOT MET'} {goal}")


def _write(results: dict) -> None:
    """Write aside and rename, so that a reader never sees half a file."""
    handle, aside = tempfile.mkstemp(dir=RESULTS.parent, prefix="results-")
    with os.fdopen(handle, "w") as file:
        json.dump(results, file, indent=1, sort_keys=True)
        file.write("\n")
    os.replace(aside, RESULTS)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except PoinsotError as error:
        sys.exit(str(error))
