"""Motion under given forces.

simulate, record     the question and its result, with accelerations, forces and reactions along the way
equations            right-hand side, projection, what is read off a state, derivatives
events               what is watched along a motion
integration          the loop over time, native or with CVODES
stiffness            whether a motion had better be integrated implicitly
slow_motions         again with a finer tolerance, where a motion needs it
chart_switching      other coordinates where the present ones become ill-conditioned
singular_crossing    momentum carries a simulation over a singular pose
sensitivity          derivatives of motions with respect to any parameter
"""
