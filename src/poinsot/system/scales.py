"""Natural sizes of coordinates and speeds: the machine's size where they are lengths, 1 where they are turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poinsot.elements.coordinates import AlongJoint
from poinsot.formulations.tree import spanning_tree
from poinsot.system.functions import turns

if TYPE_CHECKING:
    from poinsot.elements.coordinates import Coordinate
    from poinsot.system.system import System


def natural_speeds(compiled: System, size: float) -> np.ndarray:
    """Natural sizes of all speeds (nv,) for a machine of a size [m]: no body turns with a speed that is a length."""
    return np.where(turns(compiled.root).facts[1], 1.0, size)


def coordinate_sizes(compiled: System, size: float) -> np.ndarray:
    """Natural sizes of all coordinates (nq,) for a machine of a size [m]: lengths change with such speeds."""
    return np.where(turns(compiled.root).facts[0], 1.0, size)


def step_sizes(compiled: System, size: float) -> tuple[np.ndarray, np.ndarray]:
    """Natural sizes of steps of all coordinates at once (nq,), and of such speeds (nv,): angles behind gears and
    screws turn as many times more as the weights of their couplings tell."""
    q, v = coordinate_sizes(compiled, size), natural_speeds(compiled, size)
    couplings = compiled.mechanism.elements.couplings.values()
    if not couplings:
        return q, v
    found: dict[Coordinate, float] = {c: 1.0 if c.unit == "rad" else size for one in couplings for c in one.on.parts}
    for coupling in len(couplings) * [*couplings]:  # one behind another
        weights = {c: abs(float(w)) for c, w in zip(coupling.on.parts, coupling.on.factors) if float(w)}
        moved = max(w * found[c] for c, w in weights.items())
        found |= {c: max(found[c], moved / w) for c, w in weights.items() if c.unit == "rad"}
    for node in spanning_tree(compiled.mechanism.elements).nodes if compiled.reading.angles else ():
        for k, c in enumerate(node.joint.coordinates):
            more = found.get(AlongJoint(node.joint.name, k, c.unit))
            if more is not None and node.q.stop - node.q.start == node.v.stop - node.v.start:
                q[node.q.start + k] = v[node.v.start + k] = more
    return q, v
