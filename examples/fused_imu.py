"""Inertial unit and encoders: one motion.
An inertial unit on the EX800's platform and the leg encoders are fused: how well is the
motion known, and do the error bars hold?
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import poinsot

text = poinsot.dumps(poinsot.load("ex800"))
text = text.replace('type = "imu"\n', 'type = "imu"\nnoise = 0.05\nrate_noise = "0.07 deg/s"\n')
ex800 = poinsot.loads(text.replace('type = "encoder"\n', 'type = "encoder"\nnoise = "0.05 mm"\n'), "ex800")
home, t = ex800.elements.pose, np.arange(0, 4, 0.01)
waves = {n: poinsot.Fourier(4.0, (0.02,), (0.005,), home[n]) for n in home}
truth = poinsot.kinematics(ex800, waves, t)
fused = poinsot.fuse(ex800, poinsot.measure(ex800, waves, t, seed=2))
print(fused)

figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.2), layout="constrained")
error = 1e6 * (fused.position - truth.position["platform"])[:, 0]
spread = 2e6 * fused.deviation["position"][:, 0]
left.fill_between(t, -spread, spread, alpha=0.3, label="± 2 standard errors")
left.plot(t, error, lw=0.8, label="error")
left.set(xlabel="t [s]", ylabel="position x [µm]", title="fused position")
left.legend(fontsize=7)
right.plot(t, fused.acceleration[:, 0], lw=2.5, alpha=0.5, label="fused")
right.plot(t, truth.acceleration["platform"][:, 0], "k", lw=0.8, label="truth")
right.set(xlabel="t [s]", ylabel="acceleration x [m/s²]", title="fused acceleration")
right.legend(fontsize=7)
figure.savefig(Path(__file__).stem + ".png", dpi=90)
