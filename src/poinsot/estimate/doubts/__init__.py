"""What makes values doubtful that fit.

contradicted_priors  priors that are far from what the data says without them
columns              channels that look swapped or of the other sign, by what the fit leaves
against_forces       recorded forces that contradict a simulation under controllers
"""
