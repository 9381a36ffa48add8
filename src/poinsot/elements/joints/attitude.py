"""The quaternion of an attitude, for joints that turn about any axis."""

from __future__ import annotations

from poinsot.spatial.algebra import Mat3, Vec3, function, is_symbolic, unit, vector
from poinsot.spatial.rotation import quaternion_from_matrix


def quaternion_of(R: Mat3) -> Vec3:
    """Unit quaternion wxyz with w ≥ 0; the symbolic form is valid away from half turns (w > 0)."""
    if not is_symbolic(R):
        return quaternion_from_matrix(R)
    w = function("sqrt", 1 + R[0, 0] + R[1, 1] + R[2, 2])
    v = vector(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])
    return unit(vector(w * w, v))


def parts(quaternion: Vec3) -> tuple:
    """The four components of a quaternion, to be stacked with others."""
    return tuple(quaternion[i] for i in range(4))
