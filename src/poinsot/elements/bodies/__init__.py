"""Bodies: what has mass."""

from poinsot.elements.bodies.beam import Beam
from poinsot.elements.bodies.rigid import RigidBody

__all__ = ["Beam", "RigidBody"]
