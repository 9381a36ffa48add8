"""Straight beams: the flexible parts of a body."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from poinsot.elements.frame import Frame
from poinsot.spatial.algebra import Mat3, Scalar, apply, cross, dot, function, matrix, norm, unit, vector
from poinsot.spatial.motion import SpatialInertia, carry_inertia
from poinsot.spatial.pose import Pose

# Gauss–Legendre with four points on [0, 1], exact up to degree 7: squared cubics have 6.
GAUSS = tuple(
    ((1 + side * sqrt(3 / 7 + inner * 2 / 7 * sqrt(6 / 5))) / 2, (18 - inner * sqrt(30)) / 72)
    for inner in (-1, 1)
    for side in (-1, 1)
)


@dataclass(frozen=True)
class Beam:
    """A straight uniform beam between two frames of one body, welded to whatever else ends there.

    Its x axis goes from a to b; z is as near to `up` as it can be. Iy is bending in the plane x z, Iz in x y.
    Without shear coefficients it is an Euler–Bernoulli beam, with them a Timoshenko beam.
    """

    name: str
    a: Frame
    b: Frame
    E: Scalar  # Young's modulus  [Pa]
    G: Scalar  # shear modulus  [Pa]
    density: Scalar  # [kg/m³]
    area: Scalar  # [m²]
    Iy: Scalar  # second moments of area  [m⁴]
    Iz: Scalar  # [m⁴]
    torsion: Scalar  # torsion constant  [m⁴]
    shear_y: Scalar | None = None  # part of the area that carries shear along y  [-]
    shear_z: Scalar | None = None  # and along z  [-]
    up: tuple[Scalar, Scalar, Scalar] | None = None  # not parallel to the beam, in the body  [-]
    elements: int = 1  # finite elements along the beam

    @property
    def body(self) -> str:
        """The body that it is a part of."""
        return self.a.body

    def length(self) -> Scalar:
        """Distance of its ends  [m]."""
        return norm(vector(*self.b.position) - vector(*self.a.position))

    def axes(self) -> Mat3:
        """R of the beam in the axes of its body."""
        x = unit(vector(*self.b.position) - vector(*self.a.position))
        y = unit(cross(vector(*(self.up or (0.0, 0.0, 1.0))), x))
        z = cross(x, y)
        return matrix(*((x[i], y[i], z[i]) for i in range(3)))

    def spatial_inertia(self) -> SpatialInertia:
        """Mass, first moments and inertia of the undeformed beam about the body's origin."""
        l, a = self.length(), vector(*self.a.position)
        m = self.density * self.area * l
        slender, turn = m * l**2 / 12, self.density * l
        zero = 0 * slender
        J = matrix(
            (turn * (self.Iy + self.Iz), zero, zero),
            (zero, slender + turn * self.Iy, zero),
            (zero, zero, slender + turn * self.Iz),
        )
        centre = (a + vector(*self.b.position)) / 2
        return carry_inertia(Pose(self.axes(), centre), SpatialInertia(m, np.zeros(3), J))

    def span(self, length: Scalar) -> Span:
        """What one finite element of this beam is made of."""
        shear = [0.0 if k is None else 1 / (k * self.G * self.area) for k in (self.shear_y, self.shear_z)]
        return Span(
            length=length,
            stretch=self.E * self.area,
            twist=self.G * self.torsion,
            bend=(self.E * self.Iy, self.E * self.Iz),
            shear=(shear[0], shear[1]),
            line=self.density * self.area,
            turn=(self.density * self.Iy, self.density * self.Iz),
        )


@dataclass(frozen=True)
class Span:
    """One finite element of a beam, in numbers or symbols."""

    length: Scalar  # l  [m]
    stretch: Scalar  # E A  [N]
    twist: Scalar  # G J  [N·m²]
    bend: tuple[Scalar, Scalar]  # E Iy, E Iz  [N·m²]
    shear: tuple[Scalar, Scalar]  # 1/(k G A) along y and along z, 0 for Euler–Bernoulli  [1/N]
    line: Scalar  # ρ A  [kg/m]
    turn: tuple[Scalar, Scalar]  # ρ Iy, ρ Iz  [kg·m]


