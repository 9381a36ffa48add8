"""Python threads around native code, which runs with the GIL released."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

from ..errors import PoinsotError
from .settings import default_threads

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

__all__ = ["choose_threads", "run_chunks"]

_pools: dict[int, ThreadPoolExecutor] = {}
_lock = threading.Lock()
_CHUNKS_A_THREAD = 8  # a thread that was held up leaves work to the other
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


def run_chunks(call: Callable[[int, int], None], count: int, group: int, threads: int) -> None:
    """Call `call(start, stop)` for chunks of samples, each a multiple of `group` except the last."""
    groups = -(-count // group)
    threads = min(threads, groups)
    if threads <= 1:
        call(0, count)
        return
    from concurrent.futures import wait

    pieces = min(groups, threads * _CHUNKS_A_THREAD)
    edges = [min(count, group * (groups * k // pieces)) for k in range(pieces + 1)]
    edges[-1] = count
    chunks = deque(pairwise(edges))  # every thread takes the next chunk, this one too
    helpers = [_pool(threads - 1).submit(_drain, chunks, call) for _ in range(threads - 1)]
    try:
        _drain(chunks, call)
    finally:
        chunks.clear()
        wait(helpers)
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
