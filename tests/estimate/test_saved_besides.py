"""Files of a folder beside the values: none of them may cost the estimate."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import poinsot
from poinsot.app.cli import app
from poinsot.estimate.results import estimate, folder
from poinsot.estimate.results.kept import BodyMotion
from poinsot.estimate.results.linear import LinearEstimate
from tests.estimate.runs import four_bar_run


@pytest.fixture(scope="module")
def found():
    return poinsot.identify(poinsot.load("four_bar"), four_bar_run(), ["link3.mass"])


def test_a_motion_is_thinned_with_the_parameters_of_every_sample(found):
    states = found.problem.runs[0].motion.states
    own = np.tile(states.p, (len(states.t), 1))
    once = BodyMotion.of(states.system, states.t, states.q, states.p, 50)
    again = BodyMotion.of(states.system, states.t, states.q, own, 50)
    assert len(once.t) == 50 < len(states.t)
    for name, position in once.position.items():
        np.testing.assert_array_equal(again.position[name], position)


@pytest.mark.parametrize("error", [poinsot.PoinsotError("no poses"), ValueError("no poses")])
def test_what_cannot_be_written_besides_is_said_and_the_rest_kept(found, tmp_path, monkeypatch, error):
    def fails(self):
        raise error

    monkeypatch.setattr(LinearEstimate, "motion", property(fails))
    with pytest.warns(UserWarning, match="motion.csv could not be written: no poses"):
        place = found.save(tmp_path / "result")
    data = json.loads((place / "estimate.json").read_text())
    assert data["left_out"] == {"motion.csv": "no poses"} and data["parameters"][0]["value"]
    assert not (place / "motion.csv").exists() and (place / "fit.csv").is_file() and (place / "model.toml").is_file()


def test_surfaces_that_fail_are_left_out(found, tmp_path, monkeypatch):
    def fails(*_):
        raise ArithmeticError

    monkeypatch.setattr(estimate, "surface_text", fails)
    with pytest.warns(UserWarning, match="surfaces.json could not be written: ArithmeticError"):
        place = found.save(tmp_path / "result")
    assert (place / "motion.csv").is_file() and (place / "estimate.json").is_file()


def test_a_model_that_reads_back_otherwise_is_left_out(found, tmp_path, monkeypatch):
    monkeypatch.setattr(folder, "load", lambda path: poinsot.load("four_bar"))
    place = found.save(tmp_path / "result")
    said = json.loads((place / "estimate.json").read_text())["models"]["model.toml"]
    assert "does not hold the values of body 'link3'" in said and not (place / "model.toml").exists()


LEVER = """format = 1
[bodies.arm]
mass = 2
com = [0.3, 0, 0]
inertia = [0.03, 0.03, 0.03]
[joints.hinge]
type = "revolute"
between = ["ground", "arm"]
axis = [0, 1, 0]
actuated = true
friction = { viscous = 0.5, coulomb = 0.2 }
drive_inertia = 0.4
[coordinates.q]
joint = "hinge"
"""
STUDY = 'format = 1\nmodel = "lever.toml"\nunknowns = ["arm.com.x"]\n[recordings.run]\nfile = "run.csv"\n'


def test_what_a_format_does_not_hold_stands_in_the_folder_and_is_printed(tmp_path):
    (tmp_path / "lever.toml").write_text(LEVER)
    (tmp_path / "study.toml").write_text(STUDY)
    t = np.arange(0, 6, 0.02)
    lever = poinsot.load(tmp_path / "lever.toml")
    run = poinsot.inverse_dynamics(lever, {"q": poinsot.Fourier(1.0, (0.4,), (0.5,), 0.2)}, t)
    rows = zip(t, run.kinematics.coordinates["q"], run.forces["hinge"], strict=True)
    lines = [f"{a:.6f},{b:.12g},{c:.12g}" for a, b, c in rows]
    (tmp_path / "run.csv").write_text("\n".join(["t [s],q [rad],hinge [N·m]", *lines]))
    done = CliRunner().invoke(app, ["identify", str(tmp_path / "study.toml"), "--out", str(tmp_path / "r")])
    assert done.exit_code == 0, done.output
    data = json.loads((tmp_path / "r" / "estimate.json").read_text())
    assert data["models"] == {"model.toml": "", "model.xml": "", "model.urdf": ""}
    notes = data["model_notes"]["model.urdf"]
    assert notes["lost"] == ["Drive inertias cannot be represented: 'hinge.drive-inertia' along joint 'hinge'."]
    assert data["model_notes"]["model.xml"] == {"lost": [], "others": ["Named coordinates are left out: q."]}
    (line,) = [text for text in done.output.splitlines() if text.startswith("model.")]
    assert line == f"model.urdf lacks some of it: {notes['lost'][0]}"
