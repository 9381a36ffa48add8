"""The page on architecture tells what calls pass: measured, module by module."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "poinsot"
PAGE = (Path(__file__).parents[1] / "docs" / "architecture.md").read_text()
VERBS = ("simulate", "modes", "base_parameters")
MEASURE = """
import json, os, sys, poinsot

def entered(call):
    seen = set()
    def note(frame, event, _):
        name = frame.f_globals.get("__name__", "")
        if event == "call" and name.startswith("poinsot."):
            seen.add(name.removeprefix("poinsot."))
    os.environ["POINSOT_ENGINE_WAIT"] = "1"
    call()
    del os.environ["POINSOT_ENGINE_WAIT"]
    sys.setprofile(note)
    call()
    sys.setprofile(None)
    return sorted(seen)

bar = poinsot.load("four_bar")
calls = {"simulate": lambda: poinsot.simulate(bar, 0.1), "modes": lambda: poinsot.modes(bar)}
calls["base_parameters"] = lambda: poinsot.base_parameters(bar)
print(json.dumps({verb: entered(call) for verb, call in calls.items()}))
"""


@pytest.fixture(scope="module")
def entered() -> dict[str, list[str]]:
    """By verb, modules of Poinsot that a call enters once its functions are stored."""
    done = subprocess.run([sys.executable, "-c", MEASURE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("verb", VERBS)
def test_the_page_names_every_module_that_a_call_passes(entered, verb):
    heading, text = re.search(rf"### {verb}: (\d+) modules\n(.*?)(?=\n### |\Z)", PAGE, re.S).groups()
    named = set(re.findall(r"`([a-z_.]+)`", text))
    assert (named, int(heading)) == (set(entered[verb]), len(entered[verb]))


def test_the_picture_of_the_packages_is_that_of_their_imports():
    """Its arrows are the imports between packages, less those that follow from others."""
    found: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        package = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        found.setdefault(package, set()).update(imported_packages(path) - {package})
    used_by_all = {"__init__", "__main__", "errors", "lazy", "blas", "results"}
    direct = {name: uses - used_by_all for name, uses in found.items() if name not in used_by_all}

    def below(name: str) -> set[str]:
        return direct[name].union(*(below(used) for used in direct[name])) if direct[name] else set()

    needed = {
        (used, name)
        for name, uses in direct.items()
        for used in uses
        if not any(used in below(other) for other in uses - {used})
    }
    lines = re.search(r"flowchart BT\n(.*?)```", PAGE, re.S).group(1).splitlines()
    chains = [[name.strip() for name in line.split("-->")] for line in lines]
    assert {pair for chain in chains for pair in pairwise(chain)} == needed


def imported_packages(path: Path) -> set[str]:
    """Packages of Poinsot that a module imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == "poinsot":
            names |= {alias.name for alias in node.names if (SOURCE / alias.name).is_dir()}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("poinsot."):
            names.add(node.module.split(".")[1])
    return names
