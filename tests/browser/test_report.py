"""A report in a real browser: plots have their traces, the 3D part is not blank, themes, phones, saved data."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import poinsot
from poinsot.app.report import report_page, write_report
from tests.app.test_report import EVIL, plots_of
from tests.browser.conftest import Watched
from tests.estimate.frequencies.test_measured_modes import START, runs
from tests.test_results import identified

pytestmark = pytest.mark.browser
WIDE = """() => [...document.querySelectorAll('table, .plot, pre')].filter(
  e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.scroll, details, pre')).length"""
LARGEST = """() => Math.max(...[...document.querySelectorAll('.plot')].flatMap(p => p.data)
  .filter(t => t.name === 'measured').flatMap(t => t.y))"""
PICTURES = (
    "() => [...document.querySelectorAll('.stage img')].filter(i => i.offsetParent && i.naturalWidth > 100).length"
)
SIDEWAYS = "() => document.documentElement.scrollWidth - innerWidth"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Three springs from measured frequencies, with a run that is held out."""
    links = poinsot.load("three_link")
    first, second = runs(links, 0.003, deviation="0.3 %")
    est = poinsot.identify(links, {"straight": first}, START, validate={"bent": second})
    return est.save(tmp_path_factory.mktemp("springs") / "result")


@pytest.fixture(scope="module")
def page(folder) -> Path:
    write_report(folder, folder.parent / "springs.html")
    return folder.parent / "springs.html"


@pytest.fixture(scope="module")
def moving(tmp_path_factory) -> Path:
    """A four-bar that moves."""
    place = tmp_path_factory.mktemp("bar")
    write_report(identified().save(place / "result"), place / "bar.html")
    return place / "bar.html"


def opened(watched: Watched, page: Path, width: int = 1200, height: int = 800):
    """The page with all its plots drawn."""
    watched.page.set_viewport_size({"width": width, "height": height})
    found = watched.open(page)
    found.wait_for_selector("html[data-ready=yes]", state="attached", timeout=120_000)
    return found


def test_every_plot_has_its_traces_and_their_numbers(watched, page):
    shown = opened(watched, page)
    drawn = shown.evaluate("() => [...document.querySelectorAll('.plot')].map(p => p.data)")
    told = list(plots_of(page.read_text()).values())
    assert len(drawn) == len(told) > 5
    for traces, plot in zip(drawn, told):
        assert len(traces) == len(plot["traces"]) > 0
        for trace, own in zip(traces, plot["traces"]):
            rows = plot["columns"][own["x"]["$"]][own["x"]["from"] : own["x"]["to"]] if "$" in own["x"] else own["x"]
            assert trace["x"] == rows
    pixels = shown.evaluate("() => [...document.querySelectorAll('.plot .main-svg')].length")
    assert pixels >= len(told)
    assert watched.requests == [page.as_uri()]


def test_the_data_of_a_plot_is_saved_as_csv(watched, page):
    shown = opened(watched, page)
    plot = plots_of(page.read_text())["estimates"]
    with shown.expect_download() as saved:
        shown.locator("button.save").first.click()
    assert saved.value.suggested_filename == "estimates.csv"
    rows = list(csv.reader(Path(saved.value.path()).read_text(encoding="utf-8-sig").splitlines()))
    assert rows[0] == plot["heads"]
    for k, column in enumerate(plot["columns"]):
        cells = [row[k] for row in rows[1:]]
        assert [float(x) for x in cells] == column if isinstance(column[0], float) else cells == column


def test_the_mechanism_is_drawn_and_moves(watched, moving):
    shown = opened(watched, moving)
    assert not shown.query_selector_all("iframe")  # nothing is unpacked before it is asked for
    assert shown.evaluate(PICTURES) == 1
    shown.locator("button.open").first.click()
    shown.wait_for_selector("iframe")
    assert shown.evaluate(PICTURES) == 0
    shown.emulate_media(media="print")  # a page of its own cannot be printed, the picture can
    assert shown.evaluate(PICTURES) == 1
    shown.emulate_media(media="screen")
    inside = Watched(shown.query_selector("iframe").content_frame())
    inside.changed(inside.drawn())


def test_a_mode_swings(watched, page):
    shown = opened(watched, page)
    shown.locator("button.open").nth(1).click()
    shown.wait_for_selector("iframe")
    inside = Watched(shown.query_selector("iframe").content_frame())
    inside.changed(inside.drawn())


def test_light_and_dark(watched, page):
    shown = opened(watched, page)
    light = shown.evaluate("() => getComputedStyle(document.body).backgroundColor")
    line = "() => document.querySelector('.plot').layout.font.color"
    ink = shown.evaluate(line)
    shown.click("#theme")
    assert shown.evaluate("() => getComputedStyle(document.body).backgroundColor") != light
    assert shown.evaluate(line) != ink
    shown.emulate_media(color_scheme="dark")
    shown.click("#theme")
    assert shown.evaluate("() => getComputedStyle(document.body).backgroundColor") == light
    assert shown.evaluate(line) == ink


@pytest.mark.parametrize("width", [390, 820])
def test_no_page_scrolls_sideways(watched, page, width):
    shown = opened(watched, page, width)
    assert shown.evaluate(SIDEWAYS) <= 0
    assert shown.evaluate(WIDE) == 0


def test_printed_pages_have_no_tools_and_all_sections(watched, page, tmp_path):
    shown = opened(watched, page)
    shown.emulate_media(media="print")
    hidden = "() => ['nav', '#theme', '.save', '.open'].filter(s => document.querySelector(s)?.offsetParent)"
    assert shown.evaluate(hidden) == []
    visible = "() => [...document.querySelectorAll('section h2')].filter(h => h.offsetParent).length"
    assert shown.evaluate(visible) == len(report_page(page.parent / "result").sections)
    assert shown.evaluate(PICTURES) == len(shown.query_selector_all(".stage")) > 0
    assert len(shown.pdf(path=tmp_path / "report.pdf", format="A4")) > 20_000


def test_texts_of_users_do_nothing(watched, folder, tmp_path):
    data = json.loads((folder / "estimate.json").read_text())
    evil = '<img src=x onerror="document.title=1">' + EVIL
    for p in data["parameters"]:
        p["name"] = evil + p["name"]
    data["combinations"], data["fit"]["runs"] = [], [evil]
    (tmp_path / "estimate.json").write_text(json.dumps(data))
    text = (folder / "fit.csv").read_text().replace("frequency", evil.replace('"', '""'))
    (tmp_path / "fit.csv").write_text(text.replace("straight", '"' + evil.replace('"', '""') + '"'))
    write_report(tmp_path, tmp_path / "page.html")
    shown = opened(watched, tmp_path / "page.html")
    assert shown.title().startswith("Identification of")
    assert shown.evaluate("() => document.querySelectorAll('main img, .plot a, main b').length") == 0
    labels = shown.evaluate("() => [...document.querySelectorAll('.plot .ytick text')].map(t => t.textContent)")
    assert any(label.startswith("<img src") for label in labels)


def test_fewer_pixels_than_samples_show_all_peaks(watched, folder, tmp_path):
    data = json.loads((folder / "estimate.json").read_text())
    (tmp_path / "estimate.json").write_text(json.dumps(data | {"validation": None}))
    x = np.random.default_rng(0).standard_normal(30_000)
    x[12_345] = 40.0
    rows = [f"run,{k / 100:.6g},{v:.6g},0" for k, v in enumerate(x)]
    (tmp_path / "fit.csv").write_text("\n".join(['run,t [s],"measured A [N]","predicted A [N]"', *rows]))
    write_report(tmp_path, tmp_path / "page.html")
    shown = opened(watched, tmp_path / "page.html")
    assert shown.evaluate(LARGEST) == 40.0
