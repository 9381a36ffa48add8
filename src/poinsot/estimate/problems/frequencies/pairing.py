"""Which mode of the model a measured one is: by shapes, or by the best assignment in order.

c = min over pairs in order of Σ ((f_a − f_b)/σ_a)² + Σ over measured modes without a partner of u_a
                                                                                        (theory/search, eq. 10)
A measured mode goes without partner where that is cheaper (the model lacks it), a mode of the model costs nothing
(it was not seen). The least sum is continuous where frequencies cross, and smooth where its pairs are the only best.
"""

from __future__ import annotations

import numpy as np

from poinsot.vibration.mode_pairs import mac

STILL = 1e-6  # of the largest motion of the points: a mode that moves them less is not seen


def _table(f: np.ndarray, sigma: np.ndarray, F: np.ndarray) -> np.ndarray:
    """((f_a − F_b)/σ_a)² (N, a, b), infinite where the model has no mode."""
    cost = ((f[:, None] - F[:, None, :]) / sigma[:, None]) ** 2
    return np.where(np.isfinite(cost), cost, np.inf)


def _best(cost: np.ndarray, alone: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Least cost of the first a measured modes with the first b of the model, a = 0 … A, each (N, b + 1); and the
    same where the last measured mode has the last of the model as partner, or none."""
    N, _, B = cost.shape
    least, paired = [np.zeros((N, B + 1))], []
    for a, u in enumerate(alone):
        step = least[-1] + u
        with_last = np.full((N, B + 1), np.inf)
        with_last[:, 1:] = least[-1][:, :-1] + cost[:, a]
        paired.append(with_last)
        least.append(np.minimum.accumulate(np.minimum(step, with_last), axis=1))
    return least, paired


def least_costs(f: np.ndarray, sigma: np.ndarray, F: np.ndarray, alone: np.ndarray) -> np.ndarray:
    """Costs (N,) of the best pairs of measured frequencies f (a,), upwards, with many models F (N, b), upwards."""
    return _best(_table(f, sigma, F), alone)[0][-1][:, -1]


def pairs_in_order(f: np.ndarray, sigma: np.ndarray, F: np.ndarray, alone: np.ndarray) -> np.ndarray:
    """Numbers (a,) of the modes F (b,) that belong to f (a,), both upwards; −1 for those without a partner."""
    least, paired = _best(_table(f, sigma, F[None]), alone)
    index, b = np.full(len(f), -1), len(F)
    for a in range(len(f) - 1, -1, -1):
        goal = least[a + 1][0, b]
        at = np.flatnonzero(paired[a][0, : b + 1] == goal)
        if len(at):
            b = int(at[0]) - 1
            index[a] = b
    return index


def pairs_by_shape(shapes: np.ndarray, shown: np.ndarray, near: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Partners (a,) of measured shapes (p, a) among those of the model (p, b) so that the sum of MAC is largest,
    none but where they are `near` (a, b) in frequency; and the MAC of each."""
    from scipy.optimize import linear_sum_assignment

    size = np.linalg.norm(shown, axis=0)
    moving = size > STILL * size.max(initial=0.0)
    table = np.zeros(near.shape)
    table[:, moving] = mac(shapes, shown[:, moving])
    table = np.where(near, table, 0.0)
    rows, columns = linear_sum_assignment(-table)
    index, value = np.full(len(table), -1), np.zeros(len(table))
    good = table[rows, columns] > 0
    index[rows[good]], value[rows[good]] = columns[good], table[rows[good], columns[good]]
    return index, value
