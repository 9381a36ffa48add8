"""What sensors can read at a state, as symbols."""

from __future__ import annotations

import numpy as np

from poinsot.elements import GROUND
from poinsot.elements.coordinates import Coordinate
from poinsot.elements.frame import Frame
from poinsot.elements.sensors import Sense
from poinsot.lazy import casadi
from poinsot.spatial.motion import Wrench, carry_wrench
from poinsot.system.system import System


def sense_of(compiled: System, a: casadi.SX, F: casadi.SX) -> Sense:
    """What sensors can read at a state, with accelerations a (nv, 1) and reactions F (6 j, 1) as symbols."""
    e, elements = compiled.equations, compiled.elements

    def coordinate(on: Coordinate) -> casadi.SX:
        return casadi.SX(compiled.along(on)[0])

    def motion(at: Frame) -> tuple[casadi.SX, casadi.SX, casadi.SX]:
        X_BF = at.pose()
        if at.body == GROUND:
            return casadi.SX(X_BF.R), casadi.SX.zeros(3), casadi.SX.zeros(3)
        R, V = casadi.SX(e.kinematics.poses[at.body].R), e.kinematics.twists[at.body]
        w = R @ casadi.SX(V.w)
        v_F = R @ casadi.SX(V.v) + casadi.cross(w, R @ casadi.SX(X_BF.p))
        a_F = e.rate(v_F, a)
        return R @ casadi.SX(X_BF.R), w, a_F

    def wrench(name: str, side: str) -> Wrench:
        k, joint = list(elements.joints).index(name), elements.joints[name]
        on_b = Wrench(F[6 * k : 6 * k + 3], F[6 * k + 3 : 6 * k + 6])
        if side == "b":
            return on_b
        return carry_wrench(joint.relative(e.kinematics.poses[joint.a.body], e.kinematics.poses[joint.b.body]), on_b)

    commands = {name: e.u[k] for k, name in enumerate(elements.actuators)}
    return Sense(coordinate, motion, commands.__getitem__, wrench, casadi.SX(np.asarray(elements.gravity)))
