"""Studies of geometric calibration: files, and what is said where something is missing."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.errors import PoinsotError
from poinsot.estimate.problems.space import space_of
from poinsot.estimate.study import Unknown
from poinsot.model.mechanism import build
from poinsot.recording.recording import RecordedChannel, Recording
from tests.estimate.geometry.machines import ENCODERS, SELF, five_bar, five_bar_poses, off_nominal, stewart


@pytest.fixture(scope="module")
def run():
    built = off_nominal(five_bar(), dict.fromkeys(SELF, 1e-3), np.random.default_rng(1))
    return five_bar_poses(built, 40, np.random.default_rng(2))


def identify(run, unknowns=SELF, model=None, **more):
    return poinsot.identify(model or five_bar(), run, unknowns, problem="geometry", **more)


def test_a_study_file_says_everything(tmp_path, run):
    poinsot.save(five_bar(), tmp_path / "rig.toml")
    run.to_frame().to_csv(tmp_path / "poses.csv")
    (tmp_path / "study.toml").write_text(
        """
format = 1
model = "rig.toml"
problem = "geometry"
method = "levenberg-marquardt"

[recordings.poses]
file = "poses.csv"
to = 29

[recordings.others]
file = "poses.csv"
from = 29.5
role = "validate"

[unknowns]
"crank?.elbow.x" = { bounds = ["190 mm", "210 mm"] }
"forearm?.tool.x" = {}
"e?.offset" = { prior = 0, deviation = "20 deg" }

[noise]
"e*" = "2e-5 rad"
"""
    )
    told = poinsot.identify(tmp_path / "study.toml")
    plain = identify(run.between(0, 29))
    np.testing.assert_allclose(told.value, plain.value, rtol=0, atol=0.05 * plain.deviation.min())
    assert "predicts held-out runs" in told.verdict
    told.save(tmp_path / "found")
    again = poinsot.load(tmp_path / "found" / "model.toml")
    assert again.parameters["crank1.elbow.x"].value == pytest.approx(told["crank1.elbow.x"].value)


def test_a_parameter_of_one_copy_is_an_unknown_though_all_share_it():
    document = dict(stewart().document)
    leg = {key: value for key, value in document["instances"]["leg"].items() if key != "separate"}
    shared = build({**document, "instances": {"leg": leg}})
    assert "leg.encoder.offset" in shared.parameters
    _, space, _ = space_of(shared, [Unknown("leg?.encoder.offset")])
    assert space.names == tuple(f"leg{k}.encoder.offset" for k in range(1, 7))


def test_too_few_poses_are_refused(run):
    with pytest.raises(
        PoinsotError, match="too few poses: 3 of them leave 6 readings for 8 unknowns; measure at lea"
    ):
        identify(run.between(0, 2))


def test_poses_without_redundancy_are_refused(run):
    with pytest.raises(PoinsotError, match="no pose has more readings than freedoms"):
        identify(run.only(["e1", "e2"]))


def test_a_pose_that_cannot_be_reached_is_named(run):
    values = {name: np.array(x) for name, x in run.values.items()}
    values["e3"][11] += 1.5
    with pytest.raises(PoinsotError, match=r"sample 12 of run 'run1' cannot be reached: no configuration of the mod"):
        identify(Recording.of(run.t, values))


def test_a_pose_that_cannot_be_reached_is_left_out_when_asked(run):
    values = {name: np.array(x) for name, x in run.values.items()}
    values["e3"][11] += 1.5
    assert not identify(run, processing={"robust": True}).numerics
    found = identify(Recording.of(run.t, values), processing={"robust": True})
    assert len(found.numerics) == 1 and "Left out: sample 12 of run 'run1' cannot be reached" in found.numerics[0]
    others = np.arange(len(run)) != 11
    plain = identify(Recording.of(run.t[others], {name: x[others] for name, x in run.values.items()}))
    np.testing.assert_allclose(found.value, plain.value, rtol=0, atol=1e-3 * plain.deviation.min())


def test_a_place_beyond_the_reach_is_named(run):
    x = np.full(len(run), 0.0)
    x[4] = 5.0
    places = run.with_channels({"x": x}, {"x": RecordedChannel("x", "m")})
    places = places.masked(np.arange(len(run)) != 4, "seen once", ["x"])
    with pytest.raises(
        PoinsotError, match=r"sample 5 of run 'run1' cannot be reached: .* to 'x'; check its readings"
    ):
        identify(places, noise={"x": 1e-5})


def test_recordings_without_positions_are_refused(run):
    with pytest.raises(
        PoinsotError, match=r"no pose was measured: no channel is the position .* it has: q1, q2, x, y"
    ):
        identify(run.renamed({name: f"other{name}" for name in ENCODERS}))


def test_channels_of_several_units_need_their_noise(run):
    places = Recording.of(run.t, {**run.values, "x": np.zeros(len(run))})
    with pytest.raises(PoinsotError, match=r"weighed by their noise: give the standard deviation of x \(noise=, or"):
        identify(places)


def test_unknowns_that_do_not_exist_are_refused(run):
    with pytest.raises(PoinsotError, match=r"there is no parameter 'crank1.elbw.x'"):
        identify(run, ["crank1.elbw.x"])
    with pytest.raises(PoinsotError, match="there is no measured channel 'e9'"):
        identify(run, ["crank1.elbow.x", "offset e9"])
    with pytest.raises(PoinsotError, match="poses have offsets and gains, not what is asked for: delay e1"):
        identify(run, ["crank1.elbow.x", "delay e1"])
    with pytest.raises(PoinsotError, match="name the unknowns of this study"):
        identify(run, None)
    with pytest.raises(PoinsotError, match="has no recording of e7"):
        identify(run, channels=["e1", "e2", "e7"])


@pytest.mark.parametrize("clock", [True, False])
def test_poses_need_no_clock(tmp_path, run, clock):
    columns = {**({"t [s]": run.t} if clock else {}), **{f"{n} [{run.channels[n].unit}]": run[n] for n in run}}
    rows = "\n".join(",".join(f"{x:.12g}" for x in row) for row in zip(*columns.values()))
    (tmp_path / "poses.csv").write_text(",".join(columns) + "\n" + rows)
    read = poinsot.read(tmp_path / "poses.csv", mechanism=five_bar())
    assert {f.code for f in read.problems} == {"time unit" if clock else "no clock"}
    assert not [doubt for doubt in identify(read).doubts if "recordings" in doubt]
