"""Estimation: from recordings to parameters that can be trusted.

study                what is asked: mechanism, runs with roles, unknowns, channels, method
study_file           the same as a TOML file
unknowns             which parameters are looked for, and how the equations are linear in them
motion               the motion that a run went through: encoders, or fused with an inertial unit
runs                 runs as rows: measured channels as a linear function of parameters
channel_terms        offset, gain and delay of measuring chains as unknowns
excitation           what the data determines above the noise of its motion
problem              all rows of one study on its base parameters
residuals            colour of the residuals, and the covariance that it leaves
methods              one a file: least squares of several kinds, maximum likelihood, instruments, simulated forces
closed_loop          machines under control: controllers, their simulation, rows along the simulated motion
validation           fit and prediction, channel by channel
consistency          parameters of bodies that can exist
identified           the mechanism with the values that were found
estimate             the result and its verdict
folder               the result as files that other programs read
identify             the verb
"""
