"""The command line, with the same verbs as in Python: `poinsot models | parameters | check | convert | …`.

Every command takes --json FILE; bad input gives one clear sentence and a non-zero exit.
"""

from __future__ import annotations

import os
import sys
import warnings
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

import poinsot
from poinsot import engine
from poinsot.app import design, dynamics, estimate, identifiability, measurements, vibration
from poinsot.app.console import busy, finish_output, prepare_output
from poinsot.app.options import Json, Model, Overwrite
from poinsot.app.output import parameter_rows, table, write_json, write_text
from poinsot.app.reproduce import command as reproduction
from poinsot.app.viewer import command as viewing
from poinsot.errors import PoinsotError, one_line
from poinsot.model import interchange

app = typer.Typer(
    help="Mechanisms with closed loops, and their parameters from measurements.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the command line; whatever happens, one sentence and an exit code."""
    prepare_output()
    warnings.showwarning = lambda message, *_: print(f"note: {message}", file=sys.stderr)
    code = _run()
    if (trouble := finish_output()) and not code:
        code = _fail(f"the output cannot be written: {trouble}")
    raise SystemExit(code)


def _run() -> int | str | None:
    try:
        app()
    except SystemExit as end:
        return end.code
    except PoinsotError as error:
        return _fail(str(error))
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 0
    except OSError as error:
        what = error.filename or "the output cannot be written"
        return _fail(f"{what}: {(error.strerror or str(error)).lower()}")
    except MemoryError:
        return _fail("not enough memory")
    except Exception as error:
        if os.environ.get("POINSOT_TRACEBACK"):
            raise
        what = one_line(f"{type(error).__name__}: {error}", 200)
        return _fail(f"this should not happen ({what}); with POINSOT_TRACEBACK=1 it says where")
    return 0


def _fail(message: str) -> int:
    with suppress(OSError, ValueError):
        print(f"error: {message}", file=sys.stderr)
    return 1


def _version(wanted: bool) -> None:
    if wanted:
        print(f"poinsot {poinsot.__version__}")
        raise typer.Exit()


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="show the version")
    ] = False,
) -> None:
    pass


@app.command()
def models(json: Json = None, overwrite: Overwrite = False) -> None:
    """List the mechanisms of the library."""
    rows = []
    for name in poinsot.library_names():
        mechanism = poinsot.load(name)
        summary = " ".join(mechanism.description.split()).split(". ")[0].split(": ")[0]
        kind = "planar" if mechanism.planar else "spatial"
        rows.append((name, kind, len(mechanism.bodies), len(mechanism.joints), len(mechanism.actuators), summary))
    columns = ("name", "kind", "bodies", "joints", "actuators", "description")
    write_json(json, [dict(zip(columns, row)) for row in rows], overwrite)
    table(columns, rows)


@app.command()
def parameters(model: Model, json: Json = None, overwrite: Overwrite = False) -> None:
    """Show the parameters of a mechanism: names, values, units, bounds."""
    with busy(f"loading {model}"):
        found = poinsot.load(model).parameters
    columns, rows = parameter_rows(found)
    write_json(json, [dict(zip(columns, row)) for row in rows], overwrite)
    table(columns, rows)


@app.command()
def check(
    model: Model,
    in_space: Annotated[
        bool, typer.Option("--in-space", help="model the joints of a planar mechanism in space")
    ] = False,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Say what a mechanism is and what is wrong with it; exits with 1 if it cannot be used."""
    with busy(f"checking {model}"):
        mechanism = poinsot.load(model)
        report = poinsot.check(mechanism.in_space() if in_space else mechanism)
    write_json(json, report.to_dict(), overwrite)
    print(report)
    if not report.ok:
        raise typer.Exit(1)


@app.command()
def schema(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="write to a file instead of the screen")
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Show the JSON Schema of model files, for editors that check while you type."""
    from poinsot.model.schema import json_schema

    if output:
        write_text(output, json_schema(), overwrite)
    else:
        print(json_schema(), end="")


@app.command()
def convert(
    model: Model,
    output: Annotated[Path, typer.Argument(help="a .toml, .xml or .mjcf (MJCF), or .urdf file; the ending decides")],
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Write a mechanism in another format; what cannot be represented is said."""
    writers = {".xml": poinsot.write_mjcf, ".mjcf": poinsot.write_mjcf, ".urdf": poinsot.write_urdf}
    if output.suffix not in (".toml", *writers):
        raise PoinsotError(f"{output}: the ending must be .toml, .xml, .mjcf or .urdf")
    with busy(f"converting {model}"):
        if output.suffix == ".toml":
            conversion = interchange.Conversion((poinsot.save(poinsot.load(model), output, overwrite),), ())
        else:
            conversion = writers[output.suffix](poinsot.load(model), output, overwrite)
    write_json(json, conversion.to_dict(), overwrite)
    print(conversion)


@app.command()
def doctor(json: Json = None, overwrite: Overwrite = False) -> None:
    """Say which engine runs, and why."""
    diagnosis = engine.doctor()
    write_json(json, asdict(diagnosis), overwrite)
    print(diagnosis)


@app.command()
def cache(
    clear: Annotated[bool, typer.Option("--clear", help="remove all compiled code")] = False,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Show what the cache of compiled code holds, or clear it."""
    if clear:
        print(f"removed {engine.clear_cache()}")
    report = engine.cache_report()
    write_json(json, asdict(report), overwrite)
    print(report)


for _command in (
    *(dynamics.simulate, dynamics.kinematics, dynamics.inverse),
    *(vibration.modes, vibration.frf, vibration.compliance, vibration.map_),
    *(identifiability.base, identifiability.determinable),
    *(measurements.read, measurements.measure, estimate.identify, estimate.compare),
    *(design.design, reproduction.reproduce, viewing.view),
):
    app.command(_command.__name__.strip("_"))(_command)

if __name__ == "__main__":
    main()
