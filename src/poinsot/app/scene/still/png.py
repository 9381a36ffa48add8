"""Pictures of mechanisms and modes as PNG.

Triangles are seen in perspective; of those that cover a pixel the nearest is drawn, and the nearest clear one before
it.
"""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import numpy as np

from poinsot.app.scene.build import Scene, scene_of
from poinsot.app.scene.framing import camera_place, drawn_points, view_of
from poinsot.app.scene.primitives import SHOWN, Primitive, Tube
from poinsot.app.scene.still.raster import nearest
from poinsot.app.scene.still.solids import Solid, solid
from poinsot.app.scene.track import FilmFrame, Moving, resampled, vibration
from poinsot.errors import MissingExtraError
from poinsot.model.mechanism import Mechanism, require_mechanism
from poinsot.vibration.modes import Modes

WIDTH, HEIGHT = 960, 600  # at most  [px]
FINE = 2  # samples across a pixel
MARGIN = 0.03  # of the width or height
SHADE = 0.5, 0.5  # light from everywhere, and from a lamp beside the camera


def picture(mechanism: Mechanism, moving: Moving | None = None, *, dark: bool = False, clear: bool = False) -> bytes:
    """A mechanism as PNG: in the pose of its file, or where a motion begins; `clear` has no background."""
    film = None if moving is None else resampled(require_mechanism(mechanism), moving)
    return still(scene_of(mechanism, film.frames[0].poses if film else None, dark=dark), clear=clear)


def mode_picture(modes: Modes, k: int = 0, *, dark: bool = False, clear: bool = False) -> bytes:
    """Mode k of a mechanism, from 0, where it has swung farthest, as PNG."""
    scene = scene_of(modes.linear.mechanism, modes.linear.poses, dark=dark)
    return still(scene, vibration(modes, k, scene.sizes.extent).shot(0.0), clear=clear)


def still(scene: Scene, frame: FilmFrame | None = None, *, clear: bool = False) -> bytes:
    """A scene as PNG, in its pose or in a frame of a film, cut to what is drawn."""
    try:
        from PIL import Image
    except ImportError:
        raise MissingExtraError("a picture", "pillow", "view") from None
    shown = frame or FilmFrame(scene.poses)
    parts = [
        solid(_moved(p, shown), shown.poses, scene.sizes.extent / 2) for p in scene.primitives if p.layer in SHOWN
    ]
    rgba = rendered(scene, shown, [part for part in parts if part is not None])
    if not clear:
        rgba = rgba + (1 - rgba[..., 3:]) * np.append(np.array(scene.palette.page) / 255, 1.0)
    rgba[..., :3] /= np.maximum(rgba[..., 3:], 1e-9)
    file = BytesIO()
    Image.fromarray(np.round(255 * np.clip(rgba, 0, 1)).astype(np.uint8), "RGBA").save(file, "PNG", optimize=True)
    return file.getvalue()


def _moved(primitive: Primitive, frame: FilmFrame) -> Primitive:
    """A primitive as a frame has it: beams bent, joints displaced in their bodies."""
    if isinstance(primitive, Tube) and primitive.beam in frame.lines:
        return replace(primitive, line=frame.lines[primitive.beam])
    if primitive.joint in frame.joints:
        return replace(primitive, X=frame.joints[primitive.joint] @ primitive.X)
    return primitive


def rendered(scene: Scene, frame: FilmFrame, parts: list[Solid]) -> np.ndarray:
    """Colours (height, width, 4) from 0 to 1, multiplied by their opacity.

    s = right · (p − eye) / d,   w = upwards · (p − eye) / d,   d = view · (eye − p)
    """
    view = view_of(scene)
    up = scene.up - (scene.up @ view) * view
    up, right = up / np.linalg.norm(up), np.cross(up, view) / np.linalg.norm(up)
    eye, _ = camera_place(drawn_points(scene, [frame.poses]), view, up)
    corners = np.concatenate([part.corners for part in parts]) - eye
    depth = -(corners @ view)
    flat = np.stack([corners @ right, -(corners @ up)], axis=2) / depth[..., None]
    low, high = flat.min(axis=(0, 1)), flat.max(axis=(0, 1))
    scale = float(np.min(np.array([WIDTH, HEIGHT]) * (1 - 2 * MARGIN) / np.maximum(high - low, 1e-12)))
    size = np.ceil((high - low) * scale + 2 * MARGIN * min(WIDTH, HEIGHT)).astype(int)
    flat = ((flat - low) * scale + MARGIN * min(WIDTH, HEIGHT)) * FINE
    lamp = view + 0.5 * up - 0.35 * right
    lamp /= np.linalg.norm(lamp)
    shade = SHADE[0] + SHADE[1] * np.abs(np.concatenate([part.normals for part in parts]) @ lamp)
    colour = np.concatenate([np.tile(np.array(part.colour) / 255, (len(part.corners), 1)) for part in parts])
    opacity = np.concatenate([np.full(len(part.corners), part.opacity) for part in parts])
    columns, rows = size * FINE
    picture = np.zeros((rows * columns, 4))
    drawn = np.zeros(rows * columns)  # 1 / d of what is drawn
    clear = opacity < 1
    for own in (~clear, clear):
        found, which, light = nearest(flat[own], 1 / depth[own], shade[own], (columns, rows), drawn)
        pixels = np.flatnonzero(which >= 0)
        alpha = opacity[own][which[pixels], None]
        lit = np.column_stack([colour[own][which[pixels]] * light[pixels, None], np.ones(len(pixels))])
        picture[pixels] = alpha * lit + (1 - alpha) * picture[pixels]
        drawn = found
    return picture.reshape(size[1], FINE, size[0], FINE, 4).mean(axis=(1, 3))
