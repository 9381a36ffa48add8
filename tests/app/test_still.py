"""Pictures without a browser: what is nearer hides what is behind it, seen by rays that are followed apart."""

from __future__ import annotations

import dataclasses
import sys
from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import poinsot
from poinsot.app.cli import app
from poinsot.app.scene.build import scene_of
from poinsot.app.scene.framing import camera_place, drawn_points, view_of
from poinsot.app.scene.primitives import SHOWN
from poinsot.app.scene.still import mode_picture, picture, png, raster, still
from poinsot.app.scene.still.solids import solid
from poinsot.app.scene.track import vibration

RED, GREEN, BLUE = (0.9, 0.1, 0.1, 1.0), (0.1, 0.9, 0.1, 1.0), (0.1, 0.1, 0.9, 0.5)


def pixels(png: bytes) -> np.ndarray:
    return np.asarray(Image.open(BytesIO(png)).convert("RGBA"), float) / 255


def posed(shapes: list[dict], size: float = 1.0) -> poinsot.Mechanism:
    """A body with these shapes, `size` times a metre large."""
    visual = [{"position": (size * np.array(s.pop("at"))).tolist(), **s} for s in [dict(s) for s in shapes]]
    for one in visual:
        for kind in ("sphere", "box"):
            if kind in one:
                one[kind] = (size * np.array(one[kind])).tolist()
    body = {"mass": 1.0, "inertia": [1.0, 1.0, 1.0], "visual": visual}
    joint = {"type": "spherical", "between": ["ground", "thing"]}
    return poinsot.build({"format": 1, "bodies": {"thing": body}, "joints": {"A": joint}})


def by_rays(spheres, shape: tuple[int, int], frame) -> np.ndarray:
    """Which sphere (centre, radius, colour) every pixel's middle sees first; −1 for none."""
    rays, eye = frame
    first, seen = np.full(shape, np.inf), np.full(shape, -1)
    for k, (centre, radius) in enumerate(spheres):
        to = np.asarray(centre, float) - eye
        along = rays @ to
        inside = along**2 - (to @ to - radius**2)
        with np.errstate(invalid="ignore"):
            distance = along - np.sqrt(inside)
        hit = (inside > 0) & (distance < first)
        first[hit], seen[hit] = distance[hit], k
    return seen


