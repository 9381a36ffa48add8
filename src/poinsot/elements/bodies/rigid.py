"""Rigid bodies."""

from __future__ import annotations

from dataclasses import dataclass, replace

from poinsot.elements.bodies.visual import Visual
from poinsot.elements.frame import Frame
from poinsot.spatial.algebra import Mat3, Scalar, Vec3, is_symbolic, vector
from poinsot.spatial.inertia import inertia_about, inertia_matrix, inertial_parameters, six_of
from poinsot.spatial.motion import SpatialInertia


@dataclass(frozen=True)
class RigidBody:
    """A rigid body with mass, centre of mass and inertia about that centre, and named frames.

    T = ½ m ċ·ċ + ½ ω·J ω          (theory/bodies, eq. 1)
    """

    name: str
    mass: Scalar  # [kg]
    com: tuple[Scalar, Scalar, Scalar]  # centre of mass in the body's frame  [m]
    inertia: tuple[Scalar, ...]  # xx, xy, xz, yy, yz, zz about the centre, body axes  [kg·m²]
    frames: tuple[Frame, ...] = ()
    visuals: tuple[Visual, ...] = ()  # what it looks like

    def inertia_about_centre(self) -> Mat3:
        """J about the centre of mass in body axes  [kg·m²]."""
        return inertia_matrix(vector(*self.inertia))

    def spatial_inertia(self) -> SpatialInertia:
        """Mass, first moments and inertia about the body's origin."""
        com = vector(*self.com)
        about_origin = inertia_about(self.inertia_about_centre(), self.mass, com)
        return SpatialInertia(self.mass, self.mass * com, about_origin)

    def inertial_parameters(self) -> Vec3:
        """φ = (m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz), I about the body's origin."""
        return inertial_parameters(self.mass, vector(*self.com), self.inertia_about_centre())

    def with_inertia(self, inertia: SpatialInertia) -> RigidBody:
        """The same body with another mass, centre and inertia; the mass must not be zero."""
        com = inertia.h / inertia.m
        moments = six_of(inertia_about(inertia.I, -inertia.m, com))
        numbers = [x if is_symbolic(x) else float(x) for x in (inertia.m, com[0], com[1], com[2], *moments)]
        return replace(self, mass=numbers[0], com=tuple(numbers[1:4]), inertia=tuple(numbers[4:]))
