"""Reports of folders that lack a model, have combinations with intervals, or texts that turn the writing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.app.test_report import Page
from tests.test_results import identified

import poinsot
from poinsot.app.report import report_page
from poinsot.app.viewer.command import shown_by
from poinsot.estimate.results.text import in_brackets


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    return identified().save(tmp_path_factory.mktemp("bar") / "result")


def test_combinations_have_intervals_of_a_bootstrap(tmp_path):
    truth = identified().study
    est = poinsot.identify(truth.mechanism, truth.runs[0].recording, bootstrap=40)
    table = Page(report_page(est.save(tmp_path / "r")).html).tables["Combinations that are determined instead"]
    assert table[0][2] == "95 % interval"
    ends = {name: (a, b) for name, a, b in zip(est.bootstrap.names, est.bootstrap.lower, est.bootstrap.upper)}
    assert {row[0]: row[2] for row in table[1:]} == {
        row[0]: in_brackets(*ends[row[0]]).replace("-", "−") for row in table[1:]
    }


def test_a_result_without_an_identified_model_shows_the_nominal_one_and_says_so(saved, tmp_path):
    folder = tmp_path / "r"
    shutil.copytree(saved, folder)
    (folder / "model.toml").unlink()
    data = json.loads((folder / "estimate.json").read_text())
    data["models"] = {"model.toml": "link2.mass = -4 kg is outside its bounds"}
    (folder / "estimate.json").write_text(json.dumps(data))
    why = "no identified model could be written: link2.mass = -4 kg is outside its bounds"
    assert f"This is the nominal mechanism: {why}" in report_page(folder).html
    shown = shown_by(str(folder), None, None, None)
    assert shown.nominal is None and shown.result.not_identified == why
    assert shown_by(str(saved), None, None, None).nominal is not None


def test_marks_of_the_direction_of_writing_do_not_turn_the_page(saved, tmp_path):
    folder = tmp_path / "r"
    shutil.copytree(saved, folder)
    data = json.loads((folder / "estimate.json").read_text())
    data["provenance"]["model"] = "four\u202ebar"
    (folder / "estimate.json").write_text(json.dumps(data))
    html = report_page(folder).html
    assert "fourbar" in html and "\u202e" not in html
