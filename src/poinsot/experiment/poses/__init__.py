"""Poses for modal tests: where natural frequencies tell the unknowns best.

task            PosesTask: the options
search          from drawing to the best poses and their ranks
prior           what is known of the unknowns, from which parameter sets are drawn
space           coordinates of a pose within their limits; other limits and end stops
equations       coordinates that are limited, as a function of the pose
local           LocalMatrices: M and K of many poses with slopes, as data
matrices        M and K with their slopes by the unknowns, for many poses and parameter sets
assessment      frequencies, sensitivities and criteria of many poses
correlation     frequencies of poses × parameter sets, their correlations, and the criterion of these
sampling        chunks of poses with seeds of their own
refinement      the best poses by a local search
costs           what the best pose costs: limits, modes that come closer, errors of the pose
record          PosesDesign: what was found
figures         data of its plots
"""
