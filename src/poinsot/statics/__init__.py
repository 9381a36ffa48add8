"""Mechanisms at rest.

equilibrium            poses at rest
hold, locked           forces that hold a pose; actuators that hold their coordinate
residual               forces, constraints and stiffness at rest, as functions of the pose
force_sizes            sizes of the terms of a balance, which its round-off is measured by
elastic_equilibrium    flexible mechanisms at rest
"""
