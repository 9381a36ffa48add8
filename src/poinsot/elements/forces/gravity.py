"""Gravity."""

from __future__ import annotations

from poinsot.elements.bodies import RigidBody
from poinsot.spatial.algebra import Scalar, Vec3, dot, vector
from poinsot.spatial.pose import Pose

__all__ = ["gravity_potential"]


def gravity_potential(body: RigidBody, X_WB: Pose, gravity: Vec3) -> Scalar:
    """Potential energy of a body in a uniform field g  [J].

    V = −m g · p_WBcm        (theory/forces, eq. 8)
    """
    return -body.mass * dot(gravity, X_WB.point(vector(*body.com)))
