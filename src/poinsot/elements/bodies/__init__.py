"""Bodies: what has mass.

rigid    a rigid body
beam     a flexible one
"""

from poinsot.elements.bodies.beam import Beam
from poinsot.elements.bodies.rigid import RigidBody
