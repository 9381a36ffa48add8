"""Python threads around native code, which runs with the GIL released."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from poinsot.engine.build.settings import default_threads
from poinsot.errors import PoinsotError

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

_pools: dict[int, ThreadPoolExecutor] = {}
_lock = threading.Lock()
_CHUNKS_A_THREAD = 8  # a thread that was held up leaves work to the other
BRIEF_INSTRUCTIONS = 2e8  # about 0.05 s of native code: no call of it is to take longer
_WORTH_A_THREAD = 5e6  # instructions: about 0.4 ms; below, starting a thread costs more than it gives

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pools.clear)


def choose_threads(asked: int | None, instructions: float) -> int:
    """Decide how many threads to use for that many instructions in all."""
    if asked is None:
        worth = int(instructions / _WORTH_A_THREAD)
        return 1 if worth <= 1 else min(default_threads(), worth)
    if asked < 1:
        raise PoinsotError(f"the number of threads must be 1 or more, not {asked}")
    return asked


def run_chunks(
    call: Callable[[int, int], None],
    count: int,
    group: int,
    threads: int,
    instructions: float = 0.0,
    halt: Callable[[], None] | None = None,
) -> None:
    """Call `call(start, stop)` for chunks of samples, each a multiple of `group` except the last.

    No chunk takes long, if a sample takes so many `instructions`: Python sees to interrupts between chunks. After an
    interrupt or an error in this thread `halt` is called, which may end what other threads are doing.
    """
    groups = -(-count // group)
    threads = min(threads, groups)
    brief = int(count * instructions / BRIEF_INSTRUCTIONS) + 1  # chunks at least
    if threads <= 1 and brief == 1:
        call(0, count)
        return
    pieces = min(groups, max(threads * _CHUNKS_A_THREAD if threads > 1 else 1, brief))
    edges = [min(count, group * (groups * k // pieces)) for k in range(pieces + 1)]
    edges[-1] = count
    chunks = deque(pairwise(edges))  # every thread takes the next chunk, this one too
    if threads <= 1:
        _drain(chunks, call)
        return
    from concurrent.futures import wait

    helpers: list[Any] = []
    try:
        for _ in range(threads - 1):
            helpers.append(_pool(threads - 1).submit(_drain, chunks, call))
        _drain(chunks, call)
        wait(helpers)
    except BaseException:
        chunks.clear()
        if halt is not None:
            halt()
        wait(helpers)
        raise
    for helper in helpers:
        helper.result()


def _drain(chunks: deque[tuple[int, int]], call: Callable[[int, int], None]) -> None:
    while True:
        try:
            start, stop = chunks.popleft()
        except IndexError:
            return
        call(start, stop)


def _pool(threads: int) -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor

    with _lock:
        if threads not in _pools:
            _pools[threads] = ThreadPoolExecutor(threads, thread_name_prefix="poinsot")
        return _pools[threads]
