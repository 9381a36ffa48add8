"""EX800 Stewart platform: identification.
Mass and centre of the platform, from leg forces along a motion, with error bars. The rig is simulated, so the
truth is known.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import poinsot

ex800, t = poinsot.load("ex800"), np.arange(0, 5, 0.02)
rng, home = np.random.default_rng(1), ex800.elements.pose
waves = {name: poinsot.Fourier(2.5, tuple(rng.normal(0, 0.012, 3)), offset=home[name]) for name in home}
run = poinsot.inverse_dynamics(ex800, waves, t)
values = {name: run.kinematics.coordinates[name] for name in waves}
values |= {leg: f + 0.2 * rng.standard_normal(len(t)) for leg, f in run.forces.items()}
recording = poinsot.Recording.of(t, values)

guess = ex800.with_parameters({"platform.mass": 6.0, "platform.com.z": 0.01})
unknowns = ["platform.mass", "platform.com.x", "platform.com.y", "platform.com.z"]
estimate = poinsot.identify(guess, recording, unknowns)
print(estimate)

figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.2), layout="constrained")
again = poinsot.inverse_dynamics(estimate.mechanism, waves, t)
for k, leg in enumerate(run.forces):
    left.plot(t[::6], values[leg][::6], ".", ms=3, color=f"C{k}")
    left.plot(t, again.forces[leg], lw=1, color=f"C{k}", label=leg)
left.set(xlabel="t [s]", ylabel="force [N]", title="measured and predicted")
left.legend(fontsize=7, ncol=3)
error = [(estimate[n].value - ex800.parameters[n].value) / estimate[n].deviation for n in unknowns]
right.errorbar(error, range(len(unknowns)), xerr=1, fmt="o", capsize=4)
right.axvline(0, color="0.5", lw=0.8)
right.set_yticks(range(len(unknowns)), unknowns)
right.set(xlabel="error / standard error", xlim=(-4, 4), title="estimates")
figure.savefig(Path(__file__).stem + ".png", dpi=90)
