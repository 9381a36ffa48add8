"""`poinsot report` as a user meets it: pages, JSON, what exists already, what is no result, a missing extra."""

from __future__ import annotations

import hashlib
import json

import pytest
from tests.app.test_report import LIMIT, Page
from tests.app.test_report import bar as bar
from tests.app.test_report import saved as saved
from typer.testing import CliRunner

from poinsot.app.cli import app
from poinsot.app.report import report_page
from poinsot.errors import PoinsotError

pytest.importorskip("plotly")


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


def test_the_command_writes_a_page_says_what_and_overwrites_nothing(saved, tmp_path):
    out, told = tmp_path / "page.html", tmp_path / "told.json"
    done = run("report", saved, "--out", out, "--json", told)
    assert done.exit_code == 0, done.output
    data = json.loads(told.read_text())
    assert data["bytes"] == out.stat().st_size <= LIMIT and "estimates.csv" in data["data"]
    again = run("report", saved, "--out", out)
    assert again.exit_code == 1 and "exists already" in str(again.exception)
    assert run("report", saved, "--out", out, "--overwrite").exit_code == 0


@pytest.mark.parametrize("content", [None, "", "[]", "{}", '{"parameters": 3}', "{" * 5000])
def test_what_is_no_result_is_one_sentence(tmp_path, content):
    if content is not None:
        (tmp_path / "estimate.json").write_text(content)
    with pytest.raises(PoinsotError, match=r"no folder of a result|is not the result of"):
        report_page(tmp_path)


def test_a_damaged_result_is_one_sentence(saved, tmp_path):
    data = json.loads((saved / "estimate.json").read_text())
    data["combinations"] = 3
    (tmp_path / "estimate.json").write_text(json.dumps(data))
    with pytest.raises(PoinsotError, match="section 'identifiability'"):
        report_page(tmp_path)
    (tmp_path / "estimate.json").write_bytes((saved / "estimate.json").read_bytes())
    (tmp_path / "fit.csv").write_text("a,b\n1,2,3\n")
    with pytest.raises(PoinsotError, match="as measured and as predicted"):
        report_page(tmp_path)


def test_without_the_extra_the_command_that_installs_it_is_named(saved, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    with pytest.raises(PoinsotError, match=r"jinja2.*pip install.*poinsot\[report\]"):
        report_page(saved)


def test_identify_writes_its_report_besides(bar, tmp_path):
    rec = bar.study.runs[0].recording
    rows = [f"{t:.6g},{a:.9g},{b:.9g}" for t, a, b in zip(rec.t, rec["theta1"], rec["A"])]
    (tmp_path / "run.csv").write_text("\n".join(["t [s],theta1 [rad],A [N·m]", *rows]))
    text = 'model = "four_bar"\nunknowns = ["link2.mass", "link3.mass"]\n[recordings.run]\nfile = "run.csv"\n'
    (tmp_path / "study.toml").write_text(text)
    refused = run("identify", tmp_path / "study.toml", "--report")
    assert refused.exit_code == 1 and "give --out DIR" in str(refused.exception)
    done = run("identify", tmp_path / "study.toml", "--out", tmp_path / "out", "--report")
    assert done.exit_code == 0, done.output
    page = Page((tmp_path / "out" / "report.html").read_text())
    assert (tmp_path / "out" / "study.toml").read_text() == text and text in "".join(page.text)
    data = (tmp_path / "run.csv").read_bytes()
    assert ["run", "run.csv", hashlib.sha256(data).hexdigest()] in page.tables["Recorded files"]
