"""Rotation charts: Euler and Tait–Bryan angles, quaternions, rotation vectors, and their rates.

A sequence is written as in SciPy: capitals turn about the moving axes ("ZXZ", the engineer's Euler angles),
small letters about the fixed axes ("xyz", roll–pitch–yaw of URDF). For capitals

    R_AB = R_1(θ₁) R_2(θ₂) R_3(θ₃),      ω_A = E(θ) θ̇,      ω̇_A = E(θ) θ̈ + Ė(θ, θ̇) θ̇

with E = [e₁, R₁ e₂, R₁ R₂ e₃]. E is singular where the first and third axis fall together: |det E| = |sin θ₂|
when they have the same letter (Euler), |cos θ₂| otherwise (Tait–Bryan).
"""

from __future__ import annotations

from itertools import permutations

import numpy as np

from poinsot.errors import PoinsotError, listing
from poinsot.spatial.algebra import (
    Mat3,
    Scalar,
    Vec3,
    apply,
    component,
    cross,
    dot,
    function,
    is_symbolic,
    matrix,
    skew,
    solve,
    transpose,
    vector,
)

SEQUENCES: tuple[str, ...] = tuple(
    sorted(
        letters
        for case in ("XYZ", "xyz")
        for letters in ({"".join(p) for p in permutations(case)} | {a + b + a for a in case for b in case if a != b})
    )
)
UNDETERMINED = 1e-14  # |det E| below which the first angle is noise; R is met to round-off on either side
SINGULAR = 1e-7  # |det E| below which angle rates are refused; √ε, where half of the digits are gone


class SingularAttitudeError(PoinsotError):
    """An attitude in which a chart's rates do not exist."""


def _intrinsic(sequence: str, angles: Vec3) -> tuple[str, tuple[Scalar, Scalar, Scalar]]:
    """Write a sequence about fixed axes as the reversed one about moving axes."""
    if sequence not in SEQUENCES:
        raise PoinsotError(f"'{sequence}' is not a rotation sequence; there are: {listing(SEQUENCES, 24)}")
    θ = tuple(component(angles, i) for i in range(3))
    return (sequence, θ) if sequence.isupper() else (sequence[::-1].upper(), θ[::-1])


def axis_rotation(axis: str, angle: Scalar) -> Mat3:
    """Rotation about the coordinate axis X, Y or Z by an angle [rad]."""
    c, s = function("cos", angle), function("sin", angle)
    one, zero = c * 0 + 1, c * 0
    if axis == "X":
        return matrix((one, zero, zero), (zero, c, -s), (zero, s, c))
    if axis == "Y":
        return matrix((c, zero, s), (zero, one, zero), (-s, zero, c))
    return matrix((c, -s, zero), (s, c, zero), (zero, zero, one))


def euler_matrix(sequence: str, angles: Vec3) -> Mat3:
    """Rotation matrix R_AB of three angles [rad]; any of the 24 sequences.

    >>> np.round(euler_matrix("ZXZ", [np.pi / 2, 0, 0]) @ [1, 0, 0], 12).tolist()
    [0.0, 1.0, 0.0]
    """
    axes, θ = _intrinsic(sequence, angles)
    R1, R2, R3 = (axis_rotation(axis, angle) for axis, angle in zip(axes, θ))
    return R1 @ R2 @ R3


def euler_rate_matrix(sequence: str, angles: Vec3) -> Mat3:
    """Matrix E(θ) with ω_A = E θ̇: angular velocity in the fixed frame from angle rates."""
    axes, θ = _intrinsic(sequence, angles)
    e1, e2, e3 = (np.eye(3)["XYZ".index(axis)] for axis in axes)
    R1, R2 = axis_rotation(axes[0], θ[0]), axis_rotation(axes[1], θ[1])
    columns = [e1 + 0 * apply(R1, e2), apply(R1, e2), apply(R1 @ R2, e3)]
    if sequence.islower():
        columns = columns[::-1]
    return matrix(*(tuple(component(c, i) for c in columns) for i in range(3)))


def euler_determinant(sequence: str, angles: Vec3) -> Scalar:
    """det E(θ), zero at the singular attitudes of a chart  [-]."""
    E = euler_rate_matrix(sequence, angles)
    a, b, c = (apply(E, e) for e in np.eye(3))
    return dot(a, cross(b, c))


def euler_rate_bias(sequence: str, angles: Vec3, rates: Vec3) -> Vec3:
    """Ė(θ, θ̇) θ̇: the part of ω̇_A without θ̈  [rad/s²].

    Each axis is carried by the rotations before it: Ė θ̇ = ω₁ × ω₂ + (ω₁ + ω₂) × ω₃ with ω_i = θ̇_i u_i.
    """
    E = euler_rate_matrix(sequence, angles)
    order = (0, 1, 2) if sequence.isupper() else (2, 1, 0)
    if is_symbolic(E, rates):
        w1, w2, w3 = (E[:, i] * rates[i] for i in order)
    else:
        w1, w2, w3 = (E[..., :, i] * component(rates, i)[..., None] for i in order)
    return cross(w1, w2) + cross(w1 + w2, w3)


