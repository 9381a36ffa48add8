"""Mechanisms under control: what drives do that follow recorded references.

controllers      PID and cascades, one drive each; sampling and saturation
equations        mechanism and controllers as symbols, one step of both
simulation       the motion that drives make of their references, for any values of linear parameters
references       what recordings say that drives were told
instruments      rows of runs along the simulated motion
"""
