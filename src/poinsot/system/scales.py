"""Natural sizes of coordinates and speeds: the machine's size where they are lengths, 1 where they are turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poinsot.system.functions import turns

if TYPE_CHECKING:
    from poinsot.system.system import System


def natural_speeds(compiled: System, size: float) -> np.ndarray:
    """Natural sizes of all speeds (nv,) for a machine of a size [m]: no body turns with a speed that is a length."""
    return np.where(turns(compiled.root).facts[1], 1.0, size)


def coordinate_sizes(compiled: System, size: float) -> np.ndarray:
    """Natural sizes of all coordinates (nq,) for a machine of a size [m]: lengths change with such speeds."""
    return np.where(turns(compiled.root).facts[0], 1.0, size)
