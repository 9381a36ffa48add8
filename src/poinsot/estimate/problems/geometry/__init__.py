"""Geometric calibration: joint points, lengths, offsets, gear ratios and frames from readings in many poses.

equations     loops, readings and their derivatives as symbols
poses         the configuration that explains the readings of a pose best, and how it moves with the parameters
residuals     readings less model with the poses eliminated
measured      what a recording tells: channels, noise, configurations to start from
outliers      readings that do not fit
calibration   the problem of a study
"""
