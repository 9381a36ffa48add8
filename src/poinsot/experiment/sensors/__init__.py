"""Sensors: which channels are worth measuring along a motion, ranked by what they add.

task      SensorsTask: the options, and the way to the ranking
motion    the motion from a study: Fourier series, constants, or a recording
rows      what every sensor tells of the unknowns
ranking   sensors one after the other, alone, and left out
record    SensorsDesign: what was found
"""
