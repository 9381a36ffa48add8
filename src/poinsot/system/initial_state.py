"""Coordinates and speeds of a system from poses and rates that a user names.

Rates that leave a freedom open are completed by the motion of least kinetic energy, the one that a blow along the
named coordinates would give; what has no mass then moves least, all bodies counted, lengths by the machine's size:

    C v = 0,  J v = ṡ,      ½ vᵀ M v least,      then  Σ |v_B|² / L² + |ω_B|²  least (theory/dynamics, eq. 12)
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import PoinsotError
from poinsot.model.assembly.assembly import Assembly
from poinsot.model.assembly.constraints import row_lengths
from poinsot.model.assembly.contradictions import coupled_in
from poinsot.model.quantities.parameters import as_value
from poinsot.spatial.algebra import skew
from poinsot.spatial.inertia import inertia_matrix
from poinsot.system.functions import rates_and_inertias
from poinsot.system.scales import natural_speeds
from poinsot.system.system import System

DEPENDENT = 1e-11  # of the largest singular value: equations that follow from others
MASSLESS = 1e-12  # of the largest √kg: what has no mass
CONTRADICTION = 1e-8  # of the rates


def state(
    system: System, start: Assembly, p: np.ndarray, velocity: Mapping[str, float] | None
) -> tuple[np.ndarray, np.ndarray]:
    """q (nq,) and v (nv,) at an assembled pose, with rates of named coordinates; at rest if there are none."""
    q = system.coordinates(start, p)
    return q, speeds(system, q, p, velocity or {})


@one_blas_thread()
def speeds(system: System, q: np.ndarray, p: np.ndarray, velocity: Mapping[str, float]) -> np.ndarray:
    """Speeds v (nv,) of least kinetic energy that keep the constraints and give named coordinates their rates."""
    _, nv, m, _ = system.sizes
    if not velocity:
        return np.zeros(nv)
    units = [system.mechanism.template.coordinate(name).unit for name in velocity]
    given = [as_value(value, f"{u}/s", f"rate of {name}") for (name, value), u in zip(velocity.items(), units)]
    size = system.home.size
    columns = natural_speeds(system, size)
    rows = np.concatenate([row_lengths(system.outline.rows, size), [size if u == "m" else 1.0 for u in units]])
    found = rates_and_inertias.formula(system, tuple(velocity)).function(q, 0, 0, p)
    A, T, inertias, J, drives = (np.asarray(x).reshape(x.shape) for x in found)
    A, T, J = A * columns / rows[:, None], T * columns, J * columns
    b = np.concatenate([np.zeros(m), given]) / rows
    lengths = np.tile([size] * 3 + [1.0] * 3, inertias.shape[1])[:, None]
    roots = _roots(inertias.T, size)
    parts = [root @ part for root, part in zip(roots, (T / lengths).reshape(-1, 6, nv))]
    x = _least(A, b, np.concatenate([*parts, np.sqrt(np.abs(drives)) * J]), T / lengths)
    left = A @ x - b
    if (error := np.max(np.abs(left))) > CONTRADICTION * np.max(np.abs(b)):
        coupled = coupled_in(system.mechanism.elements, system.outline.rows, left)
        what = f"the joints and {coupled}" if coupled else "the joints"
        raise PoinsotError(f"the rates {dict(velocity)} contradict {what}: an error of {error:.1e} remains")
    return columns * x


def _least(A: np.ndarray, b: np.ndarray, *measures: np.ndarray) -> np.ndarray:
    """x (k,) with A x = b for which the first measure |W x| is least; where it says nothing, the next one."""
    U, s, V = np.linalg.svd(A)
    rank = int(np.count_nonzero(s > DEPENDENT * np.max(s, initial=0.0)))
    x, free = V[:rank].T @ (U[:, :rank].T @ b / s[:rank]), V[rank:].T
    for W in measures:
        if not free.shape[1]:
            break
        U, s, V = np.linalg.svd(W @ free)
        rank = int(np.count_nonzero(s > MASSLESS * np.linalg.norm(W)))
        x = x - free @ (V[:rank].T @ (U[:, :rank].T @ (W @ x) / s[:rank]))
        free = free @ V[rank:].T
    return x


def _roots(inertias: np.ndarray, size: float) -> list[np.ndarray]:
    """By body, R (6, 6) with ½ |R [v / L; ω]|² the kinetic energy, from m, h, I about its origin (10,)."""
    found = []
    for phi in inertias:
        lever = size * np.asarray(skew(phi[1:4]), float)
        blocks = [[phi[0] * size**2 * np.eye(3), -lever], [lever, np.asarray(inertia_matrix(phi[4:]), float)]]
        values, axes = np.linalg.eigh(np.block(blocks))
        found.append(np.sqrt(np.maximum(values, 0.0))[:, None] * axes.T)
    return found
