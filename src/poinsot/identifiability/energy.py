"""The regressor of work and energy, which needs no accelerations.

Between two samples the actuators' work is the change of energy plus what friction, dampers and loads take:

    ∫ u·ṡ dt = Δ(T + V) − ∫ P dt,    T, V and P linear in θ          (theory/identifiability, eq. 6)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poinsot.errors import PoinsotError, count_of
from poinsot.identifiability.linear import LinearParameter, chosen, parameter_values, with_known
from poinsot.identifiability.regressor import Regressor
from poinsot.identifiability.rows import energy_rows
from poinsot.model.mechanism import Mechanism, require_mechanism
from poinsot.motion.kinematics import followed_path
from poinsot.motion.signals import GivenMotion, as_motion, as_times, own_times
from poinsot.spatial.algebra import Numbers


def energy_regressor(
    mechanism: Mechanism,
    motion: GivenMotion,
    t: Numbers | None = None,
    *,
    parameters: Sequence[str] | str | None = None,
    nodes: int = 6,
) -> Regressor:
    """Work of all actuators between neighbouring samples as a linear function of parameters, without accelerations.

    `mechanism` along a `motion`, at times `t` (n,) [s] or its own; `parameters` as for `regressor`.

    One row for each time but the first. Powers are integrated by Gauss' rule with so many `nodes` between samples.

    >>> import poinsot
    >>> w = energy_regressor(poinsot.load("four_bar"), {"theta1": lambda t: 1 + 2 * t**2}, [0.0, 0.1, 0.2])
    >>> w.channels, w.matrix.shape
    (('work',), (2, 12))
    """
    motion = as_motion(motion, require_mechanism(mechanism), t)
    t, nodes = as_times(own_times(motion) if t is None else t), count_of(nodes, "nodes")
    if len(t) < 2:
        raise PoinsotError("work between samples needs two times or more")
    x, weight = np.polynomial.legendre.leggauss(nodes)
    inside = t[:-1, None] + np.diff(t)[:, None] * (x + 1) / 2  # (n − 1, nodes)
    times, places = np.unique(np.concatenate([t, inside.ravel()]), return_inverse=True)
    path = followed_path(mechanism, motion, times)
    asked = chosen(mechanism, parameters)
    both = with_known(mechanism, asked)
    rows = energy_rows(path.system, both)(path.q, path.v, path.p)
    energy, power = (x.reshape(len(path.t), len(both)) for x in rows)  # ∂(T + V)/∂θ and ∂P/∂θ (n, k)
    ends, between = places[: len(t)], places[len(t) :]  # the samples themselves, and the nodes between them
    taken = np.diff(t)[:, None] / 2 * np.einsum("nik,i->nk", power[between].reshape(-1, nodes, len(both)), weight)
    W, k, values = np.diff(energy[ends], axis=0) - taken, len(asked), parameter_values(mechanism, both)
    size = path.system.equations.symbols.home.size
    natural = _natural(energy[ends], W, both, size)[:k]
    return Regressor(
        mechanism=mechanism,
        t=t[1:],
        channels=("work",),
        channel_units=("J",),
        columns=tuple(p.name for p in asked),
        units=tuple(p.unit for p in asked),
        matrix=W[:, :k],
        rhs=W[:, k:] @ values[k:],
        parameters=values[:k],
        linear=asked,
        natural=lambda weights: np.max(weights, initial=0.0) * natural,
        size=size,
    )


def _natural(energy: np.ndarray, W: np.ndarray, parameters: tuple[LinearParameter, ...], size: float) -> np.ndarray:
    """Norms (k,) that the columns would have without cancellation; for bodies the largest, by the machine's size."""
    found = np.maximum(np.linalg.norm(energy, axis=0), np.linalg.norm(W, axis=0))
    bodies = np.array([p.table == "bodies" for p in parameters])
    lengths = size ** np.array([float(p.order) for p in parameters])
    return np.where(bodies, np.max(found * lengths, where=bodies, initial=0.0) / lengths, found)
