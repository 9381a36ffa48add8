"""The platform of the data folder stewart-imu, and its recordings; simulated recordings of the same machine."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import poinsot
from poinsot.recording.recording import Recording

DATA = Path(os.environ.get("POINSOT_DATA", Path(__file__).parents[4] / "shared" / "data"))
FEET = [-9, 9, 111, 129, 231, 249]  # azimuths of the joints on the base  [deg]
HEADS = [-55, 55, 65, 175, 185, 295]  # and on the platform  [deg]

MODEL = f"""
format = 1
name = "stewart"
gravity = [0, 0, 9.81]
[bodies.platform]
mass = 10
inertia = [1, 1, 2]
placement = {{ position = [0, 0, 1] }}
[components.leg]
arguments = ["foot", "head"]
[components.leg.frames.foot]
body = "ground"
position = ["0.8*cos({{foot}})", "0.8*sin({{foot}})", 0]
rotation = {{ sequence = "ZXZ", angles = ["{{foot}}", 0, 0] }}
[components.leg.frames.head]
body = "platform"
position = ["0.5*cos({{head}})", "0.5*sin({{head}})", 0]
[components.leg.bodies.cylinder]
mass = 1
inertia = [0.1, 0.1, 0.01]
placement = {{ at = "foot", along = ["foot", "head"] }}
[components.leg.bodies.rod]
mass = 1
inertia = [0.1, 0.1, 0.01]
placement = {{ at = "head", along = ["foot", "head"] }}
[components.leg.joints.universal]
type = "universal"
between = ["foot", "cylinder"]
axis = [1, 0, 0]
axis2 = [0, 1, 0]
[components.leg.joints.slide]
type = "prismatic"
between = ["cylinder", "rod"]
[components.leg.joints.ball]
type = "spherical"
between = ["rod", "head"]
[components.leg.actuators.self]
on = {{ joint = "slide" }}
[components.leg.sensors.length]
type = "encoder"
on = {{ joint = "slide" }}
noise = "0.02 mm"
[instances.leg]
component = "leg"
number = 6
foot = {[f"{a} deg" for a in FEET]}
head = {[f"{a} deg" for a in HEADS]}
[sensors.imu]
type = "imu"
at = "platform"
noise = 0.08
rate_noise = "0.1 deg/s"
[coordinates]
x = {{ position = "platform", axis = "x" }}
y = {{ position = "platform", axis = "y" }}
z = {{ position = "platform", axis = "z" }}
rz = {{ angle = "platform", sequence = "ZYX", index = 1 }}
ry = {{ angle = "platform", sequence = "ZYX", index = 2 }}
rx = {{ angle = "platform", sequence = "ZYX", index = 3 }}
[pose]
x = 0
y = 0
z = 1
rz = 0
ry = 0
rx = 0
"""
LEGS = [f"leg{k}.length" for k in range(1, 7)]
UNIT = [f"imu.{c}" for c in ("ax", "ay", "az", "wx", "wy", "wz")]


def platform(**changes: str) -> poinsot.Mechanism:
    """The machine; keys and values of its text may be exchanged."""
    text = MODEL
    for old, new in changes.items():
        text = text.replace(old, new)
    return poinsot.loads(text, "stewart")


def folder(name: str) -> Path:
    """A folder of shared data, or a skipped test."""
    if not (DATA / name).is_dir():
        pytest.skip(f"the data folder {name} is not here")
    return DATA / name


def published() -> tuple[Recording, dict[str, np.ndarray]]:
    """The simulated run of another program, and its truth."""
    here = folder("stewart-imu")
    imu, rods, truth = (np.loadtxt(here / f"{n}.txt.gz") for n in ("imu_data", "rod_data", "ground_truth"))
    values = dict(zip(UNIT, imu[:, 1:4].T)) | dict(zip(UNIT[3:], np.deg2rad(imu[:, 4:7]).T))
    values |= dict(zip(UNIT[:3], imu[:, 1:4].T)) | dict(zip(LEGS, rods[:, 1:].T))
    return Recording.of(imu[:, 0], values), {
        "R": Rotation.from_euler("ZYX", np.deg2rad(truth[:, [6, 5, 4]])).as_matrix(),
        "p": truth[:, 1:4],
        "v": truth[:, 7:10],
        "w": np.deg2rad(truth[:, 10:13]),
        "a": truth[:, 13:16],
    }
