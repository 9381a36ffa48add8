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
        "coordinate_along": "generalised_forces",
        "constraint_map": "loops",
        "curvature": "generalised_forces",
        "drive_inertias": "generalised_forces",
        "dynamics": "solve",
        "euler_equations": "euler",
        "euler_reading": "euler",
        "independent_rates": "embedded",
        "joint_equations": "joint",
        "Machine": "embedded",
        "matrix_equations": "rotation_matrix",
        "matrix_reading": "rotation_matrix",
        "POOR_CHOICE": "embedded",
        "rate_names": "embedded",
        "joint_reactions": "reactions",
        "slopes": "embedded",
        "tree_reading": "coordinates_of_poses",
        "unit_quaternions": "solve",
        "turn": "generalised_forces",
        "winds": "generalised_forces",
    },
)
