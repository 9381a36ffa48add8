"""Commands about estimation: `poinsot identify`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import poinsot
from poinsot.app.console import busy
from poinsot.app.options import Json, Overwrite
from poinsot.app.output import write_json


def identify(
    study: Annotated[Path, typer.Argument(help="a study file (TOML): model, recordings, unknowns, method")],
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="write the result to a folder")] = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Identify parameters from recordings: values with error bars, what is undetermined, and a verdict."""
    with busy("identification"):
        found = poinsot.identify(study)
    print(found)
    for run in found.study.runs:
        for finding in run.recording.findings:
            print(f"recording '{run.name}': {finding}")
    if out is not None:
        print(f"written to {found.save(out, overwrite)}")
    write_json(json, found.to_dict(), overwrite)
