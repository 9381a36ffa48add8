"""How the attitude of a frame is written down: angles, a quaternion, or the direction of an axis.

Each is a frozen record whose numbers may be symbols, so that a misaligned axis or an angle is a parameter like
any other; `matrix()` is R_AB, the axes of the frame expressed in the body that carries it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poinsot.spatial.algebra import Mat3, Scalar, cross, dot, matrix, unit, vector
from poinsot.spatial.pose import Unrotated
from poinsot.spatial.rotation import euler_matrix, quaternion_matrix


@dataclass(frozen=True)
class Angles:
    """Three angles of any Euler or Tait–Bryan sequence."""

    sequence: str  # "ZXZ" about moving axes, "xyz" about fixed axes
    angles: tuple[Scalar, Scalar, Scalar]  # [rad]

    def matrix(self) -> Mat3:
        """R = R₁ R₂ R₃."""
        return euler_matrix(self.sequence, vector(*self.angles))


@dataclass(frozen=True)
class Quaternion:
    """A quaternion wxyz of any length."""

    wxyz: tuple[Scalar, Scalar, Scalar, Scalar]  # [-]

    def matrix(self) -> Mat3:
        """R of the unit quaternion in this direction."""
        return quaternion_matrix(vector(*self.wxyz))


@dataclass(frozen=True)
class Along:
    """One axis of the frame points along a direction; a hint settles the turn about it.

    For the third axis: z = d/|d|, x = the hint made perpendicular to z, y = z × x; cyclically for the others.
    """

    direction: tuple[Scalar, Scalar, Scalar]  # need not have unit length  [-]
    hint: tuple[float, float, float] | None  # not parallel to the direction; None until its numbers are known  [-]
    axis: str = "z"  # which axis of the frame points along the direction

    def matrix(self) -> Mat3:
        """R whose column `axis` is the direction."""
        d, hint = unit(vector(*self.direction)), np.asarray(self.hint)
        next_axis = unit(hint - dot(hint, d) * d)
        columns = [d, next_axis, cross(d, next_axis)]
        first = "xyz".index(self.axis)
        x, y, z = (columns[(i - first) % 3] for i in range(3))
        return matrix(*((x[i], y[i], z[i]) for i in range(3)))


Orientation = Unrotated | Angles | Quaternion | Along


def along(direction, nominal, axis: str = "z", hint=None) -> Along:
    """Record a direction, with a hint chosen from its nominal numbers: the coordinate axis after the largest.

    >>> along((0, 0, 1), (0, 0, 1)).matrix().tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    if hint is None:
        hint = np.eye(3)[(int(np.argmax(np.abs(nominal))) + 1) % 3]
    x, y, z = (float(h) for h in hint)
    return Along(tuple(direction), (x, y, z), axis)
