"""Numbers with names, units and bounds.

units          units and their dimensions
expressions    arithmetic in model files; dimensions checks it
parameters     named parameters of a mechanism
times          times and samples as numbers
"""
