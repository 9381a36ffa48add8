"""What the README and the page on model files show runs as it stands."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

import poinsot
from poinsot.elements.frame import Frame
from poinsot.elements.joints import JOINTS
from poinsot.errors import ConversionWarning
from poinsot.model.parts import joint_parts

ROOT = Path(__file__).parents[1]


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text(), re.S)


def test_the_first_look_of_the_readme_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for code in blocks("README.md", "python"):
        exec(compile(code, "README.md", "exec"), {})
    shown = capsys.readouterr().out
    assert "moving bodies         13" in shown and "constraint equations  72" in shown
    assert poinsot.load(tmp_path / "heavier.toml").bodies["platform"].mass == 7.2


def test_the_page_on_coordinates_and_drives_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConversionWarning)
        for code in blocks("docs/coordinates-and-drives.md", "python"):
            exec(compile(code, "coordinates-and-drives.md", "exec"), names)
    first, second = map(float, capsys.readouterr().out.split()[:2])
    assert first == pytest.approx(second) == pytest.approx(1.0471975512)


def test_the_table_of_the_coordinates_of_joints_is_that_of_the_laws():
    page = (ROOT / "docs/coordinates-and-drives.md").read_text()
    for kinds, names in re.findall(r"^\| ([a-z, -]+) \| (.*?) \|", page, re.M)[1:]:
        for kind in kinds.split(", "):
            law = JOINTS[kind]
            joint = law("A", Frame("a", ""), Frame("b", ""), *([0.1] if law.options else []))
            parts = joint_parts(joint, planar=False)
            assert set(re.findall(r"`A\.(\w+)`", names)) == set(parts), kind
            assert ("`A`" in names) == (len(parts) == 1)
    assert set(JOINTS) <= set(re.findall(r"[a-z-]+", page))


def test_the_model_file_of_the_documentation_loads(tmp_path):
    example = tmp_path / "pendulum.toml"
    example.write_text(blocks("docs/model-files.md", "toml")[0])
    assert poinsot.check(poinsot.load(example)).mobility == 1
