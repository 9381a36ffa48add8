"""The camera sees all that is drawn: shapes of files with their extents, and all of a motion."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.app.scene.build import scene_of
from poinsot.app.scene.draw import prepare
from poinsot.app.scene.framing import FIELD, drawn_points
from poinsot.app.scene.viser_package import server

pytest.importorskip("viser")
HAND = {
    "format": 1,
    "bodies": {
        "palm": {
            "mass": 1.0,
            "inertia": [0.1, 0.1, 0.1],
            "visual": [{"box": [0.5, 0.1, 0.2], "position": [0.2, 0, 0]}],
        },
        "finger": {"mass": 1.0, "inertia": [0.1, 0.1, 0.1], "visual": [{"cylinder": [0.02, 2.0]}]},
    },
    "joints": {
        "A": {"type": "revolute", "between": ["ground", "palm"]},
        "B": {"type": "revolute", "between": [{"body": "palm", "position": [0.1, 0, 0]}, "finger"]},
    },
}


def seen(scene, points: np.ndarray, motion=()) -> np.ndarray:
    """Where points are in the picture, 1 at its upper and lower edge, and at those of a square one (n, 2)."""
    with server() as running:
        prepare(running, scene, motion)
        camera = running.initial_camera
        eye, target, up = (np.array(x) for x in (camera.position, camera.look_at, camera.up))
    ahead = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(ahead, up)
    right /= np.linalg.norm(right)
    away = 2.0 / scene.sizes.extent * points - eye
    depth = away @ ahead
    assert np.all(depth > 0)
    return np.abs(np.column_stack([away @ right, away @ np.cross(right, ahead)]) / depth[:, None]) / np.tan(FIELD / 2)


@pytest.mark.parametrize("model", ["delta", "four_bar", "crane", "pendulum", HAND], ids=str)
def test_all_that_is_drawn_is_in_the_picture(model):
    scene = scene_of(poinsot.load(model) if isinstance(model, str) else poinsot.build(model))
    at = seen(scene, drawn_points(scene))
    assert np.all(at <= 1.0) and at.max() > 0.6


def test_extents_of_shapes_count():
    points = drawn_points(scene_of(poinsot.build(HAND)))
    np.testing.assert_allclose([points[:, 0].min(), points[:, 0].max()], [-0.05, 0.45], atol=1e-9)
    np.testing.assert_allclose([points[:, 2].min(), points[:, 2].max()], [-1.0, 1.0], atol=1e-9)


def test_all_of_a_motion_is_in_the_picture():
    bar = poinsot.load("pendulum")
    name = next(iter(bar.coordinates))
    moving = poinsot.kinematics(bar, {name: lambda t: 3.0 * t}, np.linspace(0, 2, 41))
    from poinsot.app.scene.track import resampled

    film = [frame.poses for frame in resampled(bar, moving).frames]
    scene = scene_of(bar, film[0])
    assert np.all(seen(scene, drawn_points(scene, film), film) <= 1.0)
    assert np.any(seen(scene, drawn_points(scene, film)) > 1.0)
