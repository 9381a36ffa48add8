"""Columns of a recording that the mechanism does not know, and units of columns against the same table in SI."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from typer.testing import CliRunner

import poinsot
from poinsot.app.cli import app
from poinsot.recording.finding import Severity
from poinsot.recording.place import placed
from poinsot.recording.units import si

T = np.linspace(0, 1, 21)
ANGLE = 1.0 + 0.3 * np.sin(3 * T)  # [rad]


def table(path: Path, columns: dict[str, np.ndarray]) -> Path:
    np.savetxt(path, np.column_stack([*columns.values()]), "%.17g", ",", header=",".join(columns), comments="")
    return path


def unused(recording: poinsot.Recording) -> list[str]:
    found = [f for f in recording.findings if f.code == "not used"]
    assert all(f.severity is Severity.NOTE for f in found) and not recording.problems
    return [f"{f.channel}: {f.message}" for f in found]


def test_columns_that_the_mechanism_does_not_know_are_noted_with_the_nearest_name(tmp_path):
    bar = poinsot.load("four_bar")
    columns = {"t [s]": T, "theta1 [rad]": ANGLE, "theat2 [rad]": ANGLE, "fan [rpm]": T, "coil [A]": T, "A [N·m]": T}
    file = table(tmp_path / "run.csv", columns)
    typo, others = unused(poinsot.read(file, mechanism=bar))
    assert typo.startswith("theat2: nothing of the mechanism has this name (did you mean 'theta2'?): it is not used")
    assert others.endswith("nothing of the mechanism is called so: fan, coil")
    assert not unused(poinsot.read(file))  # without a mechanism nothing is known
    said = CliRunner().invoke(app, ["read", str(file), "four_bar"])
    assert said.exit_code == 0 and "note: 'theat2': nothing of the mechanism has this name" in said.output


def test_columns_that_are_used_are_not_noted(tmp_path):
    bar = poinsot.load("four_bar")
    columns = {"t [s]": T, "theta1 [rad]": ANGLE, "theta1.rate [rad/s]": T, "A.force [N·m]": T, "theat2 [rad]": ANGLE}
    file = table(tmp_path / "run.csv", columns)
    named = {"theta1": "theta1", "A.force": "A.force", "two": {"column": "theat2", "place": "theta2"}}
    assert not unused(poinsot.read(file, mechanism=bar, columns=named))
    again = poinsot.read(file, mechanism=bar)
    assert len(unused(again)) == 1


UNITS = {  # what headers may say, with its SI value, which is worked out here and not read off the library
    **{"mm": 1e-3, "cm": 1e-2, "um": 1e-6, "km": 1e3, "in": 0.0254, "inch": 0.0254, "ft": 0.3048},
    **{"deg": np.pi / 180, "°": np.pi / 180, "mrad": 1e-3, "rev": 2 * np.pi, "degrees": np.pi / 180},
}
RATES = {
    "mm/s": 1e-3,
    "in/s": 0.0254,
    "deg/s": np.pi / 180,
    "rpm": np.pi / 30,
    "rev/min": np.pi / 30,
    "°/s": np.pi / 180,
    "U/min": np.pi / 30,
    "1/min": np.pi / 30,
    "min^-1": np.pi / 30,
}
FORCES = {"lbf": 4.4482216152605, "kN": 1e3, "mN": 1e-3, "kgf": 9.80665, "kp": 9.80665}
TORQUES = {"lbf·in": 4.4482216152605 * 0.0254, "ft-lbf": 4.4482216152605 * 0.3048, "Nmm": 1e-3, "mNm": 1e-3}
TORQUES |= {"Ncm": 1e-2, "N cm": 1e-2, "ft-lbs": 4.4482216152605 * 0.3048, "lbf·ft": 4.4482216152605 * 0.3048}
TORQUES |= {"kgf·m": 9.80665, "kgf cm": 0.0980665, "oz-in": 0.2780138509537812 * 0.0254, "N m": 1.0, "kNm": 1e3}


@pytest.mark.parametrize("unit", ["Hz", "1/min", "1/s", "min^-1", "1/s²"])
def test_turns_that_are_not_said_to_be_turns_are_no_angles(unit):
    assert "rad" not in si(unit)[1]


@pytest.fixture(scope="module")
def cart() -> poinsot.Mechanism:
    """A cart on a slide with a driven pendulum on it: a length, an angle, a force and a torque."""
    return poinsot.loads("""
