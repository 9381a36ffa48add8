"""Small mechanisms whose mobility is known by hand, of any size."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from poinsot.model.mechanism import Mechanism, build


def body(size: float = 1.0, **more) -> dict:
    return {"mass": 1.0, "inertia": [size**2] * 3, **more}


def joint(kind: str, a, b, **more) -> dict:
    return {"type": kind, "between": [a, b], **more}


def at(name: str, point, **rotation) -> dict:
    place = {"body": name, "position": [float(x) for x in point]}
    return place | ({"rotation": rotation} if rotation else {})


def spatial(bodies: dict, joints: dict, **more) -> Mechanism:
    return build({"format": 1, "bodies": bodies, "joints": joints, **more}, "model")


def closed_hinges(points: np.ndarray, axes: np.ndarray, order=None, kind: str = "revolute") -> Mechanism:
    """A loop of hinges through given points with given axes; every body has its origin at the world's.

    Body i lies between hinge i and hinge i + 1; the ground lies between the last and the first.
    """
    n = len(points)
    names = ["ground", *(f"link{i}" for i in range(1, n))]
    bodies = {name: body(float(np.max(np.abs(points)))) for name in names[1:]}
    joints = {}
    for i in range(n):
        places = (at(names[i], points[i]), at(names[(i + 1) % n], points[i]))
        joints[f"hinge{i}"] = joint(kind, *places, axis=[float(x) for x in axes[i]])
    order = range(n - 1) if order is None else order
    return spatial({names[1 + k]: bodies[names[1 + k]] for k in order}, joints)


def four_bar_in_space(size: float = 1.0, order=None) -> Mechanism:
    points = size * np.array([[0, 0, 0], [0.3, 0.5, 0], [1.2, 0.9, 0], [1, 0, 0]])
    return closed_hinges(points, np.tile([0.0, 0.0, 1.0], (4, 1)), order)


def four_bar_in_plane(size: float = 1.0, flat: bool = False) -> Mechanism:
    """Crank 1, coupler 2, rocker 1, ground 2 (a parallelogram) when flat; else a general one."""
    points = size * np.array([[0, 0], [1, 0], [3, 0], [2, 0]] if flat else [[0, 0], [0.3, 0.5], [1.2, 0.9], [1, 0]])
    names = ["ground", "crank", "coupler", "rocker"]
    joints = {
        f"pin{i}": joint("revolute", at(names[i], points[i]), at(names[(i + 1) % 4], points[i])) for i in range(4)
    }
    bodies = {name: {"mass": 1.0, "inertia": size**2} for name in names[1:]}
    return build({"format": 1, "planar": True, "bodies": bodies, "joints": joints}, "model")


def bennett(size: float = 1.0) -> Mechanism:
    """Bennett's linkage by Denavit and Hartenberg: lengths a, b, twists α, β with a sin β = b sin α, no offsets.

    θ₁ = θ, θ₂ with tan(θ₁/2) tan(θ₂/2) = sin ½(β + α) / sin ½(β − α); θ₃ = 2π − θ₁, θ₄ = 2π − θ₂.
    """
    alpha, beta, a = np.radians(35.0), np.radians(80.0), size
    b = a * np.sin(beta) / np.sin(alpha)
    first = np.radians(70.0)
    second = 2 * np.arctan(np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2) / np.tan(first / 2))
    X, points, axes = np.eye(4), [], []
    for length, twist, turn in zip((a, b, a, b), (alpha, beta, alpha, beta), (first, second, -first, -second)):
        points.append(X[:3, 3].copy())
        axes.append(X[:3, 2].copy())
        step = np.eye(4)
        step[:3, :3] = Rotation.from_euler("ZX", [turn, twist]).as_matrix()
        step[:3, 3] = [length * np.cos(turn), length * np.sin(turn), 0]
        X = X @ step
    closed = np.allclose(X[:3, :3], np.eye(3), atol=1e-12) and np.max(np.abs(X[:3, 3])) < 1e-12 * size
    assert closed, "the linkage does not close"
    return closed_hinges(np.array(points), np.array(axes))


def sarrus(size: float = 1.0) -> Mechanism:
    """Two pairs of plates with hinges along x and along y: the top moves straight up."""
    p = size * np.array([[0, 0, 0], [0, 0.5, 0.6], [0, 0, 1.2], [0, 0, 1.2], [0.5, 0, 0.6], [0, 0, 0]])
    axes = np.array([[1.0, 0, 0]] * 3 + [[0, 1.0, 0]] * 3)
    return closed_hinges(p + size * np.array([0.3, 0.4, 0.0]), axes)


def triangle(size: float = 1.0, third: float = 1.0) -> Mechanism:
    """Two bars of length 1 and a distance of the third side from end to end: a structure when it closes."""
    bars = {name: {"mass": 1.0, "inertia": size**2, "frames": {"tip": [size, 0]}} for name in ("left", "right")}
    joints = {
        "a": joint("revolute", "ground", "left"),
        "b": joint("revolute", "left.tip", "right"),
        "c": joint("revolute", "right.tip", at("ground", [third * size, 0])),
    }
    return build({"format": 1, "planar": True, "bodies": bars, "joints": joints}, "model")


def chain(n: int, size: float = 1.0) -> Mechanism:
    """n links on hinges whose axes alternate."""
    bodies = {f"b{i}": body(size, frames={"tip": [0.1 * size, 0, 0]}) for i in range(n)}
    joints = {
        f"j{i}": joint("revolute", f"b{i - 1}.tip" if i else "ground", f"b{i}", axis=[0, i % 2, (i + 1) % 2])
        for i in range(n)
    }
    return spatial(bodies, joints)
