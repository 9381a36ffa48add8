"""Bodies dragged with the mouse: they follow their handle with closed loops, as near as they can."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from poinsot.app.viewer.posing import posing_of
from poinsot.app.viewer.stage import ViewerStage
from poinsot.spatial.rotation import quaternion_matrix
from tests.browser.conftest import PATIENCE, Watched, until

pytestmark = pytest.mark.browser
ARROW = 0.3  # of a handle, where it is grabbed, in units of the picture
TOAST = ".mantine-Notification-closeButton"  # of viser's note on graphics cards, which lies over the picture


def take(watched: Watched, place: str, stage: ViewerStage, body: str) -> Any:
    """Open a page and choose a body; gives the handle."""
    watched.page.set_viewport_size({"width": 1250, "height": 600})
    page = watched.open(place)
    watched.drawn()
    for note in page.locator(TOAST).all():
        note.click(timeout=1000 * PATIENCE)
    page.get_by_text("Drag", exact=True).first.click(timeout=1000 * PATIENCE)
    page.locator("input[value=nothing]").first.click(timeout=1000 * PATIENCE)
    page.get_by_role("option", name=body, exact=True).click(timeout=1000 * PATIENCE)
    handle = stage.server.scene._handle_from_node_name["/handle"]
    until(lambda: handle.visible)
    time.sleep(1.0)
    return handle


def pull(watched: Watched, stage: ViewerStage, handle: Any, axis: int, pixels: float) -> np.ndarray:
    """Pull a handle by one of its arrows over so many pixels and hold it there; gives the arrow in the world (3,)."""
    along, at = quaternion_matrix(np.array(handle.wxyz))[:, axis], np.array(handle.position)
    foot, grip = (watched.pixel(stage, at + far * along) for far in (0.0, ARROW))
    way = (grip - foot) / np.linalg.norm(grip - foot)
    mouse = watched.page.mouse
    mouse.move(*grip)
    time.sleep(0.3)
    mouse.down()
    for k in range(1, 9):
        mouse.move(*(grip + pixels * k / 8 * way))
        time.sleep(0.05)
    until(lambda: np.linalg.norm(np.array(handle.position) - at) > 0.05)
    return along


def settled(stage: ViewerStage) -> dict[str, Any]:
    """The poses when they do not change any more."""
    while True:
        before = stage.pose
        time.sleep(1.5)
        if stage.pose is before:
            return dict(before.poses)


@pytest.mark.parametrize("axis", [0, 2])
def test_a_platform_follows_the_mouse_with_its_loops_closed(watched, live, axis):
    place, stage = live("hexapod")
    handle = take(watched, place, stage, "platform")
    start = stage.pose.poses["platform"]
    along = pull(watched, stage, handle, axis, 60.0)
    X = settled(stage)["platform"]
    pulled = np.array(handle.position) / stage.drawing.factor
    com = np.asarray(stage.posing.mechanism.bodies["platform"].com, float)
    np.testing.assert_allclose(X.point(com), pulled, atol=1e-6)
    assert (X.p - start.p) @ along > 0.05
    np.testing.assert_allclose(X.R, start.R, atol=1e-6)
    assert stage.posing.residual(stage.pose.poses) < 1e-9
    assert stage.note.content == ""
    watched.page.mouse.up()


def test_a_crank_that_cannot_follow_stays_nearest_and_says_so(watched, live):
    place, stage = live("four_bar")
    posing, com = stage.posing, np.asarray(stage.posing.mechanism.bodies["link1"].com, float)
    handle = take(watched, place, stage, "link1")
    pull(watched, stage, handle, 1, 60.0)
    reached = settled(stage)["link1"]
    target = np.array(handle.position) / stage.drawing.factor
    found = np.linalg.norm(np.asarray(reached.point(com)) - target)
    turns = [posing.assembled({"theta1": q}, posing.home).poses["link1"] for q in np.radians(np.arange(0, 360, 2))]
    least = min(np.linalg.norm(np.asarray(X.point(com)) - target) for X in turns)
    assert 0.01 < found < least * (1 + 1e-3)
    assert posing.residual(stage.pose.poses) < 1e-9
    assert "link1 cannot follow its handle" in stage.note.content and "away in the nearest" in stage.note.content
    until(lambda: "cannot follow its handle" in watched.page.content())
    watched.page.mouse.up()
    grip = stage.drawing.factor * np.asarray(reached.point(com), float)
    until(lambda: np.allclose(handle.position, grip, atol=1e-3))  # the handle is back on its body


def test_a_rocker_is_turned_by_its_handle(watched, live):
    """The point that is held moves with the body that is turned about it."""
    place, stage = live("four_bar")
    handle = take(watched, place, stage, "link1")
    assert handle.active_axes == (True, True, False)
    x, y = quaternion_matrix(np.array(handle.wxyz))[:, :2].T
    at = np.array(handle.position)
    arc = [watched.pixel(stage, at + 0.35 * 0.65 * (np.cos(a) * x + np.sin(a) * y)) for a in (0.8, 1.2)]
    mouse = watched.page.mouse
    mouse.move(*arc[0])
    time.sleep(0.3)
    mouse.down()
    for k in range(1, 9):
        mouse.move(*(arc[0] + k / 8 * (arc[1] - arc[0])))
        time.sleep(0.05)
    home = posing_of(stage.posing.mechanism).home.poses["link1"]
    until(lambda: not np.allclose(stage.pose.poses["link1"].R, home.R, atol=0.05))
    R = settled(stage)["link1"].R
    np.testing.assert_allclose(R, quaternion_matrix(np.array(handle.wxyz)), atol=2e-3)
    assert stage.posing.residual(stage.pose.poses) < 1e-9
    mouse.up()
