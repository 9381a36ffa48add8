"""Commands about estimation: `poinsot identify` and `poinsot compare`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

import poinsot
from poinsot.app.console import DOUBTFUL, busy, resumed
from poinsot.app.guide import names
from poinsot.app.options import Json, Overwrite, Plot, folder_of
from poinsot.app.output import write_json, write_plot
from poinsot.errors import PoinsotError
from poinsot.parallel.cluster import require_distributed

Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", callback=folder_of("estimate.json"), help="write the result to a folder"),
]


def identify(
    study: Annotated[
        Path,
        typer.Argument(help="a study file (TOML): model, recordings, unknowns, method", autocompletion=names.studies),
    ],
    out: Out = None,
    method: Annotated[
        str | None,
        typer.Option("--method", metavar="NAME", help="instead of the study's own", autocompletion=names.methods),
    ] = None,
    dask: Annotated[
        str | None, typer.Option("--dask", metavar="ADDRESS", help="a scheduler, tcp://…, or local")
    ] = None,
    bootstrap: Annotated[
        int | None, typer.Option("--bootstrap", metavar="N", help="intervals from N estimates of drawn noise")
    ] = None,
    report: Annotated[
        bool, typer.Option("--report", help="write DIR/report.html besides, as `poinsot report`")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="exit with 3 where the verdict is doubtful; all is written as without")
    ] = False,
    plot: Plot = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Identify parameters from recordings: values with error bars, what is undetermined, and a verdict."""
    from poinsot.estimate.results.folder import lost_in

    if report and out is None:
        raise PoinsotError("--report writes into the folder of the result: give --out DIR")
    require_distributed(dask)
    if report:
        from poinsot.app.report.page import require_report

        require_report()
    with busy("identification"), resumed():
        asked = study if method is None else _by_method(study, method)
        found = poinsot.identify(asked, dask=dask, bootstrap=bootstrap)
    written = []
    try:
        if out is not None:
            written += [f"written to {found.save(out, overwrite)}", *lost_in(out)]
        if out is not None and report:
            from poinsot.app.report.page import write_report

            with busy("report"):
                write_report(out, out / "report.html")
            written.append(f"report: {out / 'report.html'}")
        write_plot(plot, found, overwrite)
        write_json(json, found.to_dict(), overwrite)
    finally:  # a disk that is full takes no more than the files
        findings = [f"recording '{run.name}': {it}" for run in found.study.runs for it in run.recording.findings]
        print("\n".join([str(found), *findings, *written]))
    if strict and found.doubts:
        raise typer.Exit(DOUBTFUL)


def _by_method(path: Path, method: str) -> poinsot.Study:
    """The study of a file with another method; so does its text, which is kept with the result."""
    import tomlkit

    from poinsot.estimate.methods.registry import method_of
    from poinsot.estimate.study_file import read_study

    study = read_study(path)
    document = tomlkit.parse(study.text)
    document.pop("method", None)
    return replace(study, method=method_of(method), text=f'method = "{method}"\n{tomlkit.dumps(document)}')


def compare(
    results: Annotated[list[Path], typer.Argument(help="folders of results or study files; with --method one study")],
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            metavar="NAME",
            help="estimate the study by each of these",
            autocompletion=names.methods,
        ),
    ] = None,
    plot: Plot = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Compare results, or methods on one study: values, differences in joint standard errors, residuals, verdicts."""
    if method and len(results) > 1:
        raise PoinsotError("methods are compared on one study")
    with busy("comparison"), resumed():
        found = poinsot.compare(results[0], method) if method else poinsot.compare(results)
    write_plot(plot, found, overwrite)
    write_json(json, found.to_dict(), overwrite)
    print(found)
