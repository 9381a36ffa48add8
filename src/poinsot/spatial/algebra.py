"""Vectors and matrices that are numbers or symbols: every formula is written once for both.

Numbers are NumPy arrays, of shape (..., 3) or (..., 3, 3) with any leading batch axes; symbols are CasADi
SX columns (3, 1) and matrices (3, 3). CasADi is imported only when a symbol arrives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from poinsot.lazy import casadi

Numbers = Sequence[float] | np.ndarray  # (n,), as users give times, frequencies or samples
Scalar = Any  # float, (...) array, or SX (1, 1)
Vec3 = Any  # (..., 3) array, or SX (3, 1)
Mat3 = Any  # (..., 3, 3) array, or SX (3, 3)


def is_symbolic(*values: Any) -> bool:
    """Tell whether any value is a CasADi expression."""
    return any(type(value).__module__.startswith("casadi") for value in values)


def is_zero(value: Any) -> bool:
    """Tell whether a value is the number zero, and not a symbol that may become it."""
    return not is_symbolic(value) and bool(np.all(np.asarray(value) == 0))


def function(name: str, *arguments: Scalar) -> Scalar:
    """Evaluate an elementary function such as sin or atan2 on numbers or symbols.

    >>> float(function("cos", 0.0))
    1.0
    """
    if is_symbolic(*arguments):
        return getattr(casadi, {"abs": "fabs", "arctan2": "atan2"}.get(name, name))(*arguments)
    return getattr(np, {"atan2": "arctan2", "acos": "arccos", "asin": "arcsin", "atan": "arctan"}.get(name, name))(
        *arguments
    )


def vector(*components: Scalar) -> Vec3:
    """Stack scalars to a vector."""
    if all(isinstance(c, float) for c in components):  # by far the most frequent case, and the quickest
        return np.array(components)
    if is_symbolic(*components):
        return casadi.vertcat(*components)
    return np.stack(np.broadcast_arrays(*components), axis=-1).astype(float)


def matrix(*rows: tuple[Scalar, ...]) -> Mat3:
    """Stack rows of scalars to a matrix."""
    if all(isinstance(entry, float) for row in rows for entry in row):
        return np.array(rows)
    if is_symbolic(*(entry for row in rows for entry in row)):
        return casadi.vertcat(*(casadi.horzcat(*row) for row in rows))
    return np.stack([vector(*row) for row in rows], axis=-2)


def component(v: Vec3, i: int) -> Scalar:
    """Take component i of a vector."""
    return v[i] if is_symbolic(v) else np.asarray(v)[..., i]


def transpose(R: Mat3) -> Mat3:
    """Exchange the rows and columns of a matrix."""
    return R.T if is_symbolic(R) else np.swapaxes(R, -1, -2)


def apply(R: Mat3, v: Vec3) -> Vec3:
    """Multiply a matrix and a vector: R v."""
    if is_symbolic(R, v):
        return R @ v
    return np.einsum("...ij,...j->...i", R, np.asarray(v, float))


def solve(A: Mat3, b: Vec3) -> Vec3:
    """x with A x = b."""
    if is_symbolic(A, b):
        return casadi.solve(A, b)
    return np.linalg.solve(A, np.asarray(b, float)[..., None])[..., 0]


def dot(a: Vec3, b: Vec3) -> Scalar:
    """Inner product a · b."""
    if is_symbolic(a, b):
        return casadi.dot(a, b)
    return np.sum(np.asarray(a) * np.asarray(b), axis=-1)


def cross(a: Vec3, b: Vec3) -> Vec3:
    """Vector product a × b."""
    if is_symbolic(a, b):
        return casadi.cross(a, b)
    if np.ndim(a) == np.ndim(b) == 1:  # np.cross takes ten times as long for two vectors
        (a1, a2, a3), (b1, b2, b3) = a, b
        return np.array([a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1])
    return np.cross(a, b)


def norm(v: Vec3) -> Scalar:
    """Euclidean length |v|."""
    return function("sqrt", dot(v, v))


def unit(v: Vec3) -> Vec3:
    """Direction v / |v|."""
    return v / norm(v) if is_symbolic(v) else np.asarray(v) / norm(v)[..., None]


def skew(v: Vec3) -> Mat3:
    """Matrix of the vector product: [v]× w = v × w."""
    x, y, z = (component(v, i) for i in range(3))
    return matrix((0 * x, -z, y), (z, 0 * x, -x), (-y, x, 0 * x))


def unskew(S: Mat3) -> Vec3:
    """Vector of the skew-symmetric part of a matrix: unskew([v]×) = v.

    >>> unskew(skew([1.0, 2.0, 3.0])).tolist()
    [1.0, 2.0, 3.0]
    """
    if is_symbolic(S):
        return vector(S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]) / 2
    return vector(S[..., 2, 1] - S[..., 1, 2], S[..., 0, 2] - S[..., 2, 0], S[..., 1, 0] - S[..., 0, 1]) / 2
