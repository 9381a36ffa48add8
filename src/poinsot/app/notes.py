"""Notes on stderr: what a file of another program holds and a mechanism cannot is said once, and briefly."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from poinsot.app.console import OnlyData
from poinsot.errors import ConversionWarning
from poinsot.store import content_key, read_entry, write_entry

VERBOSE = "--verbose"  # the option, which may stand anywhere on the command line


def hoisted(arguments: list[str]) -> list[str]:
    """Arguments with the option for all notes in front, where it belongs to every command.

    >>> hoisted(["check", "arm.urdf", "--verbose"])
    ['--verbose', 'check', 'arm.urdf']
    """
    rest = [argument for argument in arguments if argument != VERBOSE]
    return [VERBOSE, *rest] if len(rest) < len(arguments) else rest


def show_warning(message: Warning | str, *_: Any) -> None:
    """Print a warning as a note; those of a conversion in one line at the first time, all of them if asked for."""
    if not isinstance(message, ConversionWarning):
        lines = [str(message)]
    elif VERBOSE in sys.argv[1:2]:
        lines = [f"{message.file}: {note}" for note in message.notes]
    else:
        key = content_key("notes that were said", message.file, *message.notes)
        if read_entry(key, "kept") is not None:
            return
        write_entry(key, {}, b"", "kept")
        count = len(message.notes)
        said = f"{message.file}: {count} notes on how it was read; {VERBOSE} shows them"
        lines = [said if count > 1 else str(message)]
    _say(lines)


def beside_data(*lines: str) -> None:
    """Say on stderr what qualifies a result, where the standard output takes data alone and no printed text."""
    if isinstance(sys.stdout, OnlyData):
        _say(lines)


def _say(lines: Sequence[str]) -> None:
    with suppress(OSError, ValueError):
        for line in lines:
            print(f"note: {line}", file=sys.stderr)