def rays_of(scene, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Directions (h, w, 3) of unit length through the middles of all pixels, and the eye."""
    view = view_of(scene)
    up = scene.up - (scene.up @ view) * view
    up = up / np.linalg.norm(up)
    right, points = np.cross(up, view), drawn_points(scene)
    eye, _ = camera_place(points, view, up)
    parts = [solid(p, scene.poses, scene.sizes.extent / 2) for p in scene.primitives if p.layer in SHOWN]
    corners = np.concatenate([part.corners.reshape(-1, 3) for part in parts if part is not None]) - eye
    flat = np.column_stack([corners @ right, corners @ up]) / -(corners @ view)[:, None]
    low, high = flat.min(axis=0), flat.max(axis=0)
    margin = png.MARGIN * min(png.WIDTH, png.HEIGHT)
    scale = min(
        (png.WIDTH * (1 - 2 * png.MARGIN)) / (high - low)[0],
        (png.HEIGHT * (1 - 2 * png.MARGIN)) / (high - low)[1],
    )
    s = low[0] + (np.arange(shape[1]) + 0.5 - margin) / scale
    w = high[1] - (np.arange(shape[0]) + 0.5 - margin) / scale
    rays = s[None, :, None] * right + w[:, None, None] * up - view
    return rays / np.linalg.norm(rays, axis=2, keepdims=True), eye


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_balls_hide_each_other_as_rays_say(size):
    rng = np.random.default_rng(3)
    places = rng.uniform(-1, 1, (9, 3))
    radii = rng.uniform(0.25, 0.6, 9)
    shades = [(float(c), float(d), 0.2, 1.0) for c in (0.2, 0.6, 1.0) for d in (0.2, 0.6, 1.0)]
    shapes = [{"sphere": float(r), "at": p, "colour": c} for p, r, c in zip(places, radii, shades)]
    machine = posed(shapes, size)
    scene = scene_of(machine)
    scene = dataclasses.replace(scene, primitives=scene.layer("bodies"))
    shown = pixels(still(scene, clear=True))
    X = scene.poses["thing"]
    spheres = [(X.point(size * p), size * r) for p, r in zip(places, radii)]
    seen = by_rays(spheres, shown.shape[:2], rays_of(scene, shown.shape[:2]))
    hue = shown[..., :3] / np.maximum(shown[..., :3].max(axis=2, keepdims=True), 1e-9)
    own = np.array([np.array(c[:3]) / max(c[:3]) for c in shades])
    told = np.where(shown[..., 3] > 0.5, np.argmin(((hue[..., None, :] - own) ** 2).sum(axis=-1), axis=-1), -1)
    assert len(np.unique(seen)) > 6
    assert np.mean(told == seen) > 0.985  # but for pixels on an edge; a ball has 1280 faces


@pytest.mark.parametrize("behind", [False, True])
def test_a_clear_plate_tints_what_is_behind_it_alone(behind):
    view = view_of(scene_of(posed([{"sphere": 0.3, "at": [0, 0, 0], "colour": RED}])))
    place = (0.8 if behind else -0.8) * view  # the ball before the plate, or behind it
    shapes = [
        {"sphere": 0.3, "at": place, "colour": RED},
        {"box": [2.0, 2.0, 2.0e-2], "at": [0, 0, 0], "colour": BLUE},
    ]
    scene = scene_of(posed(shapes))
    shown = pixels(still(dataclasses.replace(scene, primitives=scene.layer("bodies")), clear=True))
    solid_ = shown[shown[..., 3] > 0.99]
    tinted = solid_[:, 2] > 0.5 * solid_[:, 0]
    assert np.mean(tinted) < 0.02 if behind else np.mean(tinted) > 0.98


def test_faces_that_cross_are_cut_where_rays_say():
    shapes = [
        {"box": [1.0, 1.0, 1e-4], "at": [0, 0, 0], "colour": RED},
        {"box": [1.0, 1e-4, 1.0], "at": [0, 0, 0], "colour": GREEN},
    ]
    scene = scene_of(posed(shapes))
    scene = dataclasses.replace(scene, primitives=scene.layer("bodies"))
    shown = pixels(still(scene, clear=True))
    rays, eye = rays_of(scene, shown.shape[:2])
    distance = []
    for normal in (2, 1):  # of the plates z = 0 and y = 0
        along = -eye[normal] / rays[..., normal]
        at = eye + along[..., None] * rays
        distance.append(np.where((np.abs(at).max(axis=2) < 0.5) & (along > 0), along, np.inf))
    seen = np.where(np.isfinite(np.min(distance, axis=0)), np.argmin(distance, axis=0), -1)
    told = np.where(shown[..., 3] > 0.5, np.argmax(shown[..., :2], axis=2), -1)
    assert min(np.mean(seen == k) for k in (-1, 0, 1)) > 0.1
    assert np.mean(told == seen) > 0.997


def test_large_pictures_are_drawn_part_by_part(monkeypatch):
    bar = poinsot.load("hexapod")
    whole = picture(bar)
    monkeypatch.setattr(raster, "CHUNK", 50_000)
    assert picture(bar) == whole


@pytest.mark.parametrize("name", poinsot.library_names())
def test_every_mechanism_has_a_picture_that_shows_its_bodies_to_the_edges(name):
    scene = scene_of(poinsot.load(name))
    shown = pixels(still(scene, clear=True))
    assert max(shown.shape[0] / png.HEIGHT, shown.shape[1] / png.WIDTH) == pytest.approx(1, abs=0.03)
    drawn = shown[..., 3] > 0
    assert 0.01 < drawn.mean() < 0.95
    margin = round(2 * png.MARGIN * min(png.WIDTH, png.HEIGHT))
    inner = drawn[margin:-margin, margin:-margin] if min(drawn.shape) > 2 * margin else drawn
    assert inner.any()
    for edge in (drawn[:margin], drawn[-margin:], drawn[:, :margin], drawn[:, -margin:]):
        assert edge.any()
    assert not drawn[0].any() and not drawn[-1].any() and not drawn[:, 0].any() and not drawn[:, -1].any()


def test_beams_are_bent_in_the_picture_of_a_mode():
    modes = poinsot.modes(poinsot.load("navaro"))
    scene = scene_of(modes.linear.mechanism, modes.linear.poses)
    shot = vibration(modes, 0, scene.sizes.extent).shot(0.0)
    stiff = dataclasses.replace(shot, lines={})
    bent, straight = (pixels(still(scene, one)) for one in (shot, stiff))
    assert bent.shape != straight.shape or np.mean(np.abs(bent - straight) > 0.1) > 0.003
    assert mode_picture(modes, 0) == still(scene, shot)


def test_the_picture_of_a_motion_is_where_it_begins():
    bar, t = poinsot.load("four_bar"), np.linspace(0, 1, 11)
    motions = [poinsot.kinematics(bar, {"theta1": lambda t, a=a: a + t}, t) for a in (0.5, 1.5)]
    pictures = [picture(bar, motion) for motion in motions]
    assert len({picture(bar), *pictures}) == 3


@pytest.mark.parametrize("far", [0.0, 0.3, 7.7e4])
def test_triangles_without_an_area_are_left_out(far):
    """Corners on a line but for rounding, as meshes with a corner on an edge have them."""
    rng = np.random.default_rng(0)
    ends = rng.uniform(0, 300, (2000, 2, 2)) + far
    share = rng.uniform(0, 1, (2000, 1))
    thin = np.stack([ends[:, 0], ends[:, 1], (1 - share) * ends[:, 0] + share * ends[:, 1]], axis=1)
    whole = np.array([[[0.0, 0.0], [400.0, 0.0], [0.0, 400.0]]])
    flat = np.concatenate([thin, whole])
    near, before = np.ones((len(flat), 3)), np.zeros(300 * 200)
    _, which, _ = raster.nearest(flat, near, near, (300, 200), before)
    assert set(which.tolist()) <= {-1, len(flat) - 1} and np.mean(which >= 0) > 0.8


def test_light_and_dark_pages_have_their_background():
    bar = poinsot.load("four_bar")
    np.testing.assert_allclose(pixels(picture(bar))[0, 0], 1.0)
    assert np.all(pixels(picture(bar, dark=True))[0, 0, :3] < 0.2)


def test_the_command_writes_a_picture_and_keeps_what_exists(tmp_path):
    place, other = tmp_path / "bar.png", tmp_path / "bar.jpg"
    run = CliRunner().invoke(app, ["view", "four_bar", "--picture", str(place)])
    assert run.exit_code == 0, run.output
    assert place.read_bytes().startswith(b"\x89PNG")
    again = CliRunner().invoke(app, ["view", "four_bar", "--picture", str(place)])
    assert again.exit_code == 1 and "--force" in str(again.exception)
    wrong = CliRunner().invoke(app, ["view", "four_bar", "--picture", str(other)])
    assert wrong.exit_code == 1 and ".png" in str(wrong.exception) and not other.exists()


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(poinsot.PoinsotError, match=r"poinsot\[view\]"):
        picture(poinsot.load("pendulum"))
