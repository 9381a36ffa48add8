"""What the property tests draw from: vectors, attitudes, poses, frames; and finite differences."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from poinsot.elements.frame import Frame
from poinsot.spatial.orientation import Quaternion
from poinsot.spatial.pose import Pose

# Central differences of eighth order: offsets ±1…±4.
_FIRST = np.array([4 / 5, -1 / 5, 4 / 105, -1 / 280])
_SECOND = np.array([8 / 5, -1 / 5, 8 / 315, -1 / 560])


def numbers(low: float, high: float) -> st.SearchStrategy[float]:
    """Finite numbers in an interval, without denormals."""
    return st.floats(low, high, allow_nan=False, allow_infinity=False, allow_subnormal=False)


def vectors(n: int = 3, size: float = 2.0) -> st.SearchStrategy[np.ndarray]:
    """Vectors with components up to a size."""
    return st.tuples(*[numbers(-size, size)] * n).map(np.array)


def rotation_vectors() -> st.SearchStrategy[np.ndarray]:
    """Rotation vectors of at most a half turn; the smallest ones are zero or far from underflow."""
    return vectors(3, 1.78)


def rotations() -> st.SearchStrategy[np.ndarray]:
    """Rotation matrices, made by SciPy."""
    return rotation_vectors().map(lambda v: Rotation.from_rotvec(v).as_matrix())


def poses() -> st.SearchStrategy[Pose]:
    """Poses anywhere near."""
    return st.builds(Pose, rotations(), vectors())


@st.composite
def frames(draw, body: str) -> Frame:
    """Frames at any place and attitude on a body."""
    x, y, z, w = Rotation.from_rotvec(draw(rotation_vectors())).as_quat()
    return Frame(body, "F", tuple(draw(vectors())), Quaternion((w, x, y, z)))


def first_derivative(f, t: float, h: float = 1e-2) -> np.ndarray:
    """Derivative of f at t, error of order h⁸."""
    return sum(c * (f(t + k * h) - f(t - k * h)) for k, c in enumerate(_FIRST, 1)) / h


def second_derivative(f, t: float, h: float = 2e-2) -> np.ndarray:
    """Second derivative of f at t, error of order h⁸."""
    pairs = sum(c * (f(t + k * h) + f(t - k * h)) for k, c in enumerate(_SECOND, 1))
    return (pairs - 205 / 72 * f(t)) / h**2


def angular_velocity(R, t: float) -> np.ndarray:
    """ω_A of an attitude R_AB(t), from Ṙ Rᵀ."""
    S = first_derivative(R, t) @ R(t).T
    return np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]]) / 2


def angular_acceleration(R, t: float) -> np.ndarray:
    """ω̇_A of an attitude R_AB(t), from the skew part of R̈ Rᵀ = [ω̇]× + [ω]×²."""
    S = second_derivative(R, t) @ R(t).T
    return np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]]) / 2
