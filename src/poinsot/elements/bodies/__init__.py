"""Bodies: what has mass."""

from poinsot.elements.bodies.rigid import RigidBody

__all__ = ["RigidBody"]
