"""Mechanisms at rest.

equilibrium            poses at rest
hold, locked           forces that hold a pose; actuators that hold their coordinate
force_sizes            what forces are round-off of, in texts
residual, point        forces, constraints and stiffness at rest, as symbols; in numbers at one pose
elastic_equilibrium    flexible mechanisms at rest
"""
