"""Crane: a load swings.
A crane slews by a quarter turn in about eight seconds: how does the load on its rope move meanwhile and afterwards?
"""

from pathlib import Path

import casadi
import matplotlib.pyplot as plt
import numpy as np

import poinsot

crane = poinsot.load("crane")
luff = crane.elements.pose["luff"]


def slewing(t, s, rate):
    """Torque of a drive that follows a quarter turn [N·m]; laws are written in symbols of CasADi."""
    wanted = np.pi / 4 * (1 + casadi.tanh(0.6 * (t - 5)))
    return 4e5 * (wanted - s) - 3e5 * rate


def luffing(t, s, rate):
    """Torque that holds the boom and what hangs on it [N·m]."""
    weight = 9.81 * 8 * np.cos(luff) * (0.47 * crane.bodies["boom"].mass + crane.bodies["load"].mass)
    return weight - 4e6 * (s - luff) - 8e5 * rate


motion = poinsot.simulate(crane, 24.0, forces={"slew": slewing, "luff": luffing}, t=np.linspace(0, 24, 801))
print(motion)
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
x, y = motion.coordinates["x"], motion.coordinates["y"]
tip = motion.position["boom"] + motion.rotation["boom"] @ np.array([8.0, 0, 0])
left.plot(*tip.T[:2], "0.6", label="boom tip")
left.plot(x, y, label="load")
left.set(xlabel="x [m]", ylabel="y [m]", title="seen from above", aspect="equal")
left.legend(fontsize=8)
right.plot(motion.t, np.hypot(x - tip[:, 0], y - tip[:, 1]))
right.set(xlabel="t [s]", ylabel="swing [m]", title="distance of the load from below the tip")
figure.savefig(Path(__file__).stem + ".png", dpi=90)
