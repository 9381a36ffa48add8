"""Small motions about a pose at rest.

equations           what all these are evaluated from, as symbols
linear_model/       M, D, K about a pose, rigid and elastic, with derivatives
linearise           M, D, K in independent coordinates
modes               frequencies, shapes, damping; eigenmodes solves; mode_pairs
mode_derivatives    of frequencies; pole_derivatives, shape_derivatives, place_equations: of all the rest
response            frequency responses, direct and by modes
compliance          static compliance and stiffness of a place
maps                frequencies and compliances over poses and parameter sets; rigid_batch and elastic_batch
"""
