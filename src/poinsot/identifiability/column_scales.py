"""Natural size of a regressor's columns: what is small beside it is round-off.

An entry is a virtual motion times an effort, w = (∂R/∂v z)ᵀ ∂E/∂θ (theory/identifiability, eq. 3). Cancellation may
leave round-off of either, so they are measured by the motion of all bodies and the machine's size L: with the speed s
of the virtual motion, the rate ω and the acceleration a of the bodies, gravity included, columns are of the size

    m: s a    m c: s a/L    I: s a/L²    stiffness: s u    damping: s u ω    Coulomb: s    drive inertia: s u a/L

where u is L along a slide and 1 about a hinge, about which s/L stands for s.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poinsot.identifiability.linear import LinearParameter
from poinsot.model.parts import Elements


def natural_efforts(
    elements: Elements, parameters: Sequence[LinearParameter], pace: np.ndarray, size: float
) -> np.ndarray:
    """Sizes (n, k) of ∂E/∂θ for each unit of speed, from rates and accelerations (n, 2)."""
    rate, acceleration = pace.T
    powers = np.stack([np.ones_like(rate), rate, acceleration / size])  # of 1/s
    found = []
    for p in parameters:
        if p.table == "bodies":
            found.append(acceleration / size**p.order)
        elif p.table == "loads":
            found.append(powers[0] / (1.0 if p.place[0] == "force" else size))
        else:
            law = elements.forces[p.owner]
            unit = law.parameters[p.place[0]]  # such as f*s/u: force, second, unit of the coordinate
            u, arm = (size, 1.0) if law.on.unit == "m" else (1.0, size)
            seconds = 2 if "s^2" in unit else 1 if "s" in unit else 0
            found.append(powers[seconds] * (u if "u" in unit else 1.0) / arm)
    return np.stack(found, axis=1) if found else np.zeros((len(rate), 0))


def natural_lengths(efforts: np.ndarray, reach: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Norms (k,) of columns of the sizes reach (n, c) × efforts (n, k), rows weighted (n·c,)."""
    weighted = np.linalg.norm(reach.reshape(len(efforts), -1) * weights.reshape(len(efforts), -1), axis=1)
    return np.linalg.norm(efforts * weighted[:, None], axis=0)
