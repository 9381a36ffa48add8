"""What the terminal shows while work goes on, and output to consoles and devices that cannot take it."""

from __future__ import annotations

import codecs
import errno
import io
import logging
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from poinsot.errors import Interrupted, PoinsotError

_SIGNS = (
    "→ -> … ... · * × x − - – - ± +- ≤ <= ≥ >= ° deg ² ^2 ³ ^3 ⁴ ^4 ⁻ ^- ¹ 1 ᵀ ^T √ sqrt ∂ d µ u "
    "α alpha β beta γ gamma δ delta ε epsilon η eta θ theta κ kappa λ lambda μ mu ν nu ξ xi π pi ρ rho σ sigma "
    "τ tau φ phi χ chi ψ psi ω omega Δ Delta Φ Phi Ω Omega"
)
_PLAIN: dict[str, str] = dict(zip(_SIGNS.split()[::2], _SIGNS.split()[1::2]))
DOUBTFUL = 3  # exit code of a result that is whole, but whose verdict is doubtful
INTERRUPTED = 130  # exit code after Ctrl-C, as shells have it
_SILENT_SECONDS, _EVERY_SECONDS = 2.0, 0.5


def _plain(error: UnicodeError) -> tuple[str, int]:
    """Write what a console has no sign for in signs that every console has."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_PLAIN.get(c, "?") for c in error.object[error.start : error.end]), error.end


class Pipe(io.BufferedWriter):
    """The standard output whose reader may go, as `head` does: what nobody reads is left out, and work goes on.

    The file below is Python's own: no Ctrl-C comes between its writing and its answer, after which all would be
    written once more.
    """

    def write(self, data: Any) -> int:
        """Write what can be written."""
        try:
            return super().write(data)
        except BrokenPipeError:
            self._leave()
            return super().write(data)

    def flush(self) -> None:
        """Write what is left."""
        try:
            super().flush()
        except BrokenPipeError:
            self._leave()
            super().flush()

    def _leave(self) -> None:
        """What is written from here on goes nowhere."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.fileno())
        os.close(nowhere)


def prepare_output() -> None:
    """Let no character that a console cannot show end a command, nor a reader that goes."""
    codecs.register_error("poinsot.plain", _plain)
    out: Any = sys.stdout
    buffer = getattr(out, "buffer", None)
    if type(getattr(buffer, "raw", buffer)) is io.FileIO and not out.isatty():  # without a buffer: PYTHONUNBUFFERED
        out.flush()
        raw, coded = io.FileIO(out.fileno(), "w", closefd=False), {"encoding": out.encoding, "errors": out.errors}
        sys.stdout = io.TextIOWrapper(Pipe(raw), write_through=out.write_through, **coded)
    streams: tuple[Any, ...] = (sys.stdout, sys.stderr)
    for stream in streams:
        with suppress(AttributeError, ValueError, OSError):  # closed, or replaced by something else
            stream.reconfigure(errors="poinsot.plain")


def finish_output() -> str:
    """Write what is left; why that cannot be done, or nothing. A reader that has gone is no error."""
    if sys.stdout is None:
        return ""
    try:
        sys.stdout.flush()
    except (OSError, ValueError) as error:
        with suppress(OSError, ValueError, AttributeError):  # Python writes it once more when it ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if getattr(error, "errno", None) != errno.EPIPE:
            return (getattr(error, "strerror", None) or str(error)).lower()
    return ""


class OnlyData(io.TextIOBase):
    """The standard output while nothing but data may go there: what is printed is left out."""

    def __init__(self, data: Any):
        self.data = data  # the standard output itself

    def write(self, text: str) -> int:
        """Leave a text out."""
        return len(text)

    def flush(self) -> None:
        """What data was written."""
        self.data.flush()

    def fileno(self) -> int:
        """Of the standard output itself."""
        return self.data.fileno()


def write_data(text: str) -> None:
    """Write data to the standard output, past what keeps other texts away from it."""
    stream: Any = sys.stdout
    stream = stream.data if isinstance(stream, OnlyData) else stream
    stream.write(text)
    stream.flush()


@contextmanager
def busy(what: str) -> Iterator[Callable[[str], None]]:
    """Show on a terminal what goes on, if it takes more than two seconds; gives a function that changes the words."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda words: None
        return
    said, done = [what], threading.Event()
    thread = threading.Thread(target=_show, args=(said, done), daemon=True)
    logger, listener = logging.getLogger("poinsot.progress"), logging.Handler(logging.INFO)
    listener.emit = lambda record: said.append(f"{what}: {record.getMessage()}")  # what the library says
    logger.addHandler(listener)
    before, logger.propagate = (logger.level, logger.propagate), False
    logger.setLevel(logging.INFO)
    thread.start()
    try:
        yield said.append
    finally:
        done.set()
        thread.join()
        logger.removeHandler(listener)
        logger.setLevel(before[0])
        logger.propagate = before[1]


class TooLateError(BaseException):
    """The time is up: no error, so that nothing on the way takes it for one of its own."""


@contextmanager
def limited(seconds: float, said: str) -> Iterator[None]:
    """An error that says so after so many seconds; on systems without timers there is no limit."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(*_: Any) -> None:
        raise TooLateError

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except TooLateError:
        raise PoinsotError(said) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def resumed() -> Iterator[None]:
    """Say, where work is stopped, that it goes on from what is kept, or what the work itself says of it."""
    try:
        yield
    except KeyboardInterrupt as stop:
        said = str(stop) if isinstance(stop, Interrupted) else ""
        with suppress(OSError, ValueError):
            print(said or "what is done is kept: the same command goes on from there", file=sys.stderr)
        raise


def _show(said: list[str], done: threading.Event) -> None:
    start, shown = time.monotonic(), False
    wait = _SILENT_SECONDS
    while not done.wait(wait):
        line = f"{said[-1]} … {time.monotonic() - start:.0f} s"
        with suppress(OSError, ValueError):
            sys.stderr.write("\r\033[K" + line[: max(20, shutil.get_terminal_size().columns - 1)])
            sys.stderr.flush()
        wait, shown = _EVERY_SECONDS, True
    if shown:
        with suppress(OSError, ValueError):
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
