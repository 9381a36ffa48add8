"""Work in few large chunks: on threads of this process, or on a Dask cluster; what is done is kept on disk.

A chunk is a pure function of what all share and its number, from which its random numbers come: it gives the same
wherever it runs. A worker that is lost costs its chunk only, and work that was stopped goes on from what is kept.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from poinsot.engine.build.settings import default_threads
from poinsot.errors import Interrupted
from poinsot.parallel.cluster import on_cluster
from poinsot.parallel.content import content_of
from poinsot.store import content_key, keep_arrays, read_arrays, writer_digest

Arrays = dict[str, np.ndarray]
Work = Callable[[Any, int], Arrays]  # of what all chunks share, and the number of the chunk
_progress = logging.getLogger("poinsot.progress")
OFTEN = 1.0  # between two lines of progress  [s]
PATIENCE = 0.2  # after which a waiting thread looks for interrupts  [s]
WORTH = 1.0  # time of all chunks, from which those that follow are kept  [s]


def rng_of(seed: int, number: int) -> np.random.Generator:
    """The random numbers of a chunk: those of other chunks, and of other seeds, are independent of them."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))


def over_chunks(
    work: Work, shared: Any, count: int, *, dask: str = "", what: str = "chunks", keep: bool = True
) -> list[Arrays]:
    """What `work(shared, number)` gives for all numbers below `count`, in their order.

    `work` is a function of a module, and `shared` can be sent to other processes. `dask` is the address of a
    scheduler ("tcp://…") or "local"; empty: threads. `what` is done is said in progress. Chunks are kept unless
    `keep` is false or `shared` holds something that cannot be written down, a function for instance.
    """
    key = work_key(f"{work.__module__}.{work.__qualname__}", shared) if keep else ""
    done = {k: kept[1] for k in range(count) if (kept := read_arrays(key and f"{key}-{k}")) is not None}
    missing = [k for k in range(count) if k not in done]
    begin = last = time.monotonic()
    try:
        for number, arrays in _parts(work, shared, {k: k for k in missing}, dask):
            done[number] = arrays
            now = time.monotonic()
            if key and now - begin > WORTH:
                keep_arrays(f"{key}-{number}", {}, arrays)
            if now - last > OFTEN:
                last = now
                _progress.info("%s: %d of %d parts", what, len(done), count)
    except KeyboardInterrupt:
        said = f"{len(done)} of {count} parts are done" + (
            " and kept; the same call goes on from there" if key else ""
        )
        raise Interrupted(f"{what}: {said}", partial=done) from None
    return [done[k] for k in range(count)]


def over_arguments(work: Callable[[Any, Any], Arrays], shared: Any, given: Sequence[Any], dask: str) -> list[Arrays]:
    """What `work(shared, argument)` gives for all arguments, in their order; on threads where `dask` is empty.

    Nothing is kept, and `shared` is sent once, for calls one after the other in `one_cluster`.
    """
    done = dict(_parts(work, shared, dict(enumerate(given)), dask))
    return [done[k] for k in range(len(given))]


def _parts(
    work: Callable[[Any, Any], Arrays], shared: Any, given: Mapping[int, Any], dask: str
) -> Iterator[tuple[int, Arrays]]:
    """Chunks as they are done, with their numbers, from an argument for each."""
    if not given:
        return iter(())
    return on_cluster(dask, work, shared, given) if dask else _on_threads(work, shared, given)


def _on_threads(
    work: Callable[[Any, Any], Arrays], shared: Any, given: Mapping[int, Any]
) -> Iterator[tuple[int, Arrays]]:
    """Chunks as they are done; threads end with the process, so that nobody waits for a chunk after an interrupt."""
    left, results = deque(given), queue.SimpleQueue()

    def drain() -> None:
        while True:
            try:
                number = left.popleft()
            except IndexError:
                return
            try:
                results.put((number, work(shared, given[number]), None))
            except BaseException as error:  # raised again where the results are taken
                left.clear()
                results.put((number, {}, error))

    for _ in range(min(default_threads(), len(given))):
        threading.Thread(target=drain, daemon=True, name="poinsot chunks").start()
    try:
        for _ in given:
            number, arrays, error = _next(results)
            if error is not None:
                raise error
            yield number, arrays
    finally:
        left.clear()


def _next(results: queue.SimpleQueue) -> tuple[int, Arrays, BaseException | None]:
    while True:
        try:
            return results.get(timeout=PATIENCE)
        except queue.Empty:
            continue


def work_key(what: str, shared: Any) -> str:
    """Digest of all that work depends on, `what` being the path of its function; empty where it cannot be told."""
    content = content_of(shared)
    return content and content_key("chunk", writer_digest(what), what, content)
