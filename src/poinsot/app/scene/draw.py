"""A picture in viser: drawn once, then placed in one pose after another.

Everything is drawn in units of half the machine, so that millimetres and kilometres look alike and no camera or
clipping plane needs to know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import floor, log10
from typing import Any

import numpy as np

from poinsot.app.scene.build import Scene
from poinsot.app.scene.framing import FIELD, camera_place, drawn_points, view_of
from poinsot.app.scene.primitives import (
    LAYERS,
    SHOWN,
    Arrow,
    Axes,
    Ball,
    Box,
    Cylinder,
    Label,
    Primitive,
    Rod,
    Surface,
    Tube,
)
from poinsot.app.scene.surfaces import SIDES, frame_along, tube_faces, tube_vertices, turns_along
from poinsot.elements import GROUND
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import quaternion_from_matrix

GRAIN = 2.0**-15  # of coordinates in the picture: invisible, and pages stay small
PANEL = 325  # width of the panel beside the picture, where a page has one  [pixels]


@dataclass(frozen=True, eq=False)
class Drawing:
    """A picture that is drawn: handles of viser by body and by primitive."""

    scene: Scene
    factor: float  # units of the picture per metre
    root: str  # path of its nodes
    bodies: dict[str, Any]
    layers: dict[str, list[Any]]  # groups of nodes by layer
    moving: dict[tuple[str, str], tuple[Primitive, Any]]  # arrows and rods, by layer and name
    tubes: dict[str, tuple[Tube, Any]] = field(default_factory=dict)  # by beam
    glyphs: dict[str, list[tuple[Primitive, Any]]] = field(default_factory=dict)  # by joint

    def place(self, poses: Mapping[str, Pose]) -> None:
        """Show the mechanism with its bodies at X_WB; what does not move is not sent again."""
        for name, handle in self.bodies.items():
            set_pose(handle, poses[name], self.factor)
        for primitive, handle in self.moving.values():
            self._place_moving(primitive, handle, {GROUND: Pose.identity(), **poses})

    def _place_moving(self, primitive: Primitive, handle: Any, poses: Mapping[str, Pose]) -> None:
        start = poses[primitive.body].point(primitive.X.p)
        if isinstance(primitive, Rod):
            X, length = _between(start, poses[primitive.other].point(np.array(primitive.end)))
            set_pose(handle, X, self.factor)
            handle.scale = (1.0, 1.0, length * self.factor)
        else:
            turned = isinstance(primitive, Arrow) and primitive.turns
            set_pose(handle, Pose(poses[primitive.body].R if turned else np.eye(3), start), self.factor)

    def bend(self, beam: str, line: np.ndarray) -> None:
        """Show a beam along a line (n, 3) in the frame of its body  [m]; every ring of the tube hangs on a bone."""
        primitive, handle = self.tubes[beam]
        for bone, p, R in zip(handle.bones, line, turns_along(primitive.line, line)):
            set_pose(bone, Pose(R, p), self.factor)

    def aim(self, target: Any, layer: str, arrows: Iterable[Arrow]) -> None:
        """Show these arrows of a layer and no others; those that are drawn already are changed."""
        wanted = {arrow.name: arrow for arrow in arrows}
        for (own, name), (_, handle) in self.moving.items():
            if own == layer:
                handle.visible = name in wanted
        for name, arrow in wanted.items():
            if (layer, name) not in self.moving:
                add(self, target, arrow)
                continue
            handle = self.moving[layer, name][1]
            self.moving[layer, name] = (arrow, handle)
            handle.points = _ends(arrow, self.factor)

    def show(self, layer: str, shown: bool) -> None:
        """Show or hide a layer."""
        for handle in self.layers.get(layer, ()):
            handle.visible = shown

    def remove(self) -> None:
        """Take the picture away."""
        for handle in self.bodies.values():
            handle.remove()
        for _, handle in self.moving.values():
            handle.remove()


def draw(scene: Scene, target: Any, *, root: str = "", ghost: bool = False, shown: Iterable[str] = SHOWN) -> Drawing:
    """Draw a picture in a scene of viser; a `ghost` is grey and clear, for comparison."""
    factor = 2.0 / scene.sizes.extent
    shown, drawing = set(shown), Drawing(scene, factor, root, {}, {layer: [] for layer in LAYERS}, {})
    for name in (GROUND, *scene.mechanism.bodies):
        drawing.bodies[name] = target.add_frame(f"{root}/{name}", show_axes=False)
    for body, layer in dict.fromkeys((p.body, p.layer) for p in scene.primitives):
        group = target.add_frame(f"{root}/{body}/{layer}", show_axes=False, visible=layer in shown)
        drawing.layers[layer].append(group)
    for primitive in scene.primitives:
        add(drawing, target, primitive, ghost, primitive.layer in shown)
    drawing.place(scene.poses)
    return drawing


def add(drawing: Drawing, target: Any, primitive: Primitive, ghost: bool = False, shown: bool = True) -> Any:
    """Draw one more primitive."""
    p = replace(primitive, opacity=0.25 * primitive.opacity, colour=(130, 130, 130)) if ghost else primitive
    if isinstance(p, Arrow | Rod):
        name = f"{drawing.root}/{p.layer}/{p.name}"
        handle = _ADD[type(p)](target, name, p, drawing.factor)
        handle.visible = shown
        drawing.moving[p.layer, p.name] = (p, handle)
        drawing.layers[p.layer].append(handle)
        return handle
    name = f"{drawing.root}/{p.body}/{p.layer}/{p.name}"
    handle = _ADD[type(p)](target, name, p, drawing.factor)
    if isinstance(p, Tube):
        drawing.tubes[p.beam] = (p, handle)
    if p.joint:
        drawing.glyphs.setdefault(p.joint, []).append((p, handle))
    return handle


def set_pose(handle: Any, X: Pose, factor: float) -> None:
    """Put a node at a pose, if it is not there already."""
    p = _grained(factor * np.asarray(X.p, float))
    q = _grained(quaternion_from_matrix(np.asarray(X.R, float)))
    if not np.array_equal(handle.position, p):
        handle.position = p
    if not np.array_equal(handle.wxyz, q):
        handle.wxyz = q


def _grained(x: np.ndarray) -> np.ndarray:
    return np.round(np.asarray(x, float) / GRAIN) * GRAIN


def _between(start: np.ndarray, end: np.ndarray) -> tuple[Pose, float]:
    """Pose in the middle of a line with z along it, and its length  [m]."""
    length = float(np.linalg.norm(end - start))
    R = frame_along(end - start) if length > 0 else np.eye(3)
    return Pose(R, (start + end) / 2), length


def _where(p: Primitive, k: float) -> dict[str, Any]:
    clear = {"opacity": p.opacity if p.opacity < 1 else None} if not isinstance(p, Label | Axes | Arrow) else {}
    if isinstance(p, Arrow | Rod):
        return clear
    turn = quaternion_from_matrix(np.asarray(p.X.R, float))
    return {"position": k * np.asarray(p.X.p, float), "wxyz": turn, **clear}


def _ball(target: Any, name: str, p: Ball, k: float) -> Any:
    return target.add_icosphere(name, k * p.radius, p.colour, subdivisions=2, **_where(p, k))


def _cylinder(target: Any, name: str, p: Cylinder, k: float) -> Any:
    return target.add_cylinder(name, k * p.radius, k * p.length, p.colour, radial_segments=20, **_where(p, k))


def _box(target: Any, name: str, p: Box, k: float) -> Any:
    return target.add_box(name, p.colour, tuple(k * edge for edge in p.edges), **_where(p, k))


def _surface(target: Any, name: str, p: Surface, k: float) -> Any:
    options = {"color": p.colour, "flat_shading": True, "side": "double"}
    return target.add_mesh_simple(name, k * p.vertices, p.faces, **options, **_where(p, k))


def _tube(target: Any, name: str, p: Tube, k: float) -> Any:
    vertices, n = _grained(tube_vertices(k * p.line, k * p.radius)), len(p.line)
    options: dict[str, Any] = {"bone_positions": k * p.line, "bone_wxyzs": np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))}
    weights = np.repeat(np.eye(n), SIDES, axis=0)
    options |= {"skin_weights": weights, "color": p.colour}
    return target.add_mesh_skinned(name, vertices, tube_faces(n), **options, **_where(p, k))


def _arrow(target: Any, name: str, p: Arrow, k: float) -> Any:
    # viser takes colours of arrows as linear light, those of everything else as sRGB.
    red, green, blue = (round(255 * (c / 255) ** 2.2) for c in p.colour)
    sizes = {"shaft_radius": 0.014, "head_radius": 0.04, "head_length": 0.09}
    return target.add_arrows(name, _ends(p, k), (red, green, blue), **sizes)


def _ends(p: Arrow, k: float) -> np.ndarray:
    """Both ends (1, 2, 3) of an arrow in its own place, in units of the picture."""
    return _grained(np.array([[np.zeros(3), k * np.asarray(p.vector)]])).astype(np.float32)


def _label(target: Any, name: str, p: Label, k: float) -> Any:
    return target.add_label(name, p.text, font_screen_scale=0.9, **_where(p, k))


def _axes(target: Any, name: str, p: Axes, k: float) -> Any:
    length = k * p.length
    return target.add_frame(name, axes_length=length, axes_radius=0.035 * length, **_where(p, k))


def _rod(target: Any, name: str, p: Rod, k: float) -> Any:
    return target.add_cylinder(name, k * p.radius, 1.0, p.colour, radial_segments=12, **_where(p, k))


_ADD: dict[type, Callable[..., Any]] = {
    **{Ball: _ball, Cylinder: _cylinder, Box: _box, Surface: _surface, Tube: _tube},
    **{Arrow: _arrow, Label: _label, Axes: _axes, Rod: _rod},
}


def prepare(running: Any, scene: Scene, motion: Iterable[Mapping[str, Pose]] = ()) -> None:
    """Camera, light and grid of a page for a picture, which shows these poses of a motion too."""
    target, factor = running.scene, 2.0 / scene.sizes.extent
    planar, up = scene.mechanism.planar, scene.up
    target.set_up_direction(tuple(up))
    target.configure_default_lights(True, cast_shadow=False)
    points, view = factor * drawn_points(scene, motion), view_of(scene)
    eye, seen = camera_place(points, view, up)
    camera = running.initial_camera
    camera.position, camera.look_at = tuple(eye), tuple(seen)
    camera.up, camera.fov = tuple(up), FIELD

    @running.on_client_connect
    def _(client: Any) -> None:
        pixels = client.camera.image_width
        wide = max(pixels - PANEL, pixels / 2, 1) / max(client.camera.image_height, 1)
        if wide < 1:  # a picture that is higher than wide: the field of view is measured upwards
            client.camera.position = tuple(seen + (eye - seen) / wide)
            client.camera.look_at = tuple(seen)  # which a position takes along

    _grid(target, scene, points, view if planar else up)


def _grid(target: Any, scene: Scene, points: np.ndarray, normal: np.ndarray) -> None:
    """A grid behind a planar machine, or below a spatial one; its cells are a round number of metres.

    `points` (n, 3) span all that is drawn, in units of the picture.
    """
    factor = 2.0 / scene.sizes.extent
    low, high = points.min(axis=0), points.max(axis=0)
    middle, lowest = (low + high) / 2, float(np.min(points @ normal)) - 0.02 * factor * scene.sizes.extent
    place = middle + (lowest - middle @ normal) * normal
    fine, coarse = scene.palette.grid
    cell = round_length(max(0.25, 0.12 * float(np.linalg.norm(high - low))) / factor)
    wide = 14 * factor * cell
    turn = quaternion_from_matrix(frame_along(normal))
    options = {
        "cell_color": fine,
        "section_color": coarse,
        "cell_size": factor * cell,
        "section_size": 5 * factor * cell,
    }
    target.add_grid("/grid", wide, wide, position=place, wxyz=turn, shadow_opacity=0.0, **options)


def round_length(length: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not longer  [m].

    >>> round_length(0.37), round_length(7e-3), round_length(1000.0)
    (0.2, 0.005, 1000.0)
    """
    power = 10.0 ** floor(log10(length) + 1e-12)
    return float(f"{max(step for step in (1, 2, 5) if step * power <= length * (1 + 1e-9)) * power:.12g}")
