"""Elements: the physical laws, one a file, written once for numbers and symbols.

frame          places on bodies
coupling       a coordinate that is kept: gears, belts, racks, joints that follow others
registry       the laws of a family by kind
bodies/        rigid
joints/        revolute, prismatic, cylindrical, universal, spherical, planar, helical, fixed, free,
               point-on-line, distance
coordinates/   joint, length, position, angle: what forces act along and poses are given by
forces/        gravity, spring, damper, friction of four kinds, drive inertia, end stop, actuator, load
sensors/       encoder, accelerometer, gyroscope, IMU, drive force, reaction, modal point
"""

GROUND = "ground"  # the body that does not move
