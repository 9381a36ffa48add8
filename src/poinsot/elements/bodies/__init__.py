"""Bodies: what has mass.

rigid    a rigid body
beam     a flexible one
visual   what a body looks like
"""

from poinsot.elements.bodies.beam import Beam
from poinsot.elements.bodies.rigid import RigidBody
