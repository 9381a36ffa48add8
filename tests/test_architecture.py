"""The page on architecture tells what calls pass: measured, module by module."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

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
