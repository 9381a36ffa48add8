"""The live viewer in a real browser: sliders keep loops closed, modes swing, nothing leaves the machine."""

from __future__ import annotations

import time

import numpy as np
import pytest

from tests.browser.conftest import PATIENCE, until

pytestmark = pytest.mark.browser


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
