"""Twists that a body may have, as Lie algebras: brackets, closures, changes of frame.

A twist is V = (v, w) as in `spatial.motion`. Arrays hold floats or elements of an exact field alike.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poinsot.elements.joints import Joint
from poinsot.identifiability.symbolic.exact import Exact

TOLERANCE = 1e-9
SAMPLES = 3  # configurations of a joint from which its screws are taken


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a × b."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def bracket(V: np.ndarray, W: np.ndarray) -> np.ndarray:
    """[V, W] = (w × v' + v × w', w × w')        (theory/symbols, eq. 2)."""
    return np.concatenate([cross(V[3:], W[:3]) + cross(V[:3], W[3:]), cross(V[3:], W[3:])])


def seen_from(R_AB: np.ndarray, p_AB: np.ndarray, twists: np.ndarray) -> np.ndarray:
    """Twists (k, 6) given in frame A, about the origin and in the axes of B."""
    moved = [np.concatenate([R_AB.T @ (V[:3] + cross(V[3:], p_AB)), R_AB.T @ V[3:]]) for V in twists]
    return np.array(moved, dtype=twists.dtype).reshape(-1, 6)


def closed(exact: Exact, twists: np.ndarray, under: np.ndarray | None = None) -> np.ndarray:
    """Smallest space that holds the twists and their brackets with each other, or with those of `under`."""
    if under is None:
        return exact.generic(lambda space: _closed(space, lambda x: x, bracket, exact.span), twists)
    return exact.generic(lambda space, acting: _closed(space, lambda _: acting, bracket, exact.span), twists, under)


def closed_directions(exact: Exact, directions: np.ndarray, twists: np.ndarray) -> np.ndarray:
    """Smallest space of directions (k, 3) that the rotations of the twists do not leave."""

    def question(space: np.ndarray, acting: np.ndarray) -> np.ndarray:
        return _closed(space, lambda _: acting, lambda V, d: cross(V[3:], d), exact.span)

    return exact.generic(question, directions, twists)


def _closed(space: np.ndarray, acting: Callable, act: Callable, span: Callable) -> np.ndarray:
    space = span(space)
    while 0 < len(space) < space.shape[1]:
        images = [act(V, x) for V in acting(space) for x in space]
        larger = span(np.array([*space, *images], dtype=object))
        if len(larger) == len(space):
            break
        space = larger
    return space


def joint_algebra(joint: Joint) -> np.ndarray:
    """Reduced basis (k, 6), as floats, of the algebra that a joint's relative twists generate, in the axes of M."""
    if not joint.carries:
        return np.eye(6)
    rng = np.random.default_rng(0)
    twists = []
    for _ in range(SAMPLES):
        q = rng.normal(size=len(joint.coordinates))
        q[-4:] = q[-4:] / np.linalg.norm(q[-4:]) if len(q) >= 4 else q[-4:]
        for v in np.eye(joint.freedom):
            twists.append(np.concatenate([np.ravel(part) for part in joint.twist(q, v)]))
    return _closed(np.array(twists).reshape(-1, 6), lambda x: x, bracket, float_span)


def float_span(rows: np.ndarray, tolerance: float = TOLERANCE) -> np.ndarray:
    """Reduced row echelon form of floats without its zero rows."""
    rows, rank = np.array(rows, dtype=float), 0
    for column in range(rows.shape[1]):
        if rank == len(rows):
            break
        pivot = rank + int(np.argmax(np.abs(rows[rank:, column])))
        if abs(rows[pivot, column]) < tolerance:
            continue
        rows[[rank, pivot]] = rows[[pivot, rank]]
        rows[rank] /= rows[rank, column]
        others = np.arange(len(rows)) != rank
        rows[others] -= np.outer(rows[others, column], rows[rank])
        rank += 1
    return rows[:rank]
