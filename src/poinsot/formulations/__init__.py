"""Formulations: the same mechanism written in different coordinates, to answer and to check each other.

symbols            which parameters stay free, which are folded in as numbers
equations          Equations: q̇ = N v, M v̇ + Cᵀλ = Q, C v̇ = γ, Φ = 0
tree, joint        joint coordinates of a spanning tree with loop closure (default)
redundant          what redundant coordinates have in common
euler              positions and Euler angles of every body
rotation_matrix    full rotation matrices, orthogonality constraints
embedded           independent coordinates
acting, loops      forces along coordinates, loop-closing equations
registry           the formulations by name
solve              forward dynamics and projection as functions
"""

from poinsot.lazy import door

__getattr__ = door(
    __name__,
    {
        "along": "acting",
        "constraint_map": "loops",
        "curvature": "acting",
        "drive_inertias": "acting",
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
        "tree_reading": "reading",
        "unit_quaternions": "solve",
        "turn": "acting",
        "winds": "acting",
    },
)
