"""Sensors: what is measured, where.

base                        what every sensor is
encoder, force, inertial    coordinates; forces and modal points; accelerometers and gyroscopes
"""

from poinsot.elements.registry import Registry
from poinsot.elements.sensors.base import Channel, Sense, Sensor
from poinsot.elements.sensors.encoder import Encoder
from poinsot.elements.sensors.force import DriveForce, ModalPoint, Reaction
from poinsot.elements.sensors.inertial import IMU, Accelerometer, Gyroscope

_LAWS = (Encoder, Accelerometer, Gyroscope, IMU, DriveForce, Reaction, ModalPoint)
SENSORS: Registry[type[Sensor]] = Registry("sensor", _LAWS)
