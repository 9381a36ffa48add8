"""NaVARo: natural frequencies over the workspace.
Three legs, each a parallelogram of flexible links: how do natural frequencies change with the
position of the platform? White is out of reach.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import poinsot

navaro = poinsot.load("navaro")
x, y = np.meshgrid(np.linspace(-0.12, 0.12, 13), np.linspace(-0.12, 0.12, 13))
grid = poinsot.frequency_map(navaro, {"x": x, "y": y, "theta": 0.0}, n=3)
print(grid)

figure, panels = plt.subplots(1, 3, figsize=(9, 3.1), layout="constrained", sharey=True)
for k, axes in enumerate(panels):
    drawn = axes.contourf(1e3 * x, 1e3 * y, grid.frequencies[..., k], 12, cmap="viridis")
    figure.colorbar(drawn, ax=axes, shrink=0.9)
    axes.set(title=f"f{k + 1} [Hz]", xlabel="x [mm]", aspect="equal")
panels[0].set_ylabel("y [mm]")
figure.savefig(Path(__file__).stem + ".png", dpi=100)
