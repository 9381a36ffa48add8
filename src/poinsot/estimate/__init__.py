"""Estimation: from recordings to parameters that can be trusted.

role                 what a run is for
modal_run            natural frequencies that were measured in one pose
study                what is asked: mechanism, runs with roles, unknowns, channels, method
study_file           the same as a TOML file
unknowns             which parameters are looked for, and how the equations are linear in them
rows                 runs as rows: measured channels along a recorded motion, linear in the unknowns
excitation           what the data determines above the noise of its motion
problem              all rows of one study on its base parameters
selection            which of several alternatives the data supports
vector_autoregression  channels of residuals that depend on each other's past
error_bars           standard errors where the colour is that of few samples
residuals            colour of the residuals, and the covariance that it leaves
methods              one a file: least squares of several kinds, maximum likelihood, instruments, simulated forces
closed_loop          machines under control: controllers, their simulation, rows along the simulated motion
consistency          parameters of bodies that can exist
search               values of least cost where measurements are not linear in the unknowns
problems             kinds of measurements besides forces
solution             forces of a study solved for its unknowns
doubts               what makes values doubtful that fit
zeros                encoders whose zero is off by a constant, by what the fit leaves
bootstrap            estimates from drawn noise, for intervals
results              what comes out: values, fit and prediction, verdict, the mechanism, files
identify             the verb
compare              several results, or several methods on one study, side by side
"""

from poinsot.lazy import door

__getattr__ = door(__name__, {"identify": "estimated"})
