"""Figure of the four-bar: the motion of θ₁, 11 harmonics, that excites all base parameters.

The coefficients of the paper are not printed; this motion is designed for the same parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import poinsot
from poinsot.app.reproduce.four_bar import ELIMINATED
from poinsot.experiment.excitation.result import ExcitationDesign
from poinsot.results import Curve, LinePanel, Panel
from poinsot.results.panels import BarPanel

NOISE = 0.1  # of the torque [N·m]
OPTIONS = {"task": "excitation", "duration": "10 s", "harmonics": 11, "starts": 20, "polish": 1, "iterations": 40}
LIMITS = {"theta1.rate": 6.0, "theta1.acceleration": 30.0}  # [rad/s], [rad/s²]


def _motion() -> Sequence[Panel]:
    bar = poinsot.load("four_bar")
    found = poinsot.design(bar, OPTIONS | {"coordinates": ["theta1"]}, limits=LIMITS, noise=NOISE)
    assert isinstance(found, ExcitationDesign)
    table = found.controller_table()
    angle = Curve("theta1", table["t [s]"], table["theta1 [rad]"])
    base = poinsot.base_parameters(bar, eliminate=ELIMINATED)
    title = "motion of θ₁, 11 harmonics, designed here: the paper prints no coefficients"
    size = base.singular_values / base.singular_values.max()
    rank = BarPanel(
        names=tuple(f"σ{k + 1}" for k in range(len(size))),
        x="singular value of W, of the largest [-]",
        series={"singular values": size},
        log=True,
        title=f"rank {base.rank} of {len(base.columns)}",
    )
    return LinePanel(x="t [s]", y="θ₁ [rad]", curves=(angle,), title=title), rank


FIGURES: Mapping[str, Callable[[], Sequence[Panel]]] = {"figure-5": _motion}
