"""Which of several alternatives the data supports.

sets                 sets of alternatives, judged by held-out runs or an information criterion
alternatives         unknowns of a study of which the data chooses, as columns of one problem that has them all
"""
