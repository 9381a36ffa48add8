"""Modal test: frequencies with error bars.
Natural frequencies, damping and their standard errors from noisy responses of the three-link mechanism.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import poinsot
from poinsot.recording.modal.points import MeasurementPoint

three_link, f = poinsot.load("three_link"), np.arange(4.0, 200.0, 0.05)
pose = {"phi1": 0.6, "phi2": -0.5, "phi3": 0.4}
places = ["link1.tip y", "link3 y"]
exact = poinsot.frf(three_link, ["link3 y"], places, f, pose=pose, damping=0.012, quantity="accelerance")
rng = np.random.default_rng(0)
noise = rng.normal(size=exact.H.shape) + 1j * rng.normal(size=exact.H.shape)
H = exact.H + 0.02 * np.median(np.abs(exact.H)) * noise
points = tuple(MeasurementPoint(place) for place in places)
test = poinsot.modal_test(poinsot.FrequencyResponse(f, H, points, (MeasurementPoint("link3 y"),)))
print(test)

figure, axes = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
for k, place in enumerate(places):
    axes.semilogy(f, np.abs(H[:, k, 0]), lw=0.8, color=f"C{k}", label=place)
truth = poinsot.modes(three_link, pose=pose).frequencies
for found, deviation, known in zip(test.frequencies, test.deviations[:, 0], truth):
    axes.axvline(found, color="0.4", ls=":", lw=1)
    axes.text(found, axes.get_ylim()[1], f"{found:.4f} ± {deviation:.1g}\ntruth {known:.4f}", fontsize=7, ha="center")
axes.set(xlabel="frequency [Hz]", ylabel="accelerance [1/kg]")
axes.legend(fontsize=7, loc="lower right")
figure.savefig(Path(__file__).stem + ".png", dpi=110)
