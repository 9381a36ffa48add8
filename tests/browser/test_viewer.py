"""The live viewer in a real browser: sliders keep loops closed, modes swing, nothing leaves the machine."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import poinsot
from poinsot.app.scene.viser_package import server
from poinsot.app.viewer.command import Shown, furnish

pytestmark = pytest.mark.browser
PATIENCE = 60.0  # [s]


def until(condition: Any, seconds: float = PATIENCE) -> None:
    """Wait for something that the page does."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.1)


@pytest.fixture
def live() -> Iterator[Any]:
    """A function that opens a mechanism in the viewer, on a port that is free."""
    opened = []

    def start(name: str) -> tuple[str, Any]:
        context = server()
        running = context.__enter__()
        stage = furnish(running, Shown(poinsot.load(name)))
        opened.append((context, stage))
        return f"http://127.0.0.1:{running.get_port()}", stage

    yield start
    for context, stage in opened:
        stage.close()
        context.__exit__(None, None, None)


def test_a_slider_moves_the_platform_with_its_loops_closed(watched, live):
    place, stage = live("hexapod")
    page = watched.open(place)
    before = watched.drawn()
    start = np.array(stage.pose.poses["platform"].p)
    box = page.locator("input[inputmode=decimal]:visible").first  # the number beside the first slider: x [mm]
    box.wait_for(timeout=1000 * PATIENCE)
    box.fill("60")
    box.press("Enter")
    until(lambda: stage.pose.poses["platform"].p[0] > start[0] + 0.05)
    p = stage.pose.poses["platform"].p
    np.testing.assert_allclose(p - start, [0.06, 0.0, 0.0], atol=1e-9)
    assert stage.posing.residual(stage.pose.poses) < 1e-9
    watched.changed(before)
    box.fill("300")  # out of reach of the slider's legs or not: the loops stay closed either way
    box.press("Enter")
    time.sleep(0.5)
    assert stage.posing.residual(stage.pose.poses) < 1e-9


def test_a_mode_swings_in_the_viewer(watched, live):
    place, stage = live("navaro")
    page = watched.open(place)
    watched.drawn()
    page.get_by_text("Modes", exact=True).first.click(timeout=1000 * PATIENCE)
    page.get_by_role("button", name="modes of this pose").click(timeout=1000 * PATIENCE)
    page.get_by_text("swing", exact=True).first.click(timeout=1000 * PATIENCE)
    until(lambda: len(stage.drawing.tubes) and "Hz" in page.content())
    first = watched.canvas()
    watched.changed(first)
