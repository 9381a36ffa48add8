"""Unknowns by the names that users have for them: what a payload adds, and numbers that a file leaves out."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import poinsot
from poinsot.errors import PoinsotError
from poinsot.estimate.study import unknowns_of

BAR, T = poinsot.load("four_bar"), np.linspace(0, 4, 401)
MOTION = {"theta1": poinsot.Fourier(3.14, (0.5, 0.2), (0.1,), 1.2)}


def recorded(mechanism: poinsot.Mechanism) -> poinsot.Recording:
    run = poinsot.inverse_dynamics(mechanism, MOTION, T)
    return poinsot.Recording.of(T, {"theta1": run.kinematics.coordinates["theta1"], "A": run.forces["A"]})


def test_what_a_payload_adds_is_found_by_the_name_of_the_unknown():
    heavy = BAR.with_parameters({"link2.mass": BAR.bodies["link2"].mass + 0.4})
    runs = (
        poinsot.Run("bare", recorded(BAR)),
        poinsot.Run("loaded", recorded(heavy), role="payload", against="bare"),
    )
    added = poinsot.Unknown("link2.m", payload=True)
    found = poinsot.identify(poinsot.Study(BAR, runs, (added,)))
    assert found.names == ("payload link2.m",)
    assert found["link2.m"] is found["payload link2.m"]
    both = poinsot.identify(poinsot.Study(BAR, runs, (poinsot.Unknown("link3.J"), poinsot.Unknown("link2.m"), added)))
    assert both["link2.m"].name == "link2.m"
    with pytest.raises(PoinsotError, match=r"there is no unknown of this study 'link1.m'"):
        found["link1.m"]


@pytest.mark.parametrize("problem", ["geometry", "output", "forces"])
def test_an_offset_that_the_file_leaves_out_is_told_how_to_be_added(problem):
    document = copy.deepcopy(dict(BAR.document))
    document["sensors"] = {"enc": {"type": "encoder", "on": {"joint": "A"}}}
    mechanism, rec = poinsot.build(document), recorded(BAR)
    with pytest.raises(PoinsotError, match=r"no parameter 'enc.offset': add offset = 0 to sensors.enc in the model"):
        poinsot.identify(mechanism, rec, ["enc.offset"], problem=problem)
    with pytest.raises(PoinsotError, match=r"there is no parameter 'enc.ofset'(?!: add)"):
        poinsot.identify(mechanism, rec, ["enc.ofset"], problem=problem)


SENSORS = """
[sensors.enc]
type = "encoder"
on = { joint = "A" }
[sensors.trq]
type = "drive-force"
actuator = "A"
"""


@pytest.mark.parametrize(
    ("name", "table", "expected"),
    [
        ("delay trq", {"bounds": [0, "100 ms"]}, {"lower": 0.0, "upper": 0.1}),
        ("delay sensor trq", {"prior": "70 ms", "deviation": "5 ms"}, {"prior": 0.07, "deviation": 0.005}),
        ("delay *", {"start": "1 ms"}, {"start": 0.001}),
        ("offset trq", {"prior": 0, "deviation": "100 N·mm"}, {"deviation": 0.1}),
        ("offset A", {"bounds": ["-1 N·m", 1]}, {"lower": -1.0, "upper": 1.0}),
        ("offset enc", {"bounds": ["-180 deg", "180 deg"]}, {"lower": -np.pi, "upper": np.pi}),
        ("offset reaction B.fx", {"start": "2 kN"}, {"start": 2000.0}),
        ("offset recorded", {"start": "2 mm"}, {"start": 0.002}),
        ("gain trq", {"bounds": ["-0.1", 0.1]}, {"lower": -0.1, "upper": 0.1}),
    ],
)
def test_values_of_measuring_chains_take_the_units_of_their_channels(name, table, expected):
    (found,) = unknowns_of({name: table}, poinsot.loads(poinsot.dumps(BAR) + SENSORS))
    assert {key: getattr(found, key) for key in expected} == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("delay trq", "1 mm", "delay trq: expected a quantity in s, got '1 mm'"),
        ("offset trq", "1 N", "offset trq: expected a quantity in N·m, got '1 N'"),
        ("offset A", "1 deg", "offset A: expected a quantity in N·m, got '1 deg'"),
        ("gain trq", "1 N", "gain trq: expected a quantity in -, got '1 N'"),
        ("offset *", "1 N", r"values for 'offset \*' would be for channels of several units: N·m, rad"),
    ],
)
def test_values_of_measuring_chains_in_other_units_are_refused(name, text, message):
    with pytest.raises(PoinsotError, match=message):
        unknowns_of({name: {"start": text}}, poinsot.loads(poinsot.dumps(BAR) + SENSORS))


def test_a_delay_that_is_bounded_in_milliseconds_is_found():
    mechanism = poinsot.loads(poinsot.dumps(BAR) + SENSORS)
    late = recorded(BAR)
    shifted = np.interp(T - 0.03, T, late["A"])
    rec = poinsot.Recording.of(T, {"theta1": late["theta1"], "A": shifted})
    found = poinsot.identify(mechanism, rec, {"link3.J": {}, "delay A": {"bounds": [0, "100 ms"]}})
    assert found["delay A"].value == pytest.approx(0.03, abs=2e-3)


def test_a_pattern_takes_what_the_model_file_holds_and_the_model_is_written(tmp_path):
    five = poinsot.load("five_bar")
    motion = {"q1": poinsot.Fourier(2.2, (0.3, 0.1), (0.2,), 2.0), "q2": poinsot.Fourier(0.9, (0.2,), (0.3,), 2.0)}
    run = poinsot.inverse_dynamics(five, motion, T)
    rec = poinsot.Recording.of(T, {**{n: run.kinematics.coordinates[n] for n in motion}, **run.forces})
    joint = next(iter(five.actuators))
    found = poinsot.identify(five, rec, [f"{joint}.*"])
    assert found.names == (f"{joint}.drive_inertia", f"{joint}.viscous", f"{joint}.coulomb")
    assert poinsot.identify(five, rec, [f"{joint}.*", f"{joint}.offset"]).names == (*found.names, f"{joint}.offset")
    assert poinsot.identify(five, rec, ["*.offset"]).names == tuple(f"{name}.offset" for name in five.actuators)
    found.save(tmp_path / "out")
    assert (tmp_path / "out" / "model.toml").exists()
