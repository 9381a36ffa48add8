"""Excitation: limits kept between samples, files, priors, earlier recordings, limits that leave nothing."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.errors import PoinsotError
from poinsot.experiment.excitation.task import ExcitationTask
from tests.estimate.machines import ARM
from tests.experiment.machines import TURNED_SLIDER

SMALL = {"task": "excitation", "duration": "4 s", "harmonics": 3, "starts": 20, "polish": 1, "iterations": 60}
LIMITS = {"q*": ["-60 deg", "100 deg"], "q*.rate": 2.0, "q*.acceleration": 8.0}
CASES = {
    "arm": (poinsot.loads(ARM), {"coordinates": ["q1", "q2"]}, LIMITS | {"elbow.force": 9.0}),
    "five_bar": (poinsot.load("five_bar"), {}, {"*.rate": 1.5, "*.acceleration": 5.0}),
    "turned slider": (poinsot.loads(TURNED_SLIDER), {"shape": "spline"}, {"s": 0.3, "phi": 1.0, "*.rate": 1.0}),
    "point to point": (poinsot.loads(ARM), {"shape": "point-to-point", "points": 7}, LIMITS),
    "ramped": (poinsot.loads(ARM), {"ramp": "0.5 s", "periods": 2}, LIMITS),
}


@pytest.mark.parametrize("name", CASES)
def test_limits_hold_between_samples_and_ends_are_at_rest(name, tmp_path):
    machine, options, limits = CASES[name]
    found = poinsot.design(machine, SMALL | options, limits=limits, noise=0.1)
    t = np.linspace(0, found.duration, 5001)
    d = poinsot.inverse_dynamics(machine, found.motion, t)
    for coordinate, signal in found.motion.items():
        parts = dict(zip(("", ".rate", ".acceleration"), signal.at(t)))
        np.testing.assert_allclose([x[[0, -1]] for key, x in parts.items() if key], 0.0, atol=1e-9)
        for limit in found.limits:
            if limit.name.removeprefix(coordinate) in parts and limit.name.startswith(coordinate):
                x = parts[limit.name.removeprefix(coordinate)]
                slack = 2e-3 * (limit.upper - limit.lower)  # of this finer grid
                assert limit.lower - slack <= x.min() and x.max() <= limit.upper + slack, limit
    for limit in found.limits:
        assert limit.excess <= 1e-9
        if limit.name.endswith(".force"):
            force = d.forces[limit.name.removesuffix(".force")]
            assert limit.lower * 1.003 <= force.min() and force.max() <= limit.upper * 1.003
    assert found.binding
    assert found.figures["polished"]["criterion"][0] < found.figures["starts"]["criterion"][0]
    path = found.save(tmp_path / "design")
    rows = np.genfromtxt(path / "motion.csv", delimiter=",", names=True, deletechars="", encoding="utf-8")
    assert rows.shape[0] == round(found.duration * found.rate) + 1
    table = found.to_csv(tmp_path / "controller.csv", rate=50.0)
    whole = np.genfromtxt(table, delimiter=",", skip_header=1)
    first = next(iter(found.motion.values())).at(whole[:, 0])
    np.testing.assert_allclose(whole[:, 1:4], np.stack(first, axis=1), rtol=1e-9, atol=1e-9)
    with pytest.raises(PoinsotError, match="exists already"):
        found.to_csv(table)


def test_a_pose_that_the_drive_cannot_hold_leaves_no_motion():
    limits = {"theta1": [60.0, 61.0], "A.force": 0.5}  # many turns from the pose of the file
    with pytest.raises(PoinsotError, match=r"no motion keeps all limits.* (needs at least|must go to) .* (rad|N·m)"):
        poinsot.design(poinsot.load("four_bar"), SMALL | {"coordinates": ["theta1"]}, limits=limits, noise=0.1)


def test_the_same_seed_gives_the_same_motion_and_criteria_compare_as_they_should():
    machine, options, limits = CASES["arm"]
    a, b = (poinsot.design(machine, SMALL | options, limits=limits, noise=0.1, seed=3) for _ in range(2))
    assert a.motion == b.motion
    for criterion in ("A", "E", "condition"):
        more = options | {"criterion": criterion, "starts": 60, "polish": 2, "iterations": 200}
        other = poinsot.design(machine, SMALL | more, limits=limits, noise=0.1, seed=3)
        assert other.criteria[criterion] < a.criteria[criterion], criterion
        assert other.criteria["D"] > a.criteria["D"]


def test_what_no_motion_tells_has_no_number_and_priors_count():
    four_bar = poinsot.load("four_bar")
    task = SMALL | {"coordinates": ["theta1"]}
    limits = {"theta1": 3.0, "theta1.rate": 2.0, "theta1.acceleration": 8.0}
    bare = poinsot.design(four_bar, task, limits=limits, noise=0.1)
    assert "link1.m" in bare.undetermined and np.isnan(bare["link2.J"].deviation)
    assert len(bare.combinations) == 8
    assert all(text in str(bare) for text in bare.combinations if "link1.my" not in text)
    names = {"link2.mass": {"prior": 2.3, "deviation": 1e-3}, "link3.mass": {}}
    known = poinsot.design(four_bar, task, names, limits=limits, noise=0.1)
    assert known["link2.mass"].deviation <= 1e-3
    assert not known.undetermined


def test_earlier_recordings_count():
    """A recording that tells one unknown well leaves the motion to the other."""
    arm, t = poinsot.loads(ARM), np.arange(0, 6, 0.01)
    motion = {
        "q1": poinsot.Fourier(2.0, (0.5, 0.3), (0.1,), 0.3),
        "q2": poinsot.Fourier(2.0, (0.2,), (0.4, 0.2), 0.5),
    }
    d = poinsot.inverse_dynamics(arm, motion, t)
    rng = np.random.default_rng(0)
    values = {name: d.kinematics.coordinates[name] for name in motion}
    values |= {name: force + 0.05 * rng.standard_normal(len(t)) for name, force in d.forces.items()}
    recording = poinsot.Recording.of(t, values)
    estimate = poinsot.identify(arm, recording, ["upper.J", "lower.J"])
    task = ExcitationTask.of({k: v for k, v in SMALL.items() if k != "task"} | {"coordinates": ["q1", "q2"]}, arm)
    unknowns = (poinsot.Unknown("upper.J"), poinsot.Unknown("lower.J"))
    from poinsot.experiment.limits import limits_of

    given = dict(mechanism=arm, task=task, unknowns=unknowns, limits=limits_of(LIMITS, arm), noise={"*": 0.5})
    alone = poinsot.DesignStudy(**given).solve()
    after = poinsot.DesignStudy(**given, runs=(poinsot.Run("first", recording),)).solve()
    assert np.all(after.deviation < estimate.deviation)
    assert np.all(after.deviation < alone.deviation)


def test_a_speed_for_friction_is_kept():
    machine, options, limits = CASES["arm"]
    slow, fast = (
        poinsot.design(machine, SMALL | options | {"speed": speed}, ["lower.mx"], limits=limits, noise=0.1)
        for speed in ({}, {"q2": 0.9})
    )
    t = np.arange(0, 4, 0.01)
    before, after = (np.sqrt(np.mean(one.motion["q2"].at(t)[1] ** 2)) for one in (slow, fast))
    assert before < 0.9 <= after + 1e-6
    assert slow.criteria["D"] < fast.criteria["D"]


def shares(rate: np.ndarray, low: float, high: float) -> np.ndarray:
    """Share of time in each fifth of a band, counted."""
    counts, _ = np.histogram(np.abs(rate), np.linspace(low, high, 6))
    return counts / len(rate)


def test_a_band_of_speeds_gets_its_time():
    machine, options, limits = CASES["arm"]
    given = SMALL | options | {"harmonics": 4, "ramp": "0.5 s"}
    free, banded = (
        poinsot.design(machine, given | {"speed": speed}, ["lower.mx"], limits=limits, noise=0.1)
        for speed in ({}, {"q1": ["0 rad/s", "1.2 rad/s"], "q2": [0.1, "1.6 rad/s"]})
    )
    t = np.linspace(0.5, 4.5, 16_001)
    before, after = (
        np.concatenate([shares(one.motion[n].at(t)[1], *ends) for n, ends in (("q1", (0, 1.2)), ("q2", (0.1, 1.6)))])
        for one in (free, banded)
    )
    assert before.min() < 0.05 <= after.min() + 1e-3
    told = [limit for limit in banded.limits if limit.name.startswith("time of")]
    np.testing.assert_allclose([limit.least for limit in told], after, atol=0.02)  # counted at 641 times
    assert "time of q2 at 0.1 … 0.4 rad/s" in str(banded)
    assert all(limit.excess <= 1e-9 for limit in banded.limits)
    assert free.criteria["D"] < banded.criteria["D"]


@pytest.mark.parametrize(
    ("limits", "options", "words"),
    [
        (
            LIMITS | {"q1": ["-20 deg", "40 deg"], "shoulder.force": 1.0},
            {},
            r"drive 'shoulder' needs at least 12\.\d+ N·m",
        ),
        (LIMITS, {"speed": {"q1": 5.0}}, r"the q1 rms rate is at most \d.*, and 5 is asked for"),
        (
            LIMITS,
            {"speed": {"q1": [1.0, 9.0]}},
            r"the time of q1 at .* rad/s is at most .* of all, and 0\.05 is asked for",
        ),
        ({"q1": 1.0}, {}, "nothing limits the motion of 'q2'"),
        (LIMITS, {"condition": 1.01}, "condition number is"),
    ],
)
def test_limits_that_leave_no_motion_are_named(limits, options, words):
    with pytest.raises(PoinsotError, match=words):
        poinsot.design(poinsot.loads(ARM), SMALL | {"coordinates": ["q1", "q2"]} | options, limits=limits, noise=0.1)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"harmonics": [1]}, "two harmonics"),
        ({"harmonics": "many"}, "whole numbers"),
        ({"shape": "circle"}, "shape of an excitation"),
        ({"criterion": "interplay"}, "criterion of an excitation"),
        ({"shape": "spline", "ramp": 1.0}, "ramps are for periodic motions"),
        ({"coordinates": ["q1"]}, "mobility 2"),
        ({"duration": "-1 s"}, "duration"),
        ({"speed": {"nobody": 1.0}}, "nobody"),
        ({"points": 3}, "points"),
        ({"speed": {"q1": [2.0, 1.0]}}, "slow and fast"),
        ({"speed": {"q1": [1.0]}}, "slow and fast"),
        ({"speed": {"q1": -1.0}}, "counted to both sides"),
        ({"aim": {"upper.m": 0.1}}, "told only together with others"),
        ({"aim": {"nobody": 0.1}}, "nobody"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, words):
    with pytest.raises(PoinsotError, match=words):
        poinsot.design(poinsot.loads(ARM), SMALL | options, limits=LIMITS, noise=0.1)
    with pytest.raises(PoinsotError, match="noise of channel"):
        poinsot.design(poinsot.loads(ARM), SMALL, limits=LIMITS)
