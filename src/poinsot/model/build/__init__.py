"""Building: a checked model file becomes the parts of a mechanism.

scope                what names mean inside copies of components
slots                every number becomes a named parameter or an expression
places, beams        bodies, frames and attitudes; flexible parts of bodies
joints_and_forces    joints, forces, actuators, coordinates; sensing: sensors
build                all of it, in order
complaints           what the schema finds wrong, in plain words

Loaded when used: a mechanism that comes from the cache needs none of it.
"""

from poinsot.lazy import door

__getattr__ = door(__name__, {"build": "described require_finite require_numbers", "scope": "ModelError"})
