"""The steps that a report gives for reproducing a result lead to the same numbers, from what its folder keeps."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import poinsot
from poinsot.app.cli import app
from poinsot.app.report.saved import read_result
from poinsot.app.report.sections.provenance import provenance
from poinsot.model.toml import save

STUDY = """model = "{model}"
seed = 5
[recordings.run]
file = "run.csv"
[unknowns]
"link2.mass" = {{ bounds = [0.1, 9.0] }}
"link3.mass" = {{}}
"""
DESIGN = """model = "{model}"
seed = 7
unknowns = ["A.stiffness", "C.stiffness"]
[design]
task = "poses"
poses = 20
sets = 10
refine = false
"""


def steps(folder: Path) -> tuple[list[str], str]:
    """Sentences and the command."""
    section = provenance(read_result(folder))
    assert section is not None
    sentences = next(list(block.items) for block in section.blocks if block.kind == "points")
    return sentences, next(block.text for block in section.blocks if getattr(block, "tone", "") == "code")


def given(command: str, folder: Path, monkeypatch) -> None:
    """Give a command in a folder."""
    monkeypatch.chdir(folder)
    program, *arguments = shlex.split(command)
    monkeypatch.setattr("sys.argv", [program, *arguments])
    assert program == "poinsot"
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output


def numbers(folder: Path) -> dict:
    """What a result says, without the name of its file and the command."""
    sign = "estimate.json" if (folder / "estimate.json").is_file() else "design.json"
    found = json.loads((folder / sign).read_text())
    found["provenance"].pop("command")
    (found.get("study") or found).pop("name")
    return found


@pytest.mark.parametrize("model", ["machine.toml", "parts/machine.toml", "four_bar"])
def test_an_identification_is_repeated_by_its_steps(model, tmp_path, monkeypatch):
    bar, t, noise = poinsot.load("four_bar"), np.arange(200) / 100, np.random.default_rng(0).standard_normal(200)
    run = poinsot.inverse_dynamics(bar, {"theta1": poinsot.Fourier(4.0, (0.5, 0.2), (), 1.2)}, t)
    rows = zip(t, run.kinematics.coordinates["theta1"], run.forces["A"] + 0.1 * noise)
    first, again = tmp_path / "first", tmp_path / "again"
    (first / "parts").mkdir(parents=True)
    again.mkdir()
    (first / "run.csv").write_text("t [s],theta1 [rad],A [N·m]\n" + "\n".join(f"{a},{b},{c}" for a, b, c in rows))
    (first / "mine.toml").write_text(STUDY.format(model=model))
    if model.endswith(".toml"):
        save(bar, first / model)
    given("poinsot identify mine.toml --bootstrap 40 --out result", first, monkeypatch)
    result = first / "result"
    sentences, command = steps(result)
    assert command == "poinsot identify study.toml --bootstrap 40 --out again"
    text = (result / "study.toml").read_text()
    if model == "machine.toml":
        assert "Copy nominal.toml of the result there too, as machine.toml." in sentences
        shutil.copy(result / "nominal.toml", again / "machine.toml")
    elif model == "four_bar":
        assert not any("nominal.toml" in sentence for sentence in sentences)
    else:
        assert any('write model = "nominal.toml" in study.toml' in sentence for sentence in sentences)
        shutil.copy(result / "nominal.toml", again)
        text = text.replace(model, "nominal.toml")
    assert "Put the recordings there, with the hashes above: run.csv." in sentences
    (again / "study.toml").write_text(text)
    shutil.copy(first / "run.csv", again)
    given(command, again, monkeypatch)
    assert numbers(again / "again") == numbers(result)


def test_a_design_is_repeated_by_its_steps(tmp_path, monkeypatch):
    first, again = tmp_path / "first", tmp_path / "again"
    first.mkdir()
    again.mkdir()
    save(poinsot.load("three_link"), first / "links.toml")
    (first / "wanted.toml").write_text(DESIGN.format(model="links.toml"))
    given("poinsot design wanted.toml --out result", first, monkeypatch)
    sentences, command = steps(first / "result")
    assert command == "poinsot design design.toml --out again"
    assert "Copy nominal.toml of the result there too, as links.toml." in sentences
    shutil.copy(first / "result" / "design.toml", again)
    shutil.copy(first / "result" / "nominal.toml", again / "links.toml")
    given(command, again, monkeypatch)
    assert numbers(again / "again") == numbers(first / "result")
    hashed = next(b for b in provenance(read_result(first / "result")).blocks if b.kind == "grid").rows
    assert {row[0] for row in hashed} == {"design.json", "design.toml", "nominal.toml"}


def test_what_was_asked_in_python_says_so(tmp_path):
    options = {"task": "poses", "poses": 20, "sets": 10, "robust": "nominal", "refine": False}
    found = poinsot.design(poinsot.load("three_link"), options, ["A.stiffness", "C.stiffness"])
    section = provenance(read_result(found.save(tmp_path / "design")))
    assert any("asked in Python" in sentence for b in section.blocks if b.kind == "points" for sentence in b.items)
