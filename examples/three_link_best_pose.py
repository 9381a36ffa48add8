"""Three-link mechanism: stiffnesses from natural frequencies.
Three frequencies, three joint stiffnesses: in which pose do they tell them best, and how much better?
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import poinsot

three_link = poinsot.load("three_link")
unknowns = {
    "A.stiffness": {"bounds": [10, 30]},
    "B.stiffness": {"bounds": [7, 20]},
    "C.stiffness": {"bounds": [3, 10]},
}
task = {"task": "poses", "poses": 200, "sets": 50, "criterion": "condition", "relative": "0.5 %"}
design = poinsot.design(three_link, task, unknowns=unknowns, limits={"phi*": "45 deg"}, seed=1)
print(design)

figure, axes = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
truth = np.array([three_link.parameters[n].value for n in unknowns])
for k, (name, pose) in enumerate({"straight": {"phi1": 0, "phi2": 0, "phi3": 0}, "best": design.best.pose}.items()):
    f = poinsot.modes(three_link, pose=pose).frequencies  # without noise, so that the bars alone tell
    modal = poinsot.ModalRun(frequencies=f, pose=pose, deviation="0.5 %")
    estimate = poinsot.identify(three_link, modal, unknowns)
    error = 100 * (estimate.value - truth) / truth
    axes.errorbar(np.arange(3) + 0.12 * k, error, 100 * estimate.deviation / truth, fmt="o", capsize=4, label=name)
axes.axhline(0, color="0.5", lw=0.8)
axes.set_xticks(range(3), unknowns)
axes.set(ylabel="standard error [%]", title="from frequencies known to 0.5 %")
axes.legend(title="pose")
figure.savefig(Path(__file__).stem + ".png", dpi=110)
