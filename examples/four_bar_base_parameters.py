"""Four-bar linkage: base parameters.
Which combinations of the twelve inertial parameters does the crank's torque depend on? Eight.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import poinsot

four_bar = poinsot.load("four_bar")
base = poinsot.base_parameters(four_bar)
print(base)

# Each row is a base parameter: 1 for its own parameter, β for those that only appear with it.
columns = [*base.independent, *base.eliminated]
table = np.hstack([np.eye(base.rank), base.coefficients])
figure, axes = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
axes.imshow(np.sign(table) * np.log1p(np.abs(table)), cmap="RdBu_r", vmin=-4, vmax=4, aspect="auto")
for (row, column), value in np.ndenumerate(table):
    if value:
        axes.text(column, row, f"{value:.3g}", ha="center", va="center", fontsize=7)
axes.set_xticks(range(len(columns)), columns, rotation=60, ha="right", fontsize=8)
axes.set_yticks(range(base.rank), [f"β{k + 1}" for k in range(base.rank)], fontsize=8)
axes.set_title(f"{base.rank} base parameters of {len(columns)}", fontsize=10)
figure.savefig(Path(__file__).stem + ".png", dpi=110)
