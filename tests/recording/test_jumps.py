"""Positions that jump in one sample are told, with time and size; motions that start, stop and are hit do not."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.recording.findings.jumps import jump_findings
from tests.recording.good import GOOD, arm, four_bar

BAR = poinsot.load("four_bar")
CODES = ("jump", "rows lost")


def told(t: np.ndarray, x: np.ndarray, step: float = 0.0) -> list[str]:
    read = np.round(x / step) * step if step else x
    recording = poinsot.Recording.of(t, {"theta1": read}, units={"theta1": "rad"}, kinds={"theta1": "position"})
    recording = poinsot.recording.place.placed(recording, BAR)
    return [f.code for f in jump_findings(recording, BAR)]


@pytest.mark.parametrize("name", GOOD)
def test_rows_that_are_lost_are_told(name, tmp_path):
    good = GOOD[name]()
    rows = good.rows(lambda x: np.delete(x, slice(1300, 1340), axis=0))
    path = rows.changed(t=good.t[: len(rows.t)]).written(tmp_path)
    recording = poinsot.read(path, mechanism=good.mechanism)
    (found,) = [f for f in recording.findings if f.code in CODES]
    assert found.where == "at 2.6 s" and found.severity == "error"
    assert found.code == ("rows lost" if name != "four_bar" else "jump")  # which has one position


@pytest.mark.parametrize("jump", [0.003, -0.02, 0.5])
def test_an_encoder_that_slips_is_named_with_time_and_size(jump, tmp_path):
    good = arm()
    x = good.columns["q2"] + jump * (good.t >= 4.0)
    recording = poinsot.read(good.with_columns({"q2": x}).written(tmp_path), mechanism=good.mechanism)
    (found,) = [f for f in recording.findings if f.code in CODES]
    assert (found.code, found.channel, found.where) == ("jump", "q2", "at 4 s")
    assert found.amount == pytest.approx(jump, rel=0.05)


def test_arrays_with_a_jump_are_in_doubt_when_parameters_are_identified():
    good = four_bar()
    x = good.columns["theta1"] + 0.02 * (good.t >= 4.0)
    recording = poinsot.Recording.of(good.t, {"encoder_0": x, "current_0": good.columns["A"]})
    found = poinsot.identify(good.mechanism, recording, ["link2.mass"])
    assert [f.code for run in found.study.runs for f in run.recording.findings if f.code in CODES] == ["jump"]


def profile(kind: str, t: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A motion of one kind, to and fro."""
    T = rng.uniform(0.5, 3)
    s = (t / T + rng.random()) % 2
    u = np.minimum(s, 2 - s)
    if kind == "corners of speed":
        return u
    if kind == "corners with rests":
        return np.clip(1.5 * u - 0.25, 0, 1)
    if kind == "corners of acceleration":
        return np.where(u < 0.5, 2 * u**2, 1 - 2 * (1 - u) ** 2)
    if kind == "bounces":
        return np.abs(np.sin(np.pi * t / T))
    if kind == "sticks and slips":
        return np.floor(4 * u) + np.minimum(6 * (4 * u % 1), 1)
    if kind == "poses":
        return np.repeat(rng.random(len(t) // 25 + 1), 25)[: len(t)]
    return np.sin(2 * np.pi * t / T) * np.sin(0.3 * t)


KINDS = ["corners of speed", "corners with rests", "corners of acceleration", "bounces", "sticks and slips", "poses"]


@pytest.mark.parametrize("step", [0.0, 1e-6, 1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("kind", [*KINDS, "swings"])
def test_motions_are_no_jumps(kind, step):
    for seed in range(25):
        rng = np.random.default_rng(seed)
        t = np.arange(0, 10, 1 / rng.choice([50, 100, 250, 1000]))
        x = profile(kind, t, rng) + rng.choice([0, 1e-5, 1e-3]) * rng.standard_normal(len(t))
        assert told(t, x, step) == [], (seed, len(t))


def test_gaps_turns_and_missing_samples_are_no_jumps():
    t = np.arange(0, 10, 0.01)
    x = np.sin(3 * t)
    kept = (t < 3) | (t > 3.4)
    assert told(t[kept], x[kept]) == []
    assert told(t, np.where(kept, x, np.nan)) == []
    assert told(t, (2 * t + np.pi) % (2 * np.pi) - np.pi) == []
