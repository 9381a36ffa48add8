"""Data alone on the standard output: what qualifies them is told on stderr."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

UPRIGHT = """
format = 1
planar = true
gravity = [0, "-9.81 m/s²"]
[bodies.bar]
mass = 1
com = [0.5, 0]
inertia = 0.1
[joints.A]
type = "revolute"
between = ["ground", "bar"]
[coordinates]
q = { joint = "A" }
"""
LIMITED = """actuated = true
limits = [-3, 2]
"""


def poinsot(*arguments, cwd):
    call = [sys.executable, "-m", "poinsot", *map(str, arguments)]
    return subprocess.run(call, capture_output=True, text=True, cwd=cwd, check=False)


@pytest.mark.parametrize("form", ["--csv", "--json"])
def test_an_unstable_pose_of_a_response_is_told_beside_the_data(tmp_path, form):
    (tmp_path / "bar.toml").write_text(UPRIGHT)
    line = ["frf", "bar.toml", "--input", "q", "--output", "q", "--pose", "q=90 deg", "--points", "2"]
    said = poinsot(*line, form, "-", cwd=tmp_path)
    assert "note: the pose is unstable, it is left as exp(3.744 t)" in said.stderr and "unstable" not in said.stdout
    assert "unstable" in poinsot(*line, cwd=tmp_path).stdout
    stable = poinsot(*line[:6], "--pose", "q=-90 deg", "--points", "2", form, "-", cwd=tmp_path)
    assert stable.returncode == 0 and stable.stderr == ""


def test_unstable_and_unreachable_poses_of_a_map_are_told_beside_the_data(tmp_path):
    (tmp_path / "bar.toml").write_text(UPRIGHT)
    said = poinsot("map", "bar.toml", "--over", "q=-90 deg:90 deg:2", "--csv", "-", cwd=tmp_path)
    assert said.stdout.count("\n") == 3 and "in 1 of 2 samples" in said.stderr
    far = poinsot("map", "four_bar", "--over", "theta2=0:3:7", "--csv", "-", cwd=tmp_path)
    assert "nan" in far.stdout and "not reachable" in far.stderr


@pytest.mark.parametrize("form", ["--csv", "--json"])
def test_why_a_simulation_ends_early_is_told_beside_the_data(tmp_path, form):
    (tmp_path / "bar.toml").write_text(UPRIGHT.replace("[coordinates]", LIMITED + "[coordinates]"))
    said = poinsot("simulate", "bar.toml", "--t-end", "2", "--velocity", "q=-9", form, "-", cwd=tmp_path)
    assert said.returncode == 1 and "note: " in said.stderr and "stop" in said.stderr
    assert json.loads(said.stdout) if form == "--json" else "stop" not in said.stdout
