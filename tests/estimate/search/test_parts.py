"""Starts, populations and bootstraps in parts: the same numbers on threads, one after the other, and on a cluster."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from typer.testing import CliRunner

import poinsot
from poinsot.app.cli import app
from poinsot.errors import PoinsotError
from poinsot.estimate.problems.registry import search_again
from poinsot.estimate.search.base import SearchMethod
from poinsot.estimate.search.multi_start import MultiStart
from poinsot.estimate.search.trust_region import TrustRegion
from poinsot.estimate.solution import _search_again
from poinsot.estimate.study import Study, study_of
from tests.estimate.geometry.machines import SELF, five_bar, five_bar_poses
from tests.estimate.output.machines import SWING, off, sprung, swing
from tests.estimate.runs import four_bar_run

BOX = {f"{joint}.stiffness": {"start": s, "bounds": [1, 60]} for joint, s in zip("ABC", (30, 20, 10))}
POSES = [{"phi1": 0.0, "phi2": 0.0, "phi3": 0.0}, {"phi1": 0.77, "phi2": -0.78, "phi3": 0.7}]


def frequencies(_: Path, method=None, **more) -> Study:
    links, rng = poinsot.load("three_link"), np.random.default_rng(2)
    found = [poinsot.modes(links, pose).frequencies for pose in POSES]
    runs = [poinsot.ModalRun(f * rng.normal(1, 0.003, 3), pose, deviation="0.3 %") for f, pose in zip(found, POSES)]
    runs = {f"pose {k}": run for k, run in enumerate(runs)}
    return study_of(links, runs, BOX, method, **more)


def forces(_: Path, method=None, **more) -> Study:
    unknowns = {f"link{k}.mass": {"bounds": [0.1, 10]} for k in (2, 3)}
    return study_of(poinsot.load("four_bar"), four_bar_run(), unknowns, method, **more)


def geometry(_: Path, method=None, **more) -> Study:
    model = five_bar()
    run = five_bar_poses(model, 12, np.random.default_rng(2))
    box = {name: (model.parameters[name].value - 1e-3, model.parameters[name].value + 1e-3) for name in SELF}
    unknowns = {name: {"bounds": list(ends)} for name, ends in box.items()}
    return study_of(model, run, unknowns, method, problem="geometry", **more)


def output(folder: Path, method=None, **more) -> Study:
    machine = sprung(folder)
    run = swing(machine, np.arange(0, 1.5, 0.02), 1e-3, 0)
    unknowns = {name: {"bounds": [0.2 * v, 3 * v]} for name in SWING for v in [machine.parameters[name].value]}
    return study_of(off(machine, SWING), run, unknowns, method, noise=1e-3, problem="output", **more)


STUDIES = {study.__name__: study for study in (forces, frequencies, geometry, output)}


@pytest.fixture(autouse=True)
def cold(tmp_path, monkeypatch):
    """Nothing is kept from other tests but compiled functions."""
    monkeypatch.setattr("poinsot.parallel.chunks.WORTH", np.inf)


@pytest.mark.parametrize("kind", STUDIES)
def test_a_candidate_costs_the_same_in_any_part_of_a_population(kind, tmp_path):
    study = STUDIES[kind](tmp_path)
    problem = _search_again(study) if kind == "forces" else search_again(study, ())
    space = problem.space
    P = np.random.default_rng(0).uniform(space.lower, space.upper, (13, len(space.names)))
    whole = problem.costs(P)
    assert np.isfinite(whole).any() and len(set(whole)) > 1
    for parts in (2, 5, 13):
        split = np.concatenate([problem.fresh().costs(part) for part in np.array_split(P, parts)])
        assert_array_equal(split, whole)


@pytest.mark.parametrize("kind", STUDIES)
def test_starts_on_threads_end_where_they_end_one_after_the_other(kind, tmp_path, monkeypatch):
    study = STUDIES[kind](tmp_path, {"name": "multi-start", "starts": 4})
    on_threads = poinsot.identify(study)
    monkeypatch.setenv("POINSOT_THREADS", "1")
    alone = poinsot.identify(study)
    assert_array_equal(on_threads.convergence.values, alone.convergence.values)
    assert_array_equal(on_threads.value, alone.value)
    assert any("of 4 starts ended in the same minimum" in step for step in on_threads.steps)
    assert_array_equal(on_threads.starts.end, alone.starts.end)
    assert len(on_threads.starts.cost) == 4 and on_threads.starts.names == on_threads.names


@dataclass(frozen=True)
class Slow(SearchMethod):
    """Steps of a trust region after a while."""

    folder: str  # where it leaves a mark for every start
    seconds: float = 0.7
    killed: bool = False  # whether the first worker that does it ends

    name = "slow"
    summary = "for tests"

    def search(self, problem, course):
        mark = Path(self.folder, f"{os.getpid()} {time.monotonic_ns()}")
        if self.killed and not [*Path(self.folder).iterdir()]:
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        mark.touch()
        time.sleep(self.seconds)
        return TrustRegion().search(problem, course)


@pytest.fixture
def slow(tmp_path, monkeypatch):
    monkeypatch.setenv("POINSOT_THREADS", "2")
    marks = tmp_path / "marks"
    marks.mkdir()
    return lambda **more: frequencies(tmp_path, MultiStart(Slow(str(marks), **more), starts=8))


def marks(folder: Path) -> int:
    return len([*(folder / "marks").iterdir()])


@pytest.fixture
def interrupt_when():
    """Sends an interrupt to this process once something holds; tells when, in a list.

    Shells ignore it for what runs in the background.
    """
    before, sent = signal.signal(signal.SIGINT, signal.default_int_handler), []

    def watch(holds):
        while not holds():
            time.sleep(0.01)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    def begin(holds):
        threading.Thread(target=watch, args=(holds,), daemon=True).start()
        return sent

    yield begin
    signal.signal(signal.SIGINT, before)


def test_a_multi_start_that_was_stopped_goes_on_from_its_finished_starts(slow, tmp_path, interrupt_when, monkeypatch):
    monkeypatch.setattr("poinsot.parallel.chunks.WORTH", 0.0)
    whole = poinsot.identify(frequencies(tmp_path, MultiStart(starts=8)))
    interrupt_when(lambda: marks(tmp_path) >= 5)
    stopped = poinsot.identify(slow())
    assert stopped.status.name == "NOT_SETTLED"
    assert "Interrupted: these are the best values so far" in stopped.verdict
    assert "of 8 parts are done and kept; the same call goes on from there" in stopped.verdict
    time.sleep(1.5)  # starts that were under way end
    before = marks(tmp_path)
    assert before < 8
    found = poinsot.identify(slow())
    assert 0 < marks(tmp_path) - before < 8  # not those that were kept
    assert_array_equal(found.value, whole.value)


def test_starts_say_how_far_they_are(slow, caplog, monkeypatch):
    monkeypatch.setattr("poinsot.parallel.chunks.OFTEN", 0.1)
    with caplog.at_level("INFO", "poinsot.progress"):
        poinsot.identify(slow(seconds=0.15))
    said = [int(part) for part in re.findall(r"multi-start: (\d) of 8 parts", caplog.text)]
    assert len(said) >= 2 and said == sorted(set(said)), caplog.text


def test_a_scheduler_is_an_address(tmp_path):
    with pytest.raises(PoinsotError, match=r"dask is the address of a scheduler \(tcp://…\) or 'local', not 'here'"):
        frequencies(tmp_path, dask="here")
    (tmp_path / "study.toml").write_text('model = "three_link"\ndask = "here"\n[modal.a]\nfrequencies = [20.0]\n')
    with pytest.raises(PoinsotError, match="dask is the address of a scheduler"):
        poinsot.identify(tmp_path / "study.toml")
    (tmp_path / "study.toml").write_text('model = "three_link"\n[modal.a]\nfrequencies = [20.0]\n')
    said = CliRunner().invoke(app, ["identify", str(tmp_path / "study.toml"), "--dask", "there"])
    assert "dask is the address of a scheduler (tcp://…) or 'local', not 'there'" in f"{said.output}{said.exception}"


@pytest.fixture(scope="module")
def machines():
    distributed = pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as found:
        yield found


@pytest.mark.slow
@pytest.mark.parametrize("kind", STUDIES)
def test_a_cluster_gives_the_numbers_of_threads(kind, tmp_path, machines):
    for method in ({"name": "multi-start", "starts": 3}, {"name": "swarm", "particles": 6, "iterations": 2}):
        study = STUDIES[kind](tmp_path, method, bootstrap=40 if "starts" in method else 0)
        here, there = poinsot.identify(study), poinsot.identify(study, dask=machines.scheduler_address)
        assert_array_equal(here.convergence.values, there.convergence.values)
        assert_array_equal(here.value, there.value)
        if study.bootstrap:
            assert_array_equal(here.bootstrap.draws, there.bootstrap.draws)


@pytest.mark.slow
def test_a_lost_worker_costs_its_start_only(slow, tmp_path, machines):
    found = poinsot.identify(slow(killed=True), dask=machines.scheduler_address)
    assert 9 <= marks(tmp_path) <= 11  # eight starts, the one that was lost, and what its worker had ready
    assert_array_equal(found.value, poinsot.identify(frequencies(tmp_path, MultiStart(starts=8))).value)


@pytest.mark.slow
def test_an_interrupt_on_a_cluster_is_seen_at_once(slow, tmp_path, machines, interrupt_when):
    study = replace(slow(seconds=6.0), dask=machines.scheduler_address)
    sent = interrupt_when(lambda: marks(tmp_path) >= 4)
    stopped = poinsot.identify(study)
    assert time.monotonic() - sent[0] < 5.0  # before those that are under way end
    assert "Interrupted" in stopped.verdict
