"""Chunks of work on a Dask cluster: one that the user names, or worker processes of this machine."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import numpy as np

from poinsot.engine.build.settings import default_threads
from poinsot.errors import MissingExtraError, PoinsotError, one_line

Arrays = dict[str, np.ndarray]
LOCAL = "local"
PATIENCE = 20.0  # for the scheduler, and for the first worker  [s]
GRACE = 0.5  # for the cluster of this machine to end  [s]
RETRIES = 3  # of a chunk whose worker was lost


def on_cluster(
    address: str, work: Callable[[Any, int], Arrays], shared: Any, numbers: Sequence[int]
) -> Iterator[tuple[int, Arrays]]:
    """Chunks as they are done on the cluster of an address, or of "local"."""
    with ExitStack() as stack:
        client = _client(address, stack)
        left = list(numbers)
        for _ in range(RETRIES):
            for number, arrays in _round(client, work, shared, left):
                left.remove(number)
                yield number, arrays
            if not left:
                return
    raise PoinsotError(f"the cluster has lost its workers {RETRIES} times; {len(left)} parts are not done")


def _round(
    client: Any, work: Callable[[Any, int], Arrays], shared: Any, numbers: Sequence[int]
) -> Iterator[tuple[int, Arrays]]:
    """Chunks that could be done; not those that were given up because all that held `shared` were lost."""
    from distributed import as_completed
    from distributed.scheduler import KilledWorker

    (held,) = client.scatter([shared], broadcast=True, hash=False)  # once for all chunks of a worker
    futures = {client.submit(work, held, k, pure=False, retries=0): k for k in list(numbers)}
    try:
        for future in as_completed(list(futures)):
            if future.status == "finished":
                yield futures[future], future.result()
            elif future.status == "error" and not isinstance(future.exception(), KilledWorker):
                raise future.exception()
            elif future.status == "error":
                raise PoinsotError(
                    f"part {futures[future]} has ended {future.exception().allowed_failures + 1} workers of the "
                    "cluster: they may lack memory"
                )
    finally:
        client.cancel(list(futures))


def _client(address: str, stack: ExitStack) -> Any:
    """A client of the scheduler, with at least one worker."""
    try:
        import distributed
    except ImportError:
        raise MissingExtraError("work on a cluster", "distributed", "cluster") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        cluster = stack.enter_context(_local(distributed)) if address == LOCAL else address
        client = stack.enter_context(distributed.Client(cluster, timeout=PATIENCE))
        client.wait_for_workers(1, timeout=PATIENCE)
        return client
    except (OSError, ValueError) as error:
        reason = one_line(str(error), 200)
        raise PoinsotError(f"the cluster at '{one_line(address, 80)}' cannot be used: {reason}") from None


@contextmanager
def _local(distributed: Any) -> Iterator[Any]:
    """One process for every processor, which shares no interpreter with the others."""
    cluster = distributed.LocalCluster(
        n_workers=default_threads(),
        threads_per_worker=1,
        dashboard_address=None,
        env={"POINSOT_THREADS": "1"},
        silence_logs=logging.CRITICAL,
    )
    try:
        yield cluster
    finally:
        for nanny in cluster.workers.values():  # they hold nothing that is not here: no worker needs time to end
            nanny.auto_restart = False
            with suppress(OSError, TypeError):  # it has ended
                os.kill(nanny.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
        cluster.close(timeout=GRACE)
