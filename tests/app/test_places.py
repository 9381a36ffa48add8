"""Where results go: every place that a command writes to is checked when the line is read, before any work."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

import poinsot
from poinsot.app.cli import app
from poinsot.app.new import command as new
from poinsot.errors import PoinsotError

COMMANDS = typer.main.get_command(app).commands
PLACES = {"--json": "x.json", "--csv": "x.csv", "--plot": "x.png", "--html": "x.html", "--output": "x.json"}
PLACES["--picture"] = "x.png"
OUT = {"regressor": "x.csv", "read": "x.csv", "measure": "x.csv", "report": "x.html"}
FOLDERS = {"identify": "estimate.json", "design": "design.json"}  # and the file by which a result is known
LATER = {("new", "--out"), ("reproduce", "--plot")}  # folders that are made if need be, and checked by the command


def places() -> list[tuple[str, str, str]]:
    """Command, option and file of everything that the command line writes."""
    found = [("convert", "", "x.toml")]
    for name, command in COMMANDS.items():
        for option in (p.opts[-1] for p in command.params if p.metavar in ("FILE", "DIR")):
            file = OUT.get(name, "result") if option == "--out" else PLACES.get(option)
            found += [(name, option, file)] if file and (name, option) not in LATER else []
    return found


def read(name: str, option: str, place: Path, *more: str) -> typer.Context:
    """Read a line that writes to a place; what is wrong with it is an error, and no work is done."""
    line = [option, str(place)] if option else ["four_bar", str(place)]
    for p in COMMANDS[name].params if option else ():
        if p.required:
            line += ["four_bar"] if p.param_type_name == "argument" else [p.opts[0], "x"]
    return COMMANDS[name].make_context(name, [*line, *more])


def test_all_options_that_write_are_among_them():
    written = {(name, option) for name, option, _ in places()} | LATER
    for name, command in COMMANDS.items():
        for p in command.params:
            if p.param_type_name == "option" and p.metavar in ("FILE", "DIR"):
                reads = p.opts[-1] in ("--columns", "--urdf", "--against")
                assert reads or (name, p.opts[-1]) in written, f"{name} {p.opts[-1]}"
    assert len(written) > 50


@pytest.mark.parametrize(("name", "option", "file"), places())
def test_what_exists_is_refused_before_the_work_unless_it_may_be_replaced(tmp_path, name, option, file):
    place = tmp_path / file
    if file == "result":
        place.mkdir()
        (place / FOLDERS[name]).write_text("{}")
    else:
        place.write_text("mine")
    with pytest.raises(PoinsotError, match="exists already; choose another name or add --force"):
        read(name, option, place)
    for more in ("--force", "--overwrite"):
        assert read(name, option, place, more).params["overwrite"] is True


@pytest.mark.parametrize(("name", "option", "file"), places())
def test_a_folder_that_does_not_exist_or_is_none_is_refused_before_the_work(tmp_path, name, option, file):
    (tmp_path / "a_file").write_text("")
    with pytest.raises(PoinsotError, match=r"cannot be written: '.*a_file' is no folder"):
        read(name, option, tmp_path / "a_file" / file)
    if file == "result":  # folders of results are made with all above them
        assert read(name, option, tmp_path / "none" / file)
    else:
        with pytest.raises(PoinsotError, match=r"cannot be written: there is no folder '.*none'"):
            read(name, option, tmp_path / "none" / file, "--force")


def test_two_results_do_not_go_to_one_file(tmp_path):
    with pytest.raises(PoinsotError, match="--csv and --json cannot write the same file"):
        read("simulate", "--csv", tmp_path / "x", "--json", str(tmp_path / "x"), "--force")


def test_new_asks_for_its_files_before_it_makes_them(tmp_path, monkeypatch):
    monkeypatch.setattr(new, "_texts", lambda *_: pytest.fail("the work was begun"))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "study.toml").write_text("mine")
    with pytest.raises(PoinsotError, match=r"study\.toml: exists already"):
        new.new("mine", "four_bar", out=tmp_path)
    with pytest.raises(PoinsotError, match=r"'.*study\.toml' is no folder"):
        new.new("more", "four_bar", out=tmp_path / "mine" / "study.toml")


def test_the_files_of_a_new_folder_are_those_that_were_asked_about(tmp_path):
    texts, _ = new._texts("four_bar", None, tmp_path, False)
    assert tuple(texts) == new.FILES


def test_python_is_told_to_pass_overwrite(tmp_path):
    (tmp_path / "x.toml").write_text("mine")
    with pytest.raises(PoinsotError, match=r"x\.toml: exists already; choose another name or pass overwrite=True"):
        poinsot.save(poinsot.load("four_bar"), tmp_path / "x.toml")
