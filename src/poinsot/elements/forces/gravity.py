"""Gravity."""

from __future__ import annotations

from poinsot.elements.bodies import RigidBody
from poinsot.spatial.algebra import Scalar, Vec3, apply, dot
from poinsot.spatial.pose import Pose


def gravity_potential(body: RigidBody, X_WB: Pose, gravity: Vec3) -> Scalar:
    """Potential energy of a body in a uniform field g  [J].

    V = −m g · p_WBcm = −g · (m p_WBo + R_WB h)        (theory/forces, eq. 8)
    """
    inertia = body.spatial_inertia()
    return -dot(gravity, inertia.m * X_WB.p + apply(X_WB.R, inertia.h))
