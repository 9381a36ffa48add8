"""Small mechanisms for the tests of identifiability, and other geometries of any."""

from __future__ import annotations

from typing import Any

import numpy as np

from poinsot.identifiability.symbolic.optimal import Opened, moved
from poinsot.model.mechanism import Mechanism, build

AXES = {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1]}


def chain(text: str, gravity: tuple = (0, 0, -9.81), **drives: float) -> Mechanism:
    """A serial arm: per joint its type, its axis and its place on the body before, "R z 0 0 0.4; P x 0.1 0 0"."""
    kinds = {"R": "revolute", "P": "prismatic", "C": "cylindrical", "U": "universal"}
    bodies: dict[str, Any] = {"ground": {"frames": {}}}
    joints: dict[str, Any] = {}
    before = "ground"
    for k, joint in enumerate(text.split(";"), 1):
        letter, axis, *place = joint.split()
        direction = AXES[axis] if axis in AXES else [float(x) for x in axis.split(",")]
        bodies[before]["frames"]["next"] = [float(x) for x in place]
        bodies[f"link{k}"] = {"mass": 1.0, "com": [0.1, 0.02, 0.03], "inertia": [0.02, 0.021, 0.022], "frames": {}}
        name = f"joint{k}"
        joints[name] = {"type": kinds[letter], "between": [f"{before}.next", f"link{k}"], "axis": direction}
        if letter in "RP":
            joints[name]["actuated"] = True
        if name in drives:
            joints[name]["drive_inertia"] = drives[name]
        before = f"link{k}"
    return build({"format": 1, "name": "arm", "gravity": list(gravity), "bodies": bodies, "joints": joints}, "arm")


def pair(joint: dict[str, Any]) -> Mechanism:
    """A floating body and a second one on a joint: what the joint's law by itself lets be transferred."""
    body = {"mass": 1.0, "com": [0.1, 0.02, 0.03], "inertia": [0.02, 0.021, 0.022]}
    bodies = {
        "first": body | {"frames": {"at": [0.3, -0.2, 0.1]}},
        "second": body | {"frames": {"at": [0.1, 0.4, 0]}},
    }
    float_, other = {"type": "free", "between": ["ground", "first"]}, {"between": ["first.at", "second.at"]}
    joints = {"float": float_, "joint": joint | other}
    return build({"format": 1, "name": "pair", "bodies": bodies, "joints": joints}, "pair")


ARMS = {
    "3R": "R z 0 0 0.4; R y 0.1 0 0.2; R y 0.5 0 0",
    "tilted": "R z 0 0 0.4; R 0,3,1 0.1 0 0.2; R x 0.5 0 0",
    "Puma": "R z 0 0 0.6; R y 0 0.2 0; R y 0.43 -0.09 0; R x 0.43 0 0.02; R y 0 0 0; R x 0 0 0",
    "Scara": "R z 0 0 0.4; R z 0.3 0 0; P z 0.25 0 0; R z 0 0 -0.1",
    "Stanford": "R z 0 0 0.4; R y 0 0.15 0; P z 0 0 0.2; R z 0 0 0.3; R y 0 0 0; R z 0 0 0",
    "gantry": "P x 0 0 0; P y 0 0 0.2; P z 0 0 0.1; R z 0 0 0",
    "cylinders": "R z 0 0 0.4; C y 0.1 0.2 0; R x 0.2 0 0.1",
    "cross": "U x 0 0 0.4; R z 0.1 0.2 0.3; R y 0 0 0.3",
    "sideways": "R x 0 0 0.4; R x 0 0.2 0.1; R z 0 0.3 0",
}


def other_geometry(mechanism: Mechanism, rng: np.random.Generator, spread: float = 0.08) -> Mechanism:
    """The mechanism with every coordinate of every joint point on a moving body changed; zeros stay."""
    known: dict[tuple, np.ndarray] = {}

    def changed(body: str, p: np.ndarray) -> np.ndarray:
        key = body, tuple(np.round(p, 12))
        return known.setdefault(key, p * (1 + spread * rng.uniform(-1, 1, 3)))

    return moved(mechanism, Opened({}, (), {}, ()), changed)


