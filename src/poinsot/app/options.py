"""Arguments and options that several commands have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Model = Annotated[str, typer.Argument(help="a name from the library (see `poinsot models`) or a model file")]
Motion = Annotated[Path, typer.Argument(help="a CSV file: t [s], then a column for every prescribed coordinate")]
Json = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="write the result to a JSON file")]
Csv = Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="write the result to a CSV file")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="replace a file that exists")]
Pose = Annotated[
    list[str] | None, typer.Option("--pose", metavar="NAME=VALUE,…", help="coordinates [m, rad or with a unit]")
]
Change = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE,…", help="parameters of the model, with or without units"),
]
