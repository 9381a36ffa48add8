"""A mechanism in one formulation, with the functions that the questions share.

system           System: the equations of a mechanism in one formulation, and their stored functions
home             the pose of the model file, assembled
initial_state    coordinates and speeds from named poses and rates
natural          natural sizes of the coordinates of one system
natural_sizes    natural sizes of coordinates, constraints and masses of a mechanism
variants         the same system solved with care, or in other independent coordinates
conditioning     condition number of the constraints, and the joint that is conditioned worst
"""
