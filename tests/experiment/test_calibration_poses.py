"""Poses for calibration: predicted errors against identifications, closed forms and random poses."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import poinsot
from poinsot.errors import PoinsotError
from poinsot.estimate.study import Unknown
from poinsot.experiment.study_file import read_design
from poinsot.model.mechanism import build
from poinsot.recording.recording import Recording
from tests.estimate.geometry.machines import (
    ARM,
    BARS,
    FRAMES,
    NOISE,
    OFFSETS,
    POINTS,
    SELF,
    arm,
    five_bar,
    legs,
    stewart,
)
from tests.generated.share import share

NAMES = POINTS + OFFSETS
BOX = {"[xy]": 0.06, "z": [0.24, 0.36], "[abc]": 0.3}
SHOULDERS = {"e1": ["107 deg", "153 deg"], "e2": ["27 deg", "73 deg"]}
ENCODERS = ["e1", "e2", "e3", "e4"]
SPREAD = {"j*": 2e-5, "[xyz]": 3e-5}  # [rad], [m]


def asked(poses, candidates=500, **options):
    return {"task": "calibration", "poses": poses, "candidates": candidates, **options}


def recorded(design):
    """The readings that the design expects, without noise."""
    count = len(next(iter(design.readings.values())))
    return Recording.of(np.arange(count, dtype=float), dict(design.readings))


@pytest.fixture(scope="module")
def platform():
    return poinsot.design(stewart(), asked(60), NAMES, limits=BOX, noise=NOISE)


@pytest.fixture(scope="module")
def bars():
    return poinsot.design(five_bar(), asked(12), SELF, limits=SHOULDERS, channels=ENCODERS, noise=2e-5)


def test_predicted_errors_are_those_of_an_identification_there(platform):
    found = poinsot.identify(stewart(), recorded(platform), NAMES, noise=NOISE, problem="geometry")
    assert platform.undetermined == found.undetermined == ()
    assert_allclose(platform.deviation, found.deviation, rtol=1e-5)


def test_predicted_errors_are_those_of_legs_in_closed_form(platform):
    """All 42 + 6 · 60 unknowns at once, by differences."""
    poses = np.column_stack(list(platform.poses.values()))
    model, n = stewart(), len(poses)
    x = np.concatenate([[model.parameters[name].value for name in NAMES], poses.ravel()])
    sigma = np.repeat([1e-5, 2e-5, 5e-5], [6, 3, 3])

    def whitened(x):
        X = x[42:].reshape(n, 6)
        h = np.column_stack([legs(x[:36].reshape(6, 2, 3), x[36:42], X[:, :3], X[:, 3:]), X])
        return (h / sigma).ravel()

    J = np.stack([(whitened(x + e) - whitened(x - e)) / 2e-6 for e in 1e-6 * np.eye(len(x))], axis=1)
    expected = np.sqrt(np.diagonal(np.linalg.inv(J.T @ J)))[:42]
    assert_allclose(platform.deviation, expected, rtol=1e-4)


def test_chosen_poses_are_better_than_random_ones(platform, bars):
    assert platform.gain > 2 and bars.gain > 1.8
    assert np.all(platform.deviation < platform.random)
    assert 0.98 < platform.efficiency <= 1 and 0.98 < bars.efficiency <= 1
    assert all(not limit.excess for limit in (*platform.limits, *bars.limits))


@pytest.mark.slow
def test_frames_that_no_pose_shows_are_named():
    both = poinsot.design(stewart(), asked(60), [*NAMES, *FRAMES[0], *FRAMES[1]], limits=BOX, noise=NOISE)
    assert set(both.undetermined) == {*POINTS, *FRAMES[0], *FRAMES[1]}
    assert len(both.together) == 36 and "not determined by this experiment: leg1.foot.x" in str(both)


def test_a_five_bar_that_calibrates_itself(bars):
    found = poinsot.identify(five_bar(), recorded(bars), SELF, problem="geometry")
    assert_allclose(bars.deviation, found.deviation, rtol=1e-5)
    angles = poinsot.design(
        five_bar(), asked(12), ["ground.right.x", *SELF], limits=SHOULDERS, channels=ENCODERS, noise=2e-5
    )
    assert set(angles.undetermined) == {"ground.right.x", *BARS}  # angles do not tell the size of a machine


def test_what_is_known_besides_counts():
    known = [Unknown("ground.right.x", prior=0.075, deviation=1e-5), *map(Unknown, SELF)]
    found = poinsot.design(five_bar(), asked(12), known, limits=SHOULDERS, channels=ENCODERS, noise=2e-5)
    assert found.undetermined == ()
    assert_allclose(found["ground.right.x"].deviation, 1e-5)  # angles say nothing of it


def test_a_serial_arm_as_an_identification_sees_it():
    found = poinsot.design(arm(), asked(25), ARM, limits={"j*": "70 deg"}, noise=SPREAD)
    told = poinsot.identify(arm(), recorded(found), ARM, noise=SPREAD, problem="geometry")
    assert set(found.undetermined) == set(told.undetermined) == {"link2.next.z", "link3.next.z", "link6.next.angle1"}
    assert [one.name for one in found.together] == ["link3.next.z + link2.next.z"]
    single = np.isfinite(told.deviation)
    assert_allclose(found.deviation[single], told.deviation[single], rtol=1e-5)


def scaled(document, factor):
    """A planar document with all places times a factor."""
    bodies = {}
    for name, body in document["bodies"].items():
        frames = {n: [_times(x, factor) for x in place] for n, place in body.get("frames", {}).items()}
        bodies[name] = {**body, **({"frames": frames} if frames else {})}
    return build({**document, "bodies": bodies})


def _times(x, factor):
    return factor * (float(x.removesuffix(" mm")) / 1000 if isinstance(x, str) else x)


def test_poses_do_not_depend_on_the_size_of_a_machine(bars):
    large = scaled(dict(five_bar().document), 50.0)
    found = poinsot.design(large, asked(12), SELF, limits=SHOULDERS, channels=ENCODERS, noise=2e-5)
    assert_allclose(found.poses["e1"], bars.poses["e1"], rtol=1e-9)
    assert_allclose(found.deviation / bars.deviation, [50] * 4 + [1] * 4, rtol=1e-5)


def test_a_seed_gives_the_same_poses_again(bars):
    again, other = (
        poinsot.design(five_bar(), asked(12), SELF, limits=SHOULDERS, channels=ENCODERS, noise=2e-5, seed=seed)
        for seed in (0, 1)
    )
    assert_array_equal(again.poses["e1"], bars.poses["e1"])
    assert not np.array_equal(other.poses["e1"], bars.poses["e1"])


@pytest.mark.parametrize("candidates", [100, 300, 700])
def test_as_many_poses_are_drawn_as_are_asked_for(candidates):
    found = poinsot.design(
        five_bar(), asked(12, candidates), SELF, limits=SHOULDERS, channels=ENCODERS, noise=2e-5, seed=1
    )
    assert found.drawn == candidates and 12 < found.candidates <= candidates
    assert f"({candidates} drawn)" in str(found)


def test_a_design_is_written_with_what_the_machine_needs(bars, tmp_path):
    bars.save(tmp_path / "out")
    lines = (tmp_path / "out" / "poses.csv").read_text().splitlines()
    heads = '"t [s]","e1 [rad]","e2 [rad]","e3 [rad]","e4 [rad]","set e1 [rad]","set e2 [rad]"'
    assert lines[0] == heads and len(lines) == 13
    assert (tmp_path / "out" / "candidates.csv").exists()


def test_written_poses_are_a_recording_that_identify_takes_as_it_is(bars, tmp_path):
    read = poinsot.read(bars.save(tmp_path / "out") / "poses.csv")
    assert {read.channels[name].unit for name in ENCODERS} == {"rad"}
    found = poinsot.identify(five_bar(), read, SELF, problem="geometry")
    assert_allclose(found.deviation, bars.deviation, rtol=1e-5)  # set points are not counted as measured


def test_a_coordinate_that_encoders_read_counts_once():
    on = {"eA": "A", "eB": "B", "eD": "D"}
    sensors = {n: {"type": "encoder", "on": {"joint": j}, "offset": 0, "noise": 2e-5} for n, j in on.items()}
    four_bar = build({**dict(poinsot.load("four_bar").document), "sensors": sensors})
    names = ["link1.B.x", "link3.D.x", *(f"{name}.offset" for name in on)]
    whole = {"limits": {"theta1": ["0 deg", "360 deg"]}, "noise": 2e-5}
    found = poinsot.design(four_bar, asked(12), names, **whole)
    assert tuple(found.readings) == tuple(on)  # theta1 is eA, theta2 is eA + eB, theta3 is −eD
    both = poinsot.design(four_bar, asked(12), names, channels=["theta1", *on], **whole)
    assert tuple(both.readings) == ("theta1", *on)  # two instruments, since both are named
    assert "measured in every pose: theta1, eA, eB, eD" in str(both)


@pytest.mark.parametrize(
    "given, text",
    [
        ({"limits": {"e1": ["107 deg", "153 deg"]}, "pose": False}, "have 2 freedoms"),
        ({"limits": {**SHOULDERS, "x": [1.0, 2.0]}}, "'x' is violated by at least 0.8"),
        ({"limits": {"e1": ["170 deg", "179 deg"], "e2": ["1 deg", "10 deg"]}}, "the machine reaches none of them"),
        ({"channels": ["e1", "nothing"]}, "there is no coordinate or encoder to measure 'nothing'"),
        ({"noise": {"e1": 1e-5}}, "give the standard deviation of x"),
        ({"unknowns": None}, "name the unknowns"),
        ({"task": asked(12, criterion="X")}, "there is no criterion of calibration 'X'"),
        ({"task": asked(600)}, "of 500 poses that were drawn are within the limits, and 600 are asked for"),
    ],
)
def test_bad_input_is_one_sentence(given, text):
    document = dict(five_bar().document)
    if not given.pop("pose", True):
        document = {**document, "pose": {}}
    options = {"limits": SHOULDERS, "channels": ENCODERS, "noise": 2e-5, "task": asked(12), "unknowns": SELF, **given}
    if options["noise"] != 2e-5:
        options["channels"] = ["x", "e1"]
    with pytest.raises(PoinsotError, match=text):
        poinsot.design(build(document), **options)


def test_entries_of_a_file_that_stand_in_its_table_of_the_design_are_told(tmp_path):
    lines = ['model = "five_bar"', "[design]", 'task = "calibration"', "poses = 12", "seed = 3"]
    (tmp_path / "design.toml").write_text("\n".join(lines))
    with pytest.raises(PoinsotError, match=r"design of calibration: 'seed' stands at the top of the file, above"):
        read_design(tmp_path / "design.toml")


@pytest.mark.slow
def test_the_library_has_poses_for_a_stewart_platform():
    found = poinsot.design("stewart_calibration")
    assert len(found.predictions) == 42 and found.undetermined == () and found.gain > 1.7
    assert len(found.poses["x"]) == 60 and not any(limit.excess for limit in found.limits)


@pytest.mark.slow
def test_identifications_from_noisy_readings_scatter_as_predicted(bars):
    rng, found, n = np.random.default_rng(0), [], len(share(range(100)))
    exact = recorded(bars)
    for _ in range(n):
        noisy = {name: x + 2e-5 * rng.standard_normal(len(x)) for name, x in exact.values.items()}
        found.append(poinsot.identify(five_bar(), Recording.of(exact.t, noisy), SELF, problem="geometry").value)
    spread = np.sqrt(np.mean((np.array(found) - [p.nominal for p in bars.predictions]) ** 2, axis=0))
    assert_allclose(spread / bars.deviation, 1, atol=3.5 / np.sqrt(2 * n))


@pytest.mark.slow
def test_a_cluster_finds_the_same_poses(bars, tmp_path, monkeypatch):
    pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    monkeypatch.setenv("POINSOT_CACHE_DIR", str(tmp_path))  # nothing is kept from before
    found = poinsot.design(five_bar(), asked(12), SELF, limits=SHOULDERS, channels=ENCODERS, noise=2e-5, dask="local")
    assert_array_equal(found.poses["e1"], bars.poses["e1"])
    assert_array_equal(found.deviation, bars.deviation)
