"""Five-bar robot: an exciting motion.
How should the two cranks move, within angles, speeds and torques, so that torques tell the base parameters best?
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import poinsot

five_bar = poinsot.load("five_bar")
task = {"task": "excitation", "coordinates": ["q1", "q2"], "duration": 4.0, "harmonics": 4, "rate": 50, "starts": 20}
limits = {
    "q1": ["100 deg", "160 deg"],
    "q2": ["20 deg", "80 deg"],
    "q*.rate": "4 rad/s",
    "shoulder*.force": "2 N·m",
}
design = poinsot.design(five_bar, task, limits=limits, noise=0.02, seed=1)
print(design)
run = poinsot.inverse_dynamics(five_bar, design.motion, design.t)

figure, panels = plt.subplots(1, 3, figsize=(9, 3), layout="constrained")
q = run.kinematics.coordinates
panels[0].plot(1e3 * q["x"], 1e3 * q["y"])
panels[0].set(xlabel="x [mm]", ylabel="y [mm]", title="tool", aspect="equal")
for name, color in (("q1", "C0"), ("q2", "C1")):
    panels[1].plot(design.t, np.degrees(q[name]), color, label=name)
panels[1].set(xlabel="t [s]", ylabel="angle [deg]", title="cranks")
panels[1].legend(fontsize=8)
for name, torque in run.forces.items():
    panels[2].plot(design.t, torque, label=name)
panels[2].axhline(2, ls=":", color="0.5")
panels[2].axhline(-2, ls=":", color="0.5")
panels[2].set(xlabel="t [s]", ylabel="torque [N·m]", title="within limits")
figure.savefig(Path(__file__).stem + ".png", dpi=100)
