"""Coordinates: numbers read off a pose, along which forces act and by which poses are given.

base                                            what every coordinate is
joint, combination, length, position, angle     one a file
"""

from poinsot.elements.coordinates.angle import Angle
from poinsot.elements.coordinates.base import Coordinate
from poinsot.elements.coordinates.combination import CombinedJoints
from poinsot.elements.coordinates.joint import AlongJoint
from poinsot.elements.coordinates.length import Length
from poinsot.elements.coordinates.position import Position
from poinsot.elements.registry import Registry

_LAWS = (AlongJoint, CombinedJoints, Length, Position, Angle)
COORDINATES: Registry[type[Coordinate]] = Registry("coordinate", _LAWS)
