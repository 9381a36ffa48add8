"""Formulations: the same mechanism written in different coordinates, to answer and to check each other.

symbols            which parameters stay free, which are folded in as numbers
equations          Equations: q̇ = N v, M v̇ + Cᵀλ = Q, C v̇ = γ, Φ = 0
tree, joint        joint coordinates of a spanning tree with loop closure (default)
redundant          what redundant coordinates have in common
euler              positions and Euler angles of every body
rotation_matrix    full rotation matrices, orthogonality constraints
embedded           independent coordinates
acting, loops      forces along coordinates, loop-closing equations
solve              forward dynamics and projection as functions
"""
