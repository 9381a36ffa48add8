"""The papers' numbers on the command line: what a verdict says, and that nothing disagrees without a word."""

from __future__ import annotations

import json

import pytest
import typer

from poinsot.app.reproduce import command
from poinsot.app.reproduce.rows import Agreement, Paper, last_digit
from poinsot.errors import PoinsotError

PAPER = Paper("a paper")
LEAST = {"stewart": 22, "frequencies": 24, "hexapod": 22, "four-bar": 21, "navaro": 125}  # rows
MISPRINTS = {"stewart": 1, "frequencies": 1, "hexapod": 5, "four-bar": 0, "navaro": 10}  # those of the specification


def reproduced(tmp_path, paper: str) -> list[dict]:
    command.reproduce(paper, tmp_path / "rows.json")
    return json.loads((tmp_path / "rows.json").read_text())


@pytest.mark.parametrize(("printed", "digit"), [("44.10", 0.01), ("8", 1), ("5.333e-8", 1e-11), ("-0.41", 0.01)])
def test_the_last_digit_of_a_printed_number(printed, digit):
    assert last_digit(printed) == pytest.approx(digit)


def test_a_number_agrees_to_half_of_its_last_digit_and_else_says_why_not():
    assert PAPER.row("f", "44.10", 44.1049).verdict == Agreement.AGREES
    assert PAPER.row("f", "44.10", 44.1051).verdict == Agreement.DISAGREES
    assert PAPER.row("f", "44.10", 44.2, within=0.2, reason="rounded").reason == "rounded"
    assert PAPER.row("f", "44.10", float("nan")).verdict == Agreement.DISAGREES
    assert PAPER.row("f", "44.10", None, otherwise=Agreement.DATA).verdict == Agreement.DATA


def test_a_misprint_is_one_only_where_ours_is_what_is_meant():
    meant = PAPER.row("f", "19.9", 16.946, meant="16.9", reason="of six", within=0.05)
    assert (meant.verdict, meant.reason) == (Agreement.MISPRINT, "16.9 is meant: of six")
    assert PAPER.row("f", "19.9", 18.0, meant="16.9").verdict == Agreement.DISAGREES


def test_symbols_agree_as_texts():
    assert PAPER.row("b", "-1/lx1", "-1/lx1").verdict == Agreement.AGREES
    assert PAPER.row("b", "-1/lx1", "1/lx1").verdict == Agreement.DISAGREES


def test_a_number_that_disagrees_makes_the_command_fail(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(command, "PAPERS", {"wrong": lambda: iter([PAPER.row("f", "1.0", 2.0, "Hz")])})
    with pytest.raises(typer.Exit) as end:
        command.reproduce("all", tmp_path / "rows.json")
    assert end.value.exit_code == 1
    assert "1 disagrees" in capsys.readouterr().out
    assert json.loads((tmp_path / "rows.json").read_text())[0]["ours"] == 2.0


def test_an_unknown_paper_is_named_with_those_that_exist():
    with pytest.raises(PoinsotError, match=r"no paper 'delta'.*stewart.*navaro"):
        command.reproduce("delta")


SLOW = [name if name == "four-bar" else pytest.param(name, marks=pytest.mark.slow) for name in command.PAPERS]


@pytest.mark.parametrize("paper", SLOW)
def test_every_number_of_a_paper_has_a_verdict(tmp_path, capsys, paper):
    rows = reproduced(tmp_path, paper)
    assert len(rows) >= LEAST[paper]
    assert {"paper", "quantity", "published", "ours", "unit", "verdict"} <= rows[0].keys()
    assert all(row["paper"] == paper and row["unit"] for row in rows)
    assert len({row["quantity"] for row in rows}) == len(rows)
    verdicts = [row["verdict"] for row in rows]
    assert verdicts.count("misprint") == MISPRINTS[paper] and "disagrees" not in verdicts
    assert all(row["reason"] for row in rows if row["verdict"] != "agrees")
    assert verdicts.count("agrees") > len(rows) / 3
