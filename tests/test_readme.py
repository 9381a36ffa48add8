"""What the README and the page on model files show runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import poinsot

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


def test_the_model_file_of_the_documentation_loads(tmp_path):
    example = tmp_path / "pendulum.toml"
    example.write_text(blocks("docs/model-files.md", "toml")[0])
    assert poinsot.check(poinsot.load(example)).mobility == 1
