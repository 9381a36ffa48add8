"""Sizes of forces in a machine at rest: what is far below them in a text is round-off of what was summed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from poinsot.model.mechanism import Mechanism
from poinsot.results.words import settled
from poinsot.system.system import start

GRAVITY = 9.81  # least acceleration that counts: machines in free space are made for some forces, too  [m/s²]


def force_sizes(mechanism: Mechanism, forces: Mapping[str, float] = {}) -> dict[str, float]:
    """By unit, "N" and "N·m", the weight of a machine, that at its size, or a larger one of its drives' forces."""
    elements = mechanism.elements
    g = max(GRAVITY, float(np.linalg.norm(np.asarray(elements.gravity, float))))
    weight = g * sum(abs(float(body.mass)) for body in elements.bodies.values())
    size = {"N": weight, "N·m": weight * start(mechanism, None).size}
    for name, force in forces.items():
        unit = mechanism.actuators[name].unit
        size[unit] = max(size[unit], abs(force))
    return size


def told_forces(mechanism: Mechanism, forces: Mapping[str, float]) -> dict[str, float]:
    """Forces of drives [N or N·m] for a text: round-off of the machine's weight is 0."""
    size = force_sizes(mechanism, forces)
    return {name: settled(force, size[mechanism.actuators[name].unit]) for name, force in forces.items()}
