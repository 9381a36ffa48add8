"""Questions to a mechanism, each asked once and answered in any formulation.

system             a mechanism's equations in one formulation, with their compiled functions
state              coordinates and speeds from named poses and rates
motion             prescribed coordinates: functions, Fourier series, splines, constants
kinematics, path   positions, velocities, accelerations of a driven mechanism; whether they hang together
follow, natural    continuation along one branch; natural sizes of coordinates
inverse_dynamics   actuator forces and the reaction in every joint
forward            accelerations at one state
simulate           motion under given forces; integrate is the loop behind it, simulated what joints bear on the way
continued          a simulation goes on in other coordinates; variants of a system
reaction, angles   reactions in any frame; angles beyond a turn
trouble            which joint holds least, with which condition number
balance            forces, constraints and stiffness of a mechanism at rest
equilibrium        poses at rest, forces that hold a pose
small              small motions about a pose at rest: small_rigid gives them, small_slopes their derivatives
linearise          M, D, K in independent coordinates
modes              frequencies, shapes, damping; eigenmodes solves, mode_derivatives, mode_pairs
response           frequency responses, direct and by modes
compliance         static compliance and stiffness of a place
maps               frequencies and compliances over poses and parameter sets; batch_matrices
sensitivity        exact derivatives with respect to any parameter
undetermined       reactions that redundant constraints leave open
singularity        which kind, how near
"""
