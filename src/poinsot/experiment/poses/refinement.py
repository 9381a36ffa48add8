"""The best poses by a local search: a compass with random directions, all starts in one batch.

The condition number has kinks where two singular values meet, at which slopes mislead; comparing values does not.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poinsot.experiment.poses.space import PoseSpace

FIRST, LAST = 0.05, 1e-5  # of the width between limits: first and last step
ROUNDS = 200


def refine(
    value: Callable[[np.ndarray], np.ndarray],
    space: PoseSpace,
    starts: np.ndarray,
    rng: np.random.Generator,
    halted: Callable[[int, float], None] = lambda _round, _best: None,
) -> tuple[np.ndarray, np.ndarray]:
    """Poses (m, d) from which no step lowers the value, and the values (m,), from starts (m, d).

    `halted` is told the round and the best value after each round.
    """
    s, best = starts.copy(), value(starts)
    m, d = s.shape
    width, step = space.upper - space.lower, np.full(m, FIRST)
    for k in range(ROUNDS):
        ways = rng.normal(size=(m, 2 * d, d))
        ways /= np.linalg.norm(ways, axis=2, keepdims=True)
        axes = np.broadcast_to(np.eye(d), (m, d, d))
        ways = np.concatenate([axes, -axes, ways], axis=1)
        tried = space.inside(s[:, None] + step[:, None, None] * width * ways)
        found = value(tried.reshape(-1, d)).reshape(m, -1)
        least = np.argmin(found, axis=1)
        lower = found[np.arange(m), least] < best
        s[lower], best[lower] = tried[np.arange(m), least][lower], found[np.arange(m), least][lower]
        step = np.where(lower, np.minimum(1.5 * step, FIRST), 0.5 * step)
        halted(k, float(best.min()))
        if (step < LAST).all():
            break
    return s, best
