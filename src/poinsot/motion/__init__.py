"""Motion that is prescribed, and forces and accelerations at given states.

equations           functions of time, what bodies do along them, and what forces it takes, as symbols
signals             prescribed coordinates: functions, Fourier series, splines, constants
driven              Newton steps and rates of a system with prescribed coordinates
kinematics          positions, velocities, accelerations of a driven mechanism
plain_path          the same for motions that are tried, found quickly or not at all
continuation        one branch followed from sample to sample; continuity looks whether poses hang together
singular_crossing   driven motions pass poses in which constraints are dependent
inverse_dynamics    actuator forces and the reaction in every joint
partial             some coordinates prescribed, the others by the equations of motion
accelerations       accelerations and reactions at states; initial_pose finds the coordinates of a pose
reactions           reactions in any frame; undetermined names those that redundant constraints leave open
counted_turns       angles beyond a turn
singularity         which kind of singular pose is near, and how near
"""
