"""Poses for geometric calibration: where readings tell lengths, points and offsets best.

task         CalibrationTask: the options, and the way to the best poses
candidates   poses within the limits, and what readings there tell
record       CalibrationDesign: what was found
"""
