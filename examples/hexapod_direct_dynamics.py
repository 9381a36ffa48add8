"""Hexapod: direct dynamics.
How does the platform move when one of six leg forces drops by a tenth? Loops stay closed to round-off.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import poinsot

hexapod = poinsot.load("hexapod")
held = poinsot.hold(hexapod)  # forces that hold the pose of the file
forces = dict(held) | {"leg1": 0.9 * held["leg1"]}
motion = poinsot.simulate(hexapod, 0.3, forces=forces)
print(motion)

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
for name in ("x", "y", "z"):
    left.plot(motion.t, 1e3 * (motion.coordinates[name] - motion.coordinates[name][0]), label=name)
left.set(xlabel="t [s]", ylabel="displacement [mm]", title="platform")
left.legend()
balance = motion.energy - motion.work - motion.energy[0]
right.semilogy(motion.t[1:], np.abs(balance[1:]) + 1e-18, ".", ms=4)
right.set(xlabel="t [s]", ylabel="|energy − work| [J]", title=f"balance; drift of the loops {motion.drift:.0e} m")
figure.savefig(Path(__file__).stem + ".png", dpi=110)
