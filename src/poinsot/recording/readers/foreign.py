"""Libraries of others that read files: what they print and warn is not shown, what they raise is one sentence."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout

from poinsot.errors import PoinsotError, one_line

__all__ = ["foreign"]


@contextmanager
def foreign(what: str, failure: str = "it cannot be read as") -> Iterator[None]:
    """Call a library that reads `what`, such as "a MATLAB file"; of damaged files it may raise anything."""
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (PoinsotError, MemoryError):
        raise
    except Exception as error:
        said = one_line(str(error).strip().split("\n")[0], 120)
        raise PoinsotError(f"{failure} {what}: {said or type(error).__name__}") from None
