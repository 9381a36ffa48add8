"""Delta robot: inverse dynamics.
Which torques do the three motors need to pick and place, and what do the rods carry?
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import poinsot

delta, t = poinsot.load("delta"), np.linspace(0, 0.6, 301)
pick = {  # to and fro along x, up in between, in 0.6 s
    "x": poinsot.Fourier(2 * np.pi / 0.6, cosines=(-0.15,)),
    "y": poinsot.Fourier(2 * np.pi / 0.6, sines=(0.05,)),
    "z": poinsot.Fourier(2 * np.pi / 0.6, cosines=(0.0, -0.03), offset=-0.70),
}
run = poinsot.inverse_dynamics(delta, pick, t)
print(run)

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
for name, torque in run.forces.items():
    left.plot(t, torque, label=name)
left.set(xlabel="t [s]", ylabel="torque [N·m]", title="motors")
left.legend(fontsize=8)
for name in [joint for joint in delta.joints if delta.joints[joint].kind == "spherical"][:4]:
    right.plot(t, np.linalg.norm(run.reactions[name][:, :3], axis=1), label=name)
right.set(xlabel="t [s]", ylabel="force [N]", title="balls at the platform")
right.legend(fontsize=8)
figure.savefig(Path(__file__).stem + ".png", dpi=90)
