"""Spatial vectors: twists and wrenches of a body about its own origin, in its own axes.

twist  V = (v, w)      velocity of the origin [m/s], angular velocity [rad/s]
wrench F = (f, n)      force [N], moment about the origin [N·m]
inertia φ              ten parameters (m, h, I), h = m c, I about the origin
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from poinsot.lazy import casadi
from poinsot.spatial.algebra import Mat3, Scalar, Vec3, apply, cross, dot, skew, transpose
from poinsot.spatial.pose import Pose


@dataclass(frozen=True, eq=False)
class Twist:
    """Velocity, or acceleration in the sense of Featherstone, of a body."""

    v: Vec3  # of the origin
    w: Vec3  # of the body

    def __add__(self, other: Twist) -> Twist:
        return Twist(self.v + other.v, self.w + other.w)

    def crossed(self, other: Twist) -> Twist:
        """V × W = (w × v' + v × w', w × w')."""
        return Twist(cross(self.w, other.v) + cross(self.v, other.w), cross(self.w, other.w))

    def dual_crossed(self, force: Wrench) -> Wrench:
        """V ×* F = (w × f, w × n + v × f)."""
        return Wrench(cross(self.w, force.f), cross(self.w, force.n) + cross(self.v, force.f))


@dataclass(frozen=True, eq=False)
class Wrench:
    """Force and moment about the body's origin."""

    f: Vec3
    n: Vec3

    def __add__(self, other: Wrench) -> Wrench:
        return Wrench(self.f + other.f, self.n + other.n)

    def power(self, twist: Twist) -> Scalar:
        """P = f·v + n·w  [W]."""
        return dot(self.f, twist.v) + dot(self.n, twist.w)


@dataclass(frozen=True, eq=False)
class SpatialInertia:
    """Inertia of a body about its origin."""

    m: Scalar  # [kg]
    h: Vec3  # m c  [kg·m]
    I: Mat3  # about the origin  [kg·m²]

    def __add__(self, other: SpatialInertia) -> SpatialInertia:
        return SpatialInertia(self.m + other.m, self.h + other.h, self.I + other.I)

    def momentum(self, V: Twist) -> Wrench:
        """(m v + w × h, I w + h × v)."""
        return Wrench(self.m * V.v + cross(V.w, self.h), apply(self.I, V.w) + cross(self.h, V.v))

    def matrix(self) -> Any:
        """The same map of a twist as symbols (6, 6): [m 1, −[h]×; [h]×, I]."""
        H = casadi.SX(skew(self.h))
        return casadi.blockcat([[self.m * casadi.SX.eye(3), -H], [H, casadi.SX(self.I)]])

    def needed(self, V: Twist, A: Twist) -> Wrench:
        """Wrench that a motion needs, by Newton and Euler:  F = 𝓜 A + V ×* 𝓜 V.

        A is the rate of V in the body's own axes, less gravity where that acts.
        """
        return self.momentum(A) + V.dual_crossed(self.momentum(V))


def carry_twist(X_AB: Pose, V_A: Twist) -> Twist:
    """The twist of B when it is fixed to A, in the axes of B."""
    R_BA = transpose(X_AB.R)
    return Twist(apply(R_BA, V_A.v + cross(V_A.w, X_AB.p)), apply(R_BA, V_A.w))


def carry_wrench(X_AB: Pose, F_B: Wrench) -> Wrench:
    """A wrench on B as a wrench on A, about the origin of A."""
    f = apply(X_AB.R, F_B.f)
    return Wrench(f, apply(X_AB.R, F_B.n) + cross(X_AB.p, f))


def carry_inertia(X_AB: Pose, inertia: SpatialInertia) -> SpatialInertia:
    """The inertia of B about the origin of A, in the axes of A."""
    Rh = apply(X_AB.R, inertia.h)
    P, H = skew(X_AB.p), skew(Rh)
    I = X_AB.R @ inertia.I @ transpose(X_AB.R) - H @ P - P @ H - inertia.m * (P @ P)
    return SpatialInertia(inertia.m, Rh + inertia.m * X_AB.p, I)
