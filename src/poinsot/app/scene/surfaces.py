"""Triangles of what joints span: plates, hulls, and tubes along bent lines."""

from __future__ import annotations

import numpy as np

FLAT = 0.12  # thickness over width below which points are drawn as a plate
SIDES = 10  # of a tube


def frame_along(direction: np.ndarray) -> np.ndarray:
    """A rotation (3, 3) whose z axis has a direction, which is not zero."""
    z = np.asarray(direction, float) / np.linalg.norm(direction)
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def spread(points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Middle (3,), principal directions as rows (3, 3) and half widths (3,) along them, the widest first  [m]."""
    middle = points.mean(axis=0)
    directions = np.linalg.svd(points - middle, full_matrices=True)[2]
    return middle, directions, np.abs((points - middle) @ directions.T).max(axis=0)


def plate(points: np.ndarray, thickness: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Prism over the convex outline of points that lie nearly in a plane: vertices, faces, and the outline (k, 3)."""
    from scipy.spatial import ConvexHull

    middle, (x, y, normal), _ = spread(points)
    flat = np.column_stack([(points - middle) @ x, (points - middle) @ y])
    order = ConvexHull(flat).vertices
    outline = points[order] - np.outer((points[order] - middle) @ normal, normal)
    k = len(order)
    vertices = np.vstack([outline + thickness / 2 * normal, outline - thickness / 2 * normal])
    fan = np.array([[0, i, i + 1] for i in range(1, k - 1)])
    ring = np.arange(k)
    following = np.roll(ring, -1)
    sides = np.vstack(
        [np.column_stack([ring, ring + k, following]), np.column_stack([following, ring + k, following + k])]
    )
    faces = np.vstack([fan, fan[:, ::-1] + k, sides])
    if np.dot(np.cross(x, y), normal) < 0:
        faces = faces[:, ::-1]
    return vertices, faces, outline


def hull(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Convex hull of points in space: vertices and faces that look outwards."""
    from scipy.spatial import ConvexHull

    found = ConvexHull(points)
    corners = points[found.simplices]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inwards = np.einsum("ij,ij->i", normals, found.equations[:, :3]) < 0
    faces = found.simplices.copy()
    faces[inwards] = faces[inwards][:, ::-1]
    return points, faces


def sharp_edges(vertices: np.ndarray, faces: np.ndarray) -> list[tuple[int, int]]:
    """Edges of a hull at which two faces meet at an angle."""
    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    beside: dict[tuple[int, int], list[int]] = {}
    for number, (a, b, c) in enumerate(faces.tolist()):
        for pair in ((a, b), (b, c), (c, a)):
            beside.setdefault((min(pair), max(pair)), []).append(number)
    return [edge for edge, own in beside.items() if len(own) < 2 or normals[own[0]] @ normals[own[1]] < 0.999]


def tube_faces(n: int) -> np.ndarray:
    """Faces of a tube of n rings, closed at both ends."""
    ring = np.arange(SIDES)
    following = np.roll(ring, -1)
    sides = [
        np.column_stack([ring + SIDES * i, following + SIDES * i, ring + SIDES * (i + 1)]) for i in range(n - 1)
    ] + [
        np.column_stack([following + SIDES * i, following + SIDES * (i + 1), ring + SIDES * (i + 1)])
        for i in range(n - 1)
    ]
    cap = np.array([[0, i + 1, i] for i in range(1, SIDES - 1)])
    return np.vstack([*sides, cap, cap[:, ::-1] + SIDES * (n - 1)])


def tube_vertices(line: np.ndarray, radius: float) -> np.ndarray:
    """Rings (n · SIDES, 3) about a line (n, 3), each perpendicular to it and turned as little as can be."""
    tangents = np.gradient(line, axis=0)
    tangents /= np.maximum(np.linalg.norm(tangents, axis=1, keepdims=True), 1e-300)
    x = frame_along(tangents[0] if np.any(tangents[0]) else np.array([0.0, 0.0, 1.0]))[:, 0]
    angle = 2 * np.pi * np.arange(SIDES) / SIDES
    rings = []
    for point, z in zip(line, tangents):
        x = x - (x @ z) * z
        x = x / max(float(np.linalg.norm(x)), 1e-300)
        y = np.cross(z, x)
        rings.append(point + radius * (np.outer(np.cos(angle), x) + np.outer(np.sin(angle), y)))
    return np.vstack(rings)
