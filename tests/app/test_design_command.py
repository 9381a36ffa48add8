"""`poinsot design` as a user meets it: tasks from files, JSON, folders, bad input, limits that leave nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from poinsot.app.cli import app
from poinsot.errors import PoinsotError
from poinsot.experiment.study_file import STUDIES, study_names

SMALLER = {  # of the files of the library, so that a test does not take their time
    "three_link_poses": {"poses = 1000": "poses = 100", "sets = 1000": "sets = 20\nrefine = false"},
    "four_bar_excitation": {"harmonics = 11": "harmonics = 3\nstarts = 20\npolish = 1\niterations = 40"},
    "stewart_calibration": {"poses = 60": "poses = 12", "candidates = 2500": "candidates = 40"},
    "four_bar_sensors": {},
}
FILES = {  # besides design.json and the data of figures
    "three_link_poses": "cloud.csv",
    "four_bar_excitation": "motion.csv",
    "stewart_calibration": "poses.csv",
    "four_bar_sensors": "design.json",
}


def study(name: str, folder: Path, changes: dict[str, str] | None = None) -> Path:
    """A file of the library with changes, in a folder."""
    text = (STUDIES / f"{name}.toml").read_text()
    for old, new in {**SMALLER[name], **(changes or {})}.items():
        assert old in text
        text = text.replace(old, new)
    path = folder / f"{name}.toml"
    path.write_text(text)
    return path


def run(*arguments) -> str:
    result = CliRunner().invoke(app, ["design", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def refused(*arguments) -> str:
    """The sentence in which a command ends."""
    with pytest.raises(PoinsotError) as caught:
        CliRunner().invoke(app, ["design", *map(str, arguments)], catch_exceptions=False)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", SMALLER)
def test_every_task_is_designed_from_a_file(name, tmp_path):
    said = run(study(name, tmp_path), "--json", tmp_path / "found.json", "--out", tmp_path / "found")
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["name"] == name and f"{found['task']}" in said and "predicted:" in said
    told = [p for p in found["predictions"] if p["deviation"] is not None]
    assert told and all(p["deviation"] > 0 and p["name"] in said for p in told)
    folder = tmp_path / "found"
    kept = json.loads((folder / "design.json").read_text())
    assert kept["predictions"] == found["predictions"] and kept["provenance"]["model"]
    assert (folder / FILES[name]).stat().st_size > 100


def test_the_library_is_found_by_name():
    assert "reaction" in run("four_bar_sensors")
    assert set(SMALLER) <= set(study_names())


def test_results_are_not_overwritten_without_asking(tmp_path, monkeypatch):
    path, out, table = study("three_link_poses", tmp_path), tmp_path / "found", tmp_path / "found.json"
    run(path, "--out", out, "--json", table)
    before = (out / "design.json").stat().st_ino
    run(path, "--out", out, "--json", table, "--overwrite")
    assert (out / "design.json").stat().st_ino != before
    monkeypatch.setattr("poinsot.design", lambda *_, **__: pytest.fail("the work begins"))  # refused before it
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    assert "exists already" in refused(path, "--out", out)
    assert "exists already" in refused(path, "--json", table)
    assert "no folder of a design" in refused(path, "--out", tmp_path / "mine", "--overwrite")
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"


@pytest.mark.parametrize(
    ("name", "changes", "words"),
    [
        ("three_link_poses", {'task = "poses"': 'task = "posers"'}, "there is no task of design 'posers'"),
        ("three_link_poses", {"relative": "relatve"}, "option 'relatve'"),
        ("three_link_poses", {'"phi*" =': '"psi*" ='}, "coordinate or actuator 'psi*'"),
        ("three_link_poses", {'"45 deg"': '"45 m"'}, "phi"),
        ("three_link_poses", {'"A.stiffness" =': '"Z.stiffness" ='}, "Z.stiffness"),
        ("four_bar_excitation", {'"3 rad/s"': "[3, 2]"}, "wrong order"),
        ("four_bar_excitation", {'A = "0.1 N·m"': 'B = "0.1 N·m"'}, "no measured channel"),
        ("four_bar_excitation", {'"100 Hz"': '"100 m"'}, "rate"),
        ("four_bar_sensors", {"[noise]": "[nois]"}, "nois"),
        ("stewart_calibration", {'model = "stewart"': 'model = "steward"'}, "steward"),
    ],
)
def test_bad_input_is_one_sentence(name, changes, words, tmp_path):
    assert words in refused(study(name, tmp_path, changes))


def test_a_study_that_does_not_exist_is_said_with_those_that_do(tmp_path):
    assert "three_link_poses" in refused("three_link_pose")
    assert "nothing.toml" in refused(tmp_path / "nothing.toml")
    assert "tcp://" in refused("three_link_poses", "--dask", "somewhere")


@pytest.mark.parametrize(
    ("name", "changes", "words"),
    [
        (
            "four_bar_excitation",
            {'"-120 deg", "240 deg"': '"30 deg", "80 deg"', '"10 rad/s²"': '"10 rad/s²"\n"A.force" = "0.5 N·m"'},
            ("drive 'A' needs at least 4.0", "its limit is 0.5 N·m"),
        ),
        (
            "three_link_poses",
            {'relative = "0.5 %"': 'relative = "0.5 %"\nspacing = "95 %"'},
            ("none is above", "0.95"),
        ),
        ("stewart_calibration", {'"260 mm", "420 mm"': '"500 mm", "600 mm"'}, ("'leg", "violated by at least", " m")),
    ],
)
def test_limits_that_leave_nothing_are_named_with_how_much_is_missing(name, changes, words, tmp_path):
    said = refused(study(name, tmp_path, changes))
    assert all(word in said for word in words), said
    assert any(character.isdigit() for character in said)
