"""Joints: one law a file. Adding one is a file, a line in this list and a paragraph of theory.

base, steps, attitude                                 what every joint is; how other programs say it; quaternions
revolute, prismatic, cylindrical, helical             about and along one axis
universal, spherical, planar, fixed, free             two axes, any axis, in a plane, none, all
distance, point_on_line                               rods, and balls in grooves
"""

from poinsot.elements.joints.base import AxisJoint, Joint, JointCoordinate, JointOption
from poinsot.elements.joints.cylindrical import Cylindrical
from poinsot.elements.joints.distance import Distance
from poinsot.elements.joints.fixed import Fixed
from poinsot.elements.joints.free import Free
from poinsot.elements.joints.helical import Helical
from poinsot.elements.joints.planar import Planar
from poinsot.elements.joints.point_on_line import PointOnLine
from poinsot.elements.joints.prismatic import Prismatic
from poinsot.elements.joints.revolute import Revolute
from poinsot.elements.joints.spherical import Spherical
from poinsot.elements.joints.universal import Universal
from poinsot.elements.registry import Registry

_LAWS = (Revolute, Prismatic, Cylindrical, Universal, Spherical, Planar, Helical, Fixed, Free, PointOnLine, Distance)
JOINTS: Registry[type[Joint]] = Registry("joint", _LAWS)
