"""Work in chunks: the same numbers on threads and on a cluster, with a worker lost, and after an interrupt."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from poinsot.errors import Interrupted, MissingExtraError, PoinsotError
from poinsot.model.load import load
from poinsot.model.mechanism import Mechanism
from poinsot.parallel import cluster
from poinsot.parallel.chunks import over_chunks, rng_of

COUNT = 12


@dataclass(frozen=True)
class Job:
    mechanism: Mechanism
    seed: int
    folder: str  # where chunks leave what they did
    seconds: float = 0.0  # that one takes
    killed: int = -1  # chunk whose worker ends the first time


def drawn(job: Job, number: int) -> dict[str, np.ndarray]:
    """Random numbers of a chunk, scaled by a parameter of the mechanism."""
    Path(job.folder, f"{number} {os.getpid()} {time.monotonic_ns()}").touch()
    mark = Path(job.folder, "killed")
    if number == job.killed and not mark.exists():
        mark.write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(job.seconds)
    if number == 3 and job.seed == 13:
        raise PoinsotError("chunk 3 has no luck")
    mass = job.mechanism.parameters["link1.mass"].value
    return {"x": mass * rng_of(job.seed, number).standard_normal((50, 2)), "number": np.array([number])}


def times_done(job: Job) -> int:
    return len([*Path(job.folder).glob("* *")])


@pytest.fixture
def job(tmp_path, monkeypatch):
    monkeypatch.setenv("POINSOT_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "done").mkdir()
    return lambda **given: Job(load("three_link"), given.pop("seed", 0), str(tmp_path / "done"), **given)


@pytest.fixture
def interrupt_after():
    """Sends an interrupt to this process; shells ignore it for what runs in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield lambda seconds: threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    signal.signal(signal.SIGINT, before)


def same(a, b):
    assert len(a) == len(b) == COUNT
    for one, other in zip(a, b):
        assert_array_equal(one["x"], other["x"])


def expected(job):
    return [drawn(Job(job.mechanism, job.seed, job.folder), k) for k in range(COUNT)]


def test_chunks_come_in_their_order_with_random_numbers_of_their_own(job, monkeypatch):
    found = over_chunks(drawn, job(), COUNT)
    assert [int(part["number"][0]) for part in found] == list(range(COUNT))
    assert len({float(part["x"][0, 0]) for part in found}) == COUNT
    monkeypatch.setenv("POINSOT_THREADS", "1")
    same(found, over_chunks(drawn, job(), COUNT))
    assert not np.array_equal(found[0]["x"], over_chunks(drawn, job(seed=1), COUNT)[0]["x"])


def test_an_error_in_a_chunk_is_the_error_of_the_call(job):
    with pytest.raises(PoinsotError, match="no luck"):
        over_chunks(drawn, job(seed=13), COUNT)


def test_work_that_was_stopped_goes_on_from_what_is_kept(job, interrupt_after):
    slow = job(seconds=0.5)
    interrupt_after(2.2)
    with pytest.raises(
        Interrupted, match="of 12 parts are done and kept; the same call goes on from there"
    ) as stopped:
        over_chunks(drawn, slow, COUNT)
    done = len(stopped.value.partial)
    assert 0 < done < COUNT
    time.sleep(0.6)  # chunks that were under way end
    before = times_done(slow)
    found = over_chunks(drawn, slow, COUNT)
    assert COUNT - done <= times_done(slow) - before < COUNT
    same(found, expected(slow))


def test_an_interrupt_is_seen_at_once(job, interrupt_after):
    interrupt_after(0.3)
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        over_chunks(drawn, job(seconds=20.0), 2)
    assert time.monotonic() - begin < 10.0


def test_what_is_kept_is_of_the_same_mechanism_and_seed(job):
    over_chunks(drawn, job(seconds=0.4), COUNT)
    heavier = Job(load("three_link").with_parameters({"link1.mass": 2.0}), 0, job().folder, 0.4)
    same(over_chunks(drawn, heavier, COUNT), expected(heavier))


def test_a_cluster_without_its_package_is_said(job, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"poinsot\[cluster\]"):
        over_chunks(drawn, job(), COUNT, dask="local")


def test_a_cluster_that_does_not_answer_is_said(job, monkeypatch):
    pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    monkeypatch.setattr(cluster, "PATIENCE", 1.0)
    for address in ("tcp://127.0.0.1:9", "nonsense"):
        with pytest.raises(PoinsotError, match="cannot be used"):
            over_chunks(drawn, job(), COUNT, dask=address)


@pytest.mark.slow
def test_a_lost_worker_costs_its_chunk_only_and_changes_no_number(job):
    distributed = pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as machines:
        killing = job(seconds=0.3, killed=5)
        found = over_chunks(drawn, killing, COUNT, dask=machines.scheduler_address)
    lost = Path(killing.folder, "killed").read_text()
    done = [path.name.split() for path in Path(killing.folder).glob("* *")]
    twice = [[worker for chunk, worker, _ in done if chunk == str(k)] for k in range(COUNT)]
    assert all(sum(worker != lost for worker in workers) == 1 for workers in twice if len(workers) > 1)
    assert len(twice[5]) == 2 and all(len(workers) <= 2 for workers in twice)  # others had not been fetched yet
    same(found, expected(killing))


@pytest.mark.slow
def test_a_cluster_of_this_machine_gives_the_numbers_of_threads(job):
    pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    same(over_chunks(drawn, job(), COUNT, dask="local", keep=False), over_chunks(drawn, job(), COUNT, keep=False))
    with pytest.raises(PoinsotError, match="no luck"):
        over_chunks(drawn, job(seed=13), COUNT, dask="local")
