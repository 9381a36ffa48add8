"""Sensors ranked by what they add: against determinability, all sets, and other routes to the information."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.errors import PoinsotError
from poinsot.estimate.study import Run
from poinsot.experiment.sensors.ranking import JUDGES, best_of_all, in_turn
from poinsot.experiment.sensors.task import SensorsTask
from poinsot.model.mechanism import build

CRANK = {"theta1": {"period": "2.5 s", "sines": [0.4, 0.3], "cosines": [0.1], "offset": "70 deg"}}
SWING = {
    "q1": {"period": 2.0, "sines": [0.3, 0.1], "offset": 2.2},
    "q2": {"period": 1.4, "sines": [0.2], "offset": 0.9},
}


def asked(motion, **options):
    return {"task": "sensors", "motion": motion, **options}


def spatial_arm(turned=0.0):
    """Two links in space, turned as a whole about a slanted axis, gravity with them."""
    c, s = np.cos(turned), np.sin(turned)
    return build(
        {
            "format": 1,
            "name": "arm",
            "gravity": [9.81 * s, 0, -9.81 * c],
            "bodies": {
                "ground": {
                    "frames": {
                        "base": {"position": [0.3, 0, 0], "rotation": {"sequence": "XYZ", "angles": [0, -turned, 0]}}
                    }
                },
                "upper": {
                    "mass": 2.0,
                    "com": [0.1, 0.02, 0.05],
                    "inertia": [0.02, 0.03, 0.04],
                    "frames": {
                        "next": {"position": [0.4, 0, 0], "rotation": {"sequence": "XYZ", "angles": [1.1, 0, 0]}}
                    },
                },
                "lower": {"mass": 1.0, "com": [0.15, 0.01, 0.03], "inertia": [0.01, 0.02, 0.02]},
            },
            "joints": {
                "A": {"type": "revolute", "between": ["ground.base", "upper"], "actuated": True},
                "B": {"type": "revolute", "between": ["upper.next", "lower"], "actuated": True},
            },
            "coordinates": {"a": {"joint": "A"}, "b": {"joint": "B"}},
        }
    )


WAVES = {"a": {"period": 3.0, "sines": [0.5, 0.4, 0.2]}, "b": {"period": 3.0, "sines": [0.3], "cosines": [0.6, 0.3]}}


@pytest.fixture(scope="module")
def bar():
    return poinsot.design(poinsot.load("four_bar"), asked(CRANK), noise={"*": 0.05})


def signals(table):
    return {
        name: poinsot.Fourier(
            2 * np.pi / float(str(x["period"]).removesuffix(" s")),
            tuple(x.get("sines", ())),
            tuple(x.get("cosines", ())),
            np.radians(70) if x.get("offset") == "70 deg" else x.get("offset", 0.0),
        )
        for name, x in table.items()
    }


@pytest.mark.parametrize(
    "mechanism, motion, channels",
    [
        (poinsot.load("four_bar"), CRANK, ["A", "reaction B"]),
        (poinsot.load("five_bar"), SWING, ["actuators", "reaction elbow1"]),
        (spatial_arm(0.7), WAVES, ["actuators", "reaction A"]),
    ],
    ids=["four_bar", "five_bar", "arm"],
)
def test_predictions_are_those_of_determinability(mechanism, motion, channels):
    found = poinsot.design(mechanism, asked(motion), channels=channels, noise=0.05)
    t = np.arange(found.samples) / 100
    told = poinsot.determinable(mechanism, signals(motion), t, channels, noise=0.05)
    assert set(found.undetermined) == set(told.undetermined)
    known = [p.name for p in found.predictions if np.isfinite(p.deviation)]
    assert_allclose([found[n].deviation for n in known], [told[n].deviation for n in known], rtol=1e-6)


def test_what_becomes_determinable_by_a_sensor_is_what_was_not_before(bar):
    names = [one.name for one in bar.ranking]
    t = np.arange(bar.samples) / 100
    for place, one in enumerate(bar.ranking, 1):
        told = poinsot.determinable(poinsot.load("four_bar"), signals(CRANK), t, names[:place], noise=0.05)
        now = {p.name for p in told.findings} - set(told.undetermined)
        before = {n for earlier in bar.ranking[: place - 1] for n in earlier.gained}
        assert now == before | set(one.gained)
        rest = [n for n in names if n != one.name]
        left = poinsot.determinable(poinsot.load("four_bar"), signals(CRANK), t, rest, noise=0.05).undetermined
        assert set(left) == set(one.only)  # all sensors together tell everything


def test_information_adds_up_and_falls_from_sensor_to_sensor(bar):
    added = [one.added for one in bar.ranking]
    assert added == sorted(added, reverse=True) and min(added) > 0
    for one in bar.ranking:
        assert one.lost <= one.added + 1e-9 <= one.alone + 1e-6
    assert_allclose(bar.ranking[0].added, bar.ranking[0].alone)
    assert_allclose(bar.ranking[-1].added, bar.ranking[-1].lost)


@pytest.mark.parametrize("criterion", ["D", "A"])
def test_the_chosen_set_is_the_best_of_all(criterion):
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((9, 4, 5)) * 10 ** rng.uniform(-1, 1, (9, 1, 5))
    F, prior, judge = rows.transpose(0, 2, 1) @ rows, np.eye(5), JUDGES[criterion]
    best, sure = best_of_all(F, prior, judge, 3)
    values = {c: float(judge(prior + F[list(c)].sum(axis=0))) for c in combinations(range(9), 3)}
    assert sure and tuple(best) == max(values, key=lambda c: values[c])
    bound = (1 - 1 / np.e) * (max(values.values()) - float(judge(prior)))
    taken = tuple(sorted(in_turn(F, prior, judge)[:3]))
    assert criterion == "A" or values[taken] - float(judge(prior)) >= bound


def test_units_and_a_turned_frame_change_nothing():
    straight, turned = (
        poinsot.design(spatial_arm(angle), asked(WAVES), ["upper.mass", "lower.mass", "lower.com.x"], noise=0.1)
        for angle in (0.0, 0.7)
    )
    assert [one.name for one in straight.ranking] == [one.name for one in turned.ranking]
    assert_allclose([one.added for one in straight.ranking], [one.added for one in turned.ranking], rtol=1e-6)


def test_more_noise_makes_a_sensor_worth_less():
    bar = poinsot.load("four_bar")
    quiet, loud = (
        poinsot.design(bar, asked(CRANK), channels=["A", "reaction B"], noise={"A": 0.05, "reaction B": sigma})
        for sigma in (0.05, 5.0)
    )
    assert loud.sensor("reaction B").alone < quiet.sensor("reaction B").alone
    assert loud.sensor("A").alone == pytest.approx(quiet.sensor("A").alone)


def test_what_is_known_besides_counts():
    bar = poinsot.load("four_bar")
    known = {"link2.mass": {"prior": 2.3, "deviation": 0.001}, "link3.mass": {}}
    found = poinsot.design(bar, asked(CRANK), known, channels=["A"], noise=0.05)
    plain = poinsot.design(bar, asked(CRANK), list(known), channels=["A"], noise=0.05)
    assert found["link2.mass"].deviation <= 0.001 < plain["link2.mass"].deviation
    assert found["link3.mass"].deviation < plain["link3.mass"].deviation


def test_the_motion_of_a_recording_is_that_of_the_series():
    bar, t = poinsot.load("four_bar"), np.arange(0, 5, 0.01)
    run = poinsot.kinematics(bar, signals(CRANK), t)
    rec = poinsot.Recording.of(t, {"theta1": run.coordinates["theta1"]})
    study = poinsot.DesignStudy(
        bar, SensorsTask(), runs=(Run("run", rec),), channels=("A", "reaction B"), noise={"*": 0.1}
    )
    recorded, given = study.solve(), poinsot.design(bar, asked(CRANK, periods=2), channels=study.channels, noise=0.1)
    assert_allclose([one.alone for one in recorded.ranking], [one.alone for one in given.ranking], rtol=0.02)


def test_components_of_a_load_cell_can_be_ranked_one_by_one():
    single = poinsot.design(
        poinsot.load("four_bar"), asked(CRANK, single=True, count=2), channels=["A", "reaction B"], noise=0.1
    )
    names = {one.name for one in single.ranking}
    assert names == {"A", "reaction B.fx", "reaction B.fy", "reaction B.tz"}
    assert len(single.chosen) == 2 and single.best
    assert single.sensor("reaction B.tz").alone == pytest.approx(0, abs=1e-6)  # a hinge transmits no moment


@pytest.mark.parametrize(
    "given, text",
    [
        ({"task": {"task": "sensors"}}, "give the option 'motion'"),
        ({"task": asked({"theta1": {"sines": [1]}})}, "needs a period"),
        ({"task": asked({"theta1": {"period": -1}})}, "is positive"),
        ({"task": asked({"theta1": {"period": 1, "wave": 2}})}, "there is no entry 'wave'"),
        ({"task": asked({"theta9": {"period": 1}})}, "there is no coordinate 'theta9'"),
        ({"task": asked(CRANK, count=9)}, "9 of 1 sensors cannot be chosen"),
        ({"task": asked(CRANK, criterion="E")}, "there is no criterion of sensors 'E'"),
        ({"noise": None}, "give the standard deviation of A"),
        ({"channels": ["nothing"]}, "there is no channel 'nothing'"),
        ({"unknowns": ["nothing"]}, "nothing"),
    ],
)
def test_bad_input_is_one_sentence(given, text):
    options = {"task": asked(CRANK), "channels": ["A"], "noise": 0.1, **given}
    with pytest.raises(PoinsotError, match=text):
        poinsot.design(poinsot.load("four_bar"), **options)


def test_the_library_ranks_the_load_cells_of_a_four_bar(tmp_path):
    found = poinsot.design("four_bar_sensors")
    assert len(found.chosen) == 3 and len(found.ranking) == 5 and found.best
    found.save(tmp_path / "out")
    assert len((tmp_path / "out" / "errors.csv").read_text().splitlines()) == 13
    assert "adds [bit]" in str(found)
