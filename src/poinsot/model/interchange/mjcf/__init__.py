"""MJCF, the files of MuJoCo.

files, size                reading within a folder and within bounds
model, home                MuJoCo's compiled model by name; its home pose
read, read_forces, loops   bodies and joints; actuators, springs, sensors; equality constraints
force_limits               what actuators can give
visuals                    geoms as shapes, in and out
write, write_forces        the way back
"""
