"""Formulations: the same mechanism written in different coordinates, to answer and to check each other.

registry                  the formulations by name
symbols                   which parameters stay free, which are folded in as numbers
equations                 Equations: q̇ = N v, M v̇ + Cᵀλ = Q, C v̇ = γ, Φ = 0
tree, joint               joint coordinates of a spanning tree with loop closure (default)
articulated               long branches by articulated bodies
redundant_coordinates     what redundant coordinates have in common
euler                     positions and Euler angles of every body
rotation_matrix           full rotation matrices, orthogonality constraints
embedded                  independent coordinates
elastic/                  flexible links
generalised_forces        forces along coordinates
loops, reactions          loop-closing equations; wrenches that joints transmit
coordinates_of_poses      coordinates of given poses, in numbers
solve                     forward dynamics and projection as functions
"""

from poinsot.lazy import door

__getattr__ = door(
    __name__,
    {
        "coordinates_of_poses": "tree_reading",
        "embedded": "Machine POOR_CHOICE independent_rates rate_names slopes",
        "euler": "euler_equations euler_reading",
        "generalised_forces": "angles_read commanded coordinate_along curvature drive_inertias turn winds",
        "joint": "joint_equations",
        "loops": "constraint_map_at",
        "reactions": "coupling_forces joint_reactions",
        "rotation_matrix": "matrix_equations matrix_reading",
        "solve": "dynamics unit_quaternions",
    },
)
