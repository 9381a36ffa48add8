"""Building: a checked model file becomes a Mechanism.

scope      what names mean inside copies of components
slots      every number becomes a named parameter or an expression
places     bodies, frames and attitudes
acting     joints, forces, actuators, sensors, coordinates
assemble   all of it, in order
"""

from poinsot.model.build.build import build
from poinsot.model.build.scope import ModelError

__all__ = ["ModelError", "build"]
