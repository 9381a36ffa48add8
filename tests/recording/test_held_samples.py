"""Samples that a logger repeats until the next comes are told, left out, and what is identified holds."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.estimate.closed_loop.controllers import PID, Control
from poinsot.estimate.closed_loop.references import references
from poinsot.recording.filtering.held_samples import HELD, held_samples

BAR = poinsot.load("four_bar")
SENSORS = {
    "encoder": {"type": "encoder", "on": {"joint": "A"}, "noise": 1e-4},
    "cell": {"type": "drive-force", "actuator": "A", "noise": 0.05},
}
MACHINE = poinsot.build({**BAR.document, "sensors": SENSORS})
SWEEP = {"theta1": poinsot.Fourier(2.5, (0.4, 0.3), (0.1,), 1.2)}
TRUTH = {"link2.mass": 2.3, "link3.mass": 2.1}
T = np.arange(800) / 200.0


def held(x: np.ndarray, n: int, phase: int = 0) -> np.ndarray:
    """Every n-th sample, until the next."""
    k = np.arange(len(x))
    return x[np.maximum((k - phase) // n * n + phase, 0)]


def columns(held_by: dict[str, int], seed: int = 0) -> dict[str, np.ndarray]:
    """What encoder and load cell of the machine write, held for so many rows."""
    rec = poinsot.measure(MACHINE, SWEEP, T, seed=seed)
    return {name: held(rec[name], held_by.get(name, 1), phase=seed % 3) for name in SENSORS}


def written(folder, values: dict[str, np.ndarray]):
    path = folder / "run.csv"
    table = np.column_stack([T, *values.values()])
    np.savetxt(path, table, delimiter=",", header="t,encoder,cell", comments="", fmt="%.9g")
    return path


WHICH = [("encoder",), ("cell",), ("encoder", "cell")]


@pytest.mark.parametrize("n", [2, 3, 5])
@pytest.mark.parametrize("which", WHICH, ids=["positions", "forces", "both"])
def test_masses_are_within_their_errors_however_samples_are_held(which, n, tmp_path):
    z = []
    for seed in range(4):
        values = columns(dict.fromkeys(which, n), seed)
        recording = poinsot.read(written(tmp_path, values), mechanism=MACHINE)
        assert {f.channel for f in recording.findings if f.code == HELD and f.mended} == {*which}
        assert {f.code for f in recording.findings} <= {HELD, "unit assumed"}  # nothing is late, no rows repeat
        found = poinsot.identify(MACHINE, recording, list(TRUTH))
        z += [[(found[name].value - true) / found[name].deviation for name, true in TRUTH.items()]]
    assert np.max(np.abs(z)) < 4 and np.max(np.abs(np.mean(z, axis=0))) < 2.2


def test_arrays_with_held_samples_are_identified_alike(tmp_path):
    values = columns({"encoder": 2})
    read = poinsot.identify(MACHINE, poinsot.read(written(tmp_path, values), mechanism=MACHINE), list(TRUTH))
    given = poinsot.identify(MACHINE, poinsot.Recording.of(T, values), list(TRUTH))
    for name in TRUTH:
        assert given[name].value == pytest.approx(read[name].value, rel=1e-4)


def test_a_recorded_motion_is_that_of_its_samples(tmp_path):
    x = poinsot.kinematics(BAR, SWEEP, T).coordinates["theta1"]
    path = tmp_path / "motion.csv"
    np.savetxt(path, np.column_stack([T, held(x, 4)]), delimiter=",", header="t,theta1", comments="", fmt="%.12g")
    for given in (path, poinsot.Recording.of(T, {"theta1": held(x, 4)})):
        moved = poinsot.inverse_dynamics(BAR, given)
        expected = poinsot.inverse_dynamics(BAR, SWEEP, moved.kinematics.t)
        off = (moved.forces["A"] - expected.forces["A"])[10:-10]
        assert np.std(off) < 0.02 * np.std(expected.forces["A"])


def test_repeats_stay_where_nothing_is_to_be_repaired(tmp_path):
    values = columns({"encoder": 2})
    rec = poinsot.read(written(tmp_path, values), mechanism=MACHINE, repair=False)
    assert rec.mask("encoder").all()
    assert [f.message for f in rec.findings if f.code == HELD and not f.mended] == [
        "it repeats each value 2 times: its own rate is 100 Hz"
    ]


def test_first_of_equal_values_is_the_sample_whatever_the_phase():
    x = columns({})["encoder"]
    for n in (2, 3, 7):
        for phase in range(n):
            rows = held_samples(poinsot.Recording.of(T, {"q": held(x, n, phase)}), "q").rows
            assert not rows[phase + n :: n].any() and rows[phase + n :].sum() == len(x[phase + n :]) - len(
                x[phase + n :: n]
            )


def test_lost_rows_and_rests_do_not_hide_held_samples():
    x = held(columns({})["encoder"], 4)
    x[300:500] = x[300]
    kept = np.random.default_rng(0).random(len(T)) > 0.02
    found = held_samples(poinsot.Recording.of(T[kept], {"q": x[kept]}), "q")
    assert found is not None and found.period == 4


@pytest.mark.parametrize("step", [0.0, 1e-5, 1e-4, 1e-3, 1e-2, 0.05])
def test_encoders_that_count_are_not_held(step):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        t = np.arange(0, 10, 1 / rng.choice([50, 100, 200, 500, 1000]))
        f = rng.choice([0.1, 0.25, 0.5, 1.0, rng.uniform(0.1, 2)])  # periods of whole samples too
        x = np.sin(2 * np.pi * f * t + rng.choice([0, 1])) + rng.choice([0, 1e-3]) * rng.standard_normal(len(t))
        x = np.round(x / step) * step if step else x
        assert held_samples(poinsot.Recording.of(t, {"q": x}), "q") is None


@pytest.mark.parametrize("rows", [1, 1.5, 2, 3, 4, 10])
def test_even_speeds_and_switched_signals_are_not_held(rows):
    k = np.arange(1000)
    to_and_fro = np.abs((k // rows) % 100 - 50)
    for x in (1e-3 * (k // rows), 1e-3 * to_and_fro, (k // rows) % 2, np.sign(np.sin(np.pi * k / rows + 0.1))):
        assert held_samples(poinsot.Recording.of(k / 100.0, {"q": np.asarray(x, float)}), "q") is None


def test_references_that_controllers_held_are_told_as_they_were_written(tmp_path):
    told = held(np.sin(3 * T), 4)
    np.savetxt(
        path := tmp_path / "run.csv", np.c_[T, told], delimiter=",", header="t,wanted", comments="", fmt="%.9g"
    )
    recording, control = poinsot.read(path), Control((("A", PID(reference="wanted", kp=1.0)),), 200.0)
    assert [f.channel for f in recording.findings if f.code == HELD and f.mended] == ["wanted"]
    found = references(recording, control, "run", T[0], T[-1])
    np.testing.assert_allclose(found.s[:, 0], told, atol=1e-8)
