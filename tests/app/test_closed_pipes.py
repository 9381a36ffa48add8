"""A reader of the standard output that goes, such as `head -1`: files are written, and the end is quiet."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

STUDY = """\
format = 1
model = "four_bar"
unknowns = ["link1.J"]
[recordings.run]
file = "motion.csv"
"""
MOTION = "t [s],theta1 [rad],A [N·m]\n" + "".join(f"{0.02 * k:g},{0.01 * k * k:g},{0.1 * k:g}\n" for k in range(60))
COMMANDS = {
    "simulate": "four_bar --t-end 0.05 --csv a.csv --plot b.png --json c.json",
    "kinematics": "four_bar motion.csv --csv a.csv --json c.json",
    "inverse": "four_bar motion.csv --csv a.csv --json c.json",
    "pose": "four_bar --json a.json",
    "modes": "three_link --json a.json --plot b.png",
    "frf": "three_link --input phi1 --output phi1 --csv a.csv --json c.json",
    "map": "three_link --over phi1=0:0.1:2 --csv a.csv --json c.json",
    "regressor": "four_bar motion.csv --out a.csv --json c.json",
    "determinable": "four_bar motion.csv --json c.json",
    "identify": "study.toml --out result --json c.json",
}


def written(command: str, folder: Path, out: object) -> tuple[int, str, bool]:
    """Exit code, what was said on the standard error, and whether all files are there."""
    (folder / "study.toml").write_text(STUDY)
    (folder / "motion.csv").write_text(MOTION)
    arguments = COMMANDS[command].split()
    call = [sys.executable, "-m", "poinsot", command, *arguments]
    done = subprocess.run(call, cwd=folder, stdout=out, stderr=subprocess.PIPE, env=os.environ, text=True)
    options = ("--csv", "--json", "--plot", "--out")
    places = [value for option, value in pairwise(arguments) if option in options]
    return done.returncode, done.stderr, all((folder / place).exists() for place in places)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_reader_that_goes_takes_no_files(tmp_path, monkeypatch, command):
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")  # the first word that is printed meets the closed pipe
    reader, writer = os.pipe()
    os.close(reader)
    code, said, whole = written(command, tmp_path, writer)
    os.close(writer)
    assert (code, whole) == (0, True) and "error" not in said, said


@pytest.mark.parametrize("command", ["simulate", "kinematics", "identify"])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
def test_files_are_written_before_anything_is_printed(tmp_path, monkeypatch, command):
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    with open("/dev/full", "wb") as full:
        code, said, whole = written(command, tmp_path, full)
    assert (code, whole) == (1, True) and "no space left on device" in said


def test_data_whose_reader_goes_takes_no_other_files(tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    call = [sys.executable, "-m", "poinsot", "simulate", "four_bar", "--json", "c.json", "--csv", "-"]
    assert subprocess.run(call, cwd=tmp_path, stdout=writer).returncode == 0
    os.close(writer)
    assert (tmp_path / "c.json").exists()
