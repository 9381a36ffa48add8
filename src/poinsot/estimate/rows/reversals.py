"""Reversals between the states at which columns are evaluated: near these, means over the samples recorded around.

W_k = Σ_j g(j/m) W(t_k + h j/m) / m        m samples recorded in a step h of states   (theory/estimation, eq. 48)

Forces pass a filter before samples are left out, and so must dry friction, or it jumps up to half a step too early or
too late.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from poinsot.estimate.rows.drive_rates import dry_rates
from poinsot.identifiability.regressor import Regressor, evaluate_regressor
from poinsot.identifiability.states import States
from poinsot.system.functions import coordinate_rates

REACH = 2  # steps of the kernel to either side
MOST = 50  # parts of a step
GAP = 1.5  # steps, beyond which states are not one after another
ENOUGH = 20000  # states that are evaluated at once


def with_dry_reversals(W: Regressor, states: States, every: int) -> Regressor:
    """Columns along states at every so many of the recorded samples, between which dry friction reverses."""
    c, rates = len(W.channels), dry_rates(states.system)(states.q, states.v, states.p)[0].reshape(len(states.t), -1)

    def columns(one: Regressor) -> np.ndarray:
        return np.concatenate([one.matrix, one.rhs[:, None]], axis=1).reshape(len(one.t), c, -1)

    def evaluate(there: States) -> np.ndarray:
        return columns(evaluate_regressor(W.mechanism, there, W.channels, W.columns))

    found = with_reversals(columns(W), states, every, rates, evaluate).reshape(len(W.matrix), -1)
    return replace(W, matrix=found[:, :-1], rhs=found[:, -1])


def with_reversals(
    x: np.ndarray, states: States, every: int, rates: np.ndarray, evaluate: Callable[[States], np.ndarray]
) -> np.ndarray:
    """Values x (n, …) at states, near changes of sign of rates (n, l) as means of what `evaluate` gives around."""
    at, parts = _near(states, rates), min(every, MOST)
    if not len(at) or parts == 1:
        return x
    j, found = np.arange(1 - REACH * parts, REACH * parts), x.copy()
    weights, between = _kernel(j / parts) / parts, _between(states)
    for some in np.array_split(at, -(-len(at) * len(j) // ENOUGH)):
        numbers, back = np.unique(some[:, None] * parts + j, return_inverse=True)
        values = evaluate(between(numbers / parts))[back.reshape(len(some), len(j))]
        found[some] = np.tensordot(weights, values, axes=(0, 1))
    return found


def _near(s: States, rates: np.ndarray) -> np.ndarray:
    """States by number that the kernel connects with a reversal, all of them in one chart and without a gap."""
    n, step = len(s.t), np.diff(s.t)
    if n <= 2 * REACH:
        return np.zeros(0, int)
    turning = np.any(rates[1:] * rates[:-1] < 0, axis=1)
    broken = step > GAP * np.median(step)
    if s.p.ndim == 2:
        broken = broken | np.any(s.p[1:] != s.p[:-1], axis=1)
    k = np.arange(REACH, n - REACH)
    window = k[:, None] + np.arange(-REACH, REACH)
    return k[turning[window].any(axis=1) & ~broken[window].any(axis=1)]


def _between(s: States) -> Callable[[np.ndarray], States]:
    """States at numbers (m,) that need not be whole, by Hermite's cubics."""
    from scipy.interpolate import CubicHermiteSpline

    nq, number = s.q.shape[1], np.arange(len(s.t))
    slopes = np.concatenate([coordinate_rates(s.system, s.q, s.v, s.p), s.a], axis=1)
    h = float(np.median(np.diff(s.t)))
    cubic = CubicHermiteSpline(number, np.concatenate([s.q, s.v], axis=1), h * slopes)

    def at(wanted: np.ndarray) -> States:
        both, a = cubic(wanted), cubic(wanted, 1)[:, nq:] / h
        p = s.p if s.p.ndim == 1 else s.p[wanted.astype(int)]
        return replace(s, t=np.interp(wanted, number, s.t), q=both[:, :nq], v=both[:, nq:], a=a, p=p)

    return at


def _kernel(x: np.ndarray) -> np.ndarray:
    """g: keeps squares and what is slow beside a step as they are, takes away what samples would alias (Keys)."""
    x = np.abs(x)
    inner, outer = (1.5 * x - 2.5) * x**2 + 1, ((2.5 - 0.5 * x) * x - 4) * x + 2
    return np.where(x < 1, inner, np.where(x < 2, outer, 0.0))
