"""Channels that were sampled by clocks of their own: files are joined over one time, and what is identified holds."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.errors import PoinsotError
from poinsot.recording.filtering.one_clock import on_one_clock, own_step
from poinsot.recording.join import joined

BAR = poinsot.load("four_bar")
SWEEP = {"theta1": poinsot.Fourier(2.5, (0.4, 0.3), (0.1,), 1.2)}
TRUTH = {"link2.mass": 2.3, "link3.mass": 2.1}


def write(path, t, x, head, form="%.12g"):
    np.savetxt(path, np.column_stack([t, x]), delimiter=",", header=head, comments="", fmt=form)
    return path


def logged(folder, encoder, torque, seed=0, shift=0.0, noise=1e-4):
    """An encoder and a torque in files of their own, at rates [Hz], the torque's samples `shift` [s] later."""
    t, at, rng = np.arange(round(5 * encoder)) / encoder, np.arange(round(5 * torque)) / torque, rng_of(seed)
    angle = poinsot.kinematics(BAR, SWEEP, t).coordinates["theta1"] + noise * rng.standard_normal(len(t))
    force = poinsot.inverse_dynamics(BAR, SWEEP, at + shift).forces["A"] + 0.05 * rng.standard_normal(len(at))
    a = write(folder / "angle.csv", t, angle, "t [s],theta1 [rad]")
    return [a, write(folder / "torque.csv", at + shift, force, "t [s],A [N·m]")]


def rng_of(seed):
    return np.random.default_rng([7, seed])


RATES = [(100, 250), (100, 1000), (250, 100), (1000, 100), (250, 200), (100, 125)]


@pytest.mark.parametrize("encoder, torque", RATES)
def test_masses_are_within_their_errors_whatever_the_rates(encoder, torque, tmp_path):
    z = []
    for seed in range(4):
        recording = poinsot.read(logged(tmp_path, encoder, torque, seed), mechanism=BAR)
        assert {f.code for f in recording.findings} <= {"slower"}  # nothing is missing, and nothing is late
        found = poinsot.identify(BAR, recording, list(TRUTH))
        z += [[(found[name].value - true) / found[name].deviation for name, true in TRUTH.items()]]
    assert np.max(np.abs(z)) < 4 and np.max(np.abs(np.mean(z, axis=0))) < 2.2


@pytest.mark.parametrize("shift", [1e-4, 3e-3, 5e-3])
def test_loggers_of_one_rate_may_sample_at_other_moments(shift, tmp_path):
    recording = poinsot.read(logged(tmp_path, 100, 100, shift=shift), mechanism=BAR)
    assert {f.code for f in recording.findings} <= {"slower"}
    found = poinsot.identify(BAR, recording, list(TRUTH))
    assert all(abs(found[name].value - true) < 4 * found[name].deviation for name, true in TRUTH.items())


def test_a_recording_of_two_rates_is_a_motion(tmp_path):
    recording = poinsot.read(logged(tmp_path, 100, 250, noise=0.0), mechanism=BAR)
    moved = poinsot.inverse_dynamics(BAR, recording)
    expected = poinsot.inverse_dynamics(BAR, SWEEP, moved.kinematics.t)
    assert_allclose(moved.forces["A"][9:-9], expected.forces["A"][9:-9], rtol=0, atol=1e-3)


@pytest.mark.parametrize("rates", [(1000, 100), (100, 1000), (200, 100)])
def test_sensors_may_have_rates_of_their_own(rates):
    sensors = {
        "encoder": {"type": "encoder", "on": {"joint": "A"}, "noise": 1e-4, "rate": rates[0]},
        "cell": {"type": "drive-force", "actuator": "A", "noise": 0.05, "rate": rates[1]},
    }
    machine = poinsot.build({**BAR.document, "sensors": sensors})
    recording = poinsot.measure(machine, SWEEP, np.arange(0, 5, 1e-3), seed=1)
    found = poinsot.identify(machine, recording, list(TRUTH))
    assert all(abs(found[name].value - true) < 4 * found[name].deviation for name, true in TRUTH.items())


def test_clocks_of_channels_are_told_from_lost_samples():
    t, rng = np.arange(1000) / 200.0, rng_of(1)
    assert own_step(t, np.arange(1000) % 4 == 0) == pytest.approx(0.02)
    assert own_step(t, np.ones(1000, bool)) is None
    for lost in (0.05, 0.3, 0.6, 0.9):
        assert own_step(t, rng.random(1000) > lost) is None
    gap = (np.arange(1000) % 4 == 0) & ((np.arange(1000) < 300) | (np.arange(1000) > 500))
    assert own_step(t, gap) == pytest.approx(0.02)


