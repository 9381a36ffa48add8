"""A table of samples is a motion: files in any dialect, data frames and recordings; faults with row and column."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.errors import PoinsotError
from poinsot.recording.motion_file import motion_table

T = np.linspace(0.0, 0.7, 8)
BAR = poinsot.load("four_bar")
MOTION = {"theta1": (T, np.radians(60 + 10 * T))}
TABLES = {
    "plain": "t,theta1\n" + "".join(f"{t:.3f},{np.radians(60 + 10 * t):.15f}\n" for t in T),
    "degrees": "time [s], theta1 [deg]\n" + "".join(f"{t:.3f}, {60 + 10 * t:.12f}\n" for t in T),
    "semicolons": "t [ms];theta1 [deg]\n"
    + "".join(f"{1e3 * t:.0f};{60 + 10 * t:.3f}\n".replace(".", ",") for t in T),
    "drive": "t,A\n" + "".join(f"{t:.3f},{np.radians(60 + 10 * t):.15f}\n" for t in T),  # and its joint
    "joint": "t\tA [deg]\tA.force [N·m]\n" + "".join(f"{t:.3f}\t{60 + 10 * t:.12f}\t1\n" for t in T),
}


@pytest.mark.parametrize("case", TABLES)
def test_a_file_in_any_dialect_is_a_motion(case, tmp_path):
    (path := tmp_path / "run.csv").write_text(TABLES[case])
    expected = poinsot.kinematics(BAR, MOTION, T)
    for given in (path, str(path), poinsot.read(path)):
        found = poinsot.kinematics(BAR, given)
        assert_allclose(found.t, T)
        assert_allclose(found.position["link2"], expected.position["link2"], atol=1e-10)


def test_a_data_frame_is_a_motion_for_every_question():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"time": T, "theta1 [deg]": 60 + 10 * T})
    indexed = pandas.DataFrame({"theta1 [deg]": 60 + 10 * T}, index=T)
    for table in (frame, indexed):
        assert_allclose(
            poinsot.inverse_dynamics(BAR, table).forces["A"], poinsot.inverse_dynamics(BAR, MOTION).forces["A"]
        )
    assert_allclose(poinsot.regressor(BAR, frame).matrix, poinsot.regressor(BAR, MOTION).matrix)
    assert poinsot.determinable(BAR, frame, noise=0.1).samples == len(T)
    assert_allclose(poinsot.energy_regressor(BAR, frame).matrix, poinsot.energy_regressor(BAR, MOTION, T).matrix)
    with pytest.raises(PoinsotError, match=r"no column is the time: call one t or time .*theta1"):
        poinsot.kinematics(BAR, pandas.DataFrame({"theta1": 1 + T}))
    with pytest.raises(PoinsotError, match="column 'theta1' does not hold numbers"):
        poinsot.kinematics(BAR, pandas.DataFrame({"t": T, "theta1": ["x"] * len(T)}))


def test_words_beside_numbers_of_a_data_frame_are_left_out():
    pandas, t = pytest.importorskip("pandas"), np.arange(0, 4, 0.02)
    run = poinsot.inverse_dynamics(BAR, {"theta1": poinsot.Fourier(2.5, (0.4, 0.3), (0.1,), 1.2)}, t)
    columns = {"theta1": run.kinematics.coordinates["theta1"], "A": run.forces["A"]}
    frame = pandas.DataFrame({"t": t, **columns, "note": ["warm"] + [None] * (len(t) - 1)})
    found = poinsot.identify(BAR, frame, ["link2.mass"])
    assert found["link2.mass"].value == pytest.approx(2.3, rel=1e-3)
    said = [f.message for run in found.study.runs for f in run.recording.findings]
    assert any("left out, as they hold words: note" in text for text in said)


WRONG = {
    "x,theta1\n0,1\n0.1,1.1\n": r"run\.csv: no column is the time: call one t or time \[s\]; there are: x, theta1",
    "t,theta1\n0,1\n0.1,\n0.2,1.1\n": r"run\.csv: column 'theta1' has no number in row 2 below the header",
    "t,theta1\n0,1\n0.1,abc\n0.2,1.1\n": r"run\.csv: column 'theta1' has something else than a number in line 3",
    "t,theta1\n0,1\n0.1,1,1\n0.2,1\n0.3,1\n": r"run\.csv: another number of fields than the header has, in line 3",
    "t,theta1\n0\n0.1,1\n0.2,1\n0.3,1\n": r"run\.csv: another number of fields than the header has, in line 2",
    "t,theta1,x\n0,1\n0.1,1\n0.2,1\n0.3,1\n": r"run\.csv: no header with t stands right above the numbers",
    "t,theta1\n0,1\n0.1,1\n0.2,1\n0.3,1\n0.4\n0.5,1\n": "another number of fields than the header has, in line 6",
    "time,theta1\n0.2,1\n0.1,1\n0,1\n": r"run\.csv: the times .* decrease from row 2 of column 'time' on, counted",
    "t,theta1\n0,1\n0.1,1\n0.05,1\n0.2,1\n": r"run\.csv: the times .* go back in row 3 of column 't', counted below",
    "t,theta1\n0,1\n0.1,1\n0.1,1\n0.2,1\n": r"the times .* one repeats the one before in row 3 of column 't'",
    "t,thetaa\n0,1\n0.1,1.1\n": r"run\.csv: column 'thetaa': there is no coordinate 'thetaa' \(did you mean",
    "t,theta1 [m]\n0,1\n0.1,1.1\n": r"run\.csv: column 'theta1' is in m, the coordinate in rad",
}


@pytest.mark.parametrize("text", WRONG, ids=lambda text: text.replace("\n", "|"))
def test_a_fault_is_named_with_file_row_and_column(text, tmp_path):
    (path := tmp_path / "run.csv").write_text(text)
    with pytest.raises(PoinsotError, match=WRONG[text]):
        poinsot.kinematics(BAR, path)


def test_degrees_and_millimetres_without_a_unit_are_hinted_at():
    crank = poinsot.load("slider_crank")
    with pytest.raises(PoinsotError, match=r"at stroke = 120 m: .* close up to stroke = .*millimetres \(stroke\)"):
        poinsot.assemble(crank, {"stroke": 120.0})
    away = {"stroke": (T, [0.12, *np.linspace(124.0, 130.0, 7)])}
    with pytest.raises(PoinsotError, match=r"millimetres \(stroke\)"):
        poinsot.kinematics(crank, away, T)
    with pytest.raises(PoinsotError, match="cannot be assembled") as error:
        poinsot.assemble(crank, {"stroke": 0.9})
    assert "were those meant" not in str(error.value)


def test_a_table_may_hold_more_than_the_motion(tmp_path):
    found = poinsot.kinematics(BAR, MOTION, T)
    rates = {"theta1.rate [rad/s]": found.rates["theta1"], "energy [J]": 0 * T}
    columns = {"t [s]": T, **{f"{name} [rad]": found.coordinates[name] for name in ("theta3", "theta1")}, **rates}
    rows = "\n".join(",".join(f"{x:.15g}" for x in row) for row in zip(*columns.values()))
    (path := tmp_path / "run.csv").write_text(",".join(columns) + "\n" + rows)
    with pytest.warns(UserWarning) as said:
        again = poinsot.kinematics(BAR, path)
    assert_allclose(again.position["link2"], found.position["link2"], atol=1e-10)
    assert [str(w.message) for w in said] == [
        "run.csv: left out, as no coordinate has that name: energy",
        "run.csv: the motion is prescribed by theta1; left out, as it follows: theta3",
    ]
    (path := tmp_path / "rates.csv").write_text("t,theta1.rate\n0,1\n0.1,1\n")
    with pytest.raises(PoinsotError, match=r"no column is the position of a coordinate; there are: theta1, theta2"):
        poinsot.kinematics(BAR, path)


@pytest.mark.parametrize(("head", "said"), [("theta1", True), ("theta1 [rad]", False), ("theta1 [deg]", False)])
def test_plain_angles_beyond_two_turns_may_be_degrees(head, said, tmp_path):
    (path := tmp_path / "run.csv").write_text(f"t,{head}\n" + "".join(f"{t:.3f},{60 + 10 * t:.3f}\n" for t in T))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        motion_table(path, BAR)
    assert [str(w.message) for w in found] == [
        "run.csv: column 'theta1' has no unit and goes from 60 to 67 rad; were degrees meant? write theta1 [deg], "
        "or theta1 [rad]"
    ] * said


def test_times_of_pandas_and_numpy_are_seconds_and_not_nanoseconds():
    pandas = pytest.importorskip("pandas")
    crank, t = poinsot.load("four_bar"), np.arange(0, 1, 0.01)
    table = pandas.DataFrame({"t": t, "theta1": 1 + 0.3 * np.sin(2 * t)})
    wanted = poinsot.inverse_dynamics(crank, table).forces["A"]
    durations = pandas.to_timedelta(table.t, unit="s")
    moments = pandas.Timestamp("2026-01-01 12:00") + durations
    for times in (durations, moments, moments.dt.tz_localize("UTC")):
        for frame in (table.assign(t=times), table.drop(columns="t").set_index(times)):
            np.testing.assert_allclose(poinsot.inverse_dynamics(crank, frame).forces["A"], wanted, rtol=1e-9)
        assert poinsot.Recording.of(times, {"A": wanted}).t[-1] == pytest.approx(0.99)
        motion = {"theta1": (times.to_numpy(), table.theta1.to_numpy())}
        np.testing.assert_allclose(poinsot.inverse_dynamics(crank, motion).forces["A"], wanted, rtol=1e-9)
        assert poinsot.kinematics(crank, {"theta1": lambda t: 1 + t}, times.to_numpy()).t[-1] == pytest.approx(0.99)
    with pytest.raises(poinsot.PoinsotError, match="column 'theta1' does not hold numbers"):
        poinsot.inverse_dynamics(crank, table.assign(theta1=durations))


@pytest.mark.parametrize("start", [7, 1_731_500_000])
@pytest.mark.parametrize("names", [("header.stamp.sec", "header.stamp.nanosec"), ("secs", "nsecs")])
def test_seconds_and_nanoseconds_of_a_motion_are_one_time(names, start, tmp_path):
    pandas, ns = pytest.importorskip("pandas"), 900_000_000 + 4_000_000 * np.arange(600)
    stamps = {names[0]: start + ns // 10**9, names[1]: ns % 10**9}
    frame = pandas.DataFrame({**stamps, "theta1": 1 + 0.3 * np.sin(2e-9 * ns)})
    frame.to_csv(tmp_path / "motion.csv", index=False)
    first = 0.0 if start > 1e6 else 7.9
    for given in (frame, tmp_path / "motion.csv"):
        found = poinsot.kinematics(BAR, given)
        assert_allclose(found.t, first + 0.004 * np.arange(600), rtol=0, atol=1e-12)
        assert_allclose(found.coordinates["theta1"], frame.theta1, rtol=1e-9)
    frame.insert(0, "t", np.arange(600) / 10)
    with pytest.warns(UserWarning, match="left out, as no coordinate has that name"):
        assert_allclose(poinsot.kinematics(BAR, frame).t, frame.t)


def test_a_data_frame_is_a_recording_to_identify_from():
    pandas = pytest.importorskip("pandas")
    t = np.arange(0, 4, 0.02)
    run = poinsot.inverse_dynamics(BAR, {"theta1": poinsot.Fourier(3.0, (0.5, 0.2), (0.1,), 1.2)}, t)
    frame = pandas.DataFrame({"t": t, "theta1 [deg]": np.degrees(run.kinematics.coordinates["theta1"])})
    found = poinsot.identify(BAR, frame.assign(**{"A [N·mm]": 1e3 * run.forces["A"]}), ["link2.mass"])
    assert found.value == pytest.approx(BAR.parameters["link2.mass"].value, rel=1e-3)


ENCODER = "\n[sensors.dial]\ntype = 'encoder'\non = { joint = 'A' }\noffset = '20 deg'\n"


def test_where_no_column_is_a_coordinate_encoders_are_read_as_those_that_they_measure(tmp_path):
    bar = poinsot.loads(poinsot.dumps(BAR) + ENCODER)
    (path := tmp_path / "run.csv").write_text("t,dial [deg]\n" + "".join(f"{t},{80 + 10 * t:.12f}\n" for t in T))
    expected = poinsot.inverse_dynamics(BAR, MOTION).forces["A"]
    for given in (path, poinsot.read(path, mechanism=bar)):
        assert_allclose(poinsot.inverse_dynamics(bar, given).forces["A"], expected, atol=1e-8)


def test_an_encoder_along_what_has_no_name_is_told_to_get_one(tmp_path):
    on = ENCODER.replace("{ joint = 'A' }", "{ length = ['ground', 'link2.C'] }").replace("offset = '20 deg'", "")
    bar = poinsot.loads(poinsot.dumps(BAR) + on)
    (path := tmp_path / "run.csv").write_text("t,dial [m]\n" + "".join(f"{t},{0.5 + 0.1 * t}\n" for t in T))
    with pytest.raises(PoinsotError, match="the encoder 'dial' reads along what has no name: give it one under"):
        poinsot.kinematics(bar, path)


def test_times_that_seem_to_be_milliseconds_are_asked_about(tmp_path):
    rows = "".join(f"{100 * k},{60 + k}\n" for k in range(30))
    (path := tmp_path / "run.csv").write_text("t,theta1 [deg]\n" + rows)
    with pytest.warns(UserWarning, match=r"run.csv: samples are 100 s apart: milliseconds read as seconds\? write t"):
        poinsot.kinematics(BAR, path)
