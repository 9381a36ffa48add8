"""Which modes belong together: MAC and pairing between poses, parameter sets and formulations.

MAC = |φ_aᵀ M φ_b|² / ((φ_aᵀ M φ_a)(φ_bᵀ M φ_b))        (theory/vibration, eq. 8)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.results import BarPanel, Panel, Result
from poinsot.vibration.modes import Modes


@dataclass(frozen=True, eq=False)
class Pairing(Result):
    """For each mode of a first set its partner in a second one; the pairs together have the largest MAC."""

    index: np.ndarray  # (k,) number of the partner, −1 without one
    mac: np.ndarray  # (k,) of each pair, 0 without one

    _over, _columns = ("mode", "#index"), {"index": ("partner", "-"), "mac": ("mac", "-")}

    def panels(self) -> tuple[Panel, ...]:
        """MAC of every pair."""
        names = tuple(f"{a + 1} ↔ {b + 1}" if b >= 0 else f"{a + 1}, no partner" for a, b in enumerate(self.index))
        return (BarPanel(names=names, x="MAC [-]", series={"MAC": self.mac}),)

    def __str__(self) -> str:
        pairs = (f"{a + 1} ↔ {b + 1} ({x:.2f})" for a, (b, x) in enumerate(zip(self.index, self.mac)) if b >= 0)
        return ", ".join(pairs)


def mac(a: Modes | Any, b: Modes | Any) -> np.ndarray:
    """Modal assurance criterion (k_a, k_b) of two sets of modes or arrays of shapes (n, k): 1 alike, 0 not at all.

    `a` and `b`: modes, or shapes of the same n displacements.

    Modes of one formulation are compared by the masses; those of different ones by the motions of the bodies.

    >>> import poinsot
    >>> found = poinsot.modes(poinsot.load("three_link"))
    >>> poinsot.mac(found, found).round(6).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    if isinstance(a, Modes) and isinstance(b, Modes):
        if a.linear.names == b.linear.names:
            M = (a.linear.M + b.linear.M) / 2
            return _mac(a.shapes, b.shapes, M @ a.shapes, M @ b.shapes)
        a, b = _body_motions(a), _body_motions(b)
    try:
        a, b = np.asarray(a), np.asarray(b)
    except ValueError:
        raise PoinsotError("shapes must be arrays (n, k) of numbers") from None
    if a.ndim != 2 or b.ndim != 2 or len(a) != len(b):
        raise PoinsotError(f"shapes must be arrays (n, k) of the same n, not {a.shape} and {b.shape}")
    return _mac(a, b, a, b)


def _mac(a: np.ndarray, b: np.ndarray, Ma: np.ndarray, Mb: np.ndarray) -> np.ndarray:
    aa = np.einsum("ik,ik->k", a.conj(), Ma).real
    bb = np.einsum("ik,ik->k", b.conj(), Mb).real
    return np.abs(a.conj().T @ Mb) ** 2 / np.outer(aa, bb)


def _body_motions(found: Modes) -> np.ndarray:
    """Motions of all bodies in every mode, each weighted by the root of its inertia."""
    columns = []
    for k in range(len(found.values)):
        parts = []
        for name, V in found.shape(k).items():
            body, R = found.linear.mechanism.bodies[name], np.asarray(found.linear.poses[name].R)
            v = V[:3] + np.cross(V[3:], R @ np.asarray(body.com, float))
            values, axes = np.linalg.eigh(np.asarray(body.inertia_about_centre(), float))
            root = np.sqrt(np.maximum(values, 0.0))
            parts += [np.sqrt(float(body.mass)) * (R.T @ v), root * (axes.T @ (R.T @ V[3:]))]
        columns.append(np.concatenate(parts))
    return np.array(columns).T


def pair(a: Modes | Any, b: Modes | Any) -> Pairing:
    """The modes of b that belong to those of a, each used once, so that the sum of their MAC is largest.

    `a` and `b` as for `mac`.
    """
    from scipy.optimize import linear_sum_assignment

    table = mac(a, b)
    rows, columns = linear_sum_assignment(-table)
    index, value = np.full(len(table), -1), np.zeros(len(table))
    index[rows], value[rows] = columns, table[rows, columns]
    return Pairing(index, value)
