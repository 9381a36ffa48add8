"""Ctrl-C while code of others runs that does not pass it on."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def noted_interrupts() -> Iterator[list[int]]:
    """Note every SIGINT whose handler raises KeyboardInterrupt, for callers of code that turns it into another error.

    CVODES asks Python for signals and takes the exception for a failure of the right-hand side. Threads other than
    the main one get no signals, and handlers that raise nothing stop nothing.
    """
    seen: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield seen
        return

    def note(number: int, frame: Any) -> Any:
        try:
            return before(number, frame)
        except KeyboardInterrupt:
            seen.append(number)
            raise

    signal.signal(signal.SIGINT, note)
    try:
        yield seen
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def postponed_interrupts() -> Iterator[list[int]]:
    """Note every SIGINT and pass it on at the end, for callers of code that swallows what its callbacks raise.

    They look at the list in a callback and end the work. Threads other than the main one get no signals.
    """
    seen: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield seen
        return
    signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        yield seen
    finally:
        signal.signal(signal.SIGINT, before)
        if seen:
            before(seen[0], None)