def euler_rates(sequence: str, angles: Vec3, w_A: Vec3) -> Vec3:
    """Angle rates θ̇ = E⁻¹ ω_A  [rad/s]; a singular attitude is an error."""
    E = euler_rate_matrix(sequence, angles)
    if is_symbolic(E, w_A):
        return solve(E, w_A)
    determinant = np.abs(euler_determinant(sequence, angles))
    if np.any(determinant < SINGULAR):
        at = np.unravel_index(np.argmin(determinant), np.shape(determinant))
        where = f" in sample {at[0] if len(at) == 1 else at}" if at else ""
        raise SingularAttitudeError(
            f"the {sequence} angles are singular{where} (|det E| = {np.min(determinant):.1e}): their rates do not "
            "exist there; use another sequence, a quaternion or the rotation matrix"
        )
    return solve(E, w_A)


def euler_acceleration(sequence: str, angles: Vec3, rates: Vec3, alpha_A: Vec3) -> Vec3:
    """Second derivatives θ̈ = E⁻¹ (ω̇_A − Ė θ̇)  [rad/s²]; a singular attitude is an error."""
    return euler_rates(sequence, angles, alpha_A - euler_rate_bias(sequence, angles, rates))


def euler_angles(sequence: str, R: Mat3, near: Vec3 | None = None) -> Vec3:
    """Angles θ [rad] of a rotation matrix, (..., 3); with `near`, the solution closest to those angles.

    Every attitude has two solutions and their turns by 2π, and a singular one a whole line of them: `near`
    (the previous sample, say) keeps a trajectory of angles continuous, also through the singular attitude.
    """
    axes, _ = _intrinsic(sequence, np.zeros(3))
    first, scale = _first_angle(axes, R)
    if is_symbolic(R):
        θ = _rest(axes, R, first)
        return vector(*(θ[::-1] if sequence.islower() else θ))
    target = None if near is None else np.asarray(near, float)[..., :: -1 if sequence.islower() else 1]
    singular = scale < UNDETERMINED
    first = np.where(singular, 0.0 if target is None else _nearest_first(axes, R, target), first)
    θ = vector(*_rest(axes, R, first))
    if target is not None:
        other = vector(*_rest(axes, R, first + np.pi))
        θ, other = (a + 2 * np.pi * np.round((target - a) / (2 * np.pi)) for a in (θ, other))
        closer = np.sum((other - target) ** 2, -1) < np.sum((θ - target) ** 2, -1)
        θ = np.where((closer & ~singular)[..., None], other, θ)
    return θ[..., ::-1] if sequence.islower() else θ


def _nearest_first(axes: str, R: np.ndarray, target: np.ndarray) -> np.ndarray:
    """First angle of the solution closest to a target where only the sum or difference of two is determined."""
    best, least = target[..., 0], None
    missing = _rest(axes, R, best)[2] - target[..., 2]
    missing = missing - 2 * np.pi * np.round(missing / (2 * np.pi))
    for first in (target[..., 0], target[..., 0] + missing / 2, target[..., 0] - missing / 2):
        gap = vector(*_rest(axes, R, first)) - target
        distance = np.sum((gap - 2 * np.pi * np.round(gap / (2 * np.pi))) ** 2, axis=-1)
        best = first if least is None else np.where(distance < least, first, best)
        least = distance if least is None else np.minimum(distance, least)
    return best


def _entry(R: Mat3, i: int, j: int) -> Scalar:
    return R[i, j] if is_symbolic(R) else np.asarray(R)[..., i, j]


def _first_angle(axes: str, R: Mat3) -> tuple[Scalar, Scalar]:
    """First angle of a sequence about moving axes, and |det E|, which is zero where it is not determined."""
    i, j, k = ("XYZ".index(axis) for axis in axes)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    if i == k:
        k = 3 - i - j
        s, c = _entry(R, j, i), -sign * _entry(R, k, i)
    else:
        s, c = -sign * _entry(R, j, k), _entry(R, k, k)
    return function("atan2", s, c), function("sqrt", s * s + c * c)


