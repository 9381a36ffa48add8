"""Sensors ranked by what they add: one after the other, alone, and left out of all.

I = ½ log₂ det(F₀ + ∑ F_g) − ½ log₂ det F₀                                           (theory/design, eq. 31)
A = √(tr (F₀ + ∑ F_g)⁻¹ / k)                                                         (theory/design, eq. 32)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations, islice

import numpy as np

from poinsot.blas import one_blas_thread

MOST = 50_000  # sets of sensors that are compared one by one
BATCH = 2_000  # sets at a time
Judge = Callable[[np.ndarray], np.ndarray]  # of F (…, k, k), larger is better


def bits(F: np.ndarray) -> np.ndarray:
    """½ log₂ det F."""
    return np.linalg.slogdet(F)[1] / 2 / np.log(2)


def mean_error(F: np.ndarray) -> np.ndarray:
    """√(tr F⁻¹ / k): mean relative standard error."""
    return np.sqrt(np.mean(1 / np.maximum(np.linalg.eigvalsh(F), np.finfo(float).tiny), axis=-1))


JUDGES: dict[str, Judge] = {"D": bits, "A": lambda F: -mean_error(F)}


@one_blas_thread()
def in_turn(F: np.ndarray, prior: np.ndarray, judge: Judge) -> list[int]:
    """Sensors in the order in which each adds most to those before it, F (N, k, k) being theirs."""
    order, now = [], prior
    left = list(range(len(F)))
    while left:
        best = left[int(np.argmax(judge(now + F[left])))]
        order.append(best)
        now = now + F[best]
        left.remove(best)
    return order


@one_blas_thread()
def best_of_all(F: np.ndarray, prior: np.ndarray, judge: Judge, count: int) -> tuple[list[int], bool]:
    """The best sensors of a number, and whether all sets of as many were compared; else they are taken in turn."""
    if math.comb(len(F), count) > MOST:
        return in_turn(F, prior, judge)[:count], False
    best, reached, sets = list(range(count)), -np.inf, combinations(range(len(F)), count)
    while batch := list(islice(sets, BATCH)):
        member = np.zeros((len(batch), len(F)))
        member[np.arange(len(batch))[:, None], np.array(batch, int).reshape(len(batch), count)] = 1.0
        values = judge(prior + np.tensordot(member, F, axes=1))
        at = int(np.argmax(values))
        if values[at] > reached:
            best, reached = list(batch[at]), float(values[at])
    return best, True


def without(count: int, one: int) -> Sequence[int]:
    """All sensors but one."""
    return [k for k in range(count) if k != one]
