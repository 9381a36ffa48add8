"""Pages that need nothing else show a mechanism, and a mode swings."""

from __future__ import annotations

import pytest

import poinsot
from poinsot.app.scene.page import as_html, modes_html

pytestmark = pytest.mark.browser


def test_a_page_shows_the_mechanism_without_a_network(watched, tmp_path):
    page = tmp_path / "hexapod.html"
    page.write_text(as_html(poinsot.load("hexapod")))
    watched.open(page)
    watched.drawn()
    assert watched.requests == [page.as_uri()]


def test_a_mode_swings_on_its_page(watched, tmp_path):
    page = tmp_path / "mode.html"
    page.write_text(modes_html(poinsot.modes(poinsot.load("navaro"), n=2), 0))
    watched.open(page)
    before = watched.drawn()
    watched.changed(before)


def test_the_rule_on_requests_can_fail(watched, tmp_path):
    page = tmp_path / "asks.html"
    page.write_text("<img src='http://203.0.113.1/x.png'><script>console.error('no')</script>")
    watched.open(page)
    assert watched.beyond == ["http://203.0.113.1/x.png"]
    assert "no" in watched.errors
    watched.requests.clear()
    watched.errors.clear()
