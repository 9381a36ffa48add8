"""A search for a motion that is interrupted ends soon, keeps what it has reached, and goes on from there."""

from __future__ import annotations

import signal
from dataclasses import replace

import numpy as np
import pytest

import poinsot
from poinsot.errors import Interrupted
from poinsot.experiment.excitation.halted import Reached
from poinsot.experiment.excitation.program import MotionSearch
from poinsot.experiment.excitation.search import random_motions, searched
from poinsot.experiment.excitation.task import ExcitationTask
from poinsot.experiment.limits import limits_of
from poinsot.parallel.chunks import work_key
from tests.estimate.machines import ARM

SOON = 2  # points that are looked at after Ctrl-C
LIMITS = {"q*": ["-60 deg", "100 deg"], "q*.rate": 2.0, "q*.acceleration": 8.0}


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.setenv("POINSOT_CACHE_DIR", str(tmp_path))
    arm = poinsot.loads(ARM)
    task = ExcitationTask(coordinates=("q1", "q2"), duration=4.0, harmonics=(1, 2, 3), starts=20, polish=2)
    return poinsot.DesignStudy(arm, task, limits=limits_of(LIMITS, arm), noise={"*": 0.1})


@pytest.fixture
def interrupt_at(monkeypatch):
    """Sends an interrupt when so many points were looked at; points after that stand in the list."""
    before, keep = signal.signal(signal.SIGINT, signal.default_int_handler), MotionSearch._keep

    def at(count):
        left, after = [count], []

        def counted(self, point):
            keep(self, point)
            left[0] -= 1
            if left[0] < 0 < count:
                after.append(point)
            if not left[0]:
                signal.raise_signal(signal.SIGINT)

        monkeypatch.setattr(MotionSearch, "_keep", counted)
        return after

    yield at
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("criterion", ["D", "worst"])
def test_an_interrupted_search_ends_soon_and_goes_on_from_its_best_motion(study, interrupt_at, criterion):
    study = replace(study, task=replace(study.task, criterion=criterion, iterations=20, polish=1))
    after = interrupt_at(12)
    with pytest.raises(Interrupted, match="kept; the same call goes on from there") as stopped:
        study.solve()
    assert len(after) <= SOON
    program = study.task.program(study)
    (best,) = stopped.value.partial
    _, _, drawn = random_motions(program, 20, np.random.default_rng(0))
    with pytest.raises(Interrupted) as again:  # before anything is better
        interrupt_at(2)
        study.solve()
    np.testing.assert_array_equal(again.value.partial[0], best)
    interrupt_at(-1)
    found = study.solve()
    assert "goes on from 0 motions" in found.steps[0]
    assert found.criteria["D"] < drawn.min() or criterion == "worst"
    assert not Reached.of(work_key("excitation", study)).kept  # nothing is left of it


def test_motions_that_are_done_are_not_made_again(study, interrupt_at):
    program, args = study.task.program(study), (20, 2, 15)
    whole = searched(program, *args, np.random.default_rng(0))
    count = []
    keep = MotionSearch._keep
    MotionSearch._keep = lambda self, point: (count.append(self), keep(self, point))[1]
    try:
        searched(program, *args, np.random.default_rng(0))
    finally:
        MotionSearch._keep = keep
    first = sum(one is count[0] for one in count)
    interrupt_at(first + 5)
    with pytest.raises(Interrupted, match=r"1 motion done, criterion .* in the next and kept"):
        searched(program, *args, np.random.default_rng(0), "some-key")
    (z, _), *others = Reached.of("some-key").done
    assert not others and z is not None
    interrupt_at(-1)
    found = searched(program, *args, np.random.default_rng(0), "some-key")
    assert found.polished[0] == whole.polished[0]
    assert np.min(found.polished) <= np.min(whole.polished) + 1e-3


def test_a_study_that_has_no_digest_is_not_said_to_be_kept(study, interrupt_at):
    interrupt_at(10)
    with pytest.raises(Interrupted) as stopped:
        searched(study.task.program(study), 20, 1, 40, np.random.default_rng(0))
    assert "which is not kept" in str(stopped.value)
