"""Mechanisms whose small motions are known in closed form."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from importlib.resources import files
from itertools import pairwise

import numpy as np

import poinsot

FORMULATIONS = ("joint", "embedded", "euler", "rotation-matrix")


def document(name: str) -> dict:
    """The model file of a library mechanism, to be changed."""
    return tomllib.loads((files("poinsot") / "library" / f"{name}.toml").read_text())


def planar(bodies: dict, joints: dict, **more) -> poinsot.Mechanism:
    return poinsot.build({"format": 1, "planar": True, "bodies": bodies, "joints": joints, **more}, "model")


def slide(a: str, b: str, **more) -> dict:
    return {"type": "prismatic", "between": [a, b], "axis": [1, 0], **more}


def hinge(a: str, b: str, **more) -> dict:
    return {"type": "revolute", "between": [a, b], **more}


def oscillator(k: float = 200.0, d: float = 0.0, m: float = 2.0) -> poinsot.Mechanism:
    """A mass on a spring and a damper."""
    return planar(
        {"mass": {"mass": m, "inertia": 0.1}},
        {"slide": slide("ground", "mass", stiffness=k, damping=d)},
        gravity=[0, 0],
        coordinates={"x": {"joint": "slide"}},
        parameters={"slide.stiffness": {"bounds": ["-inf", "inf"]}},  # it may be unstable
    )


def masses(*springs: float, m: tuple[float, ...] = (1.0, 1.0), gravity=(0, 0)) -> poinsot.Mechanism:
    """Masses in a row; a spring before each of them, 0 for none."""
    bodies, joints, last = {}, {}, "ground"
    for i, (k, mass) in enumerate(zip(springs, m), 1):
        bodies[f"m{i}"] = {"mass": mass, "inertia": 0.1 * mass}
        joints[f"s{i}"] = slide(last, f"m{i}", **({"stiffness": k} if k else {}))
        last = f"m{i}"
    return planar(bodies, joints, gravity=list(gravity))


def column(load: float, k: float = 3.0, length: float = 0.5, m: float = 0.4) -> poinsot.Mechanism:
    """Ziegler's column: two links, equal springs, masses 2m and m at their ends, a force that follows the last."""
    points = {"mass": 2 * m, "com": [length, 0], "inertia": 0, "frames": {"tip": [length, 0]}}
    return planar(
        {"lower": points, "upper": {**points, "mass": m}},
        {"A": hinge("ground", "lower", stiffness=k), "B": hinge("lower.tip", "upper", stiffness=k)},
        gravity=[0, 0],
        forces={"push": {"type": "load", "at": "upper.tip", "force": [-load, 0], "follows": True}},
    )


def inverted(k: float) -> poinsot.Mechanism:
    """A pendulum that stands on a spring."""
    bob = {"mass": 1.5, "com": [0, 0.4], "inertia": 0.03}
    return planar({"bob": bob}, {"A": hinge("ground", "bob", stiffness=k)}, gravity=[0, -9.81])


def ball_pendulum() -> poinsot.Mechanism:
    """A pendulum on a ball joint: two equal frequencies, and a spin that nothing resists."""
    bob = {"mass": 2.0, "com": [0, 0, -0.3], "inertia": [0.04, 0.04, 0.01]}
    joint = {"type": "spherical", "between": ["ground", "bob"]}
    return poinsot.build({"format": 1, "bodies": {"bob": bob}, "joints": {"ball": joint}}, "ball")


def sprung_five_bar(gravity: float = 9.81) -> poinsot.Mechanism:
    """A five-bar whose cranks stand on the springs of their drives."""
    changed = document("five_bar")
    for name, k in (("shoulder1", 40.0), ("shoulder2", 50.0)):
        changed["joints"][name].update(stiffness=k, rest="pose")
    return poinsot.build({**changed, "gravity": [0, -gravity]}, "five_bar")


def slope(f: Callable[[float], np.ndarray], x: float, h: float) -> np.ndarray:
    """Central differences, extrapolated twice."""
    a, b, c = ((f(x + s) - f(x - s)) / (2 * s) for s in (h, h / 2, h / 4))
    return (16 * (4 * c - b) / 3 - (4 * b - a) / 3) / 15


def slope_forwards(f: Callable[[float], np.ndarray], x: float, h: float) -> np.ndarray:
    """Differences to one side, extrapolated five times: branches of a repeated frequency meet at x."""
    table = [(f(x + h / 2**i) - f(x)) / (h / 2**i) for i in range(6)]
    for order in range(1, 6):
        table = [(2**order * b - a) / (2**order - 1) for a, b in pairwise(table)]
    return table[0]
