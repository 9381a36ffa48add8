"""Work in few large chunks: on threads of this process, or on a Dask cluster; what is done is kept on disk.

A chunk is a pure function of what all share and its number, from which its random numbers come: it gives the same
wherever it runs. A worker that is lost costs its chunk only, and work that was stopped goes on from what is kept.
"""

from __future__ import annotations

import json
import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from poinsot.engine.build.settings import default_threads
from poinsot.errors import Interrupted
from poinsot.experiment.cluster import on_cluster
from poinsot.model.mechanism import Mechanism
from poinsot.store import arrays_digest, code_digest, content_key, keep_arrays, read_arrays
from poinsot.system.system import system

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
        for number, arrays in _parts(work, shared, missing, dask):
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


def _parts(work: Work, shared: Any, numbers: Sequence[int], dask: str) -> Iterator[tuple[int, Arrays]]:
    """Chunks as they are done, with their numbers."""
    if not numbers:
        return iter(())
    return on_cluster(dask, work, shared, numbers) if dask else _on_threads(work, shared, numbers)


def _on_threads(work: Work, shared: Any, numbers: Sequence[int]) -> Iterator[tuple[int, Arrays]]:
    """Chunks as they are done; threads end with the process, so that nobody waits for a chunk after an interrupt."""
    left, results = deque(numbers), queue.SimpleQueue()

    def drain() -> None:
        while True:
            try:
                number = left.popleft()
            except IndexError:
                return
            try:
                results.put((number, work(shared, number), None))
            except BaseException as error:  # raised again where the results are taken
                results.put((number, {}, error))

    for _ in range(min(default_threads(), len(numbers))):
        threading.Thread(target=drain, daemon=True, name="poinsot chunks").start()
    try:
        for _ in numbers:
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
    """Digest of all that work depends on; empty where it cannot be told."""
    try:
        text = json.dumps(_plain(shared))
    except TypeError:
        return ""
    return content_key("chunk", _code(), what, text)


@cache
def _code() -> str:
    return code_digest(Path(__file__).parents[1], ("experiment",))


def _plain(x: Any) -> Any:
    """Something as JSON can hold it, arrays as their digests."""
    if x is None or isinstance(x, str | int | float):
        return repr(x)
    if isinstance(x, np.ndarray | np.generic):
        return arrays_digest(np.asarray(x))
    if isinstance(x, Mechanism):
        structure = system(x, "joint").key
        if not structure:
            raise TypeError("laws of the user's own have no key")
        return [structure, {name: float(p.value) for name, p in x.parameters.items()}]
    if is_dataclass(x) and not isinstance(x, type):
        return [type(x).__qualname__, *(_plain(getattr(x, f.name)) for f in fields(x))]
    if isinstance(x, Mapping):
        return {repr(name): _plain(value) for name, value in x.items()}
    if isinstance(x, list | tuple):
        return [_plain(value) for value in x]
    raise TypeError(f"{type(x).__name__} has no digest")
