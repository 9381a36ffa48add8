"""Planar 3-RRR robot: where it becomes singular.
The platform is turned where it stands: how far is each attitude from a pose in which the motors lose hold of it?
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import poinsot

robot = poinsot.load("three_rrr")
angles = np.radians(np.linspace(-60, 60, 61))
condition = []
for angle in angles:
    try:
        condition.append(poinsot.singularity(robot, {"x": 0.0, "y": 0.0, "theta": angle}).actuators)
    except poinsot.PoinsotError as error:
        print(error)
        condition.append(np.nan)
figure, axes = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
axes.semilogy(np.degrees(angles), condition, ".-")
axes.set(xlabel="turn of the platform [deg]", ylabel="condition number of the actuators", title="x = y = 0")
figure.savefig(Path(__file__).stem + ".png", dpi=90)
