"""The pose about which motions are drawn and made smaller: the model file's, or one with room inside the limits.

Motions are shrunk towards standing still there until they keep all limits: at the edge of one, nothing would be left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from poinsot.experiment.excitation.machine import DrivenMachine
    from poinsot.experiment.excitation.restrictions import Restrictions

ROOM = 0.05  # of its range, by which a driven coordinate is off its limits
POSES = 256  # that are tried where the first ones break other limits


def centre_of(machine: DrivenMachine, restrictions: Restrictions) -> np.ndarray:
    """Driven coordinates (k,): those of the model file's pose, in the middle of their ranges where they have no room;
    where standing still there breaks a limit, those of the pose that has most room to all of them."""
    home = machine.home[0]
    low, high = _ranges(machine, restrictions)
    room = ROOM * (high - low)
    edge = np.clip(home, low + room, high - room)
    first = np.where(edge == home, home, (low + high) / 2)
    if _beyond(machine, restrictions, first[None])[0] <= 0:
        return first
    from scipy.stats import qmc

    spread = qmc.scale(qmc.Halton(len(home), scramble=False).random(POSES + 1)[1:], low, high)
    every = np.concatenate([first[None], edge[None], spread])
    return every[np.argmin(_beyond(machine, restrictions, every))]


def _ranges(machine: DrivenMachine, restrictions: Restrictions) -> tuple[np.ndarray, np.ndarray]:
    """Least and greatest values (k,) of the driven coordinates; a natural size off home where there is no limit."""
    low, high = np.full((2, len(machine.names)), [[-np.inf], [np.inf]])
    for limit, j, d in restrictions.driven:
        if d == 0:
            low[j], high[j] = max(low[j], limit.lower), min(high[j], limit.upper)
    near = np.clip(machine.home[0], low, high)
    return (
        np.where(np.isfinite(low), low, near - machine.targets),
        np.where(np.isfinite(high), high, near + machine.targets),
    )


def _beyond(machine: DrivenMachine, restrictions: Restrictions, s: np.ndarray) -> np.ndarray:
    """How far (N,) standing still at driven coordinates (N, k) is beyond limits, over widths; negative: the room that
    is left; infinite where the machine cannot be."""
    at = machine.along(np.stack([s, 0 * s, 0 * s]))
    x, (low, high) = restrictions.values(machine, at) / restrictions.width, restrictions.bounds
    beyond = np.max(np.maximum(low - x, x - high), axis=1, initial=-np.inf)
    return np.where(at.reached & ~np.isnan(beyond), beyond, np.inf)
