"""Faults of text tables that are named: rows out of order, swapped headers, units, headers that stand twice."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.errors import PoinsotError

BAR, T = poinsot.load("four_bar"), np.arange(0, 2, 0.02)


def table(tmp_path, header: str, columns: list[np.ndarray]):
    path = tmp_path / "run.csv"
    np.savetxt(path, np.stack(columns, axis=1), delimiter=",", header=header, comments="", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def signals():
    run = poinsot.inverse_dynamics(BAR, {"theta1": poinsot.Fourier(3.0, (0.5, 0.2), (0.1,), 1.2)}, T)
    return run.kinematics.coordinates["theta1"], run.forces["A"]


def test_rows_in_another_order_are_called_so(tmp_path, signals):
    rows = np.random.default_rng(1).permutation(len(T))
    rec = poinsot.read(table(tmp_path, "t [s],theta1 [rad],A [N·m]", [x[rows] for x in (T, *signals)]))
    (said,) = [f for f in rec.problems if f.code == "goes back"]
    assert "the rows are not in the order of time, which goes back in" in str(said) and "sort them by time" in str(
        said
    )


def test_headers_of_time_and_position_that_are_swapped_are_refused(tmp_path, signals):
    path = table(tmp_path, "theta1 [rad],t [s],A [N·m]", [T, *signals])
    with pytest.raises(
        PoinsotError, match=r"run.csv: the times of column 't' go back .* 'theta1' grows evenly: .* sw"
    ):
        poinsot.read(path)


def test_units_that_are_not_known_are_told_with_those_that_are(tmp_path, signals):
    path = table(tmp_path, "t [s],theta1 [furlong],A [N·m]", [T, *signals])
    said = "'furlong' is no unit that is known.*there are: rad, mrad, deg, °, rev"
    (finding,) = [f for f in poinsot.read(path, mechanism=BAR).findings if f.code == "unknown unit"]
    assert "no unit that is known" in str(finding) and "there are: rad, mrad, deg, °, rev" in str(finding)
    with pytest.raises(PoinsotError, match=said):
        poinsot.kinematics(BAR, path)


def test_a_power_is_not_used_as_a_force(tmp_path, signals):
    path = table(tmp_path, "t [s],theta1 [rad],A [W]", [T, *signals])
    for rec in (poinsot.read(path), poinsot.read(path, mechanism=BAR)):
        with pytest.raises(PoinsotError, match="'A': it is recorded in W, the mechanism measures N·m there"):
            poinsot.identify(BAR, rec, ["link2.mass"])


def test_a_header_that_stands_twice_is_named(tmp_path, signals):
    path = table(tmp_path, "t [s],theta1 [rad],theta1 [deg],A [N·m]", [T, signals[0], *signals])
    said = [str(f) for f in poinsot.read(path, mechanism=BAR).findings]
    assert any("2 columns are headed 'theta1': the second is called 'theta1_2'" in one for one in said)
    assert not any("did you mean 'theta2'" in one for one in said)


def test_channels_of_nothing_are_named(signals):
    rec = poinsot.Recording.of(T, {"theta1": np.nan * T, "A": signals[1]})
    with pytest.raises(PoinsotError, match=r"channel 'theta1' needs 16 samples .*\(100 of 100 are NaN or masked\)"):
        poinsot.identify(BAR, rec, ["link2.mass"])


def test_a_list_of_columns_that_leaves_the_times_out_is_a_warning(tmp_path, signals):
    path = table(tmp_path, "c1,c2,c3", [T, *signals])
    (said,) = [f for f in poinsot.read(path, columns=["theta1", "A"], time=1).findings if f.code == "times"]
    assert said.channel == "theta1" and "it is column 'c1', the times" in str(said)
    right = poinsot.read(path, columns=["", "theta1", "A"], time=1)
    assert not [f for f in right.findings if f.code == "times"] and right["A"] == pytest.approx(signals[1], rel=1e-9)


@pytest.mark.parametrize("ending", ["xlsx", "xls", "ods"])
def test_workbooks_are_called_so(ending, tmp_path):
    (path := tmp_path / f"run.{ending}").write_bytes(b"PK\x03\x04 and more")
    with pytest.raises(PoinsotError, match="a workbook of a spreadsheet, which is not read: save the sheet as CSV"):
        poinsot.read(path)


def test_a_data_frame_is_no_file():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(PoinsotError, match=r"a data frame is no file: give it to identify .* Recording\.of"):
        poinsot.read(pandas.DataFrame({"t": T, "theta1": T}))


def test_motors_that_a_coupling_uses_are_not_called_unused(tmp_path, signals):
    path = table(tmp_path, "t,m1,i1", [T, 2 * signals[0], signals[1] / 2])
    links = [{"inputs": ["m1"], "outputs": ["theta1"], "matrix": [[2]], "apply": "inverse", "unit": "rad"}]
    links += [{"inputs": ["i1"], "outputs": ["A"], "matrix": [[2]], "apply": "transpose", "unit": "N·m"}]
    recording = poinsot.read(path, mechanism=BAR, couplings=links)
    assert recording["A"] == pytest.approx(signals[1], rel=1e-9)
    assert "not used" not in {f.code for f in recording.findings}
    assert "not used" in {f.code for f in poinsot.read(path, mechanism=BAR).findings}


def test_times_in_a_structure_are_times(tmp_path):
    from scipy.io import savemat

    savemat(path := tmp_path / "run.mat", {"data": {"t": T, "q": np.sin(T)}})
    recording = poinsot.read(path)
    assert recording.t == pytest.approx(T) and [*recording] == ["data.q"]


@pytest.mark.parametrize("ending", (".toml", ".urdf"))
def test_descriptions_of_models_are_no_recordings(ending, tmp_path):
    (path := tmp_path / f"model{ending}").write_text("format = 1\n")
    with pytest.raises(PoinsotError, match="this is a description of a model, a study or a design, and no recording"):
        poinsot.read(path)