def linkage(text: str, **places: list[float]) -> Mechanism:
    """A planar linkage of hinges: "crank.B coupler; …" joins a point of one link to the origin or a point of another.

    `places` are points, crank_B = [x, y], and where links are before assembly, at_crank = [x, y, angle].
    """
    joints = [joint.split() for joint in text.split(";")]
    bodies: dict[str, Any] = {end.split(".")[0]: {"frames": {}} for joint in joints for end in joint}
    for name, body in bodies.items():
        if name != "ground":
            body |= {"mass": 1.0, "com": [0.05, 0.01], "inertia": 0.01}
    for name, (*place, last) in places.items():
        owner, _, point = name.rpartition("_")
        if owner == "at":
            bodies[point]["placement"] = {"position": place, "rotation": {"angle": last}}
        else:
            bodies[owner]["frames"][point] = [*place, last]
    found = {f"j{k}": {"type": "revolute", "between": joint} for k, joint in enumerate(joints, 1)}
    document = {"format": 1, "name": "linkage", "planar": True, "gravity": [0, -9.81]}
    return build({**document, "bodies": bodies, "joints": found}, "linkage")


def watt_on_the_ground() -> Mechanism:
    """Watt's six-bar with a ternary ground: both loops close through it."""
    return linkage(
        "ground crank; crank.B coupler; ground.D rocker; coupler.C rocker.C; rocker.E link; ground.F lever;"
        "link.G lever.G",
        ground_D=[0.41, 0.03], ground_F=[0.83, 0.07], crank_B=[0.11, 0], coupler_C=[0.37, 0], rocker_C=[0.23, 0],
        rocker_E=[0.17, -0.13], link_G=[0.43, 0], lever_G=[0.29, 0],
        at_coupler=[0.055, 0.095, 0.44], at_rocker=[0.41, 0.03, 1.83], at_link=[0.49, 0.23, 0.26],
        at_lever=[0.83, 0.07, 1.75],
    )  # fmt: skip


def watt_in_the_air() -> Mechanism:
    """Watt's six-bar with a binary ground: the second loop is one of moving links only."""
    return linkage(
        "ground crank; crank.B coupler; ground.D rocker; coupler.C rocker.C; coupler.E one; rocker.F two;"
        "one.G two.G",
        ground_D=[0.41, 0.03], crank_B=[0.11, 0], coupler_C=[0.37, 0], rocker_C=[0.23, 0], coupler_E=[0.2, 0.18],
        rocker_F=[0.31, -0.11], one_G=[0.33, 0], two_G=[0.27, 0],
        at_coupler=[0.055, 0.095, 0.44], at_rocker=[0.41, 0.03, 1.83], at_one=[0.16, 0.34, 0.5],
        at_two=[0.44, 0.36, 2.0],
    )  # fmt: skip


def three_rrr() -> Mechanism:
    """A planar parallel robot with three legs of two links."""
    angles = np.radians([90, 210, 330])
    places: dict[str, list[float]] = {"at_plate": [0, 0, 0.05]}
    text = []
    for k, a in enumerate(angles, 1):
        out = np.array([np.cos(a), np.sin(a)])
        elbow = 0.35 * out + 0.19 * np.array([np.cos(a + np.pi + 0.84), np.sin(a + np.pi + 0.84)])
        to_plate = np.arctan2(*(0.08 * out - elbow)[::-1])
        text.append(f"ground.A{k} crank{k}; crank{k}.B arm{k}; arm{k}.C plate.C{k}")
        places |= {f"ground_A{k}": list(0.35 * out), f"plate_C{k}": list(0.08 * out), f"crank{k}_B": [0.19, 0.0]}
        places |= {f"arm{k}_C": [0.21, 0.0], f"at_crank{k}": [*(0.35 * out), a + np.pi + 0.84]}
        places |= {f"at_arm{k}": [*elbow, to_plate]}
    return linkage("; ".join(text), **places)
