"""Completion by the shell: `poinsot completion SHELL` prints what the shell has to be told once."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from poinsot.app.options import Json, Overwrite
from poinsot.app.output import write_json
from poinsot.errors import PoinsotError, unknown

SHELLS = ("bash", "zsh", "fish", "powershell")


def prepare_completion() -> None:
    """Let the shell ask, where it does: it says so in a variable."""
    if "_POINSOT_COMPLETE" in os.environ:
        from typer.completion import completion_init

        completion_init()


def completion(
    shell: Annotated[str, typer.Argument(help=", ".join(SHELLS))] = "bash",
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Print what makes a shell complete commands, models, parameters and coordinates."""
    from typer.completion import get_completion_script

    if shell not in SHELLS:
        raise PoinsotError(unknown("shell", shell, SHELLS))
    script = get_completion_script(prog_name="poinsot", complete_var="_POINSOT_COMPLETE", shell=shell)
    write_json(json, {"shell": shell, "script": script}, overwrite)
    print(script)
