"""One pose is shown: sliders, modes and the nominal ghost are of the sample at which a motion was stopped."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import poinsot
from poinsot.app.scene.track import swing, vibration
from poinsot.app.scene.viser_package import server
from poinsot.app.viewer.command import Shown, furnish
from poinsot.app.viewer.limits import slider_range
from poinsot.app.viewer.posing import posing_of
from poinsot.app.viewer.result_panel import numbers_html
from poinsot.estimate.results.kept import BodyMotion

DRAWN = 1e-3  # of coordinates in the picture


@pytest.fixture
def result() -> Any:
    """A four-bar with a motion of a folder and the model before in grey; controls by label, buttons too."""
    mechanism = poinsot.load("four_bar")
    moving = poinsot.kinematics(mechanism, {"theta1": lambda t: 1.0 + 0.5 * t}, np.linspace(0, 1, 61))
    told = BodyMotion(moving.t, moving.position, moving.rotation)
    with server() as running:
        stage = furnish(running, Shown(mechanism, moving=told, nominal=mechanism))
        inputs = stage.server.gui._gui_input_handle_from_uuid.values()
        controls = {getattr(h, "label", ""): h for h in inputs}
        yield stage, controls, running
        stage.close()


def drawn(running: Any, root: str, body: str) -> np.ndarray:
    """Where the origin of a body is in the picture."""
    return np.array(running.scene._handle_from_node_name[f"{root}/{body}"].position)


def press(button: Any) -> None:
    """As the page does."""
    for told in button._impl.update_cb:
        told(None)


def turned(stage: Any) -> float:
    return stage.posing.values(stage.pose)["theta1"]


def test_sliders_follow_a_motion_that_is_stopped(result):
    stage, controls, _ = result
    controls["t [s]"].value = 0.4
    assert turned(stage) == pytest.approx(1.2, abs=1e-6)
    assert controls["theta1 [°]"].value == pytest.approx(np.degrees(1.2), abs=0.06)
    assert stage.posing.residual(stage.pose.poses) < 1e-9
    controls["play"].value = True
    controls["play"].value = False
    at = stage.film[0].frames[stage.film[1]].poses["link1"]
    np.testing.assert_allclose(stage.pose.poses["link1"].R, at.R, atol=1e-6)


def test_modes_and_their_ghost_are_of_the_sample_that_is_shown(result):
    stage, controls, running = result
    controls["t [s]"].value = 0.4
    press(controls["modes of this pose"])
    place = poinsot.modes(stage.posing.mechanism, {"theta1": 1.2})
    assert controls["mode"].value.startswith(f"1: {place.frequencies[0]:.4g} Hz")
    seen = stage.film[0].frames
    middle = (seen[0].poses["link3"].p + seen[len(seen) // 2].poses["link3"].p) / 2
    np.testing.assert_allclose(middle, stage.pose.poses["link3"].p, atol=DRAWN)
    for body in ("link2", "link3"):
        expected = stage.drawing.factor * stage.pose.poses[body].p
        np.testing.assert_allclose(drawn(running, "/nominal", body), expected, atol=DRAWN)
    controls["theta1 [°]"].value = 40.0
    assert controls["mode"].options == ("press the button first",)  # modes of another pose


def test_the_ghost_goes_with_the_sliders_by_its_own_lengths(result):
    stage, controls, running = result
    controls["play"].value = False
    controls["theta1 [°]"].value = 100.0
    for body in ("link1", "link2", "link3"):
        expected = stage.drawing.factor * stage.pose.poses[body].p
        np.testing.assert_allclose(drawn(running, "/nominal", body), expected, atol=DRAWN)
    longer = poinsot.load("slider_crank")
    posing = posing_of(longer)
    apart = {n: replace(X, p=X.p * 1.05) for n, X in posing.home.poses.items()}
    found = posing.closed(apart, posing.home, held=True)
    assert posing.residual(found.poses) < 1e-9
    near = replace(posing.home, poses=apart)
    assert posing.values(found) == pytest.approx(
        {n: c.value(near.poses, longer.joints) for n, c in posing.coordinates.items()}, abs=1e-6
    )


def test_a_slider_that_is_moved_stops_the_motion(result):
    stage, controls, _ = result
    controls["play"].value = True
    controls["theta1 [°]"].value = 100.0
    assert not controls["play"].value and turned(stage) == pytest.approx(np.radians(100.0))


def test_beams_are_straight_again_after_a_mode():
    with server() as running:
        stage = furnish(running, Shown(poinsot.load("navaro")))
        modes = poinsot.modes(stage.posing.mechanism, n=1)
        stage.frame(swing(vibration(modes, 0, stage.scene.sizes.extent, 1.0)), 0)
        tube, handle = next(iter(stage.drawing.tubes.values()))
        bent = np.array([bone.position for bone in handle.bones])
        stage.take(stage.pose)
        straight = np.array([bone.position for bone in handle.bones])
        np.testing.assert_allclose(straight, stage.drawing.factor * tube.line, atol=DRAWN / 20)
        assert np.abs(bent - straight).max() > DRAWN / 5
        stage.close()


def test_sliders_show_no_round_off():
    posing = posing_of(poinsot.load("four_bar"))
    span = slider_range(posing.mechanism, posing.coordinates["theta1"], 0.0, 1.0)
    assert str(span.shown(np.radians(37.3))) == "37.3"
    assert all(len(f"{span.shown(x)}") < 8 for x in np.linspace(-3, 3, 500))


def test_the_numbers_of_a_result_begin_with_its_verdict():
    data = {"status": "", "verdict": "numerics sound; <b>", "parameters": [{"name": "m", "value": 1.0, "unit": "kg"}]}
    assert "numerics sound; &lt;b&gt;" in numbers_html(data) and "converged" not in numbers_html(data)
    assert "does not determine" in numbers_html({**data, "status": "The data does not determine some parameters."})
