"""`poinsot identify --method`: the study with another method, which its result says and keeps."""

from __future__ import annotations

import json

import numpy as np
from typer.testing import CliRunner

import poinsot
from poinsot.app.cli import app
from poinsot.errors import PoinsotError

STUDY = 'model = "four_bar"\nunknowns = ["link1.J"]\n[recordings.run]\nfile = "r.csv"\n[method]\nname = "{}"\n'


def test_a_method_is_named_on_the_command_line(tmp_path):
    bar, t = poinsot.load("four_bar"), np.linspace(0, 2, 201)
    run = poinsot.inverse_dynamics(bar, {"theta1": poinsot.Fourier(3.0, (0.5, 0.2), (0.1,), 1.2)}, t)
    rows = np.c_[t, run.kinematics.coordinates["theta1"], run.forces["A"]]
    header = "t [s],theta1 [rad],A [N·m]"
    np.savetxt(tmp_path / "r.csv", rows, delimiter=",", header=header, comments="", encoding="utf-8")
    (tmp_path / "study.toml").write_text(STUDY.format("ordinary"))
    call = ["identify", str(tmp_path / "study.toml"), "--method"]
    done = CliRunner().invoke(app, [*call, "robust", "--out", str(tmp_path / "result")], catch_exceptions=False)
    assert done.exit_code == 0 and "by robust from run" in done.output
    assert json.loads((tmp_path / "result" / "estimate.json").read_text())["method"] == "robust"
    kept = (tmp_path / "result" / "study.toml").read_text()
    assert kept.startswith('method = "robust"\n') and "ordinary" not in kept

    (tmp_path / "study.toml").write_text(STUDY.format("robst"))
    errors = []
    for option in ([], ["--method", "robst"]):
        refused = CliRunner().invoke(app, [*call[:2], *option])
        assert isinstance(refused.exception, PoinsotError)
        errors.append(str(refused.exception))
    assert errors[0] == errors[1] and "there is no method 'robst' (did you mean 'robust'?)" in errors[0]