def field(span: Span, x: float) -> tuple[Any, Any]:
    """Displacements N (3, 12) and rotations H (3, 12) of the section at x l for small motions of both ends.

    Columns: displacements and rotations of end A, then of end B, in the axes of the beam. Cubic along the beam,
    with the shear number Φ = 12 E I / (k G A l²) of each plane      (theory/bodies, eq. 2 to 4)
    """
    l = span.length
    N: list[list[Scalar]] = [[0.0] * 12 for _ in range(3)]
    H: list[list[Scalar]] = [[0.0] * 12 for _ in range(3)]
    N[0][0], N[0][6], H[0][3], H[0][9] = 1 - x, x, 1 - x, x
    for across, about, sign, stiffness, shear in (
        (1, 2, 1.0, span.bend[1], span.shear[0]),
        (2, 1, -1.0, span.bend[0], span.shear[1]),
    ):
        phi = 12 * stiffness * shear / l**2
        bent, turned = _cubic(x, l, phi)
        for column, (w, r) in enumerate(zip(bent, turned)):
            place = 6 * (column // 2) + (about + 3 if column % 2 else across)
            N[across][place] = w * (sign if column % 2 else 1.0)
            H[about][place] = r * (1.0 if column % 2 else sign)
    return matrix(*map(tuple, N)), matrix(*map(tuple, H))


def _cubic(x: float, l: Scalar, phi: Scalar) -> tuple[tuple[Scalar, ...], tuple[Scalar, ...]]:
    """Deflection and rotation at x l for unit (w, θ) of either end, θ = w' where there is no shear."""
    bent = (
        1 - 3 * x**2 + 2 * x**3 + phi * (1 - x),
        l * (x - 2 * x**2 + x**3 + phi * (x - x**2) / 2),
        3 * x**2 - 2 * x**3 + phi * x,
        l * (x**3 - x**2 + phi * (x**2 - x) / 2),
    )
    turned = (
        6 * (x**2 - x) / l,
        1 - 4 * x + 3 * x**2 + phi * (1 - x),
        6 * (x - x**2) / l,
        3 * x**2 - 2 * x + phi * x,
    )
    return tuple(w / (1 + phi) for w in bent), tuple(r / (1 + phi) for r in turned)


def mass_matrix(span: Span) -> Any:
    """M (12, 12) of the twists of both ends in the axes of the beam.

    T = ½ ∫ ρ A u̇·u̇ + ρ (Ip ω_x² + Iy ω_y² + Iz ω_z²) dx        (theory/bodies, eq. 5)
    """
    turn_y, turn_z = span.turn
    M = 0.0
    for x, weight in GAUSS:
        N, H = field(span, x)
        rotary = vector(turn_y + turn_z, turn_y, turn_z)
        rows = matrix(*((rotary[i],) * 12 for i in range(3)))  # multiplies the rows of H entry by entry
        M = M + weight * span.length * (span.line * (N.T @ N) + H.T @ (rows * H))
    return M


def elastic_energy(span: Span, X_AB: Pose) -> Scalar:
    """Energy of an element whose end frames have the relative pose X_AB  [J].

    V = ½ dᵀ k d with d = (p − l e_x, rotation) of B seen from A; the stretch of the axis counts the shortening by
    bending, ½ ∫ w'² dx, which stiffens a beam in tension and buckles one in compression  (theory/bodies, eq. 6, 7)
    """
    l = span.length
    u, r = X_AB.p - vector(l, 0 * l, 0 * l), _rotation_vector(X_AB.R)
    planes = ((u[1], r[2], span.bend[1], span.shear[0]), (u[2], -r[1], span.bend[0], span.shear[1]))
    bending, shortening = 0.0, 0.0
    for w, angle, stiffness, shear in planes:
        phi = 12 * stiffness * shear / l**2
        k = stiffness / (l**3 * (1 + phi))
        bending = bending + k * (12 * w**2 - 12 * l * w * angle + (4 + phi) * l**2 * angle**2) / 2
        shortening = shortening + _shortening(w, angle, l, phi)
    stretch = u[0] + shortening
    return span.stretch / l * stretch**2 / 2 + span.twist / l * r[0] ** 2 / 2 + bending


def _shortening(w: Scalar, angle: Scalar, l: Scalar, phi: Scalar) -> Scalar:
    """½ ∫ w'² dx of a beam that is clamped at A and has deflection and rotation at B."""
    total = 0.0
    for x, weight in GAUSS:
        slope = (6 * x - 6 * x**2 + phi) / l * w + (3 * x**2 - 2 * x + phi * (2 * x - 1) / 2) * angle
        total = total + weight * l * (slope / (1 + phi)) ** 2 / 2
    return total


def _rotation_vector(R: Mat3) -> Any:
    """Rotation vector of a rotation by less than half a turn, smooth at the identity.

    r = 2 atan(|q|/q₀)/|q| q with the quaternion (q₀, q) of R; near the identity by its series
    """
    w = function("sqrt", 1 + R[0, 0] + R[1, 1] + R[2, 2]) / 2
    q = vector(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]) / (4 * w)
    t = dot(q, q) / w**2  # tan² of half the angle
    series = 1 - t / 3 + t**2 / 5 - t**3 / 7 + t**4 / 9 - t**5 / 11
    return 2 * q / w * series


def weight_energy(span: Span, X_A: Pose, X_B: Pose, gravity: Any) -> Scalar:
    """Potential energy of the element's own mass in a field g  [J]: −ρ A ∫ g · p(x) dx."""
    X_AB = X_A.inverse() @ X_B
    l, r = span.length, _rotation_vector(X_AB.R)
    u = X_AB.p - vector(l, 0 * l, 0 * l)
    zeros = [0.0] * 6
    moved = vector(*zeros, u[0], u[1], u[2], r[0], r[1], r[2])
    total = 0.0
    for x, part in GAUSS:
        N, _ = field(span, x)
        place = apply(N, moved) + vector(l * x, 0 * l, 0 * l)
        total = total - part * l * span.line * dot(gravity, X_A.point(place))
    return total
