"""A mechanism in one formulation, with the functions that the questions share.

system           System: the equations of a mechanism in one formulation
stored           functions of a system that are written once: from memory, from disk, or now
functions        those that every question asks for: accelerations, poses, what is seen at a state
home             the pose of the model file, assembled
end_stops        whether a pose lies between rigid end stops
given_state      states and poses as a user gives them
initial_state    coordinates and speeds from named poses and rates
open_spins       spins of bodies about lines of their own that a motion leaves open
scales           natural sizes of the coordinates and speeds of one system
scaled_rank      rank, null space and least squares in natural sizes
variants         the same system solved with care, or in other independent coordinates
conditioning     condition number of the constraints, and the joint that is conditioned worst
"""
