"""Output error: recorded positions less those of a simulation, with exact sensitivities.

equations      one step of the mechanism, open-loop or under control, with derivatives along one direction
records        runs and the mechanism that is simulated
prepare        samples, inputs, noise and the motion near which every run is looked for
reference      initial states near the recorded motion, in independent directions
delays         channels that are recorded late
shooting       all segments of all runs as one native batch, with derivatives
segments       how fine steps are, and how long a segment may be
elimination    initial states of least cost for given parameters
input_noise    what noise of recorded forces does to residuals
problem        residuals and derivatives of parameters alone
collocation    states, noisy inputs and parameters at once, in place of a simulation
measurement    the study's runs as a problem of search
second_start   where a simulation does not follow: values by the recorded forces, finer steps
"""
