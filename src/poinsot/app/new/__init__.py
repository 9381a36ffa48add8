"""`poinsot new`: a folder to start from, with model, motions, recordings, study and design that fit each other.

command   the command
machine   the model file: a mechanism on offer or a URDF, with drives and sensors
meshes    mesh files of the URDF, copied
motions   motions that the machine can follow, and the recordings of its sensors along them
unknowns  what a first study asks for: what the motion determines
files     the texts of study, design and instructions
"""
