"""Mechanisms for the tests of MJCF and URDF: the library, and one of every joint, in the tree and as a cut."""

from __future__ import annotations

import os
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from poinsot.errors import ConversionWarning
from poinsot.model.assembly.assembly import assemble
from poinsot.model.check import check
from poinsot.model.load import library_names, load
from poinsot.model.mechanism import build
from poinsot.spatial.pose import Pose

DATA = Path(os.environ.get("POINSOT_DATA", Path(__file__).parents[2].parent / "shared" / "data"))
ROBOTS = {
    "five-bar": "closed-loop/5bar_linkage_iso3d/robot.urdf",
    "delta": "closed-loop/robot_delta/robot.urdf",
    "tx40": "tx40/tx40.urdf",
}
ODD = {"sequence": "ZXZ", "angles": [0.7, 0.4, -1.1]}
INERTIA = [0.02, 0.03, 0.04, 0.002, -0.003, 0.001]


def robot_file(name: str) -> Path:
    """A URDF of the shared data; the test is skipped where it is absent."""
    path = DATA / ROBOTS[name]
    if not path.exists():
        pytest.skip(f"no data at {path}: set POINSOT_DATA to the folder that holds closed-loop/ and tx40/")
    return path


def body(position, **more):
    """A body with nothing special about its inertia or place."""
    rotation = {"sequence": "ZXZ", "angles": [0.3, 0.2, 0.5]}
    return {
        "mass": 1.3,
        "com": [0.01, 0.02, 0.03],
        "inertia": INERTIA,
        "placement": {"position": position, "rotation": rotation},
        **more,
    }


def place(name, position=(0.1, 0.05, 0.02), rotation=None):
    return {"body": name, "position": list(position), "rotation": rotation or ODD}


def single(kind: str, backwards: bool = False, **options):
    """One body on one joint, both sides odd, in a pose that is not zero."""
    sides = [place("ground", (0.2, 0.1, 0.3)), place("link")]
    spec = {"type": kind, "between": sides[::-1] if backwards else sides, **options}
    document = {
        "format": 1,
        "gravity": [1.0, 2.0, -9.0],
        "bodies": {"link": body([0.3, 0.2, 0.4])},
        "joints": {"j": spec},
    }
    return build(document, f"{kind}{'_backwards' if backwards else ''}")


def closed(kind: str, **options):
    """Four bodies in a loop with seven coordinates, closed by one more joint, which is the one that is cut."""
    joints = {
        "lower": {"type": "revolute", "between": [place("ground"), place("one", (0, 0, 0))], "axis": [0, 1, 1]},
        "upper": {"type": "universal", "between": [place("one", (0.2, 0.1, 0)), place("two", (0, 0, 0))]},
        "slide": {"type": "cylindrical", "between": [place("two", (0.1, 0.2, 0.3)), "three"]},
        "wrist": {"type": "universal", "between": [place("three", (0.1, 0, 0.2)), place("four", (0.02, 0, 0))]},
        "cut": {"type": kind, "between": [place("ground", (0.4, 0.3, 0.2)), place("four", (0, 0.1, 0))], **options},
    }
    names = ("one", "two", "three", "four")
    bodies = {name: body([0.1 * i, 0.2, 0.1 * i]) for i, name in enumerate(names, 1)}
    joints["cut"] |= {} if kind == "distance" else {"closing": True}
    return build({"format": 1, "bodies": bodies, "joints": joints}, f"closed_{kind}")


