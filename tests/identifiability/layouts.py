"""Mechanisms laid out in the world, with bodies whose own frames are turned at will, in any size and unit of mass.

Turning the frames of bodies changes their parameters among themselves and nothing else, so no count may change.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from poinsot.model.mechanism import Mechanism, build

Turn = Callable[[np.random.Generator], Rotation]
PLAIN: Turn = lambda rng: Rotation.identity()  # noqa: E731
ANY: Turn = lambda rng: Rotation.random(random_state=int(rng.integers(1 << 30)))  # noqa: E731
RIGHT_ANGLES: Turn = lambda rng: Rotation.from_euler("zyx", rng.integers(0, 4, 3) * np.pi / 2)  # noqa: E731


def frame_along(axis: list[float]) -> Rotation:
    """A frame whose z is along an axis."""
    z = np.asarray(axis, float) / np.linalg.norm(axis)
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    x /= np.linalg.norm(x)
    return Rotation.from_matrix(np.stack([x, np.cross(z, x), z], axis=1))


def place(p: np.ndarray, R: Rotation) -> dict[str, Any]:
    return {"position": p.tolist(), "rotation": {"quaternion": R.as_quat(scalar_first=True).tolist()}}


def laid_out(
    bodies: dict[str, list[float]],
    joints: dict[str, tuple[Any, ...]],
    turn: Turn = PLAIN,
    size: float = 1.0,
    mass: float = 1.0,
    seed: int = 0,
) -> Mechanism:
    """A mechanism at home: bodies by their origins, joints by (kind, body, body, point, axis), some "passive".

    `size` and `mass` multiply all lengths and masses; every body's frame is turned by `turn`.
    """
    rng = np.random.default_rng(seed)
    found: dict[str, Any] = {"ground": {"frames": {}}}
    X = {"ground": (np.zeros(3), Rotation.identity())}
    for name, origin in bodies.items():
        X[name] = np.asarray(origin, float) * size, turn(rng)
        inertia = (np.array([0.021, 0.023, 0.022, 0.001, -0.002, 0.0015]) * mass * size**2).tolist()
        com = X[name][1].inv().apply(np.array([0.05, 0.03, -0.04]) * size).tolist()
        found[name] = {"mass": mass, "com": com, "inertia": inertia, "frames": {}, "placement": place(*X[name])}
    pairs: dict[str, Any] = {}
    for name, (kind, a, b, point, axis, *passive) in joints.items():
        R = frame_along(axis)
        for body in (a, b):
            p_WB, R_WB = X[body]
            local = R_WB.inv().apply(np.asarray(point, float) * size - p_WB)
            found[body]["frames"][name] = place(local, R_WB.inv() * R)
        pairs[name] = {"type": kind, "between": [f"{a}.{name}", f"{b}.{name}"]}
        if kind in ("revolute", "prismatic") and not passive:
            pairs[name]["actuated"] = True
    return build({"format": 1, "name": "layout", "bodies": found, "joints": pairs}, "layout")


def arm(**how: Any) -> Mechanism:
    """Two hinges, the first horizontal, the second parallel to it: six parameters."""
    x = [1, 0, 0]
    bodies = {"upper": [0.3, 0, 0], "lower": [0.6, 0, 0]}
    joints = {
        "shoulder": ("revolute", "ground", "upper", [0.3, 0, 0], x),
        "elbow": ("revolute", "upper", "lower", [0.6, 0.0, -0.4], x),
    }
    return laid_out(bodies, joints, **how)


def turntable(**how: Any) -> Mechanism:
    """A four-bar that closes by a ball, on a turntable."""
    y = [0, 1, 0]
    bodies = {"table": [0, 0, 0], "crank": [0, 0, 0], "coupler": [0.15, 0, 0.26], "rocker": [1, 0, 0]}
    joints = {
        "slew": ("revolute", "ground", "table", [0, 0, 0], [0, 0, 1]),
        "A": ("revolute", "table", "crank", [0, 0, 0], y),
        "B": ("revolute", "crank", "coupler", [0.15, 0, 0.26], y, "passive"),
        "D": ("revolute", "table", "rocker", [1, 0, 0], y, "passive"),
        "C": ("spherical", "coupler", "rocker", [0.85, 0, 0.55], y),
    }
    return laid_out(bodies, joints, **how)


def crane(**how: Any) -> Mechanism:
    """A slewing crane whose boom is raised by a cylinder between a universal joint and a ball."""
    y, foot, head = [0, 1, 0], np.array([0.4, 0, 0.6]), np.array([1.6, 0, 2.8])
    bodies = {
        "column": [0, 0, 0],
        "boom": [0, 0, 2],
        "barrel": foot.tolist(),
        "rod": head.tolist(),
        "load": [5, 0, 5],
    }
    joints = {
        "slew": ("revolute", "ground", "column", [0, 0, 0], [0, 0, 1]),
        "luff": ("revolute", "column", "boom", [0, 0, 2], y, "passive"),
        "foot": ("universal", "column", "barrel", foot, head - foot),
        "cylinder": ("prismatic", "barrel", "rod", head, head - foot),
        "head": ("spherical", "boom", "rod", head, y),
        "hook": ("universal", "boom", "load", [5, 0, 5], [0, 0, 1]),
    }
    return laid_out(bodies, joints, **how)


def walker(**how: Any) -> Mechanism:
    """A floating pelvis with two legs, each with a push rod between thigh and shank: loops on moving bodies."""
    y = [0, 1, 0]
    bodies: dict[str, list[float]] = {"pelvis": [0, 0, 1]}
    joints: dict[str, tuple[Any, ...]] = {"float": ("free", "ground", "pelvis", [0, 0, 1], [0, 0, 1])}
    for side, s in (("left", 0.15), ("right", -0.15)):
        thigh, shank, lever, rod = (f"{side}_{part}" for part in ("thigh", "shank", "lever", "rod"))
        bodies |= {thigh: [0, s, 1], shank: [0.2, s, 0.6], lever: [0.05, s, 0.8], rod: [-0.1, s, 0.75]}
        joints |= {
            f"{side}_hip": ("revolute", "pelvis", thigh, [0, s, 1], y),
            f"{side}_knee": ("revolute", thigh, shank, [0.2, s, 0.6], y, "passive"),
            f"{side}_motor": ("revolute", thigh, lever, [0.05, s, 0.8], y),
            f"{side}_pin": ("universal", lever, rod, [-0.1, s, 0.75], [0, 0, 1]),
            f"{side}_ball": ("spherical", rod, shank, [0.1, s, 0.5], y),
        }
    return laid_out(bodies, joints, **how)


LAYOUTS = {"arm": arm, "turntable": turntable, "crane": crane, "walker": walker}
