"""Questions to a mechanism, each asked once and answered in any formulation.

system            a mechanism's equations in one formulation, with their compiled functions
state             coordinates and speeds from named poses and rates
motion            what prescribed coordinates do over time
kinematics        motion of all bodies when some coordinates are prescribed
inverse_dynamics  forces and reactions along a prescribed motion
forward           accelerations at one state
simulate          motion under given forces
"""
