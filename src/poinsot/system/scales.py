"""Natural sizes of coordinates and speeds: the machine's size where they are lengths, 1 where they are turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poinsot.lazy import casadi
from poinsot.system.stored import stored_parts

if TYPE_CHECKING:
    from poinsot.system.system import System


def natural_speeds(compiled: System, size: float) -> np.ndarray:
    """Natural sizes of all speeds (nv,) for a machine of a size [m]: no body turns with a speed that is a length."""
    return np.where(_turns(compiled)[1], 1.0, size)


def coordinate_sizes(compiled: System, size: float) -> np.ndarray:
    """Natural sizes of all coordinates (nq,) for a machine of a size [m]: lengths change with such speeds."""
    return np.where(_turns(compiled)[0], 1.0, size)


def _turns(compiled: System) -> tuple[np.ndarray, np.ndarray]:
    """Which coordinates (nq,) and which speeds (nv,) are turns."""
    coordinates, speeds = _written_turns(compiled.root).facts
    return np.array(coordinates, bool), np.array(speeds, bool)


@stored_parts
def _written_turns(compiled: System) -> tuple[dict[str, casadi.Function], list[list[bool]]]:
    e = compiled.equations
    nq, nv, _, _ = e.sizes
    angular = casadi.vertcat(*(casadi.SX(V.w) for V in e.kinematics.twists.values()))
    speeds = set(casadi.jacobian(angular, e.v).sparsity().get_triplet()[1])
    rows, columns = e.N.sparsity().get_triplet()
    lengths = {row for row, column in zip(rows, columns) if column not in speeds}
    return {}, [[i not in lengths for i in range(nq)], [j in speeds for j in range(nv)]]
