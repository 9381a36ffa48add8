"""Where the camera stands: as near as lets it see all that is drawn, shapes and meshes with their extents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from poinsot.app.scene.build import Scene
from poinsot.app.scene.primitives import SHOWN
from poinsot.app.scene.surfaces import frame_along
from poinsot.elements import GROUND
from poinsot.spatial.pose import Pose

FIELD = 0.6  # of view, upwards and at least sideways  [rad]
ROOM = 1.12  # about what is drawn
POSES = 24  # of a motion that are looked at


def drawn_points(scene: Scene, motion: Iterable[Mapping[str, Pose]] = ()) -> np.ndarray:
    """Points (n, 3) that span all that is drawn, in the scene's pose and in others of a motion  [m]."""
    every = list(motion)
    every = every[:: max(1, len(every) // POSES)]
    own: dict[str, list[np.ndarray]] = {}
    for primitive in scene.primitives:
        if primitive.layer in SHOWN:
            own.setdefault(primitive.body, []).append(primitive.points())
    ends = {body: _extremes(np.vstack(parts)) for body, parts in own.items()}
    placed = [{GROUND: Pose.identity(), **poses} for poses in (scene.poses, *every)]
    found = [points @ np.asarray(X[body].R, float).T + X[body].p for X in placed for body, points in ends.items()]
    return np.vstack(found) if found else np.asarray(scene.sizes.middle, float)[None]


def _extremes(points: np.ndarray, most: int = 200) -> np.ndarray:
    """Corners of the convex hull where there are many points."""
    from scipy.spatial import ConvexHull, QhullError

    if len(points) <= most:
        return points
    try:
        return points[ConvexHull(points).vertices]
    except QhullError:  # all in a plane
        return points


def view_of(scene: Scene) -> np.ndarray:
    """The direction (3,) from the machine to the camera: in front of planar ones, else from above a corner."""
    if scene.mechanism.planar:
        return np.array([0.0, 0.0, 1.0])
    side = frame_along(scene.up)
    way = 0.75 * side[:, 0] - 1.0 * side[:, 1] + 0.62 * scene.up
    return way / np.linalg.norm(way)


def camera_place(points: np.ndarray, view: np.ndarray, up: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where a camera stands and where it looks, so that points (n, 3) are within its field of view.

    d = max |s| / tan(field / 2) + w    s across or upwards, w towards the camera, of each point from the middle
    """
    right = np.cross(up, view)
    right = right / np.linalg.norm(right)
    axes = np.column_stack([right, np.cross(view, right), view])
    across = points @ axes
    low, high = across.min(axis=0), across.max(axis=0)
    middle = (low + high) / 2
    away = ROOM * np.abs(across[:, :2] - middle[:2]).max(axis=1) / np.tan(FIELD / 2) + across[:, 2] - middle[2]
    target = axes @ middle
    return target + max(float(away.max()), 1e-9) * view, target