format = 1
planar = true
[bodies]
cart = { mass = 2, inertia = 0.1 }
bob = { mass = 1, com = [0.3, 0], inertia = 0.02 }
[joints]
slide = { type = "prismatic", between = ["ground", "cart"], axis = [1, 0], actuated = "displacement" }
pin = { type = "revolute", between = ["cart", "bob"], actuated = true }
[coordinates]
x = { joint = "slide" }
phi = { joint = "pin" }
[sensors]
scale = { type = "encoder", on = { joint = "slide" } }
torque = { type = "drive-force", actuator = "pin" }
""")


def in_units(path: Path, lengths: str = "m", angles: str = "rad", times: str = "s") -> Path:
    factor = UNITS | {"m": 1.0, "rad": 1.0, "s": 1.0, "ms": 1e-3, "min": 60.0}
    columns = {f"t [{times}]": T / factor[times], f"x [{lengths}]": 0.1 * np.sin(2 * T) / factor[lengths]}
    return table(path, columns | {f"phi [{angles}]": ANGLE / factor[angles]})


ALIKE = [("mm", "deg", "ms"), ("in", "°", "s"), ("inch", "degrees", "s"), ("ft", "rev", "min"), ("cm", "mrad", "s")]


@pytest.mark.parametrize("units", ALIKE)
def test_a_motion_in_any_unit_needs_the_forces_and_gives_the_readings_of_the_same_table_in_si(units, cart, tmp_path):
    model = poinsot.save(cart, tmp_path / "cart.toml")
    for command, option in (("inverse", "--csv"), ("kinematics", "--csv"), ("measure", "--out")):
        found = []
        for file in (in_units(tmp_path / "si.csv"), in_units(tmp_path / "other.csv", *units)):
            arguments = [command, str(model), str(file), option, str(tmp_path / "o.csv"), "--force"]
            done = CliRunner().invoke(app, arguments)
            assert done.exit_code == 0, f"{done.output}{done.exception}"
            found.append(np.genfromtxt(tmp_path / "o.csv", delimiter=",", skip_header=1))
        assert_allclose(found[1], found[0], rtol=1e-6, atol=1e-9 * np.nanmax(np.abs(found[0])))
        assert np.ptp(found[0]) > 1


@pytest.mark.parametrize("units", ALIKE)
def test_a_recording_in_any_unit_is_that_in_si(units, cart, tmp_path):
    one = poinsot.read(in_units(tmp_path / "si.csv"), mechanism=cart)
    other = poinsot.read(in_units(tmp_path / "other.csv", *units), mechanism=cart)
    assert other.units == one.units == {"x": "m", "phi": "rad"} and not other.problems
    for name in ("x", "phi"):
        assert_allclose(other[name], one[name], rtol=1e-12, atol=1e-15)
    assert_allclose(other.t, one.t, atol=1e-12)


@pytest.mark.parametrize(
    ("column", "unit", "factor", "kept"),
    [
        *(("x", u, f, "m") for u, f in list(UNITS.items())[:7]),
        *(("phi", u, f, "rad") for u, f in list(UNITS.items())[7:]),
        *(
            ("x.rate" if u in ("mm/s", "in/s") else "phi.rate", u, f, "m/s" if u in ("mm/s", "in/s") else "rad/s")
            for u, f in RATES.items()
        ),
        *(("slide.force", u, f, "N") for u, f in FORCES.items()),
        *(("pin.force", u, f, "N·m") for u, f in TORQUES.items()),
    ],
)
def test_every_unit_of_a_header_is_converted(column, unit, factor, kept, cart, tmp_path):
    found = poinsot.read(table(tmp_path / "run.csv", {"t [s]": T, f"{column} [{unit}]": ANGLE}), mechanism=cart)
    assert_allclose(found[column], factor * ANGLE, rtol=1e-12)
    assert found.units[column] == kept and not found.problems


@pytest.mark.parametrize("unit", ["Hz", "1/s"])
def test_speeds_in_hertz_are_refused_with_what_to_write(unit, cart, tmp_path):
    found = poinsot.read(table(tmp_path / "run.csv", {"t [s]": T, f"phi.rate [{unit}]": ANGLE}), mechanism=cart)
    (said,) = found.problems
    assert "it is recorded in Hz" in said.message and said.advice.startswith("write rpm, deg/s or rad/s")


def test_what_does_not_turn_is_not_counted_by_the_minute(cart, tmp_path):
    columns = {"t [s]": T, "x.rate [1/min]": ANGLE, "pulse [1/min]": ANGLE}
    found = poinsot.read(table(tmp_path / "run.csv", columns), mechanism=cart)
    assert found.units["pulse"] == "1/min" and found["pulse"] == pytest.approx(ANGLE)
    assert "recorded in 1/min, the mechanism measures m/s there" in found.problems[0].message


def test_turns_per_minute_in_python_are_those_of_files(cart, tmp_path):
    made = poinsot.Recording.of(T, {"phi.rate": ANGLE}, units={"phi.rate": "1/min"}, noise={"phi.rate": 3.0})
    found = placed(placed(made, cart), cart)
    assert_allclose(found["phi.rate"], ANGLE * np.pi / 30)
    assert found.channels["phi.rate"].noise == pytest.approx(3 * np.pi / 30)
    assert "'phi.rate': 1/min → rad/s, as revolutions per minute" in found.steps


def test_advice_on_torques_lists_units_of_torques(cart, tmp_path):
    found = poinsot.read(table(tmp_path / "run.csv", {"t [s]": T, "pin.force [Nmmm]": ANGLE}), mechanism=cart)
    (said,) = [f for f in found.findings if f.code == "unknown unit"]
    assert "there are: N·m, Nm, mNm, Ncm" in said.message and " J" not in said.message


def test_a_unit_that_is_not_known_is_said(cart, tmp_path):
    file = table(tmp_path / "run.csv", {"t [s]": T, "x [furlong]": ANGLE, "phi [deg]": ANGLE})
    found = poinsot.read(file, mechanism=cart)
    (said,) = [f for f in found.findings if f.code == "unknown unit"]
    assert said.severity is Severity.WARNING and "'furlong' is no unit that is known" in said.message
    with pytest.raises(poinsot.PoinsotError, match=r"run.csv: column 'x \[furlong\]': 'furlong' is no unit that is"):
        poinsot.inverse_dynamics(cart, file)


HEADERS = {"time": "time_ms", "q": "q1_deg", "f": "force (N)", "x": "x [mm]"}


@pytest.fixture
def headed(tmp_path) -> Path:
    """A table whose headers have units, with a column of text."""
    rows = "".join(f"{5 * k},run,{k},{2 * k},{3 * k}\n" for k in range(30))
    (tmp_path / "run.csv").write_text("time_ms,mode,q1_deg,force (N),x [mm]\n" + rows)
    return tmp_path / "run.csv"


@pytest.mark.parametrize(
    "time", [None, "time_ms", "time", {"column": "time_ms"}, {"column": "time_ms", "unit": "ms"}]
)
@pytest.mark.parametrize("short", [False, True])
def test_columns_are_named_by_their_headers_with_or_without_units(headed, time, short):
    named = {"q": "q1", "f": "force", "x": "x"} if short else {k: HEADERS[k] for k in ("q", "f", "x")}
    rec = poinsot.read(headed, columns=named, time=time)
    assert_allclose(rec.t, 0.005 * np.arange(30))
    assert rec.units == {"q": "rad", "f": "N", "x": "m"}
    assert_allclose(rec["x"], 0.003 * np.arange(30))


def test_a_header_with_its_unit_names_one_of_two_columns(tmp_path):
    rows = "".join(f"{k},{k},{k / 57.29577951308232}\n" for k in range(30))
    (tmp_path / "run.csv").write_text("t,pos_deg,pos_rad\n" + rows)
    rec = poinsot.read(tmp_path / "run.csv", columns={"a": "pos_deg", "b": "pos_rad"})
    assert_allclose(rec["a"], rec["b"], atol=1e-12)
    assert "'b': read from column 'pos_2'" in rec.steps


@pytest.mark.parametrize(
    "asked", [{"columns": {"q": "q1_dge"}}, {"time": "tme_ms"}, {"columns": {"q": {"column": 9}}}]
)
def test_an_unknown_column_is_told_with_all_headers_and_the_nearest(headed, asked):
    with pytest.raises(poinsot.PoinsotError) as error:
        poinsot.read(headed, **asked)
    assert "there are: time_ms, mode, q1_deg, force (N), x [mm]" in str(error.value)
    nearest = {"columns": "q1_deg", "time": "time_ms"}[next(iter(asked))]
    assert f"did you mean '{nearest}'?" in str(error.value) or "no column 9" in str(error.value)


def test_a_column_of_text_that_is_asked_for_is_told_to_hold_no_numbers(headed):
    with pytest.raises(poinsot.PoinsotError, match="column 'mode' holds no numbers"):
        poinsot.read(headed, columns={"m": "mode", "q": "q1_deg"})


def test_columns_of_parquet_are_named_by_their_headers(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pandas.DataFrame({"time_ms": 5 * T, "q1 [deg]": T}).to_parquet(tmp_path / "run.parquet")
    rec = poinsot.read(tmp_path / "run.parquet", columns={"q": "q1 [deg]"}, time="time_ms")
    assert_allclose(rec["q"], np.radians(T))
