"""Experiments: where to measure and how to move, so that the unknowns are told best within limits.

design       the verb
study        DesignStudy and Task: what is asked
study_file   the same as TOML, and designs of the library
registry     tasks by name
limits       what coordinates and actuators may do, and how far a design goes
holding      forces by which actuators hold a pose
criteria     condition number, D-, A- and E-optimality, interplay
relaxation   weights of candidates, and a bound on every choice of k
exchange     the best k of many candidates
calibration  task: poses for geometric calibration
sensors      task: which channels are worth measuring
prediction   standard errors and combinations that an experiment will tell
record       Design: what was found
poses/       poses for modal tests
excitation/  the motion that excites the unknowns
unknown_rows  rows of measured forces for the unknowns, and what they tell
"""
