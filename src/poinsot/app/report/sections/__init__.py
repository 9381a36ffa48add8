"""Sections of a report: each a function of a saved result; what has nothing to say is None.

registry          their order
question          which machine, which recordings, what was looked for
identifiability   what the data determines
verdict           whether to believe the estimate
estimates         values with error bars, priors and bounds
fits              channels and residuals
validation        runs that were held out
convergence       the way of a search
surfaces          costs over two unknowns
correlation       of the unknowns
findings          about the recordings
mechanism         in 3D
design            criteria, limits and figures of a design
provenance        files, versions, command
comparison        two results side by side
"""
