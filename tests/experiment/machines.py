"""Machines for designs of experiments, of other classes than those of the library."""

from __future__ import annotations

TURNED_SLIDER = """
format = 1
name = "turned slider"
gravity = ["2 m/s²", "-5 m/s²", "-8 m/s²"]

[bodies.cart]
mass = "1.3 kg"
com = ["10 mm", "-20 mm", "30 mm"]
inertia = [0.01, 0.02, 0.015, 0.001, -0.002, 0.0005]

[bodies.cart.frames.tip]
position = ["0.1 m", "0.2 m", "0.05 m"]
rotation = { sequence = "xyz", angles = ["20 deg", "-35 deg", "50 deg"] }

[bodies.arm]
mass = "0.7 kg"
com = ["0.1 m", "0.02 m", "-0.03 m"]
inertia = [0.004, 0.005, 0.006, 0.0003, 0.0002, -0.0004]

[joints.rail]
type = "prismatic"
between = [{ body = "ground", rotation = { sequence = "xyz", angles = ["30 deg", "40 deg", "-10 deg"] } }, "cart"]
actuated = true
friction = { viscous = 3.0, coulomb = 1.0, smooth = 0.05 }

[joints.hinge]
type = "revolute"
between = ["cart.tip", "arm"]
actuated = true

[coordinates]
s = { joint = "rail" }
phi = { joint = "hinge" }
"""
