"""Kinds of measurements besides forces, each with its residuals and exact derivatives.

base       what every kind gives to a search
forces     measured forces, for methods of search
frequencies  natural frequencies and damping
output     recorded positions, explained by simulation
space      unknowns of the model file as the space of a search
geometry   poses, for geometric calibration
registry   kinds by name
"""
