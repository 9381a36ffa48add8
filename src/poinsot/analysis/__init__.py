"""Questions to a mechanism, each asked once and answered in any formulation.

system       a mechanism's equations in one formulation, with their compiled functions
state        coordinates and speeds from named poses and rates
simulate     motion under given forces
"""