def coupled():
    """A branch of hinges, slides and joints of two coordinates, each of which follows the one before."""
    joints = {
        "lower": {"type": "revolute", "between": [place("ground"), place("one", (0, 0, 0))], "axis": [0, 1, 1]},
        "upper": {"type": "universal", "between": [place("one", (0.2, 0.1, 0)), place("two", (0, 0, 0))]},
        "slide": {"type": "cylindrical", "between": [place("two", (0.1, 0.2, 0.3)), "three"]},
        "screw": {"type": "helical", "between": [place("three", (0.1, 0, 0)), place("four")], "lead": 0.01},
        "wrist": {"type": "prismatic", "between": [place("four"), place("five", (0.02, 0, 0))], "axis": [1, 0, 1]},
    }
    pairs = {
        "lower": ({"upper.angle1": 1, "lower": -0.5}, 0.1),
        "gear": ({"upper.angle2": 2, "upper.angle1": 3}, 0.0),
        "rack": ({"slide.displacement": 1, "upper.angle2": -0.04}, 0.02),
        "train": ({"slide.angle": 1, "lower": 2}, -0.3),
        "nut": ({"screw": 1, "slide.displacement": -5}, 0.0),
        "finger": ({"screw": 0.01, "wrist": 1}, 0.03),
    }
    names = ("one", "two", "three", "four", "five")
    return build(
        {
            "format": 1,
            "bodies": {name: body([0.1 * i, 0.2, 0.1 * i]) for i, name in enumerate(names, 1)},
            "joints": joints,
            "couplings": {n: {"on": {"combination": weights}, "value": c} for n, (weights, c) in pairs.items()},
        },
        "coupled",
    )


def in_plane(kind: str, **options):
    """A planar body on a joint that has fewer coordinates in the plane than in space, and a crank beside it."""
    bodies = {
        "link": {"mass": 1.0, "com": [0.1, 0.2], "inertia": 0.3, "placement": {"position": [0.5, 0.3]}},
        "crank": {"mass": 2.0, "inertia": 0.1, "frames": {"pin": [0.4, 0.0]}},
    }
    joints = {
        "main": {"type": "revolute", "between": ["ground", "crank"]},
        "j": {"type": kind, "between": ["crank.pin", {"body": "link", "position": [0.05, 0.02]}], **options},
    }
    return build({"format": 1, "planar": True, "bodies": bodies, "joints": joints}, f"plane_{kind}")


def laden():
    """Springs, dampers, limits, drives and sensors along joints and along a length."""
    leg = {"length": ["ground.foot", "two.head"]}
    return build(
        {
            "format": 1,
            "bodies": {
                "ground": {"frames": {"foot": {"position": [0.5, 0, 0]}}},
                "one": body([0, 0, 0.1]),
                "two": body([0.3, 0, 0.1], frames={"head": {"position": [0.1, 0, 0.1], "rotation": ODD}}),
            },
            "joints": {
                "hinge": {
                    "type": "revolute",
                    "between": ["ground", "one"],
                    "axis": [0, 1, 0],
                    "stiffness": 3.0,
                    "rest": 0.2,
                    "damping": 0.4,
                    "friction": {"viscous": 0.1, "coulomb": 0.2, "offset": 0.05},
                    "drive_inertia": 0.01,
                    "limits": [-1.0, 2.0],
                },
                "pipe": {
                    "type": "cylindrical",
                    "between": [place("one"), "two"],
                    "damping": {"angle": 0.3, "displacement": 0.6},
                    "friction": {"coulomb": {"angle": 0.7}},
                    "limits": {"displacement": [-0.5, 0.5]},
                    "actuated": "displacement",
                },
            },
            "forces": {
                "coil": {"type": "spring", "on": leg, "stiffness": 40.0, "rest": 0.3},
                "oil": {"type": "damper", "on": leg, "damping": 2.0},
                "push": {"type": "load", "at": "two", "force": [1, 0, 0]},
            },
            "actuators": {
                "cable": {"on": leg, "limits": [-5, 7]},
                "motor": {"on": {"joint": "hinge"}, "limits": [-3, 3]},
            },
            "sensors": {
                "angle": {"type": "encoder", "on": {"joint": "hinge"}},
                "wire": {"type": "encoder", "on": leg, "noise": 0.1},
                "imu": {"type": "imu", "at": "two.head"},
                "gyro": {"type": "gyroscope", "at": "one"},
                "cell": {"type": "drive-force", "actuator": "motor"},
                "bearing": {"type": "reaction", "joint": "hinge"},
            },
        },
        "laden",
    )


