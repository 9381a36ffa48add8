"""Odd arguments, consoles and environments: one sentence and an exit code, never a traceback."""

from __future__ import annotations

import codecs
import logging
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

from poinsot.app import console
from poinsot.app.cli import main


def poinsot(*arguments, environment=None, without=(), **options):
    surroundings = {k: v for k, v in os.environ.items() if k not in without} | (environment or {})
    command = [sys.executable, "-m", "poinsot.app.cli", *map(str, arguments)]
    options = {"stdout": subprocess.PIPE, **options}
    return subprocess.run(command, stderr=subprocess.PIPE, env=surroundings, **options)


def sentence(result) -> str:
    said = result.stderr.decode()
    assert result.returncode not in (0, 120) and "Traceback" not in said, said
    assert said.count("\n") == 1 and said.startswith("error: "), said
    assert "this should not happen" not in said
    return said


@pytest.fixture
def here(monkeypatch, capsys):
    """The command line in this process; gives the sentence that it ends with."""

    def run(*arguments) -> str:
        monkeypatch.setattr(sys, "argv", ["poinsot", *map(str, arguments)])
        monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # which the command line replaces
        with pytest.raises(SystemExit) as end:
            main()
        said = capsys.readouterr().err
        assert end.value.code == 1 and said.count("\n") == 1 and said.startswith("error: "), said
        assert "this should not happen" not in said
        return said

    return run


RESPONSE = ["frf", "pendulum", "--input", "phi", "--output", "phi"]
ODD = {
    "endless": ["simulate", "four_bar", "--t-end", "inf"],
    "not a time": ["simulate", "four_bar", "--t-end", "nan"],
    "backwards": ["simulate", "four_bar", "--t-end", "-1"],
    "too many samples": ["simulate", "four_bar", "--rate", "1e12"],
    "endless samples": ["simulate", "four_bar", "--rate", "inf"],
    "an infinite force": ["simulate", "four_bar", "--actuator", "A=inf"],
    "no values": ["map", "hexapod", "--over", "x=0:1:0"],
    "fewer than no values": ["map", "hexapod", "--over", "x=0:1:-3"],
    "too many values": ["map", "hexapod", "--over", "x=0:1:1000000000000"],
    "too many in all": ["map", "hexapod", *["--over", "x=0:1:10000", "--over", "y=0:1:10000"]],
    "infinite values": ["map", "hexapod", "--over", "x=0:inf:3"],
    "half a range": ["map", "hexapod", "--over", "x=0:1"],
    "too many frequencies": [*RESPONSE, "--points", "100000000000"],
    "infinite frequencies": [*RESPONSE, "--to", "inf"],
    "no modes": ["modes", "pendulum", "-n", "0"],
}


@pytest.mark.parametrize("case", ODD)
def test_odd_arguments_are_one_sentence(case, here):
    here(*ODD[case])


TABLES = {
    "a long field": f"t,theta1\n0,{'1' * 200_000}\n",
    "two columns of one name": "t,theta1,theta1\n0,1,1\n1,1,1\n",
    "words": "t,theta1\n0,one\n",
    "a zero": "t,theta1\n0,\0\n",
    "nothing": "",
}


@pytest.mark.parametrize("case", TABLES)
def test_odd_tables_are_one_sentence(case, here, tmp_path):
    (tmp_path / "motion.csv").write_text(TABLES[case])
    assert "motion.csv: " in here("kinematics", "four_bar", tmp_path / "motion.csv")


KINDS = {  # of files that are no models
    "study.toml": ('format = 1\nmodel = "m.toml"\n[recordings]', "a study, not a model: `poinsot identify` reads it"),
    "unfinished.toml": ('model = "m.toml"\nunknowns = []', "a study or a design, not a model"),
    "design.toml": ('model = "m.toml"\n[design]\ntask = "poses"', "a design, not a model: `poinsot design` reads it"),
    "columns.toml": (
        "[channels]\nq = 2",
        "a columns file, not a model: `poinsot read RECORDING --columns FILE` takes it",
    ),
    "run.csv": ("t,q\n0,1", "a table of numbers, not a model: `poinsot read` reads it"),
    "result": ("estimate.json", "the folder of an estimate, not a model: `poinsot report` reads it"),
    "designed": ("design.json", "the folder of a design, not a model: `poinsot report` reads it"),
}


