"""The command line, with the same verbs as in Python: `poinsot models | parameters | check | convert | …`.

Every command takes --json FILE. Exit codes: 0 fine, 1 a negative answer or bad input, with one clear sentence, 2 a
wrong call, 3 a doubtful verdict where that is asked, 130 interrupted (docs/command-line.md).
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from contextlib import suppress
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import typer

import poinsot
from poinsot import engine
from poinsot.app import design, dynamics, estimate, identifiability, measurements, models, vibration
from poinsot.app.console import INTERRUPTED, finish_output, prepare_output
from poinsot.app.guide import completion
from poinsot.app.guide.completion import prepare_completion
from poinsot.app.guide.examples import CLOSING, examples_of
from poinsot.app.guide.overview import GroupedCommands
from poinsot.app.new import command as new
from poinsot.app.notes import hoisted, show_warning
from poinsot.app.options import Json, Overwrite
from poinsot.app.output import write_json
from poinsot.app.report import command as reporting
from poinsot.app.reproduce import command as reproduction
from poinsot.app.verb import Verb
from poinsot.app.viewer import command as viewing
from poinsot.errors import PoinsotError, one_line

WRONG_CALL = 2  # exit code, as of options that do not exist

app = typer.Typer(
    help="Mechanisms with closed loops, and their parameters from measurements.",
    epilog=CLOSING,
    cls=GroupedCommands,
    rich_markup_mode=None,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the command line; whatever happens, one sentence and an exit code."""
    prepare_output()
    prepare_completion()
    warnings.showwarning = show_warning
    sys.argv[1:] = hoisted(sys.argv[1:])
    code = _run()
    if (trouble := finish_output()) and not code:
        code = _fail(f"the output cannot be written: {trouble}")
    raise SystemExit(code)


def _run() -> int | str | None:
    try:
        if renamed := _renamed(sys.argv[1:]):
            return _fail(renamed, WRONG_CALL)
        app(prog_name="poinsot")
    except SystemExit as end:
        return end.code
    except PoinsotError as error:
        return _fail(str(error))
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return INTERRUPTED
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


def _fail(message: str, code: int = 1) -> int:
    with suppress(OSError, ValueError):
        print(f"error: {message}", file=sys.stderr)
    return code


def _renamed(arguments: list[str]) -> str:
    """That an option has another meaning since: `simulate --force A=3` gave an actuator's force."""
    for option, value in pairwise([*arguments, ""]):
        named = value if option == "--force" else option.removeprefix("--force=") * option.startswith("--force=")
        if re.fullmatch(r"[\w.]+=[^=]+", named) and not Path(named).exists():
            return f"--force replaces files that exist; an actuator's force is --actuator {one_line(named, 80)}"
    return ""


def _version(wanted: bool) -> None:
    if wanted:
        print(f"poinsot {poinsot.__version__}")
        raise typer.Exit()


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="show the version")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="show all notes on how a file was read")] = False,
) -> None:
    pass


def doctor(json: Json = None, overwrite: Overwrite = False) -> None:
    """Say which engine runs, and why."""
    diagnosis = engine.doctor()
    write_json(json, asdict(diagnosis), overwrite)
    print(diagnosis)


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="remove all compiled code")] = False,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Show what the cache of compiled code holds, or clear it."""
    removed = [f"removed {engine.clear_cache()}"] if clear else []
    report = engine.cache_report()
    write_json(json, asdict(report), overwrite)
    print("\n".join([*removed, str(report)]))


COMMANDS = {
    "Models": (
        new.new,
        models.models,
        models.show,
        models.parameters,
        models.check,
        models.pose,
        viewing.view,
        models.convert,
        models.schema,
    ),
    "Motion": (dynamics.simulate, dynamics.kinematics, dynamics.inverse),
    "Vibration": (vibration.modes, vibration.frf, vibration.compliance, vibration.map_),
    "What can be identified": (identifiability.base, identifiability.determinable, identifiability.regressor),
    "Measuring and identifying": (
        *(design.design, measurements.measure, measurements.read),
        *(estimate.identify, estimate.compare, reporting.report),
    ),
    "Papers": (reproduction.reproduce,),
    "Installation": (doctor, cache, completion.completion),
}
for _heading, _commands in COMMANDS.items():
    for _command in _commands:
        _name = _command.__name__.strip("_")
        app.command(_name, cls=Verb, rich_help_panel=_heading, epilog=examples_of(_name))(_command)

if __name__ == "__main__":
    main()
