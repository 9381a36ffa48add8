"""Laws that Poinsot does not have, each as one file of `elements` would hold it, and how they are registered."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from unittest.mock import patch

import numpy as np

from poinsot.elements.coordinates import COORDINATES, Coordinate
from poinsot.elements.forces import FORCES, Force
from poinsot.elements.frame import Frame
from poinsot.elements.joints import JOINTS, AxisJoint, Joint, JointCoordinate, JointOption
from poinsot.elements.joints.base import turn_angle
from poinsot.elements.joints.steps import HINGE
from poinsot.elements.sensors import SENSORS, Sensor
from poinsot.spatial.algebra import Scalar, function, vector
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import axis_rotation


@dataclass(frozen=True)
class Rolling(AxisJoint):
    """A wheel about z that rolls along x: p = (r q, 0, 0), R = R_z(q). It says nothing of other programs."""

    radius: Scalar = 1.0  # r  [m]

    kind = "rolling"
    coordinates = (JointCoordinate("angle", "rad"),)
    rows = ("position y", "position z", "tilt about y", "tilt about x", "roll along x")
    in_plane = (0, 4)
    nonzero = ("radius",)
    options = {"radius": JointOption("m", "Radius of a wheel [m].", 0.0)}

    def residual(self, X_FM: Pose):
        turn, R = X_FM.p[0] / self.radius, X_FM.R
        roll = R[1, 0] * function("cos", turn) - R[0, 0] * function("sin", turn)
        return vector(X_FM.p[1], X_FM.p[2], R[0, 2], R[1, 2], roll)

    def motion(self, q) -> Pose:
        return Pose(axis_rotation("Z", q[0]), vector(self.radius * q[0], 0 * q[0], 0 * q[0]))

    def twist(self, q, v):
        c, s = function("cos", q[0]), function("sin", q[0])
        across = vector(self.radius * c * v[0], -self.radius * s * v[0], 0 * v[0])
        return across, vector(0 * v[0], 0 * v[0], v[0])

    def measure(self, X_FM: Pose):
        turn, R = X_FM.p[0] / self.radius, X_FM.R
        c, s = function("cos", turn), function("sin", turn)
        return vector(turn + turn_angle(R[1, 0] * c - R[0, 0] * s, R[0, 0] * c + R[1, 0] * s))


@dataclass(frozen=True)
class PanTilt(Joint):
    """Turn about z_F, then about x_M: a camera's head. Other programs make two hinges of it."""

    kind = "pan-tilt"
    coordinates = (JointCoordinate("pan", "rad"), JointCoordinate("tilt", "rad"))
    rows = ("position x", "position y", "position z", "angle of the axes")

    def residual(self, X_FM: Pose):
        return vector(X_FM.p[0], X_FM.p[1], X_FM.p[2], X_FM.R[2, 0])

    def motion(self, q) -> Pose:
        return Pose(axis_rotation("Z", q[0]) @ axis_rotation("X", q[1]), np.zeros(3))

    def twist(self, q, v):
        c, s = function("cos", q[1]), function("sin", q[1])
        return np.zeros(3), vector(v[1], s * v[0], c * v[0])

    def measure(self, X_FM: Pose):
        R = X_FM.R
        return vector(turn_angle(R[1, 0], R[0, 0]), turn_angle(R[2, 1], R[2, 2]))

    def steps(self, X_FM: Pose, planar: bool, whole_balls: bool):
        return self.along(HINGE, "ZX", self.measure(X_FM))


@dataclass(frozen=True)
class Hardening(Force):
    """A spring that hardens: V = ½ k s² + ¼ c s⁴."""

    stiffness: Scalar  # k
    cubic: Scalar = 0.0  # c

    kind = "hardening"
    parameters = {"stiffness": "f/u", "cubic": "f/u^3"}
    nonnegative = ("stiffness", "cubic")
    linear = ("stiffness", "cubic")

    def potential(self, s):
        return self.stiffness * s**2 / 2 + self.cubic * s**4 / 4


@dataclass(frozen=True)
class Bushing(Force):
    """The same force without a word of its energy: F = −k s."""

    stiffness: Scalar

    kind = "bushing"
    parameters = {"stiffness": "f/u"}
    linear = ("stiffness",)

    def force(self, s, s_dot):
        return -self.stiffness * s


@dataclass(frozen=True)
class Flywheel(Force):
    """A spring with a rotor behind it: V = ½ k s², T = ½ J ṡ²; the rotor is not its first linear parameter."""

    stiffness: Scalar  # k
    rotor: Scalar = 0.0  # J

    kind = "flywheel"
    parameters = {"stiffness": "f/u", "rotor": "f/u*s^2"}
    nonnegative = ("stiffness", "rotor")
    linear = ("stiffness", "rotor")

    def potential(self, s):
        return self.stiffness * s**2 / 2

    def kinetic(self, s_dot):
        return self.rotor * s_dot**2 / 2


@dataclass(frozen=True)
class Gauge(Sensor):
    """A strain gauge that reads the first component of a joint's reaction on side B: y = κ f_x."""

    joint: str = ""
    sensitivity: Scalar = 1.0  # κ

    kind = "gauge"
    takes = {"joint": "", "sensitivity": "-"}
    measures_force = True

    def outputs(self):
        return (("", "N"),)

    def readings(self, sense):
        return vector(self.sensitivity * sense.wrench(self.joint, "b").f[0])


@dataclass(frozen=True)
class Rise(Coordinate):
    """How much higher one place is than another: s = z · (p_WQ − p_WP)."""

    a: Frame
    b: Frame

    kind = "rise"
    unit = "m"
    places = 2

    def value(self, poses, joints):
        p_WP, p_WQ = ((poses[f.body] @ f.pose()).p for f in (self.a, self.b))
        return p_WQ[2] - p_WP[2]

    def bodies(self, joints):
        return self.a.body, self.b.body


NEW = {"joints": (JOINTS, (Rolling, PanTilt)), "forces": (FORCES, (Hardening, Bushing, Flywheel))}
NEW |= {"sensors": (SENSORS, (Gauge,)), "coordinates": (COORDINATES, (Rise,))}


@contextmanager
def registered() -> Iterator[None]:
    """The new laws in their registries, each by one line."""
    with ExitStack() as stack:
        for registry, laws in NEW.values():
            stack.enter_context(patch.dict(registry, {law.kind: law for law in laws}))
        yield
