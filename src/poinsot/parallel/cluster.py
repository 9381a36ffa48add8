"""Chunks of work on a Dask cluster: one that the user names, or worker processes of this machine."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from functools import cached_property
from importlib.util import find_spec
from multiprocessing import current_process
from typing import Any

import numpy as np

from poinsot.engine.build.settings import default_threads
from poinsot.errors import MissingExtraError, PoinsotError, one_line

Arrays = dict[str, np.ndarray]
LOCAL = "local"
PATIENCE = 20.0  # for the scheduler, and for the first worker  [s]
GRACE = 0.5  # for the cluster of this machine to end  [s]
GUARD = "its workers did not start; in a script, work that needs them stands below 'if __name__ == \"__main__\":'"
RETRIES = 3  # of a chunk whose worker was lost


class _Session:
    """A client of a cluster for work in several steps, opened when it is first needed."""

    def __init__(self, address: str, stack: ExitStack):
        self.address, self._stack = address, stack
        self._sent: dict[int, tuple[Any, Any]] = {}  # by identity, what was sent and where it is held

    @cached_property
    def client(self) -> Any:
        """The client."""
        return _client(self.address, self._stack)

    def held(self, shared: Any, again: bool) -> Any:
        """What all chunks share, once for all of a worker; `again` where all that held it were lost."""
        if again or id(shared) not in self._sent:
            (future,) = self.client.scatter([shared], broadcast=True, hash=False)
            self._sent[id(shared)] = (shared, future)
        return self._sent[id(shared)][1]


_SESSION: ContextVar[_Session | None] = ContextVar("session", default=None)


@contextmanager
def one_cluster(address: str) -> Iterator[None]:
    """Let all work in the block that is for a cluster of this address use one client, and start one cluster at most.

    It is opened when it is first needed; without an address nothing is done. A package that is missing is an error
    at once.
    """
    require_distributed(address)
    with ExitStack() as stack:
        token = _SESSION.set(_Session(address, stack) if address else None)
        try:
            yield
        finally:
            _SESSION.reset(token)


def scheduler_of(dask: Any) -> str:
    """The scheduler that is meant: an address, "local", or none."""
    if isinstance(dask, str) and (dask in ("", LOCAL) or "://" in dask):
        return dask
    raise PoinsotError(f"dask is the address of a scheduler (tcp://…) or 'local', not {one_line(repr(dask), 40)}")


def require_distributed(address: str | None) -> None:
    """An error that names the extra where work is for a cluster of an address and Dask's package is not installed."""
    if address and find_spec("distributed") is None:
        raise MissingExtraError("work on a cluster", "distributed", "cluster")


def on_cluster(
    address: str, work: Callable[[Any, Any], Arrays], shared: Any, given: Mapping[int, Any]
) -> Iterator[tuple[int, Arrays]]:
    """Chunks as they are done on the cluster of an address, or of "local", from an argument for each."""
    with ExitStack() as stack:
        session = _SESSION.get()
        if session is None or session.address != address:
            session = _Session(address, stack)
        left = dict(given)
        for attempt in range(RETRIES):
            for number, arrays in _round(session, work, shared, left, again=attempt > 0):
                del left[number]
                yield number, arrays
            if not left:
                return
    raise PoinsotError(f"the cluster has lost its workers {RETRIES} times; {len(left)} parts are not done")


def _round(
    session: _Session, work: Callable[[Any, Any], Arrays], shared: Any, given: Mapping[int, Any], again: bool
) -> Iterator[tuple[int, Arrays]]:
    """Chunks that could be done; not those that were given up because all that held `shared` were lost."""
    client = session.client
    from distributed import as_completed
    from distributed.scheduler import KilledWorker

    held = session.held(shared, again)
    futures = {client.submit(work, held, x, pure=False, retries=0): k for k, x in given.items()}
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
    require_distributed(address)
    import distributed

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        cluster = stack.enter_context(_local(distributed)) if address == LOCAL else address
        client = stack.enter_context(distributed.Client(cluster, timeout=PATIENCE))
        client.wait_for_workers(1, timeout=PATIENCE)
        return client
    except (OSError, ValueError, RuntimeError) as error:
        reason = GUARD if address == LOCAL and isinstance(error, RuntimeError) else one_line(str(error), 200)
        raise PoinsotError(f"the cluster at '{one_line(address, 80)}' cannot be used: {reason}") from None


@contextmanager
def _local(distributed: Any) -> Iterator[Any]:
    """One process for every processor, which shares no interpreter with the others."""
    if getattr(current_process(), "_inheriting", False):  # a worker that has come here while it reads the script
        raise RuntimeError(GUARD)
    cluster = distributed.LocalCluster(
        n_workers=default_threads(),
        threads_per_worker=1,
        dashboard_address=":0",
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
