"""Long work: it says how far it is, ends soon after Ctrl-C, and goes on from what it has done."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import poinsot
from poinsot.engine.interrupts import postponed_interrupts
from poinsot.estimate.rows import kept_rows
from poinsot.store import arrays
from tests.estimate.machines import SERIAL
from tests.estimate.runs import four_bar_run

RUNS, SECONDS = 6, 400.0
SOON = 2.0  # s after Ctrl-C on a machine that does other things too; a second by itself
TRIES = 4  # of which one has to end so soon: others may have had to wait for the processor
STUDY = """
model = "four_bar"
unknowns = ["link2.mass", "link3.mass"]
"""


def files(folder: Path) -> dict[str, int]:
    """Arrays that are kept, by inode: another one if they are written again."""
    return {path.name: path.stat().st_ino for path in folder.glob("*.work")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    found = tmp_path_factory.mktemp("long")
    text = STUDY
    for k in range(RUNS):
        rec = four_bar_run(k, encoder=1e-4, seconds=SECONDS)
        table = np.stack([rec.t, rec["theta1"], rec["A"]], axis=1)
        np.savetxt(found / f"{k}.csv", table, delimiter=",", header="t [s],theta1 [rad],A [N·m]", comments="")
        text += f'[recordings.run{k}]\nfile = "{k}.csv"\n'
    (found / "study.toml").write_text(text)
    return found


def started(folder: Path, cache: Path, out: str) -> subprocess.Popen:
    code = "import sys; from poinsot.app.cli import main; sys.argv[0] = 'poinsot'; main()"
    command = [sys.executable, "-c", code, "identify", str(folder / "study.toml"), "--json", str(folder / out)]
    environment = {**os.environ, "POINSOT_CACHE_DIR": str(cache)}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def values(folder: Path, out: str) -> list[float]:
    return [p["value"] for p in json.loads((folder / out).read_text())["parameters"]]


@pytest.fixture
def listening():
    """SIGINT as in a terminal: processes in the background begin with it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def seconds_until_it_ends(folder: Path, cache: Path) -> float:
    """From Ctrl-C, which comes when a run is done."""
    stopped = started(folder, cache, "first.json")
    while not files(cache) and stopped.poll() is None:
        time.sleep(0.01)
    done, begin = files(cache), time.monotonic()
    stopped.send_signal(signal.SIGINT)
    output, error = stopped.communicate(timeout=300)
    waited = time.monotonic() - begin
    assert stopped.returncode == 130 and done.items() <= files(cache).items()
    assert "what is done is kept" in error and not (folder / "first.json").exists()
    assert output == "" and "run 'run" not in error  # progress is for terminals
    return waited


@pytest.mark.slow
@pytest.mark.usefixtures("listening")
def test_an_identification_that_is_stopped_goes_on_from_the_runs_that_are_done(folder, tmp_path):
    waited = []
    while len(waited) < TRIES and not (waited and waited[-1] < SOON):
        for path in tmp_path.glob("*.work"):
            path.unlink()
        waited.append(seconds_until_it_ends(folder, tmp_path))
    assert waited[-1] < SOON, waited
    done = files(tmp_path)
    assert 1 <= len(done) < RUNS
    again = started(folder, tmp_path, "again.json")
    assert again.wait(timeout=300) == 0
    kept = files(tmp_path)
    assert len(kept) == RUNS and done.items() <= kept.items()
    for name in kept:
        (tmp_path / name).unlink()
    whole = started(folder, tmp_path, "whole.json")
    assert whole.wait(timeout=300) == 0
    assert values(folder, "again.json") == values(folder, "whole.json")


@pytest.fixture
def cold(tmp_path, monkeypatch) -> Path:
    """A cache that keeps everything, however quick it was to make."""
    monkeypatch.setenv("POINSOT_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(arrays, "WORTH", 0.0)
    return tmp_path


def test_rows_that_are_kept_are_the_rows(cold, monkeypatch):
    bar, rec, unknowns = poinsot.load("four_bar"), four_bar_run(encoder=1e-4), ["link2.*", "link3.m"]
    first = poinsot.identify(bar, rec, unknowns)
    assert len(files(cold)) == 1

    def never(*_):
        raise AssertionError("rows are made again")

    monkeypatch.setattr(kept_rows, "rows_of_run", never)
    again = poinsot.identify(bar, rec, unknowns)
    np.testing.assert_array_equal(again.beta, first.beta)
    np.testing.assert_array_equal(again.base_covariance, first.base_covariance)
    assert again.steps == first.steps and str(again) == str(first)
    for other in (four_bar_run(1, encoder=1e-4), rec.between(0.0, 8.0)):  # other samples are other rows
        with pytest.raises(AssertionError, match="made again"):
            poinsot.identify(bar, other, unknowns)
    with pytest.raises(AssertionError, match="made again"):
        poinsot.identify(bar.with_parameters({"link1.mass": 3.3}), rec, unknowns)
    with pytest.raises(AssertionError, match="made again"):
        poinsot.identify(bar, rec, unknowns, processing={"cutoff": 7.0})


def test_simulated_loops_are_kept(cold):
    rec = SERIAL.run(3, 3e-4, 0.3, 2.0)
    options = {"processing": {"cutoff": 20.0, "rate": 60.0}, "control": SERIAL.control}
    first = poinsot.identify(SERIAL.mechanism, rec, list(SERIAL.unknowns), "instruments", **options)
    kept = files(cold)
    again = poinsot.identify(SERIAL.mechanism, rec, list(SERIAL.unknowns), "instruments", **options)
    np.testing.assert_array_equal(again.beta, first.beta)
    assert len(kept) > 3 and set(files(cold)) == set(kept)


def test_work_says_how_far_it_is(cold, caplog):
    rec = SERIAL.run(3, 3e-4, 0.3, 2.0)
    options = {"processing": {"cutoff": 20.0, "rate": 60.0}, "control": SERIAL.control}
    with caplog.at_level(logging.INFO, "poinsot.progress"):
        poinsot.identify(SERIAL.mechanism, {"one": rec}, list(SERIAL.unknowns), "didim", **options)
        poinsot.identify(poinsot.load("four_bar"), four_bar_run(), method="consistent")
    said = caplog.text
    assert "run 'one', 1 of 1" in said and "simulation 1 of at most 20: residual" in said
    assert "standard errors" in said and "derivative 1 of" in said and "semidefinite program, iteration 1" in said


@pytest.mark.usefixtures("listening")
def test_an_interrupt_ends_work_that_swallows_it():
    steps = 0
    with pytest.raises(KeyboardInterrupt), postponed_interrupts() as seen:
        while not seen and steps < 1000:
            steps += 1
            signal.raise_signal(signal.SIGINT)
    assert steps == 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
