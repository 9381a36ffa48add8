"""Physical consistency: parameters of bodies that can exist.

possible     what unknowns must fulfil: inertia matrices of bodies, signs and bounds of the others
scaling      coordinates of the size 1 for unknowns of every unit, determined or not
program      the semidefinite program
full         the possible parameters nearest to the model among those that explain the data equally well
"""