SINGLE = {
    "revolute": {"axis": [1, 2, 3]},
    "prismatic": {"axis": [1, -2, 3]},
    "cylindrical": {},
    "helical": {"lead": 0.05},
    "universal": {"axis": [0, 1, 0], "axis2": [1, 0, 0]},
    "spherical": {},
    "planar": {},
    "fixed": {},
    "free": {},
    "point-on-line": {},
}
CLOSED = {
    "revolute": {},
    "prismatic": {},
    "cylindrical": {},
    "helical": {"lead": 0.05},
    "universal": {"axis": [1, 2, 3], "axis2": [3, 0, -1]},
    "spherical": {},
    "planar": {},
    "fixed": {},
    "point-on-line": {},
    "distance": {"length": 0.35},
}


def cases():
    """Every mechanism that the tests of both formats write."""
    for name in library_names():
        yield f"library-{name}", lambda name=name: load(name)
    for kind, options in SINGLE.items():
        for backwards in (False, True):
            label = f"single-{kind}{'-backwards' if backwards else ''}"
            yield label, lambda kind=kind, options=options, backwards=backwards: single(kind, backwards, **options)
    for kind, options in CLOSED.items():
        yield f"closed-{kind}", lambda kind=kind, options=options: closed(kind, **options)
    for kind in ("spherical", "point-on-line", "free", "planar", "prismatic"):
        yield f"plane-{kind}", lambda kind=kind: in_plane(kind)
    yield "laden", laden
    yield "coupled", coupled


CASES = {name: cache(make) for name, make in cases()}
LARGE = ("library-stacked_hexapod", "library-double_hexapod")  # 26 bodies: some seconds each


def every_case(*without: str):
    """Names of all cases for `parametrize`; the large ones are slow."""
    return [
        pytest.param(name, marks=pytest.mark.slow) if name in LARGE else name
        for name in CASES
        if not any(part in name for part in without)
    ]


@cache
def mobility(case: str) -> int | None:
    """Mobility of a case, by its own check."""
    return check(CASES[case]()).mobility


@cache
def pose_of(case: str) -> dict[str, Pose]:
    """Assembled poses of a case."""
    return assemble(CASES[case]()).require().poses


def coordinates(mechanism, poses) -> dict[str, np.ndarray]:
    """Coordinates of every joint that has any, but for attitudes, which have no common zero."""
    kinds = ("spherical", "free", "point-on-line", "fixed", "distance")
    chosen = {name: joint for name, joint in mechanism.joints.items() if joint.kind not in kinds}
    return {n: np.asarray(j.measure(j.relative(poses[j.a.body], poses[j.b.body]))) for n, j in chosen.items()}


def quietly(read, *arguments):
    """Read a file without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConversionWarning)
        return read(*arguments)


def assert_same_mechanism(case: str, found, inertia: float = 1e-12, hinge_zeros: bool = True):
    """Same masses, inertias, assembled poses, joints, coordinates and mobility as a case.

    Without `hinge_zeros` the zero of a hinge that closes a loop may be elsewhere.
    """
    given, here, there = CASES[case](), pose_of(case), assemble(found).require().poses
    assert_same_bodies(given, here, found, there, inertia)
    assert check(found).mobility == mobility(case)
    changed = {"distance"} | ({"spherical", "point-on-line", "free", "planar"} if given.planar else set())
    changed &= {joint.kind for joint in given.joints.values()}  # a rod in URDF; other joints in space
    if not changed and "plane" not in case:
        kinds = [{n: j.kind for n, j in m.joints.items() if j.kind != "fixed"} for m in (given, found)]
        assert kinds[0] == kinds[1]
        values = coordinates(found, there)
        for name, q in coordinates(given, here).items():
            if not hinge_zeros and name in found.template.closing and given.joints[name].kind == "revolute":
                continue
            np.testing.assert_allclose(np.exp(1j * values[name]), np.exp(1j * q), atol=1e-9, err_msg=name)


def assert_same_bodies(given, here, found, there, inertia: float = 1e-12):
    """Same masses, inertias and poses of every body of `given`."""
    for name, body in given.bodies.items():
        np.testing.assert_allclose(found.bodies[name].mass, body.mass, atol=2e-9)
        phi = found.bodies[name].inertial_parameters()
        np.testing.assert_allclose(phi, body.inertial_parameters(), atol=inertia, err_msg=name)
        np.testing.assert_allclose(there[name].p, here[name].p, atol=1e-10, err_msg=name)
        np.testing.assert_allclose(there[name].R, here[name].R, atol=1e-10, err_msg=name)
