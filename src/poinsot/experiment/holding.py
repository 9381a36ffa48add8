"""Forces by which actuators hold poses at rest, compared with their limits.

Bᵀ(Q₀ + J_aᵀ u) = 0        springs that are relaxed in the pose pull at nothing; least forces where there are more
actuators than freedoms
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from poinsot.experiment.limits import Limit
    from poinsot.vibration.elastic_batch import ElasticBatch
    from poinsot.vibration.rigid_batch import BatchMatrices


def holding_forces(batch: BatchMatrices | ElasticBatch, limits: Sequence[Limit], q: np.ndarray) -> np.ndarray:
    """Forces (N, l) of the actuators that limits are of, at coordinates q (N, nq) at rest; NaN where the actuators
    do not hold the mechanism  [N or N·m]."""
    if not limits:
        return np.zeros((len(q), 0))
    u, held = batch.holding(q)
    return np.where(held[:, None], u, np.nan)[:, [batch.compiled.commands.index(limit.owner) for limit in limits]]
