"""Motion under given forces.

simulate             the question and its result; reactions are those along the way
integration          the loop over time, native or with SciPy
chart_switching      other coordinates where the present ones become ill-conditioned
singular_crossing    momentum carries a simulation over a singular pose
sensitivity          derivatives of motions with respect to any parameter
"""
