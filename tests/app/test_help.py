"""The help: every command has examples that run, in the folder that `poinsot new` makes."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from tests.generated.share import share
from typer.testing import CliRunner

from poinsot.app.cli import COMMANDS, WRONG_CALL, app
from poinsot.app.console import DOUBTFUL, INTERRUPTED
from poinsot.app.guide.examples import EXAMPLES

NAMES = {command.__name__.strip("_"): heading for heading, commands in COMMANDS.items() for command in commands}
GROUP = typer.main.get_command(app)
SERVES = "poinsot view model.toml"  # stays until it is interrupted


def poinsot(*arguments, cwd=None):
    return subprocess.run(
        [sys.executable, "-m", "poinsot.app.cli", *map(str, arguments)], capture_output=True, text=True, cwd=cwd
    )


def words(line: str) -> list[str]:
    """Arguments of an example, without what a shell does with its output."""
    return shlex.split(re.sub(r" > \S+$", "", line))


def parsed(line: str) -> typer.Context:
    program, name, *arguments = words(line)
    assert program == "poinsot"
    return GROUP.commands[name].make_context(name, arguments)


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_examples_of_itself_that_can_be_parsed(name):
    assert EXAMPLES.get(name), f"{name} has no examples in app/guide/examples.py"
    for line in EXAMPLES[name]:
        assert words(line)[1] == name
        parsed(line.replace("--json -", "--json x"))


def test_the_rule_on_examples_can_fail():
    with pytest.raises(Exception, match="jsn"):
        parsed("poinsot check model.toml --jsn x")


def test_the_overview_lists_every_command_under_its_heading_whole():
    result = poinsot("--help")
    assert result.returncode == 0 and "..." not in result.stdout.replace("[ARGS]...", "")
    assert "Others:" not in result.stdout
    for name, heading in NAMES.items():
        section = result.stdout.split(f"\n{heading}:\n")[1].split("\n\n")[0]
        assert re.search(rf"^  {name} ", section, re.M), name


def test_all_exit_codes_are_in_the_help_and_on_the_page():
    help, page = poinsot("--help").stdout, (Path(__file__).parents[2] / "docs" / "command-line.md").read_text()
    for code in (0, 1, WRONG_CALL, DOUBTFUL, INTERRUPTED):
        assert re.search(rf"[:;]\s{code} ", help.split("Exit codes")[1]) and f"\n| {code} |" in page
    assert f"exit with {DOUBTFUL} where" in poinsot("identify", "--help").stdout


def test_the_help_of_a_command_ends_with_its_examples_as_they_are_typed():
    text = poinsot("simulate", "--help").stdout
    assert text.rstrip().endswith("\n".join(f"    {line}" for line in EXAMPLES["simulate"]))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("examples")
    made = poinsot("new", "start", "--mechanism", "four_bar", "--simulated", cwd=place)
    assert made.returncode == 0, made.stderr
    assert poinsot("identify", "study.toml", "--out", "result", cwd=place / "start").returncode == 0
    return place / "start"


@pytest.mark.slow
@pytest.mark.parametrize("line", share([line for name in NAMES for line in EXAMPLES[name] if line != SERVES], 15))
def test_every_example_runs(folder, line):
    if line.startswith("poinsot identify"):
        line += " --force"
    result = subprocess.run(
        re.sub(r"^poinsot", f"{sys.executable} -m poinsot.app.cli", line),
        shell=True,
        capture_output=True,
        text=True,
        cwd=folder,
    )
    assert result.returncode == 0, result.stderr
    assert "\033" not in result.stdout + result.stderr


@pytest.mark.parametrize("command", [command for command in EXAMPLES if command != "report"])
def test_examples_stand_once_in_the_help_of_a_command(command):
    assert CliRunner().invoke(app, [command, "--help"]).output.count("Examples:") == 1
