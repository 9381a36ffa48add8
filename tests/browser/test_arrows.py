"""Arrows of reactions and loads on the page: where inverse dynamics says, as long as it says, gone when hidden."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import poinsot
from poinsot.app.scene.palette import REACTION
from poinsot.app.viewer.stage import ViewerStage
from tests.browser.conftest import PATIENCE, Watched, until

pytestmark = pytest.mark.browser
T = np.linspace(0.0, 2.0, 61)


def toggled(page: Any, layer: str) -> None:
    """Click a box, that of a layer where it is folded away, until the page shows that it took the click."""
    box = page.get_by_label(layer, exact=True)
    if not box.is_visible():
        page.get_by_text("Show", exact=True).first.click(timeout=1000 * PATIENCE)
    before = box.is_checked()

    def taken() -> bool:
        if box.is_checked() == before:
            box.click(timeout=1000 * PATIENCE)
            page.wait_for_timeout(500)
        return box.is_checked() != before

    until(taken)


def violet(watched: Watched) -> np.ndarray:
    """Pixels (n, 2), across and down, in the colour of reactions."""
    import io

    from PIL import Image

    pixels = np.asarray(Image.open(io.BytesIO(watched.page.screenshot())).convert("RGB"), float)
    hue = pixels / np.maximum(pixels.max(axis=2, keepdims=True), 1.0)
    own = np.array(REACTION) / max(REACTION)
    near = (np.abs(hue - own).max(axis=2) < 0.12) & (pixels.max(axis=2) > 60)
    return np.argwhere(near)[:, ::-1]


def arrows(stage: ViewerStage) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Visible arrows of reactions by joint: foot and vector (3,), in the world  [m]."""
    k, found = stage.drawing.factor, {}
    for (layer, name), (_, handle) in stage.drawing.moving.items():
        if layer == "reactions" and handle.visible:
            found[name] = np.array(handle.position) / k, np.asarray(handle.points, float)[0, 1] / k
    return found


def check(stage: ViewerStage, forces: dict[str, np.ndarray], feet: dict[str, np.ndarray], greatest: float) -> None:
    """All arrows are the forces (3,) [N] at their joints, the greatest a quarter of the machine long."""
    drawn, scale = arrows(stage), 0.25 * stage.scene.sizes.extent / greatest
    assert set(drawn) == {name for name, f in forces.items() if np.linalg.norm(f) > 1e-3 * greatest}
    for name, (foot, vector) in drawn.items():
        np.testing.assert_allclose(vector, scale * forces[name], atol=1e-3 * stage.scene.sizes.extent)
        seen = slice(0, 2 if stage.posing.mechanism.planar else 3)  # planar arrows are in front of their links
        np.testing.assert_allclose(foot[seen], feet[name][seen], atol=1e-3 * stage.scene.sizes.extent)


def test_reactions_of_a_motion_are_those_of_inverse_dynamics(watched, live):
    bar = poinsot.load("four_bar")
    motion = {"theta1": lambda t: 1.0 + 2.0 * np.sin(3.0 * t)}
    place, stage = live(bar, poinsot.kinematics(bar, motion, T))
    watched.page.set_viewport_size({"width": 1250, "height": 600})
    page = watched.open(place)
    watched.drawn()
    until(lambda: stage.film is not None)
    toggled(page, "play")  # and it stands still
    toggled(page, "reactions")
    until(lambda: arrows(stage))
    until(lambda: len(violet(watched)) > 100)
    film, _ = stage.film
    found = poinsot.inverse_dynamics(bar, motion, T)
    every = {name: found.reaction(name, axes="world")[:, :3] for name in found.reactions}
    row = int(np.argmax(np.linalg.norm(every["A"], axis=1)))  # where it stands out of its joint
    stage.frame(film, round(T[row] / film.pace))
    assert np.isclose(stage.film[1] * film.pace, T[row], atol=1e-9)
    feet = {}
    for name, joint in bar.joints.items():
        p, R = found._place(joint.b.body)
        p, R = (p[row], R[row]) if p.ndim == 2 else (p, R)
        feet[name] = p + R @ np.asarray(joint.frame_on_b().p, float)
    greatest = max(np.linalg.norm(f, axis=1).max() for f in every.values())
    check(stage, {name: f[row] for name, f in every.items()}, feet, greatest)
    foot, vector = arrows(stage)["A"]  # others may be behind the panel
    points = [watched.pixel(stage, stage.drawing.factor * (foot + s * vector)) for s in (0.3, 0.5, 0.7)]
    for notice in page.locator(".mantine-Notification-closeButton").all():  # of software rendering, over the picture
        notice.click(timeout=1000 * PATIENCE)
    until(lambda: all(np.linalg.norm(violet(watched) - p, axis=1).min(initial=np.inf) < 6 for p in points))
    toggled(page, "reactions")
    until(lambda: not arrows(stage))
    until(lambda: len(violet(watched)) < 20)


def test_reactions_at_rest_follow_the_pose(watched, live):
    place, stage = live("delta")
    page = watched.open(place)
    watched.drawn()
    toggled(page, "reactions")
    until(lambda: arrows(stage))
    box = page.locator("input[inputmode=decimal]:visible").first
    box.fill("80")
    box.press("Enter")
    until(lambda: abs(stage.pose.poses["platform"].p[0] - 0.08) < 1e-6)
    with stage.lock:
        found = poinsot.inverse_dynamics(stage.posing.mechanism, stage.posing.values(stage.pose), [0.0])
        forces = {name: found.reaction(name, axes="world")[0, :3] for name in found.reactions}
        forces = {name: f for name, f in forces.items() if np.all(np.isfinite(f))}
        joints, poses = stage.posing.mechanism.joints, stage.pose.poses
        feet = {n: np.asarray(poses[j.b.body].point(j.frame_on_b().p), float) for n, j in joints.items()}
        check(stage, forces, feet, max(np.linalg.norm(f) for f in forces.values()))
