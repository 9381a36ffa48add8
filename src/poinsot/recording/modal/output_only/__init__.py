"""Modes from responses alone, under forces that nobody measured.

subspace         stochastic subspace identification: correlations, poles of all orders, means and their errors
from_responses   a modal test from recordings
"""
