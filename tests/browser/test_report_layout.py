"""Tables of a report in a real browser: wide ones fit, hashes stay whole on paper, no heading without anything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from poinsot.app.report import write_report
from tests.browser.conftest import Watched
from tests.test_results import identified

LONG = "right_front_leg_of_the_walking_platform.gearbox_output_stage_two"
pytestmark = pytest.mark.browser
OVER = "() => Math.max(...[...document.querySelectorAll('.scroll')].map(e => e.scrollWidth - e.clientWidth))"
PLOTS = (
    "() => Math.min(...[...document.querySelectorAll('.plot .nsewdrag')].map(e => e.getBoundingClientRect().width))"
)
TICKS = """() => [...document.querySelectorAll('.plot .ytick text')]
  .map(e => e.textContent).filter(x => x.endsWith('mass'))"""
LINES = """() => Math.max(...[...document.querySelectorAll('section[id^=provenance] td')]
  .filter(e => /^[0-9a-f]{64}$/.test(e.textContent)).map(e => { const r = document.createRange();
  r.selectNodeContents(e); return r.getClientRects().length; }))"""


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Path:
    """A report whose table of estimates has nine columns."""
    folder = identified().save(tmp_path_factory.mktemp("wide") / "result")
    data = json.loads((folder / "estimate.json").read_text())
    names = [p["name"] for p in data["parameters"]]
    ends = {"lower": [1.23456] * len(names), "upper": [1.23567] * len(names)}
    data["bootstrap"] = {"names": names, **ends, "level": 0.95, "noise": "drawn"}
    for one in data["study"]["unknowns"]:
        one.update(lower=0.1, upper=2.0, prior=0.7, prior_deviation=0.3)
    (folder / "estimate.json").write_text(json.dumps(data))
    write_report(folder, folder.parent / "wide.html")
    return folder.parent / "wide.html"


@pytest.fixture(scope="module")
def long_page(tmp_path_factory) -> Path:
    """A report of unknowns with names of seventy letters."""
    folder = identified().save(tmp_path_factory.mktemp("long") / "result")
    text = (folder / "estimate.json").read_text()
    for p in json.loads(text)["parameters"]:
        text = text.replace(f'"{p["name"]}"', f'"{LONG}.{p["name"]}"')
    (folder / "estimate.json").write_text(text)
    write_report(folder, folder.parent / "long.html")
    return folder.parent / "long.html"


def opened(watched: Watched, page: Path, width: int):
    watched.page.set_viewport_size({"width": width, "height": 900})
    found = watched.open(page)
    found.wait_for_selector("html[data-ready=yes]", state="attached", timeout=120_000)
    return found


@pytest.mark.parametrize("width", [1280, 390])
def test_wide_tables_fit(watched, page, width):
    assert opened(watched, page, width).evaluate(OVER) <= 0


@pytest.mark.parametrize(("width", "room"), [(1280, 400), (390, 100)])
def test_long_names_leave_room_for_plots_and_turn_no_page_sideways(watched, long_page, width, room):
    shown = opened(watched, long_page, width)
    assert shown.evaluate("document.documentElement.scrollWidth") <= width and shown.evaluate(OVER) <= 0
    assert shown.evaluate(PLOTS) > room
    assert all(x.startswith("right_f") and "…" in x for x in shown.evaluate(TICKS)) and shown.evaluate(TICKS)
    plot = shown.locator(".plot").first
    plot.scroll_into_view_if_needed()
    plot.locator(".points path").first.hover(force=True)
    assert f"{LONG}.link2.mass" in plot.locator(".hovertext").first.text_content()


def test_paper_has_whole_hashes_and_no_heading_without_anything(watched, page):
    shown = opened(watched, page, 700)
    shown.emulate_media(media="print")
    assert shown.locator("#mechanism h2").is_visible() and shown.locator("#mechanism img").is_visible()
    assert shown.locator("#estimates h2").is_visible()
    assert shown.evaluate(LINES) == 1
