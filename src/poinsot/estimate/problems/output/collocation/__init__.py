"""Direct collocation: states, noisy inputs and parameters of recorded motions in one program.

equations      steps to the constraints, rates and outputs, with derivatives along one direction
grid           nodes of all runs, and which variables each of them has
program        intervals of Hermite and Simpson: residuals, defects and their sparse derivatives
problem        IPOPT, and what the parameters alone change
measurement    the study's runs as a problem of search
"""
