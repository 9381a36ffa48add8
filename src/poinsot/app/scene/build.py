"""The one scene builder: a mechanism in a pose becomes a picture made of primitives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from poinsot.app.scene.bodies import arms_to_beams, between, drawn_beam, drawn_body
from poinsot.app.scene.joints import glyph
from poinsot.app.scene.loads import load_arrows, mass_centres
from poinsot.app.scene.palette import DRIVEN, Palette, body_colours
from poinsot.app.scene.primitives import Axes, Box, Colour, Label, Primitive
from poinsot.app.scene.sizes import Measures, Points, joint_points, sizes_of
from poinsot.app.scene.visuals import drawn_visuals
from poinsot.elements import GROUND
from poinsot.elements.bodies import RigidBody
from poinsot.elements.coordinates import AlongJoint
from poinsot.errors import PoinsotError
from poinsot.model.assembly.assembly import assemble
from poinsot.model.mechanism import Mechanism
from poinsot.model.meshes import MissingMeshError, missing_meshes
from poinsot.spatial.pose import Pose


@dataclass(frozen=True, eq=False)
class Scene:
    """A picture of a mechanism: what it is made of, and the pose for which sizes were chosen."""

    mechanism: Mechanism
    poses: dict[str, Pose]  # X_WB of every body, the ground included
    sizes: Measures
    primitives: tuple[Primitive, ...]
    up: np.ndarray  # (3,) direction that is up in the picture
    palette: Palette
    notes: tuple[str, ...] = ()  # what could not be drawn

    def layer(self, name: str) -> tuple[Primitive, ...]:
        """The primitives of one layer."""
        return tuple(p for p in self.primitives if p.layer == name)


def scene_of(mechanism: Mechanism, poses: Mapping[str, Pose] | None = None, *, dark: bool = False) -> Scene:
    """The picture of a mechanism in the pose of its file, or in given poses X_WB of all its bodies."""
    placed = {GROUND: Pose.identity(), **(assemble(mechanism).poses if poses is None else poses)}
    points, palette = joint_points(mechanism), Palette(dark)
    sizes, colours = sizes_of(mechanism, points, placed), body_colours(mechanism.bodies)
    notes: list[str] = []
    primitives = (
        *_bodies(mechanism, points, sizes, colours, notes),
        *_joints(mechanism, placed, sizes, palette),
        *load_arrows(mechanism, placed, sizes),
        *mass_centres(mechanism, sizes, colours),
        *_frames(mechanism, sizes, palette),
        *_ground(mechanism, points[GROUND], sizes, palette, notes),
    )
    return Scene(mechanism, placed, sizes, primitives, up_direction(mechanism), palette, tuple(dict.fromkeys(notes)))


def up_direction(mechanism: Mechanism) -> np.ndarray:
    """Against gravity, else z; in the plane y (3,)."""
    g = np.asarray(mechanism.gravity, float)
    if mechanism.planar:
        return np.array([0.0, 1.0, 0.0])
    return -g / np.linalg.norm(g) if np.linalg.norm(g) > 0 else np.array([0.0, 0.0, 1.0])


def _bodies(
    mechanism: Mechanism, points: Points, sizes: Measures, colours: Mapping[str, Colour], notes: list[str]
) -> Iterator[Primitive]:
    for name, body in mechanism.bodies.items():
        if shapes := _shapes(mechanism, body, colours[name], notes):
            yield from shapes
            continue
        tubes = [drawn_beam(b, sizes, colours[name]) for b in mechanism.beams.values() if b.body == name]
        if tubes:
            yield from tubes
            yield from arms_to_beams(name, points[name], tubes, sizes, colours[name])
        else:
            yield from drawn_body(name, body, points[name], sizes, colours[name])


def _shapes(mechanism: Mechanism, body: RigidBody, colour: Colour, notes: list[str]) -> list[Primitive]:
    """What the model file draws a body with; nothing where it has none, or none that can be read, which is noted."""
    try:
        return drawn_visuals(body.name, body.visuals, mechanism.folder, colour)
    except PoinsotError as error:
        missing = missing_meshes(mechanism) if isinstance(error, MissingMeshError) else ""
        notes.append(missing or f"{error}: bodies of it are drawn from their joints")
        return []


def driven_joints(mechanism: Mechanism) -> set[str]:
    """Joints along whose coordinates an actuator acts."""
    parts = [part for actuator in mechanism.actuators.values() for part in actuator.on.parts]
    return {part.joint for part in parts if isinstance(part, AlongJoint)}


def _joints(
    mechanism: Mechanism, poses: Mapping[str, Pose], sizes: Measures, palette: Palette
) -> Iterator[Primitive]:
    driven = driven_joints(mechanism)
    for name, joint in mechanism.joints.items():
        yield from glyph(joint, poses, mechanism.planar, sizes, DRIVEN if name in driven else palette.joint)


def _frames(mechanism: Mechanism, sizes: Measures, palette: Palette) -> Iterator[Primitive]:
    length = 0.25 * sizes.link
    yield Axes("world", GROUND, "frames", palette.joint, length=1.6 * length)
    for name, body in mechanism.bodies.items():
        yield Axes(name, name, "frames", palette.joint, length=length)
        X = Pose(np.eye(3), np.asarray(body.com, float))
        yield Label(name, name, "labels", palette.joint, X, text=name)
        for frame in body.frames:
            yield Axes(frame.label, name, "frames", palette.joint, frame.pose(), length=0.5 * length)
    for name, joint in mechanism.joints.items():
        yield Label(f"joint {name}", joint.a.body, "labels", palette.joint, joint.frame_on_a(), text=name)


def _ground(
    mechanism: Mechanism, points: np.ndarray, sizes: Measures, palette: Palette, notes: list[str]
) -> Iterator[Primitive]:
    """The frame of the machine: its own shapes, or what its joints on the ground span and a foot under each."""
    if shapes := _shapes(mechanism, mechanism.elements.ground, palette.ground, notes):
        yield from (_on_layer(shape, "ground") for shape in shapes)
        return
    edge = 3.4 * sizes.radius
    for number, point in enumerate(points):
        sunk = point - 0.5 * edge * np.array([0.0, 1.0, 0.0]) if mechanism.planar else point
        X, flat = Pose(np.eye(3), sunk), (edge, 0.35 * edge, edge) if mechanism.planar else (edge, edge, 0.35 * edge)
        yield Box(f"foot {number}", GROUND, "ground", palette.ground, X, edges=flat)
    if len(points) > 1 and not mechanism.planar:
        for primitive in between("frame", GROUND, points, sizes, palette.ground):
            yield _on_layer(primitive, "ground")


def _on_layer(primitive: Primitive, layer: str) -> Primitive:
    return replace(primitive, layer=layer)
