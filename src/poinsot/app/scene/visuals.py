"""Bodies drawn with the shapes and meshes of their model file; a mesh is read when it is drawn.

A mesh file that is missing or cannot be read is said, and the body is drawn from its joints.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from poinsot.app.scene.primitives import Ball, Box, Colour, Cylinder, Primitive, Surface
from poinsot.elements.bodies.visual import Visual
from poinsot.errors import MissingExtraError, PoinsotError, one_line
from poinsot.model.meshes import found_mesh
from poinsot.spatial.pose import Pose

MAX_BYTES = 100_000_000  # of a mesh file
MAX_FACES = 200_000  # that are drawn
FORMATS = (".stl", ".obj", ".ply", ".glb", ".gltf", ".off", ".dae", ".3mf")


def drawn_visuals(body: str, visuals: tuple[Visual, ...], folder: str, colour: Colour) -> list[Primitive]:
    """The shapes of a body; PoinsotError where one of its meshes cannot be read."""
    return [p for number, visual in enumerate(visuals) for p in _drawn(body, number, visual, folder, colour)]


def _drawn(body: str, number: int, visual: Visual, folder: str, colour: Colour) -> Iterator[Primitive]:
    given = visual.colour or tuple(part / 255 for part in colour)
    r, g, b = (round(255 * float(part)) for part in given[:3])
    opacity = float(given[3]) if len(given) > 3 else 1.0
    X, size = visual.pose(), [float(x) for x in visual.size]
    basic: tuple[Any, ...] = (f"shape {number}", body, "bodies", (r, g, b), X, opacity)
    if visual.shape == "box":
        yield Box(*basic, edges=(size[0], size[1], size[2]))
    elif visual.shape == "sphere":
        yield Ball(*basic, radius=size[0])
    elif visual.shape == "mesh":
        vertices, faces = read_mesh(found_mesh(visual.file, folder))
        yield Surface(*basic, vertices=vertices * np.array(size), faces=faces)
    else:
        yield Cylinder(*basic, radius=size[0], length=size[1])
        for end in (-0.5, 0.5) if visual.shape == "capsule" else ():
            tip = X @ Pose(np.eye(3), np.array([0.0, 0.0, end * size[1]]))
            yield Ball(f"shape {number} end {end:+.1f}", body, "bodies", (r, g, b), tip, opacity, radius=size[0])


def read_mesh(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Corners (n, 3) and faces (m, 3) of a mesh file."""
    if path.suffix.lower() not in FORMATS:
        raise PoinsotError(f"the mesh '{path.name}' is of a kind that is not read; there are: {', '.join(FORMATS)}")
    if path.stat().st_size > MAX_BYTES:
        raise PoinsotError(f"the mesh '{path.name}' has more than {MAX_BYTES // 10**6} MB")
    try:
        import trimesh
    except ImportError:
        raise MissingExtraError("drawing meshes", "trimesh", "view") from None
    try:
        mesh: Any = trimesh.load(path, force="mesh", process=False, skip_materials=True)
        vertices, faces = np.asarray(mesh.vertices, float), np.asarray(mesh.faces, int)
    except Exception as error:
        raise PoinsotError(f"the mesh '{path.name}' cannot be read: {one_line(str(error), 120)}") from None
    if not len(faces) or not np.all(np.isfinite(vertices)):
        raise PoinsotError(f"the mesh '{path.name}' has no triangles, or points that are not finite")
    if len(faces) > MAX_FACES:
        raise PoinsotError(f"the mesh '{path.name}' has {len(faces)} triangles; at most {MAX_FACES} are drawn")
    return vertices, faces
