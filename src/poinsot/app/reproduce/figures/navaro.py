"""Figure of the NaVARo: the eight poses of the experiments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import poinsot
from poinsot.app.reproduce.figures.skeleton import skeleton
from poinsot.app.reproduce.navaro import TABLE_3, poses
from poinsot.results import BarPanel, LinePanel, Panel


def _poses() -> Sequence[Panel]:
    robot = poinsot.load("navaro")
    return tuple(
        LinePanel(x="x [m]", y="y [m]", curves=(skeleton(robot, pose, f"pose {k}"),), square=True, title=f"pose {k}")
        for k, pose in poses().items()
    )


def _table() -> Sequence[Panel]:
    robot = poinsot.load("navaro")
    found: list[Panel] = []
    for k, printed in TABLE_3.items():
        ours = poinsot.modes(robot, pose=poses()[k], n=len(printed)).frequencies
        names = tuple(f"f{n + 1}" for n in range(len(printed)))
        series = {"paper": [float(f) for f in printed], "ours": ours}
        found.append(BarPanel(names=names, x="frequency [Hz]", series=series, title=f"pose {k}"))
    return found


FIGURES: Mapping[str, Callable[[], Sequence[Panel]]] = {"figure-4": _poses, "table-3": _table}
