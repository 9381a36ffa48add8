"""Measured data of others: read with their couplings, and what is wrong with them found and named."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.recording.finding import Severity
from poinsot.recording.recording import Clock

JOINTS = [f"q{k}" for k in range(1, 7)]
R = np.diag([32.0, 32.0, 45.0, -48.0, 45.0, 32.0])
R[5, 4] = 32.0  # motor 6 turns with joints 5 and 6
DVRK = [f"{what}{k}" for what in ("q", "qd", "u") for k in range(1, 8)]


def couplings() -> list[dict]:
    """Of the TX40: q = R⁻¹ q_m with the offsets of joints 2 and 3, τ = Rᵀ τ_m."""
    matrix = tuple(map(tuple, R))
    turn = {"inputs": tuple(f"m{k}" for k in range(1, 7)), "outputs": tuple(JOINTS), "matrix": matrix}
    load = {"inputs": tuple(f"i{k}" for k in range(1, 7)), "outputs": tuple(f"tau{k}" for k in range(1, 7))}
    return [
        turn | {"apply": "inverse", "offset": (0, -np.pi / 2, np.pi / 2, 0, 0, 0), "kind": "position", "unit": "rad"},
        load | {"matrix": matrix, "apply": "transpose", "kind": "force", "unit": "N·m"},
    ]


def tx40(data):
    files = [data / "tx40" / f"motor_{what}.csv.gz" for what in ("position", "torque")]
    columns = [{f"{x}{k}": f"Joint_{k}" for k in range(1, 7)} for x in ("m", "i")]
    return poinsot.read(files, columns=columns, rate=5000, couplings=couplings())


def test_the_tx40_is_read_with_its_coupling(data):
    rec = tx40(data)
    assert len(rec) == 45000
    assert rec.rate == pytest.approx(5000)
    assert rec.clock is Clock.ASSUMED
    raw = np.loadtxt(data / "tx40" / "motor_position.csv.gz", delimiter=",", skiprows=1)
    q = np.linalg.solve(R, raw.T).T + np.array([0, -np.pi / 2, np.pi / 2, 0, 0, 0])
    assert_allclose(rec.table(JOINTS), q, atol=1e-12)
    torque = np.loadtxt(data / "tx40" / "motor_torque.csv.gz", delimiter=",", skiprows=1) @ R
    assert_allclose(rec.table([f"tau{k}" for k in range(1, 7)]), torque, atol=1e-12)
    assert rec.units["q2"] == "rad" and rec.units["tau6"] == "N·m"
    assert [str(f) for f in rec.findings if f.severity is not Severity.NOTE] == []


def test_the_motors_of_the_tx40_and_its_joints_move_together(data):
    """Power is the same on both sides of the gears: τᵀ q̇ = τ_mᵀ q̇_m."""
    rec = tx40(data)
    motor, joint = (
        np.sum(
            rec.table([f"{f}{k}" for k in range(1, 7)])
            * np.gradient(rec.table([f"{x}{k}" for k in range(1, 7)]), axis=0),
            axis=1,
        )
        for f, x in (("i", "m"), ("tau", "q"))
    )
    assert_allclose(joint, motor, atol=1e-9 * np.abs(motor).max())


@pytest.mark.parametrize(("name", "states", "efforts"), [("mtm_train", 0.145, 0.156), ("mtm_test", 0.128, 0.137)])
def test_rows_of_the_mtm_that_repeat_are_found_counted_and_masked(data, name, states, efforts):
    path = data / "dvrk" / f"{name}.csv.gz"
    rec = poinsot.read(path, columns=DVRK, rate=200)
    repeats = [f for f in rec.findings if f.code == "rows repeat"]
    assert [f.channel for f in repeats] == ["q1", "u1"]  # states and efforts come in messages of their own
    raw = np.loadtxt(path, delimiter=",")
    for finding, part, share in zip(repeats, (slice(0, 14), slice(14, 21)), (states, efforts)):
        same = np.concatenate([[False], (raw[1:, part] == raw[:-1, part]).all(axis=1)])
        assert finding.mended and finding.amount == same.sum()
        assert same.mean() == pytest.approx(share, abs=5e-4)
        assert_allclose(np.isnan(rec[finding.channel]), same)


@pytest.mark.parametrize("name", ["psm_train", "psm_test", "psm_payload_0g", "psm_payload_105g_parallel"])
def test_the_psm_raises_no_alarm(data, name):
    rec = poinsot.read(data / "dvrk" / f"{name}.csv.gz", columns=DVRK, rate=200)
    assert len(rec) == 5999
    assert [str(f) for f in rec.findings if f.severity is not Severity.NOTE] == []


@pytest.mark.parametrize("name", ["DATA_EMPS", "DATA_EMPS_PULSES"])
def test_the_emps_is_read_from_its_mat_file(data, name):
    rec = poinsot.read(data / "emps" / f"{name}.mat")
    assert len(rec) == 24841
    assert rec.rate == pytest.approx(1000, rel=1e-4)
    assert rec.constants["gtau"] == pytest.approx(35.1507, abs=1e-4)
    assert {"qm", "qg", "vir"} <= set(rec)
    assert [str(f) for f in rec.findings if f.severity is not Severity.NOTE] == []


@pytest.mark.parametrize("run", ["143339", "143524", "143601", "143704", "143747", "154220"])
def test_what_is_said_of_the_double_pendulum_is_true(data, run):
    rec = poinsot.read(data / "double-pendulum" / f"run_{run}.csv.gz", repair=False)
    assert rec.rate == pytest.approx(500, rel=1e-3)
    for f in (f for f in rec.findings if f.severity is not Severity.NOTE):
        x = rec[f.channel]
        if f.code == "constant":
            assert np.ptp(x) == 0
        elif f.code == "quantised":
            steps = np.diff(np.unique(x)) / f.amount
            assert_allclose(steps, np.round(steps), atol=0.05)
        elif f.code == "gain":  # the desired velocity is written twice as large as the desired position moves
            position = rec[f.channel.replace("vel", "pos")]
            assert np.std(x) / np.std(np.gradient(position, rec.t)) == pytest.approx(2, rel=1e-3)
        else:
            assert f.code == "spikes"
            k = int(np.argmax(np.abs(np.diff(x, 2)))) + 1
            assert abs(x[k] - (x[k - 1] + x[k + 1]) / 2) > 10 * np.median(np.abs(np.diff(x)))


def test_the_broad_recording_is_read_with_the_rate_of_its_file(data):
    rec = poinsot.read(data / "imu-broad" / "07_undisturbed_fast_rotation_B.hdf5")
    assert rec.rate == pytest.approx(2000 / 7)
    assert {"imu_gyr1", "imu_acc3", "imu_mag2", "opt_quat4", "opt_pos1"} <= set(rec)
    magnetometer = [f for f in rec.findings if f.code == "rows repeat"]
    assert [f.channel for f in magnetometer] == ["imu_mag1"]  # it is slower than the rest


def test_the_stewart_platform_with_an_inertial_unit_is_read(data):
    parts = {"imu_data": 6, "rod_data": 6, "ground_truth": 15}
    for name, columns in parts.items():
        rec = poinsot.read(data / "stewart-imu" / f"{name}.txt.gz")
        assert (len(rec), len(rec.channels)) == (5001, columns)
        assert rec.rate == pytest.approx(250)
        assert [f.code for f in rec.findings] == ["time guessed"]


def test_the_responses_of_the_beam_are_joined_over_frequency(data):
    files = [data / "beam-frf" / f"Hxysv0000{k}.txt.gz" for k in range(1, 10)]
    rec = poinsot.read(files)
    assert len(rec.channels) == 9
    assert_allclose(np.diff(rec.frequency), 0.01953125, rtol=1e-6)
    assert set(rec.units.values()) == {"(m/s²)/N"}
    peak = rec.frequency[np.argmax(np.where(rec.frequency > 65, np.abs(rec["Hxysv00002"]), 0))]
    assert min(abs(peak - f) for f in (111.992, 306.853, 596.368, 974.181)) < 2 * 0.01953125  # lines of the spectrum


CONSTANTS = {
    "1858.uff": {1858},
    "2411 and 2414.uff": {151, 2411, 2412, 2414},
    "NX simulation output.uff": {151, 164, 2400, 2411, 2412, 2414, 2420},
    "TestLab 161 164 18 15 82.uff": {151, 164, 18, 15, 82},
    "groups_test.uff": {164, 2420, 2411, 2412, 2467},
    "uff55_translation.uff": {55},
}


def test_every_universal_file_is_read_or_refused_by_one_sentence_without_a_word(data, capfd):
    refused = []
    for path in sorted((data / "uff").iterdir()):
        try:
            rec = poinsot.read(path)
        except poinsot.PoinsotError as error:
            assert path.name in str(error) and "\n" not in str(error)
            refused.append(path.name)
        else:
            assert rec.channels or rec.constants
            assert {f"uff {k}" for k in CONSTANTS.get(path.name, ())} <= set(rec.constants)
    assert refused == ["LICENSE", "meas_point_1.txt", "meas_point_2.txt", "meas_point_3.txt"]
    assert capfd.readouterr() == ("", "")


def test_text_and_binary_exports_of_one_sound_are_the_same(data):
    text, binary = (poinsot.read(data / "uff" / f"Sample_UFF58{kind}.uff") for kind in ("_ascii", "b_bin"))
    assert_allclose(text["Mic 01"], binary["Mic 01"], atol=1e-6)
    assert text.units == {"Mic 01": "Pa"}


def test_a_universal_file_that_was_cut_off_is_found(data):
    rec = poinsot.read(data / "uff" / "dataset_milestone_in_header.uff")
    assert [(f.code, f.amount) for f in rec.findings] == [("cut", 2508876 - 42)]
