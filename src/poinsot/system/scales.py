"""Natural sizes of coordinates and speeds: the machine's size where they are lengths, 1 where they are turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poinsot.elements.coordinates import AlongJoint
from poinsot.formulations.tree import spanning_tree
from poinsot.model.assembly.turns import winds
from poinsot.system.functions import turns

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from poinsot.elements.coordinates import Coordinate
    from poinsot.system.system import System

SAMPLES = 5  # poses that tell how fast each speed is beside the drives
NEAR = 0.3  # of natural sizes, by which they are away from home
FAR = 32.0  # times faster than the drives, from which on a speed has a scale of its own
REGULAR = 1e13  # condition number up to which a pose tells anything


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


def speeds_of_drives(
    compiled: System, sample: Callable[..., Any], drives: int, rows: np.ndarray, size: float
) -> np.ndarray:
    """Natural sizes of all speeds (nv,) when the drives move with theirs: angles behind gears and screws turn more.

    `sample` is (q, p) -> [C; J], its last rows those of the drives, `rows` are its scales. In joint coordinates it is
    asked near home too, where loops are open: what the geometry does in one pose it does not in all.
    """
    natural, p, home = natural_speeds(compiled, size), compiled.dynamics.p_nominal, compiled.dynamics.q_home
    if not winds(compiled.mechanism.elements):
        return natural
    least, draw = np.full(len(natural), np.inf), np.random.default_rng(0).uniform
    near = NEAR * coordinate_sizes(compiled, size) if compiled.reading.angles else 0.0
    for _ in range(SAMPLES):
        A = rows[:, None] * np.asarray(sample(home + near * draw(-1, 1, len(home)), p)) * natural
        if A.shape[0] == A.shape[1] and np.isfinite(A).all() and np.linalg.cond(A) < REGULAR:
            answers = np.linalg.inv(A)[:, -drives:]
            least = np.minimum(least, np.max(np.abs(answers), axis=1))
    sizes = np.where(np.isfinite(least), least, 1.0)
    for block in compiled.equations.graph.blocks if not compiled.reading.angles else ():
        turning = [j for j in block.columns if natural_speeds(compiled, 2.0)[j] == 1.0]
        sizes[turning] = np.max(sizes[turning], initial=1.0)  # a body that turns moves all entries of its attitude
    return natural * powers_of_two(sizes)


def powers_of_two(sizes: np.ndarray) -> np.ndarray:
    """Powers of two near sizes that are far above 1, and 1 for the others."""
    return 2.0 ** np.round(np.log2(np.where(sizes > FAR, sizes, 1.0)))
