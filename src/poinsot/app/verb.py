"""What holds for every call of a command: bad values are one sentence, in the words of the command line.

A value that cannot be (a number that is none, an unknown unit or name) is wrong input wherever it is noticed, by the
parser of options or by the library: exit code 1. A wrong call, an option that does not exist or an argument that is
missing, stays with the parser: exit code 2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperCommand

from poinsot.errors import OccupiedError, PoinsotError


class Verb(TyperCommand):
    """A command of Poinsot."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read its arguments; places of results are checked here too, by their options."""
        with _in_its_words():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Do its work."""
        with _in_its_words():
            return super().invoke(ctx)


@contextmanager
def _in_its_words() -> Iterator[None]:
    try:
        yield
    except OccupiedError as error:
        raise PoinsotError(error.said_of(error.place, "add --force")) from None
    except typer.BadParameter as error:
        if type(error) is not typer.BadParameter:  # an argument that is missing
            raise
        param: Any = error.param
        name = (
            "" if param is None else next(iter(param.opts), "") if param.param_type_name == "option" else param.name
        )
        raise PoinsotError(f"{name}: {_plain(error.message)}".removeprefix(": ")) from None


def _plain(message: str) -> str:
    """What the parser says of a value, in words rather than names of types: "'x' is no whole number"."""
    words = re.sub(r"is not a valid int(eger)?\.?$", "is no whole number", message)
    return re.sub(r"is not a valid float\.?$", "is no number", words).rstrip(".")