def _rest(axes: str, R: Mat3, first: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """All three angles once the first is known: R₂ R₃ = R₁ᵀ R turns the third axis by θ₂ only."""
    R23 = transpose(axis_rotation(axes[0], first)) @ R
    j, k = "XYZ".index(axes[1]), "XYZ".index(axes[2])
    n, o = (j + 1) % 3, (j + 2) % 3
    s, c = (_entry(R23, o, k), _entry(R23, n, k)) if k == n else (-_entry(R23, n, k), _entry(R23, o, k))
    second = function("atan2", s, c)
    R3 = transpose(axis_rotation(axes[1], second)) @ R23
    a, b = (k + 1) % 3, (k + 2) % 3
    return first, second, function("atan2", _entry(R3, b, a), _entry(R3, a, a))


def convert_angles(source: str, target: str, angles: Vec3, near: Vec3 | None = None) -> np.ndarray:
    """Angles of one sequence as angles of another, for example ZXY of a rig as ZXZ  [rad].

    >>> np.round(convert_angles("ZXY", "ZXZ", [0.0, 0.3, 0.0]), 12).tolist()
    [0.0, 0.3, 0.0]
    """
    return euler_angles(target, euler_matrix(source, angles), near)


def convert_rates(
    source: str, target: str, angles: Vec3, rates: Vec3, accelerations: Vec3, near: Vec3 | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angles, rates and accelerations of one sequence as those of another  [rad, rad/s, rad/s²]."""
    E = euler_rate_matrix(source, angles)
    w_A = apply(E, rates)
    alpha_A = apply(E, accelerations) + euler_rate_bias(source, angles, rates)
    θ = convert_angles(source, target, angles, near)
    θ_dot = euler_rates(target, θ, w_A)
    return θ, θ_dot, euler_acceleration(target, θ, θ_dot, alpha_A)


def quaternion_matrix(quaternion: Vec3) -> Mat3:
    """Rotation matrix of a quaternion wxyz of any length (R is that of the unit quaternion)."""
    if not is_symbolic(quaternion):  # so that no square under- or overflows
        quaternion = np.asarray(quaternion, float) / np.max(np.abs(quaternion), axis=-1, keepdims=True)
    w, x, y, z = (component(quaternion, i) for i in range(4))
    s = 2 / (w * w + x * x + y * y + z * z)
    return matrix(
        (1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)),
        (s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)),
        (s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)),
    )


def quaternion_from_matrix(R: Mat3) -> np.ndarray:
    """Unit quaternion wxyz of a rotation matrix, w ≥ 0  (..., 4).

    R gives all of 4 q qᵀ; the row of its largest diagonal entry is q, up to its length.
    """
    R = np.asarray(R, float)
    a, b, c = (R[..., i, i] for i in range(3))
    x, y, z = (R[..., k, j] - R[..., j, k] for j, k in ((1, 2), (2, 0), (0, 1)))
    p, q, r = (R[..., k, j] + R[..., j, k] for j, k in ((1, 2), (2, 0), (0, 1)))
    rows = [[1 + a + b + c, x, y, z], [x, 1 + a - b - c, r, q], [y, r, 1 - a + b - c, p], [z, q, p, 1 - a - b + c]]
    K = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    largest = np.argmax(np.diagonal(K, axis1=-2, axis2=-1), axis=-1)
    found = np.take_along_axis(K, largest[..., None, None], axis=-2)[..., 0, :]
    found = found / np.linalg.norm(found, axis=-1, keepdims=True)
    first = np.take_along_axis(found, np.argmax(found != 0, axis=-1)[..., None], axis=-1)
    return np.where(first < 0, -found, found)


def quaternion_rate(quaternion: Vec3, w_B: Vec3) -> Vec3:
    """Rate of a quaternion wxyz from the angular velocity in the moving frame: ½ q ∘ (0, ω_B)  [1/s]."""
    w, x, y, z = (component(quaternion, i) for i in range(4))
    a, b, c = (component(w_B, i) for i in range(3))
    return 0.5 * vector(-x * a - y * b - z * c, w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a)


def rotation_exponential(v: Vec3) -> np.ndarray:
    """Rotation matrix exp([v]×) of a rotation vector [rad] (Rodrigues)."""
    v = np.asarray(v, float)
    angle = np.linalg.norm(v, axis=-1)[..., None, None]
    S = skew(v)
    return np.eye(3) + np.sinc(angle / np.pi) * S + 0.5 * np.sinc(angle / (2 * np.pi)) ** 2 * (S @ S)


def rotation_logarithm(R: Mat3) -> np.ndarray:
    """Rotation vector [rad] of a rotation matrix, of length at most π."""
    q = quaternion_from_matrix(R)
    s = np.linalg.norm(q[..., 1:], axis=-1)
    ratio = np.where(s > 1e-12, 2 * np.arctan2(s, q[..., 0]) / np.where(s > 1e-12, s, 1.0), 2.0)
    return q[..., 1:] * ratio[..., None]


def rotation_between(R: Mat3, S: Mat3) -> Scalar:
    """Angle [rad] by which two attitudes differ; exact for small angles too."""
    D = transpose(R) @ S
    return 2 * np.arcsin(np.clip(np.linalg.norm(D - np.eye(3), axis=(-2, -1)) / np.sqrt(8), 0, 1))
