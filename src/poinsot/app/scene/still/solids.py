"""Triangles of all that a picture is made of, with the directions in which they look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from poinsot.app.scene.primitives import Arrow, Ball, Box, Colour, Cylinder, Primitive, Rod, Surface, Tube
from poinsot.app.scene.surfaces import frame_along, tube_faces, tube_vertices
from poinsot.spatial.pose import Pose

SHAFT, HEAD = 0.014, 0.04  # radii of an arrow over half the machine, as the viewer draws them
HEAD_LENGTH = 0.09
ROUND = 28  # sides of a cylinder


@dataclass(frozen=True, eq=False)
class Solid:
    """A part of the picture as triangles in the world."""

    corners: np.ndarray  # (m, 3, 3) by triangle and corner  [m]
    normals: np.ndarray  # (m, 3, 3) outwards at each corner, of unit length
    colour: Colour
    opacity: float


def solid(primitive: Primitive, poses: Mapping[str, Pose], half: float) -> Solid | None:
    """A primitive with its bodies at X_WB; None of texts and frames. `half` [m] is half the machine."""
    import trimesh.creation as make

    p, X_WB = primitive, poses[primitive.body]
    X, meshes = X_WB @ p.X, []
    if isinstance(p, Ball):
        meshes.append((make.icosphere(subdivisions=3, radius=p.radius), X))
    elif isinstance(p, Cylinder):
        meshes.append((make.cylinder(p.radius, p.length, sections=ROUND), X))
    elif isinstance(p, Box):
        meshes.append((make.box(p.edges), X))
    elif isinstance(p, Rod):
        meshes.append(_along(make.cylinder, p.radius, X.p, poses[p.other].point(np.array(p.end))))
    elif isinstance(p, Arrow):
        foot, whole = np.asarray(X.p, float), (X_WB.R if p.turns else np.eye(3)) @ np.asarray(p.vector, float)
        neck = foot + whole * max(0.0, 1 - HEAD_LENGTH * half / max(float(np.linalg.norm(whole)), 1e-300))
        meshes.append(_along(make.cylinder, SHAFT * half, foot, neck))
        meshes.append(_along(make.cone, HEAD * half, neck, foot + whole))
    if meshes:
        parts = [_placed(np.asarray(m.vertices), np.asarray(m.faces), X, isinstance(p, Ball)) for m, X in meshes]
    elif isinstance(p, Surface):
        parts = [_placed(p.vertices, p.faces, X)]
    elif isinstance(p, Tube):
        parts = [_placed(tube_vertices(p.line, p.radius), tube_faces(len(p.line)), X)]
    else:
        return None
    corners, normals = (np.concatenate(each) for each in zip(*parts))
    return Solid(corners, normals, p.colour, p.opacity)


def _along(make: Any, radius: float, start: np.ndarray, end: np.ndarray) -> tuple[Any, Pose]:
    """A cylinder or a cone from one point of the world to another."""
    length = max(float(np.linalg.norm(end - start)), 1e-300)
    mesh = make(radius, length, sections=ROUND)
    mesh.apply_translation([0.0, 0.0, -float(np.asarray(mesh.bounds)[0, 2])])
    return mesh, Pose(frame_along(end - start) if np.any(end != start) else np.eye(3), np.asarray(start, float))


def _placed(vertices: np.ndarray, faces: np.ndarray, X: Pose, round_: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Corners and normals (m, 3, 3) in the world; those of a ball are its radii."""
    own = np.asarray(vertices, float)[np.asarray(faces, int)]
    if round_:
        normals = own.copy()
    else:
        normals = np.repeat(np.cross(own[:, 1] - own[:, 0], own[:, 2] - own[:, 0])[:, None], 3, axis=1)
    normals /= np.maximum(np.linalg.norm(normals, axis=2, keepdims=True), 1e-300)
    R = np.asarray(X.R, float)
    return own @ R.T + np.asarray(X.p, float), normals @ R.T
