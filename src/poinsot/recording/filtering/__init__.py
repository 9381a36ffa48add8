"""Filtering and differentiation, one method a file; every derivative has a standard error.

differentiate                     channels of a recording with their rates and accelerations
derivatives, spectrum             what a method gives; where content ends and noise begins
zero_phase, fourier, splines      the methods
motion_cutoff                     of a motion's filter, where nobody gives one
measured_noise                    of samples, told from what a motion without noise does
resample, one_clock               even clocks, other rates; channels with clocks of their own
held_samples                      that a logger repeats until the next comes
wrapped, first_turns              angles kept within one turn, made continuous; how many turns they had made before
in_time                           recordings without the delays of their channels
"""
