"""The documentation site: it builds without a warning, needs no network, and misses no name, key or law."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from docs.generate import diagram, file_tables, reference, sensor_tables, validation

import poinsot
from poinsot.app.cli import app
from poinsot.elements.forces import FORCES
from poinsot.elements.joints import JOINTS
from poinsot.elements.sensors import SENSORS
from tests.compared import compared, compared_all

ROOT = Path(__file__).parents[1]
FETCHED = {
    "script": "src",
    "img": "src",
    "link": "href",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "embed": "src",
}


class Resources(HTMLParser):
    """What a browser fetches for a page."""

    def __init__(self, text: str):
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in FETCHED and given.get(FETCHED[tag]) and given.get("rel") not in ("next", "prev", "canonical"):
            self.found.append(given[FETCHED[tag]] or "")
        self.found += re.findall(r"url\(([^)]+)\)", given.get("style") or "")


def outside(text: str) -> list[str]:
    """Resources that are not files of the site."""
    return [url for url in Resources(text).found if re.match(r"(https?:)?//", url.strip("'\""))]


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_needs_no_network(tmp_path):
    pytest.importorskip("mkdocs", reason="the extra docs is not installed")
    call = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    quiet = {"NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": os.pathsep.join(map(str, (ROOT / "src", ROOT)))}
    done = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, env=os.environ | quiet)
    assert done.returncode == 0, done.stderr[-3000:]
    pages = sorted((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 50
    for page in pages:
        assert not outside(page.read_text()), page
        assert "mermaid" not in re.findall(r'class="([^"]+)"', page.read_text()), f"{page} would fetch mermaid"
    for style in (tmp_path / "site").rglob("*.css"):
        assert not re.search(r"url\([\"']?(https?:)?//", style.read_text()), style
    records = (tmp_path / "site" / "reference" / "records.html").read_text()
    assert "combinations" in records and "undetermined" in records


def test_every_page_has_one_place_in_the_navigation():
    places = re.findall(r"[\w/.-]+\.md", (ROOT / "mkdocs.yml").read_text().partition("\nnav:")[2])
    assert len(places) > 30
    assert sorted(places) == sorted(set(places))


def test_the_rule_on_the_network_can_fail():
    assert outside('<script src="https://x.org/a.js"></script>') == ["https://x.org/a.js"]
    assert outside('<p style="background: url(//x.org/a.png)">') == ["//x.org/a.png"]
    assert not outside('<a href="https://x.org">x</a><img src="a.png"><link rel="canonical" href="https://x.org">')


def test_the_reference_has_every_public_name_command_and_law():
    functions, records = reference.functions(), reference.records()
    for name in reference.PUBLIC:
        thing = getattr(poinsot, name)
        assert f"{thing.__module__}.{thing.__qualname__}" in functions + records, name
    commands = reference.command_line()
    for command in app.registered_commands:
        assert f"## {command.name or command.callback.__name__}" in commands
    laws = file_tables.laws()
    assert all(f"| `{kind}` |" in laws for kind in (*JOINTS, *FORCES, *SENSORS, "load"))


@pytest.mark.parametrize("kind", SENSORS)
def test_the_page_of_sensors_has_every_key_with_unit_and_default_and_every_channel(kind):
    law, page = SENSORS[kind], sensor_tables.sensors()
    section = page.split(f"## {kind}\n")[1].split("\n## ")[0] + page.split("## Every type")[1].split("\n## ")[0]
    for key in {*law.takes, *law.imperfections, "rate", "dropout"}:
        (row,) = [line for line in section.splitlines() if line.startswith(f"| `{key}` |")]
        assert all(cell.strip() for cell in row.split("|")[1:-1]), row
    assert all(f"`{channel.name}` [" in section for channel in law("NAME").channels)


@pytest.mark.parametrize("page", ["model_file", "study_file", "design_file", "laws", "units"])
def test_every_key_of_a_file_has_a_meaning(page):
    rows = [line for line in getattr(file_tables, page)().splitlines() if line.startswith("| `")]
    assert rows and not [row for row in rows if row.rstrip().endswith("|  |")]


def test_every_option_of_a_command_has_a_meaning():
    rows = [line for line in reference.command_line().splitlines() if line.startswith("| `")]
    assert rows and not [row for row in rows if re.search(r"\|  \|[^|]*\|$", row)]


def test_a_diagram_has_its_boxes_and_arrows():
    drawn = diagram.svg("flowchart BT\n a --> b --> c\n a --> c\n")
    assert drawn.count("<rect") == 3 and drawn.count("marker-end") == 3
    assert diagram.levels([("a", "b"), ("b", "c"), ("a", "c")]) == {"a": 0, "b": 1, "c": 2}


def test_what_tests_compare_becomes_a_row_of_the_page(tmp_path, monkeypatch):
    compared("speed", "somebody", [1.0], [2.0])  # nobody asked
    monkeypatch.setenv("POINSOT_AGREEMENT", str(tmp_path / "new" / "log.jsonl"))
    compared("speed", "Pinocchio", [1.0, 2.0, np.nan], [1.0, 2.0002, np.nan])
    compared_all("speed", "Pinocchio", {"a": [1.0], "b": [3.0]}, {"b": [3.0], "a": [1.0]})
    compared("rank", "by hand", 8, 8)
    compared("gap", "by hand", [1.0, np.nan], [1.0, 2.0])
    lines = [json.loads(line) for line in (tmp_path / "new" / "log.jsonl").read_text().splitlines()]
    assert [line["error"] for line in lines] == pytest.approx([1e-4, 0.0, 0.0, np.inf], rel=1e-3)
    page = validation.page(lines)
    assert "| speed | Pinocchio | 2 | 5e-05 | 1e-04 | 4 |" in page
    assert "| rank | by hand | 1 | – | – | all |" in page and "| none |" in page


def test_the_page_on_validation_was_made_by_its_writer():
    text = (ROOT / "docs" / "validation.md").read_text()
    assert text.startswith(validation.HEAD) and text.endswith(validation.TAIL)
    rows = text[len(validation.HEAD) : -len(validation.TAIL)].strip().splitlines()
    assert len(rows) > 20 and all(row.count("|") == 7 for row in rows)
    assert not [row for row in rows if row.endswith("| none |")]
