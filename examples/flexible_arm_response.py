"""Flexible arm: frequency response.
Two steel links with a springy elbow: how does the tip answer a force, and how much of that is the
elasticity of the links?
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import poinsot

ARM = """
format = 1
planar = true
gravity = [0, 0]
materials.steel = { E = "210 GPa", G = "81 GPa", density = "7850 kg/m^3" }
sections.bar = { area = "200 mm^2", Iy = "1667 mm^4", Iz = "6667 mm^4", torsion = "4577 mm^4" }
bodies.upper.frames.elbow = ["0.5 m", 0]
bodies.upper.beams.web = { between = ["upper", "upper.elbow"], material = "steel", section = "bar", elements = 4 }
bodies.lower.frames.tip = ["0.4 m", 0]
bodies.lower.beams.web = { between = ["lower", "lower.tip"], material = "steel", section = "bar", elements = 4 }
joints.shoulder = { type = "revolute", between = ["ground", "upper"], stiffness = "8 kN*m/rad", rest = "pose" }
joints.elbow = { type = "revolute", between = ["upper.elbow", "lower"], stiffness = "3 kN*m/rad", rest = "pose" }
coordinates = { q1 = { joint = "shoulder" }, q2 = { joint = "elbow" } }
pose = { q1 = 0, q2 = "40 deg" }
"""
arm, f = poinsot.loads(ARM, "arm"), np.linspace(2, 600, 1500)
figure, axes = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
for formulation, label in (("joint", "rigid links"), ("elastic", "flexible links")):
    H = poinsot.frf(arm, "lower.tip y", "lower.tip y", f, damping=0.01, formulation=formulation)
    axes.semilogy(f, np.abs(H.H[:, 0, 0]), label=label)
axes.set(xlabel="frequency [Hz]", ylabel="receptance [m/N]", title="tip, across the lower link")
axes.legend()
figure.savefig(Path(__file__).stem + ".png", dpi=110)
