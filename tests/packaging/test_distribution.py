"""Wheel and source distribution: what is in them, and that a bare installation works and names what it lacks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
FOR_USERS = set(re.findall(r"\w+", re.search(r"\[(.*)\]", EXTRAS["all"][0]).group(1)))


def run(*words, **options) -> subprocess.CompletedProcess:
    clean = {name: x for name, x in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, env=clean, **options)


def environment(place: Path) -> Path:
    venv.create(place, with_pip=True)
    return place / ("Scripts" if os.name == "nt" else "bin")


def installed(programs: Path, *what: str) -> None:
    result = run(
        *(programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
        *("--constraint", ROOT / "constraints.txt", *what),
    )
    if result.returncode:
        pytest.skip(f"packages cannot be had here: {result.stderr.strip().splitlines()[-1]}")


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("dist")
    programs = environment(place / "builder")
    installed(programs, "hatchling")
    result = run(programs / "python", "-m", "hatchling", "build", "-d", place / "dist", cwd=ROOT)
    assert result.returncode == 0, result.stderr
    return {"wheel": next((place / "dist").glob("*.whl")), "sdist": next((place / "dist").glob("*.tar.gz"))}


@pytest.fixture(scope="module")
def bare(built, tmp_path_factory) -> Path:
    programs = environment(tmp_path_factory.mktemp("bare") / "environment")
    installed(programs, str(built["wheel"]))
    return programs


def tracked() -> set[str]:
    listed = run("git", "ls-files", cwd=ROOT)
    if listed.returncode:
        pytest.skip("this is no clone")
    return set(listed.stdout.split("\n")) - {""}


@pytest.mark.slow
def test_the_wheel_has_the_package_with_all_its_files_and_nothing_else(built):
    names = set(zipfile.ZipFile(built["wheel"]).namelist())
    own = {name.removeprefix("src/") for name in tracked() if name.startswith("src/poinsot/")}
    assert own <= names, own - names
    assert {name.split("/")[0] for name in names} <= {"poinsot", f"poinsot-{PROJECT['version']}.dist-info"}
    assert not [name for name in names if re.search(r"(^|/)(tests?|data)/|\.(csv|npz|parquet|mat)$", name)]
    assert {"poinsot/library/four_bar.toml", "poinsot/app/new/serial.toml", "poinsot/py.typed"} <= names


@pytest.mark.slow
def test_the_source_distribution_has_all_that_builds_and_tests_need(built):
    with tarfile.open(built["sdist"]) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    wanted = {n for n in tracked() if n.split("/")[0] in ("src", "tests", "docs", "examples", "benchmarks")}
    wanted |= {"README.md", "CHANGELOG.md", "LICENSE", "Makefile", "constraints.txt", "pyproject.toml"}
    assert wanted <= names, wanted - names


@pytest.mark.slow
def test_a_bare_installation_checks_and_simulates(bare, tmp_path):
    for command in (["check", "four_bar"], ["simulate", "four_bar", "--t-end", "0.1", "--csv", "run.csv"]):
        result = run(bare / "poinsot", *command, cwd=tmp_path)
        assert result.returncode == 0, result.stderr
    assert (tmp_path / "run.csv").read_text().startswith("t [s],theta1 [rad]")
    assert run(bare / "poinsot", "--version").stdout == f"poinsot {PROJECT['version']}\n"


WITHOUT = {  # a command that needs an extra, by extra
    "symbolic": ["base", "four_bar"],
    "mujoco": ["check", "four_bar.xml"],
    "data": ["measure", "ex800", "--t-end", "0.02", "--out", "run.parquet"],
    "ros": ["read", "run.mcap"],
    "cluster": ["design", "three_link_poses", "--dask", "local"],
    "plot": ["simulate", "four_bar", "--t-end", "0.1", "--plot", "run.png"],
    "report": ["report", "result"],
    "estimate": ["identify", "consistent.toml"],
}
IN_PYTHON = {  # the same for what no short command needs
    "modal": "from poinsot.recording.modal.output_only import subspace as s; s._quiet(lambda ssi: None)",
    "view": "from poinsot.app.scene.viser_package import viser_module; viser_module()",
}


def test_every_extra_for_users_is_asked_for():
    assert {*WITHOUT, *IN_PYTHON} == FOR_USERS


@pytest.fixture(scope="module")
def folder(bare, tmp_path_factory) -> Path:
    """What the commands need, made without any extra."""
    place = tmp_path_factory.mktemp("without")
    made = run(bare / "poinsot", "new", "start", "--mechanism", "slider_crank", "--simulated", cwd=place)
    assert made.returncode == 0, made.stderr
    start = place / "start"
    assert run(bare / "poinsot", "identify", "study.toml", "--out", "result", cwd=start).returncode == 0
    study = (start / "study.toml").read_text()
    linear = re.sub(r"^unknowns = \[.*?^\]\n", "", study, flags=re.S | re.M)
    (start / "consistent.toml").write_text(linear.replace('"weighted"', '"consistent"'))
    assert run(bare / "poinsot", "convert", "four_bar", "four_bar.xml", cwd=start).returncode == 0
    (start / "run.mcap").write_bytes(b"\x89MCAP0\r\n" + bytes(64))
    return start


@pytest.mark.slow
@pytest.mark.parametrize("extra", [*WITHOUT, *IN_PYTHON])
def test_a_missing_extra_is_named_with_the_command_that_installs_it(bare, folder, extra):
    if extra in WITHOUT:
        result = run(bare / "poinsot", *WITHOUT[extra], cwd=folder)
    else:
        result = run(bare / "python", "-c", IN_PYTHON[extra], cwd=folder)
    assert f"pip install 'poinsot[{extra}]'" in result.stderr, result.stdout + result.stderr
    if extra in WITHOUT:
        assert "Traceback" not in result.stderr and result.returncode == (0 if extra == "symbolic" else 1)


def test_python_versions_are_those_of_the_classifiers():
    told = {c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)}
    assert told == {"3.11", "3.12", "3.13"} and PROJECT["requires-python"] == ">=3.11"
    assert f"{sys.version_info.major}.{sys.version_info.minor}" in told
