"""Figures of the hexapod's dynamic test: F₁ = F₂ = 9.5 N, the others hold; 0.5 s."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

import numpy as np

import poinsot
from poinsot.app.reproduce.hexapod import PUSHED, STATIC
from poinsot.results import Curve, LinePanel, Panel
from poinsot.simulation.record import Simulation


@cache
def pushed() -> Simulation:
    """The dynamic test with full rotation matrices."""
    forces = {f"leg{k}": PUSHED if k < 3 else float(STATIC) for k in range(1, 7)}
    return poinsot.simulate(
        poinsot.load("hexapod"), 0.5, t=np.linspace(0, 0.5, 201), forces=forces, formulation="rotation-matrix"
    )


def _translation() -> Sequence[Panel]:
    run = pushed()
    moved = run.position["platform"] - run.position["platform"][0]
    curves = tuple(Curve(f"T_{axis}", run.t, moved[:, k]) for k, axis in enumerate("xyz"))
    return (LinePanel(x="t [s]", y="translation [m]", curves=curves, title="translation of the platform"),)


def _angles() -> Sequence[Panel]:
    """Of eq. 18, which is (R_x R_y R_z)ᵀ."""
    run = pushed()
    R = run.rotation["platform"]
    angles = (
        np.arctan2(-R[:, 2, 1], R[:, 2, 2]),
        np.arcsin(np.clip(R[:, 2, 0], -1, 1)),
        np.arctan2(-R[:, 1, 0], R[:, 0, 0]),
    )
    curves = tuple(Curve(f"θ{k + 1}", run.t, angle) for k, angle in enumerate(angles))
    return (LinePanel(x="t [s]", y="angles of eq. 18 [rad]", curves=curves, title="Tait–Bryan angles"),)


def _legs() -> Sequence[Panel]:
    run = pushed()
    curves = tuple(
        Curve(f"l{k}", run.t, run.coordinates[f"leg{k}.length"], style="line" if k in (1, 3, 4) else "dashed")
        for k in range(1, 7)
    )
    return (LinePanel(x="t [s]", y="length [m]", curves=curves, title="lengths of the legs"),)


FIGURES: Mapping[str, Callable[[], Sequence[Panel]]] = {
    "figure-2": _translation,
    "figure-3": _angles,
    "figure-4": _legs,
}