@pytest.mark.parametrize("command", ["check", "simulate", "modes", "inverse"])
@pytest.mark.parametrize("name", KINDS)
def test_what_is_no_model_is_called_what_it_is_with_the_command_that_reads_it(name, command, here, tmp_path):
    contents, said = KINDS[name]
    if "." in name:
        (tmp_path / name).write_text(contents)
    else:
        (tmp_path / name).mkdir()
        (tmp_path / name / contents).write_text("{}")
    sentence = here(command, tmp_path / name, *["motion.csv"] * (command == "inverse"))
    assert f"{name}: this is {said}" in sentence
    assert ("its model is 'm.toml'" in sentence) == ("m.toml" in contents)


def test_a_study_that_is_no_toml_and_columns_that_are_a_study_name_the_file(here, tmp_path):
    (tmp_path / "run.csv").write_text("t,q\n0,1\n1,2\n")
    assert "run.csv: not a TOML file" in here("identify", tmp_path / "run.csv")
    (tmp_path / "study.toml").write_text(KINDS["study.toml"][0])
    said = here("read", tmp_path / "run.csv", "--columns", tmp_path / "study.toml")
    assert "this is a study, not a columns file: `poinsot identify` reads it" in said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
@pytest.mark.parametrize("arguments", [["check", "four_bar"], ["--help"]])
def test_a_full_device_is_one_sentence(arguments):
    with open("/dev/full", "wb") as full:
        assert "no space left on device" in sentence(poinsot(*arguments, stdout=full))


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
@pytest.mark.parametrize("arguments", [["parameters", "hexapod"], ["base", "four_bar", "--numbers"]])
def test_consoles_without_greek_letters_show_words(encoding, arguments):
    result = poinsot(*arguments, environment={"PYTHONIOENCODING": encoding, "LC_ALL": "C"})
    assert result.returncode == 0, result.stderr
    result.stdout.decode(encoding)


def test_signs_are_written_in_others_where_a_console_has_none():
    codecs.register_error("poinsot.plain", console._plain)
    assert "5 N·m → θ ≤ 3 µm ☃".encode("ascii", errors="poinsot.plain") == b"5 N*m -> theta <= 3 um ?"


ENVIRONMENTS = {
    "no size": {"COLUMNS": "0", "LINES": "0", "TMPDIR": "/nonexistent"},
    "a negative size": {"COLUMNS": "-7", "TERM": ""},
    "a file for a cache": {"POINSOT_CACHE_DIR": __file__},
    "a device for a cache": {"POINSOT_CACHE_DIR": os.devnull},
    "colour in any case": {"FORCE_COLOR": "1", "TERM": "dumb"},
}


@pytest.mark.parametrize("case", ENVIRONMENTS)
def test_odd_environments_change_nothing(case):
    result = poinsot("check", "four_bar", environment=ENVIRONMENTS[case])
    assert result.returncode == 0 and b"Traceback" not in result.stderr
    assert b"mobility              1" in result.stdout


def test_a_process_without_home_works(tmp_path):
    without = ("HOME", "POINSOT_CACHE_DIR", "XDG_CACHE_HOME", "USER", "LOGNAME")
    assert poinsot("cache", without=without).returncode == 0


SETTINGS = [
    ("POINSOT_CACHE_BYTES", "abc"),
    ("POINSOT_CACHE_BYTES", "²"),
    ("POINSOT_THREADS", "²"),
    ("POINSOT_THREADS", "9" * 5000),
    ("POINSOT_ENGINE", "fast"),
    ("POINSOT_CACHE_DIR", "~nobody_of_this_name"),
]


@pytest.mark.parametrize("name, value", SETTINGS)
def test_settings_that_mean_nothing_are_one_sentence(name, value, here, monkeypatch):
    monkeypatch.setenv(name, value)
    assert name in here("doctor")


def test_nothing_is_shown_of_short_work_or_where_there_is_no_terminal(capsys):
    with console.busy("working") as tell:
        tell("still working")
    assert capsys.readouterr() == ("", "")


def test_long_work_is_shown_on_a_terminal(monkeypatch):
    class Terminal(list):
        encoding = "utf-8"
        write = list.append

        def isatty(self):
            return True

        def flush(self):
            pass

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(console, "_SILENT_SECONDS", 0.01)
    monkeypatch.setattr(console, "_EVERY_SECONDS", 0.01)
    with console.busy("checking a leg"):
        logging.getLogger("poinsot.progress").info("guess 3 of 12")
        while not terminal:
            time.sleep(0.01)
    assert "checking a leg: guess 3 of 12 …" in "".join(terminal)
    assert terminal[-1] == "\r\033[K"
