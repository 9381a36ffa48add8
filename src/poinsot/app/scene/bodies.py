"""Bodies drawn from their joints and beams: links, plates, hulls; a box of equal inertia where there is neither."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poinsot.app.scene.primitives import Ball, Box, Colour, Cylinder, Primitive, Surface, Tube
from poinsot.app.scene.sizes import Measures
from poinsot.app.scene.surfaces import FLAT, frame_along, hull, plate, sharp_edges, spread
from poinsot.elements.bodies import Beam, RigidBody
from poinsot.spatial.pose import Pose

ALONG_BEAM = 16  # points of a beam's line
CLEAR = 0.55  # opacity of plates and hulls


def link(name: str, body: str, a: np.ndarray, b: np.ndarray, radius: float, colour: Colour) -> Iterator[Primitive]:
    """A bar with round ends from one point to another."""
    way = b - a
    length = float(np.linalg.norm(way))
    if length > 0:
        X = Pose(frame_along(way), (a + b) / 2)
        yield Cylinder(name, body, "bodies", colour, X, radius=radius, length=length)
    for end, point in (("start", a), ("end", b)):
        yield Ball(f"{name} {end}", body, "bodies", colour, Pose(np.eye(3), point), radius=radius)


def drawn_body(
    name: str, body: RigidBody, points: np.ndarray, sizes: Measures, colour: Colour
) -> Iterator[Primitive]:
    """A rigid body between its joints."""
    com, thin = np.asarray(body.com, float), 1e-3 * sizes.extent
    if len(points) == 0 or (len(points) == 1 and np.linalg.norm(com - points[0]) < thin):
        yield equivalent_box(name, body, sizes, colour)
    elif len(points) == 1:
        yield from link(name, name, points[0], com, sizes.radius, colour)
        yield Ball(f"{name} bob", name, "bodies", colour, Pose(np.eye(3), com), radius=2.2 * sizes.radius)
    else:
        yield from between(name, name, points, sizes, colour)


def between(name: str, body: str, points: np.ndarray, sizes: Measures, colour: Colour) -> Iterator[Primitive]:
    """A bar, plate or hull that holds two points or more."""
    middle, directions, widths = spread(points)
    if widths[1] < 0.03 * widths[0]:
        along = (points - middle) @ directions[0]
        yield from link(name, body, points[np.argmin(along)], points[np.argmax(along)], sizes.radius, colour)
        return
    edge = 0.6 * sizes.radius
    if widths[2] < FLAT * widths[0]:
        vertices, faces, outline = plate(points, edge)
        rim = list(zip(outline, np.roll(outline, -1, axis=0)))
        feet = points[np.abs((points - middle) @ directions[2]) > edge]  # joints above or below the plate
        rim += [(p, p - ((p - middle) @ directions[2]) * directions[2]) for p in feet]
    else:
        vertices, faces = hull(points)
        rim = [(vertices[i], vertices[j]) for i, j in sharp_edges(vertices, faces)]
    yield Surface(name, body, "bodies", colour, opacity=CLEAR, vertices=vertices, faces=faces)
    for number, (a, b) in enumerate(rim):
        yield from link(f"{name} edge {number}", body, a, b, edge, colour)


def equivalent_box(name: str, body: RigidBody, sizes: Measures, colour: Colour) -> Primitive:
    """The box of uniform density with the body's mass and inertia, along its principal axes.

    m (b² + c²) / 12 = Ixx and so on: a² = 6 (Iyy + Izz − Ixx) / m
    """
    least, most = 0.04 * sizes.extent, 0.6 * sizes.extent
    R, edges = np.eye(3), np.full(3, 0.1 * sizes.extent)
    if float(body.mass) > 0 and np.any(body.inertia):
        moments, R = np.linalg.eigh(np.asarray(body.inertia_about_centre(), float))
        R = R * np.sign(np.linalg.det(R))
        edges = np.sqrt(np.maximum(6 * (moments.sum() - 2 * moments) / float(body.mass), 0.0))
    a, b, c = (float(edge) for edge in np.clip(edges, least, most))
    X = Pose(R, np.asarray(body.com, float))
    return Box(name, name, "bodies", colour, X, opacity=0.8, edges=(a, b, c))


def drawn_beam(beam: Beam, sizes: Measures, colour: Colour) -> Tube:
    """A flexible beam as a tube of its own section where that is thick enough to be seen."""
    a, b = (np.asarray(end.position, float) for end in (beam.a, beam.b))
    line = a + np.linspace(0.0, 1.0, ALONG_BEAM)[:, None] * (b - a)
    radius = float(np.clip(np.sqrt(float(beam.area) / np.pi), 0.25 * sizes.radius, sizes.radius))
    return Tube(beam.name, beam.body, "bodies", colour, line=line, radius=radius, beam=beam.name)


def arms_to_beams(
    name: str, points: np.ndarray, tubes: list[Tube], sizes: Measures, colour: Colour
) -> Iterator[Primitive]:
    """Rigid arms of a flexible body from joints beside its beams to the nearest point of one."""
    line = np.vstack([tube.line for tube in tubes])
    for number, point in enumerate(points):
        nearest = line[np.argmin(np.linalg.norm(line - point, axis=1))]
        if np.linalg.norm(nearest - point) > sizes.radius:
            yield from link(f"{name} arm {number}", name, point, nearest, 0.5 * sizes.radius, colour)