@pytest.mark.parametrize("every", [2, 4, 5])
def test_what_is_faster_is_filtered_and_what_is_slower_is_not_made_up(every):
    t = np.arange(2000) / 500.0
    slow, x = np.arange(2000) % every == 0, np.sin(5 * t)
    alias = np.sin(2 * np.pi * 0.95 * 500 / every * t)  # near the rate of the slower one: it would swing slowly
    values = {"q": np.where(slow, x, np.nan), "f": x + alias, "aside": np.where(np.arange(2000) % 20 == 7, x, np.nan)}
    recording = poinsot.Recording.of(t, values)
    found = on_one_clock(recording, ["q"], ["f"])
    assert_allclose(found.t, t[slow])
    assert_allclose(found["q"], x[slow])
    assert_allclose(found["f"][20:-20], x[slow][20:-20], atol=0.03)
    seen = np.isfinite(found["aside"])
    assert 0 < seen.sum() <= 200  # one or two a sample
    assert_allclose(found["aside"][seen], x[slow][seen], atol=1e-3)
    assert found.constants["slowest rate"] == pytest.approx(500 / every)


def test_times_in_other_units_are_the_same_times(tmp_path):
    t = 1234 + np.arange(500) / 250.0
    a = write(tmp_path / "a.csv", 1e3 * t, np.sin(t), "t [ms],x [m]", "%.10g")
    b = write(tmp_path / "b.csv", t, np.cos(t), "t [s],y [m]", "%.10g")
    found = poinsot.read([a, b])
    assert len(found) == 500 and not found.findings
    assert_allclose(found["x"] ** 2 + found["y"] ** 2, 1.0, atol=1e-8)


def test_times_since_1970_keep_what_is_between_their_files(tmp_path):
    t = np.arange(500) / 100.0
    a = write(tmp_path / "a.csv", 1.7e9 + t, np.sin(t), "t [s],x [m]", "%.12f")
    b = write(tmp_path / "b.csv", 1.7e9 + 2 + t, np.sin(t + 2), "t [s],y [m]", "%.12f")
    found = poinsot.read([a, b])
    both = found.mask("x") & found.mask("y")
    assert both.sum() == 300
    assert_allclose(found["x"][both], found["y"][both], atol=1e-6)


def test_files_without_a_common_time_are_refused_with_their_times(tmp_path):
    t = np.arange(100) / 100.0
    files = [write(tmp_path / f"{n}.csv", t + at, t, f"t [s],{n} [m]") for n, at in (("p", 0.0), ("q", 1000.0))]
    said = r"no times in common: p.csv is over 0 … 0.99 s, q.csv is over 1000 … 1000.99 s"
    with pytest.raises(PoinsotError, match=said):
        poinsot.read(files)


TIMES = [
    "Stempel",
    ["Stempel", "t"],
    {"column": "Stempel", "file": "a.csv"},
    [{"column": "Stempel", "unit": "ms"}, "t"],
]


@pytest.mark.parametrize("time", TIMES)
def test_every_file_has_its_own_time_column(time, tmp_path):
    t = np.arange(100) / 100.0
    a = write(tmp_path / "a.csv", 1e3 * t, t, "Stempel [ms],x [m]")
    b = write(tmp_path / "b.csv", t, t, "t [s],y [m]")
    found = poinsot.read([a, b], time=time)
    assert len(found) == 100 and list(found) == ["x", "y"]
    assert_allclose(found["x"], found["y"])
    assert list(poinsot.read(a, time=["t", "Stempel"])) == ["x"]
    with pytest.raises(PoinsotError, match="there is no column 'Uhr'"):
        poinsot.read(a, time="Uhr")


def test_the_file_without_times_is_named(tmp_path):
    t = np.arange(100) / 100.0
    a = write(tmp_path / "a.csv", t, t, "Stempel,x [m]")
    b = write(tmp_path / "b.csv", t, t, "t [s],y [m]")
    with pytest.raises(
        PoinsotError, match=r"no times are known of a.csv \(columns: Stempel, x\): name the time column"
    ):
        poinsot.read([a, b])


def test_joined_recordings_keep_all_their_samples():
    rng = rng_of(3)
    for _ in range(20):
        clocks = [np.sort(rng.choice(400, 60, replace=False)) / 100.0 for _ in range(3)]
        parts = [poinsot.Recording.of(t, {f"c{k}": np.sin(t)}) for k, t in enumerate(clocks)]
        whole = joined(parts)
        assert_allclose(whole.t, np.unique(np.concatenate(clocks)))
        for k, t in enumerate(clocks):
            assert_allclose(whole.t[whole.mask(f"c{k}")], t)
