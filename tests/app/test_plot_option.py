"""--plot FILE: which commands have it, what it writes, and what it refuses before the work."""

from __future__ import annotations

import sys

import pytest
import typer
from tests.generated.share import share
from typer.testing import CliRunner

import poinsot
from poinsot.app.cli import app
from poinsot.app.reproduce import command
from poinsot.errors import PoinsotError
from poinsot.results import Curve, LinePanel

RESULTS = {
    *(
        "check",
        "pose",
        "simulate",
        "kinematics",
        "inverse",
        "modes",
        "frf",
        "compliance",
        "map",
        "base",
        "determinable",
    ),
    *("regressor", "read", "measure", "design", "identify", "compare"),
}
SIGNS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


def run(*arguments):
    return CliRunner().invoke(app, [str(x) for x in arguments], catch_exceptions=False)


def test_every_command_that_gives_a_result_draws_it():
    commands = typer.main.get_command(app).commands
    with_plot = {name for name, one in commands.items() if any("--plot" in p.opts for p in one.params)}
    assert with_plot == RESULTS | {"reproduce"}


@pytest.mark.parametrize("form", SIGNS)
def test_the_ending_says_what_is_written(tmp_path, form):
    path = tmp_path / f"modes.{form.upper()}"
    assert run("modes", "three_link", "--plot", path).exit_code == 0
    assert path.read_bytes().startswith(SIGNS[form])


MOTION = "t,theta1\n0,1.0\n0.1,1.1\n0.2,1.3\n0.3,1.4\n0.4,1.6\n0.5,1.7\n0.6,1.9\n"
CASES = {
    "check": ("four_bar",),
    "pose": ("hexapod",),
    "simulate": ("four_bar", "--t-end", "0.1"),
    "kinematics": ("four_bar", "motion.csv"),
    "inverse": ("four_bar", "motion.csv"),
    "frf": ("three_link", "--input", "link3 y", "--output", "link3 y", "--damping", "0.01"),
    "compliance": ("three_link", "link1"),
    "map": ("three_link", "--over", "phi1=0:1:5"),
    "base": ("four_bar", "--numbers"),
    "determinable": ("four_bar", "motion.csv", "--noise", "0.1"),
    "regressor": ("four_bar", "motion.csv"),
    "read": ("motion.csv",),
}


@pytest.mark.parametrize("name", CASES)
def test_commands_draw_their_results(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "motion.csv").write_text(MOTION)
    result = run(name, *CASES[name], "--plot", "plot.svg")
    assert (tmp_path / "plot.svg").read_bytes().startswith(SIGNS["svg"]), result.output


def refused(tmp_path, monkeypatch, name: str, *more: str) -> str:
    """What is said of a plot that cannot be, with a verb that must not be reached."""
    monkeypatch.setattr(poinsot, "modes", lambda *_, **__: pytest.fail("the work was begun"))
    with pytest.raises(PoinsotError) as error:
        run("modes", "three_link", "--plot", tmp_path / name, *more)
    return str(error.value)


def test_what_cannot_be_written_is_refused_before_the_work(tmp_path, monkeypatch):
    (tmp_path / "old.png").write_bytes(b"mine")
    assert "exists already; choose another name or add --force" in refused(tmp_path, monkeypatch, "old.png")
    assert "must be .png, .svg, .pdf" in refused(tmp_path, monkeypatch, "plot.jpg")
    assert "must be .png, .svg, .pdf" in refused(tmp_path, monkeypatch, "plot", "--force")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert "pip install 'poinsot[plot]'" in refused(tmp_path, monkeypatch, "plot.png")
    assert (tmp_path / "old.png").read_bytes() == b"mine"


def test_files_are_replaced_when_asked_wherever_the_option_stands(tmp_path):
    for words in (("--force", "--plot"), ("--plot",)):
        path = tmp_path / f"{len(words)}.png"
        path.write_bytes(b"old")
        after = () if len(words) == 2 else ("--force",)
        assert run("modes", "three_link", *words, path, *after).exit_code == 0
        assert path.read_bytes().startswith(SIGNS["png"])


def test_figures_of_papers_are_files_by_paper_and_figure(tmp_path, monkeypatch, capsys):
    panel = LinePanel(x="t [s]", y="y [m]", curves=(Curve("a", [0, 1], [0, 1]),))
    monkeypatch.setattr(command, "PAPERS", {"wave": lambda: iter(())})
    monkeypatch.setattr(
        command, "figures", lambda paper: {"figure-2": lambda: (panel,), "figure-3": lambda: (panel,)}
    )
    command.reproduce("all", plot=tmp_path / "figures")
    assert "2 figures in" in capsys.readouterr().out
    assert sorted(p.name for p in (tmp_path / "figures").iterdir()) == ["wave-figure-2.png", "wave-figure-3.png"]
    monkeypatch.setattr(command, "PAPERS", {"wave": lambda: pytest.fail("the work was begun")})
    with pytest.raises(PoinsotError, match="exists already"):
        command.reproduce("all", plot=tmp_path / "figures")


FIGURES = {
    "stewart": "4 7 8 9 10 11 12 13a 13b",
    "frequencies": "4 5 6 7 8 10",
    "hexapod": "2 3 4",
    "four-bar": "5",
    "navaro": "4",
}


@pytest.mark.parametrize("paper", FIGURES)
def test_the_figures_of_every_paper_are_there(paper):
    told = {name for name in command.figures(paper) if name.startswith("figure")}
    assert told == {f"figure-{number}" for number in FIGURES[paper].split()}


QUICK = {("frequencies", "figure-4")}
LONGER = [(paper, name) for paper in FIGURES for name in command.figures(paper) if (paper, name) not in QUICK]
EACH = [*sorted(QUICK), *(pytest.param(*one, marks=pytest.mark.slow) for one in share(LONGER, 5))]


@pytest.mark.parametrize(("paper", "figure"), EACH)
def test_figures_of_papers_are_drawn_with_units(paper, figure):
    from poinsot.results.drawing import picture

    panels = command.figures(paper)[figure]()
    assert picture(panels, "png").startswith(SIGNS["png"])
    assert all("[" in p.y or "[" in p.x for p in panels if isinstance(p, LinePanel))
