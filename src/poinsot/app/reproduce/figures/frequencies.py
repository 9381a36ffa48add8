"""Figures of the three-link mechanism: two configurations, their correlations, mode shapes and responses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np

import poinsot
from poinsot import library
from poinsot.app.reproduce.figures.skeleton import skeleton
from poinsot.app.reproduce.frequencies import LABELS, POSES, SPRINGS, pose_of
from poinsot.experiment.poses.record import PosesDesign, RankedPose
from poinsot.results import BarPanel, Curve, LinePanel, Panel

NAMES = {1: "straight", 2: "published"}  # of the configurations in the design
THINNER = (0.6 / 0.8) ** 3  # of the third sheet's stiffness, whose thickness goes from 0.8 to 0.6 mm
SHOWN = 0.02  # largest displacement in a drawn shape  [m]
AT, DAMPING = "link3 y", 0.01


@cache
def searched() -> PosesDesign:
    """1000 poses × 1000 parameter sets."""
    found = poinsot.design(Path(library.__file__).parent / "studies" / "three_link_poses.toml")
    assert isinstance(found, PosesDesign)
    return found


def _compared(number: int) -> RankedPose:
    return next(one for one in searched().compared if one.name == NAMES[number])


def _configurations() -> Sequence[Panel]:
    links = poinsot.load("three_link")
    return tuple(
        LinePanel(
            x="x [m]",
            y="y [m]",
            square=True,
            curves=(skeleton(links, pose_of(pose), f"configuration {number}"),),
            title=f"configuration {number}: {', '.join(f'{x:g}°' for x in pose)}",
        )
        for number, pose in POSES.items()
    )


def _correlations(number: int) -> Sequence[Panel]:
    """Bars of ρ(f_i, k_m), one panel for each frequency."""
    rho = _compared(number).correlations
    return tuple(
        BarPanel(
            names=LABELS, x="correlation ρ [-]", series={f"f{i + 1}": row}, title=f"f{i + 1}, configuration {number}"
        )
        for i, row in enumerate(rho)
    )


def _shapes(number: int) -> Sequence[Panel]:
    """The mechanism at rest and displaced in each mode."""
    links, pose = poinsot.load("three_link"), pose_of(POSES[number])
    found = poinsot.modes(links, pose=pose)
    rest = replace(skeleton(links, pose, "at rest"), style="dashed")
    panels = []
    for k, f in enumerate(found.frequencies):
        turned = {name: float(np.real(found.shape(k)[f"link{name[-1]}"][5])) for name in pose}
        size = SHOWN / max(abs(x) for x in turned.values()) / 0.06  # of the longest link [m]
        moved = skeleton(links, {name: pose[name] + size * turned[name] for name in pose}, "mode shape")
        title = f"mode {k + 1}, {f:.4g} Hz"
        panels.append(LinePanel(x="x [m]", y="y [m]", square=True, curves=(moved, rest), title=title))
    return panels


def _responses() -> Sequence[Panel]:
    """With the third sheet as it is, and thinner: which frequencies its stiffness moves."""
    links = poinsot.load("three_link")
    thin = links.with_parameters({SPRINGS[2]: links.parameters[SPRINGS[2]].value * THINNER})
    f, panels = np.linspace(5, 260, 1000), []
    for number, pose in POSES.items():
        told = {"sheet of 0.8 mm": links, "sheet of 0.6 mm": thin}
        curves = tuple(
            Curve(name, f, np.abs(poinsot.frf(one, AT, AT, f, pose=pose_of(pose), damping=DAMPING).H[:, 0, 0]))
            for name, one in told.items()
        )
        title = f"configuration {number}, modelled with 1 % of damping"
        panels.append(LinePanel(x="frequency [Hz]", y=f"|H| of {AT} [m/N]", curves=curves, log="y", title=title))
    return panels


FIGURES: Mapping[str, Callable[[], Sequence[Panel]]] = {
    "figure-4": _configurations,
    "figure-5": partial(_correlations, 1),
    "figure-6": partial(_correlations, 2),
    "figure-7": partial(_shapes, 1),
    "figure-8": partial(_shapes, 2),
    "figure-10": _responses,
}
