"""Channels that are recorded late: a simulated channel between its samples, and its rate, by polynomials.

s(t_j + θ h) = Σ l_i(θ) s_{a+i} ,   θ = m − τ/h ,   m = ⌈τ/h⌉        (theory/search, eq. 30)

l_i are Lagrange's polynomials of degree 5 through the samples nearest to t_j.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError, listing
from poinsot.estimate.problems.output.records import Prepared
from poinsot.estimate.problems.space import given_numbers
from poinsot.estimate.rows.channel_terms import ChannelTerm, DelayTerm, terms_of
from poinsot.estimate.search.problem import Space
from poinsot.estimate.study import Unknown

POINTS = 6  # of a polynomial
REACH = 10  # samples within which a delay without bounds is looked for
PART = 0.25  # of a run that delays may leave unexplained
WHOLE = 1e-9  # of a sample, to which a delay is a whole number of them


@dataclass(frozen=True, eq=False)
class Between:
    """Rows of a series between samples: (…, T) rows from POINTS of them each."""

    at: np.ndarray  # (T, POINTS) samples, nothing beyond the last
    weights: np.ndarray  # (T, POINTS)
    slopes: np.ndarray  # (T, POINTS), of one sample's time

    @classmethod
    def of(cls, theta: float, rows: int, length: int) -> Between:
        """Of rows T, θ of a sample behind each, in a series of so many samples."""
        points = min(POINTS, length)
        first = np.clip(np.arange(rows) - points // 2 + 1, 0, length - points)
        x, i = np.arange(rows) + theta - first, np.arange(points)
        others = [i[i != k] for k in i]
        whole = np.array([np.prod((x[:, None] - o) / (k - o), axis=1) for k, o in zip(i, others)])
        rates = [
            sum(np.prod((x[:, None] - o[o != r]) / (k - o[o != r]), axis=1) / (k - r) for r in o)
            for k, o in zip(i, others)
        ]
        return cls(first[:, None] + i, whole.T, np.array(rates).T)

    def values(self, x: np.ndarray, slopes: bool = False) -> np.ndarray:
        """(T, …) of a series (T, …), or its rates."""
        return np.einsum("tp,tp...->t...", self.slopes if slopes else self.weights, x[self.at])


def whole_samples(delay: float, period: float) -> tuple[int, float]:
    """Samples m by which a channel is late, and the rest θ in [0, 1) by which it is less."""
    m = int(np.ceil(delay / period - WHOLE))
    return m, max(m - delay / period, 0.0)


def late_channels(prepared: Prepared, x: np.ndarray) -> tuple[Any, Any, Any]:
    """Sparse matrices (N c, N c) that make recorded channels of true ones at all N samples, for unknowns x (k,).

    The second is its derivative by the delay of every row's channel, the third has 1 where entries may be for delays
    that are less than a sample away.
    """
    from scipy.sparse import coo_matrix

    c, first, entries = len(prepared.channels), 0, [[], [], []]
    for run in prepared.runs:
        n = len(run.t)
        for channel in range(c):
            k, delay = np.arange(n), prepared.delays(x).get(channel)
            if delay is None:
                found = [(k, k, np.ones(n)), (k[:0], k[:0], k[:0]), (k, k, np.ones(n))]
            else:
                found = _late_rows(n, delay, run.period)
            for kept, (row, column, value) in zip(entries, found):
                kept.append(np.array([(first + row) * c + channel, (first + column) * c + channel, value]))
        first += n
    joined = [np.concatenate(kept, axis=1) for kept in entries]
    whole = (first * c, first * c)
    W, rates, near = (coo_matrix((v, (i.astype(int), j.astype(int))), shape=whole).tocsc() for i, j, v in joined)
    return W, rates, near


def _late_rows(n: int, delay: float, period: float) -> list[tuple]:
    """Rows, columns and values of the three matrices for one channel of a run; rows before or after it are empty."""
    m, theta = whole_samples(delay, period)
    between = Between.of(theta, n, n)

    def at(m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        j = np.arange(max(0, -m), min(n, n - m))
        return j, np.repeat(j + m, between.at.shape[1]), between.at[j].ravel()

    j, rows, columns = at(m)
    _, near, seen = (np.concatenate(parts) for parts in zip(*(at(m + d) for d in (-1, 0, 1))))
    return [
        (rows, columns, between.weights[j].ravel()),
        (rows, columns, -between.slopes[j].ravel() / period),
        (near, seen, np.ones(len(near))),
    ]


def with_delays(prepared: Prepared, space: Space, asked: list[Unknown]) -> tuple[Prepared, Space, list[str]]:
    """Runs, and the space with unknown delays of their channels behind it, and what was done."""
    names, units = zip(*prepared.channels)
    terms = terms_of(asked, names, units)
    if wrong := [term.name for term in terms if not isinstance(term, DelayTerm)]:
        raise PoinsotError(f"channels of simulated motions have delays, not what is asked for: {listing(wrong)}")
    period = min(run.period for run in prepared.runs)
    shortest = PART * min(len(run.t) for run in prepared.runs)
    given, said = [], []
    for term in terms:
        one, reach = term.given, period * min(max(REACH, 2 * abs(term.given.start or 0.0) / period), shortest)
        given.append(replace(one, lower=max(one.lower, -reach), upper=min(one.upper, reach)))
        if not np.isfinite([one.lower, one.upper]).all():
            said.append(f"'{one.name}' is looked for between {given[-1].lower:.4g} and {given[-1].upper:.4g} s")
    late = np.array([prepared.late, prepared.late])  # least and greatest delay of every channel
    for term, one in zip(terms, given):
        late[:, term.channel] += one.lower, one.upper
    own = replace(prepared, delayed=tuple(term.channel for term in terms), reach=late)
    return own, _with_terms(space, terms, given), said


def _with_terms(space: Space, terms: tuple[ChannelTerm, ...], given: list[Unknown]) -> Space:
    """The space with more unknowns, which are zero in the model."""
    zero, numbers = np.zeros(len(terms)), given_numbers(given)
    start = np.array([one.start or 0.0 for one in given])
    more = {"start": np.clip(start, numbers["lower"], numbers["upper"]), "model": zero, **numbers}
    return replace(
        space,
        names=(*space.names, *(term.name for term in terms)),
        units=(*space.units, *(term.unit for term in terms)),
        **{name: np.append(getattr(space, name), x) for name, x in more.items()},
    )
