"""Packages of extras that are missing are named, with the command that installs them, before any long work."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.test_results import identified
from typer.testing import CliRunner

import poinsot
from poinsot.app.cli import app
from poinsot.app.viewer import command as viewing
from poinsot.errors import MissingExtraError
from poinsot.experiment.study import DesignStudy, Task

MISSING = {
    "plotly": (["identify", "study.toml", "--out", "result", "--report"], "report"),
    "jinja2": (["identify", "study.toml", "--out", "result", "--report"], "report"),
    "viser": (["identify", "study.toml", "--out", "result", "--report"], "report"),
    "distributed": (["identify", "study.toml", "--dask", "local"], "cluster"),
    "matplotlib.figure": (["identify", "study.toml", "--plot", "plot.png"], "plot"),
}


@pytest.fixture
def idle(monkeypatch, tmp_path) -> Path:
    """A folder in which no work may be begun."""
    for name in ("identify", "design", "load"):
        monkeypatch.setattr(poinsot, name, lambda *_, **__: pytest.fail("the work was begun"))
    monkeypatch.setattr(viewing, "shown_by", lambda *_, **__: pytest.fail("the work was begun"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text("")
    return tmp_path


def refused(monkeypatch, package: str, arguments: list[str]) -> str:
    """What a command says without a package."""
    monkeypatch.setitem(sys.modules, package, None)
    found = CliRunner().invoke(app, arguments)
    assert isinstance(found.exception, MissingExtraError), found.output
    return str(found.exception)


@pytest.mark.parametrize("package", MISSING)
def test_identify_names_what_is_missing_before_it_begins(idle, monkeypatch, package):
    arguments, extra = MISSING[package]
    said = refused(monkeypatch, package, arguments)
    assert f"'{package.split('.')[0]}', which is not installed: pip install 'poinsot[{extra}]'" in said
    assert sorted(path.name for path in idle.iterdir()) == ["study.toml"]


def test_design_on_a_cluster_names_what_is_missing(idle, monkeypatch):
    said = refused(monkeypatch, "distributed", ["design", "study.toml", "--dask", "local"])
    assert "work on a cluster needs the package 'distributed'" in said and "pip install 'poinsot[cluster]'" in said


def test_a_design_that_is_for_a_cluster_is_refused_whatever_its_task(monkeypatch):
    class Quick(Task):
        name, summary = "quick", "for tests"

        def solve(self, study):
            pytest.fail("the work was begun")

    study = DesignStudy(poinsot.load("four_bar"), Quick(), dask="local")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"poinsot\[cluster\]"):
        study.solve()


def test_a_study_that_is_for_a_cluster_is_refused_by_identify(monkeypatch):
    study = identified().study
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"poinsot\[cluster\]"):
        poinsot.identify(study, dask="local")


def test_the_viewer_names_what_is_missing(idle, monkeypatch):
    for more in ([], ["--html", "page.html"], ["--watch"]):
        assert "pip install 'poinsot[view]'" in refused(monkeypatch, "viser", ["view", "study.toml", *more])


@pytest.mark.parametrize("package", ["plotly", "jinja2", "viser", "pillow"])
def test_a_report_names_what_is_missing_before_it_reads(tmp_path, monkeypatch, package):
    from poinsot.app.report import page

    monkeypatch.setattr(page, "read_result", lambda *_: pytest.fail("the work was begun"))
    said = refused(monkeypatch, {"pillow": "PIL"}.get(package, package), ["report", str(tmp_path)])
    assert f"a report needs the package '{package}'" in said and "pip install 'poinsot[report]'" in said
