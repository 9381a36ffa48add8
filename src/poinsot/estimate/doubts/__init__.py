"""What makes values doubtful that fit.

contradicted_priors  priors that are far from what the data says without them
known_inertia        known parameters of a body that no matter has beside those that are found
mistaken_units       arrays in degrees or milliseconds
columns              channels that look swapped or of the other sign, by what the fit leaves
friction_widths      speeds over which dry friction is smoothed that are not small beside those recorded
against_forces       recorded forces that contradict a simulation under controllers
"""
