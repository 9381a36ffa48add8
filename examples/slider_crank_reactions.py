"""Slider crank: bearing forces.
What do the big end and the wall of the bore carry over a turn of the crank, at three speeds?
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import poinsot

engine = poinsot.load("slider_crank")
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
for rpm in (500, 1000, 1500):
    rate = rpm * 2 * np.pi / 60
    t = np.linspace(0, 2 * np.pi / rate, 361)
    run = poinsot.inverse_dynamics(engine, {"theta": lambda t, rate=rate: 0.7 + rate * t}, t)
    fx, fy = run.reaction("big_end", axes="world")[:, :2].T
    left.plot(fx, fy, label=f"{rpm} rpm")
    theta = np.degrees(run.kinematics.coordinates["theta"])
    right.plot(theta, run.reaction("bore", axes="world")[:, 1], label=f"{rpm} rpm")
left.set(xlabel="fx [N]", ylabel="fy [N]", title="big end, on the rod", aspect="equal", adjustable="datalim")
right.set(xlabel="crank [deg]", ylabel="fy [N]", title="bore, on the piston")
left.legend(fontsize=8)
figure.savefig(Path(__file__).stem + ".png", dpi=110)
