"""What a body looks like: shapes and meshes that are drawn, without mass and without contact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from poinsot.spatial.algebra import Scalar, vector
from poinsot.spatial.pose import Pose, Unrotated

if TYPE_CHECKING:
    from poinsot.spatial.orientation import Orientation

SHAPES = {"box": 3, "cylinder": 2, "sphere": 1, "capsule": 2, "mesh": 3}  # and how many numbers each has


@dataclass(frozen=True)
class Visual:
    """One shape on a body; it has no influence on any motion or force.

    Cylinders and capsules lie along z with their middle in the origin; a capsule is longer by its round ends.
    """

    shape: str  # one of `SHAPES`
    size: tuple[Scalar, ...]  # edges; radius and length; radius; of a mesh the scale along x, y, z  [m or -]
    position: tuple[Scalar, Scalar, Scalar] = (0.0, 0.0, 0.0)  # in the body  [m]
    orientation: Orientation = Unrotated()
    colour: tuple[float, ...] | None = None  # red, green, blue, opacity from 0 to 1
    file: str = ""  # of a mesh, as the model file has it

    def pose(self) -> Pose:
        """Pose of the shape in its body."""
        return Pose(self.orientation.matrix(), vector(*self.position))
