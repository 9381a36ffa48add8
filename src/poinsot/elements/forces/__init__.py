"""Forces: one law a file.

base                                                         what every force along a coordinate is
spring, damper, drive_inertia, end_stop, polynomial          laws along a coordinate
dry, friction, asymmetric_friction, stribeck, load_friction  direction of motion, and what opposes it
actuator, load, gravity                                      what is commanded, what acts at a place, weight
"""

from poinsot.elements.forces.actuator import Actuator
from poinsot.elements.forces.asymmetric_friction import AsymmetricFriction
from poinsot.elements.forces.base import Force, Simple
from poinsot.elements.forces.damper import Damper
from poinsot.elements.forces.drive_inertia import DriveInertia
from poinsot.elements.forces.end_stop import EndStop, limits_along
from poinsot.elements.forces.friction import Friction
from poinsot.elements.forces.gravity import gravity_potential
from poinsot.elements.forces.load import Load
from poinsot.elements.forces.load_friction import LoadFriction
from poinsot.elements.forces.polynomial import Polynomial
from poinsot.elements.forces.spring import Spring
from poinsot.elements.forces.stribeck import Stribeck
from poinsot.elements.registry import Registry

_LAWS = (
    Spring,
    Damper,
    Friction,
    AsymmetricFriction,
    Stribeck,
    LoadFriction,
    DriveInertia,
    EndStop,
    Polynomial,
    Actuator,
)
FORCES: Registry[type[Force]] = Registry("force", _LAWS, reserved=(Load.kind,))
