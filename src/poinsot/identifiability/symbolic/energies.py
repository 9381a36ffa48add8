"""The relations between inertial parameters in numbers, from nothing but energies.

A change of the parameters has no effect exactly when kinetic energy vanishes and potential energy is constant for
every motion that the joints allow. Both are linear in the parameters  (theory/symbols, eq. 7). No equation of motion
is used: this is the second, independent route to the numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import PoinsotError
from poinsot.identifiability.linear import labels
from poinsot.model.assembly.assembly import assemble, close
from poinsot.model.assembly.constraints import Constraints, twist_scales
from poinsot.model.mechanism import Mechanism
from poinsot.spatial.pose import Pose

POSES, STEP = 60, 0.5  # poses sampled, and the steps between them as a fraction of the machine's size
GAP = 1e-8  # of the largest singular value: what is a relation
ROUND_OFF = 1e-11  # of the largest column: what is none
DEPENDENT = 1e-9  # of the largest singular value of the constraints, below which rows depend on others
MARGIN = 0.1  # of the hold that the constraints have at home, which poses keep


@dataclass(frozen=True, eq=False)
class EnergyBase:
    """Base parameters in numbers: φ_b = φ₁ + β φ₂."""

    columns: tuple[str, ...]
    independent: tuple[str, ...]
    eliminated: tuple[str, ...]
    coefficients: np.ndarray  # (rank, eliminated)

    @property
    def rank(self) -> int:
        """Number of base parameters."""
        return len(self.independent)


@one_blas_thread()
def energy_base(
    mechanism: Mechanism, prefer: Sequence[str] = (), fixed: Collection[str] = (), seed: int = 0
) -> EnergyBase:
    """Base parameters of a mechanism; those of `prefer` are eliminated first, then the last of the model."""
    columns, W = energy_matrix(mechanism, seed)
    kept = [k for k, name in enumerate(columns) if name not in fixed]
    columns, W = tuple(columns[k] for k in kept), W[:, kept]
    scale = np.linalg.norm(W, axis=0)
    scale[scale < ROUND_OFF * scale.max()] = np.inf  # no effect
    _, sigma, Vt = np.linalg.svd(W / scale)
    rank = int(np.sum(sigma > GAP * sigma[0]))
    scale[np.isinf(scale)] = 1.0
    null = Vt[rank:] / scale  # rows are relations
    chosen: list[int] = []
    order = list(dict.fromkeys([*(columns.index(name) for name in prefer), *reversed(range(len(columns)))]))
    for k in order:
        if len(chosen) < len(null):
            trial = null[:, [*chosen, k]] * scale[[*chosen, k]]
            if np.linalg.matrix_rank(trial, tol=1e-7) == len(chosen) + 1:
                chosen.append(k)
    chosen = [k for k in order if k in chosen]
    kept = [k for k in range(len(columns)) if k not in chosen]
    beta = -np.linalg.solve(null[:, chosen], null[:, kept]).T
    return EnergyBase(columns, tuple(columns[k] for k in kept), tuple(columns[k] for k in chosen), beta)


def energy_matrix(mechanism: Mechanism, seed: int = 0) -> tuple[tuple[str, ...], np.ndarray]:
    """Names of the inertial parameters and W, whose rows are kinetic energies and changes of potential energy."""
    elements = mechanism.elements
    names = labels(elements.planar)
    kept = list(names.values())
    constraints = Constraints(elements)
    rng = np.random.default_rng(seed)
    kinetic, potential = [], []
    for poses, twists in _states(mechanism, constraints, rng):
        potential.append(np.concatenate([_weight(poses[n], elements.gravity)[kept] for n in constraints.names]))
        kinetic.append(_kinetic(twists)[..., kept].reshape(len(twists), -1))
    columns = tuple(f"{name}.{label}" for name in constraints.names for label in names)
    return columns, np.concatenate([*kinetic, np.array(potential) - potential[0]])


def _kinetic(V: np.ndarray) -> np.ndarray:
    """2 T = m v·v + 2 h·(v × w) + w·I w for unit parameters (..., 10) at twists (..., 6)."""
    v, w = V[..., :3], V[..., 3:]
    square = np.sum(v * v, axis=-1, keepdims=True)
    products = [w[..., i] * w[..., j] * (1 + (i != j)) for i in range(3) for j in range(i, 3)]
    return np.concatenate([square, 2 * np.cross(v, w), np.stack(products, axis=-1)], axis=-1)


def _weight(pose: Pose, gravity: Sequence[float]) -> np.ndarray:
    """g · (m p + R h) for unit parameters (10,)."""
    g = np.asarray(gravity, float)
    return np.concatenate([[g @ pose.p], np.asarray(pose.R).T @ g, np.zeros(6)])


def _states(mechanism: Mechanism, constraints: Constraints, rng: np.random.Generator):
    """A random walk over poses with random twists (k, bodies, 6) that the joints allow.

    Beside singular poses branches of motions meet, and round-off is large: the walk turns back home before, unless
    there is little room elsewhere.
    """
    home = here = assemble(mechanism).require()
    scales = twist_scales(constraints, here.size)
    free, least = _free(constraints, here.poses, scales)
    least *= MARGIN
    found = trials = 0
    while found < POSES:
        trials += 1
        if trials > 20 * POSES:
            raise PoinsotError(
                f"{mechanism.name} cannot be moved far enough from its given pose to sample its energies"
            )
        there = close(constraints, here, STEP * (rng.normal(size=len(free)) @ free) * scales)
        if not there.converged or there.flipped:
            continue
        free, hold = _free(constraints, there.poses, scales)
        if hold < least and trials < 10 * POSES:
            here, free = home, _free(constraints, home.poses, scales)[0]
            continue
        found, here, n = found + 1, there, len(free)
        speeds = rng.normal(size=(1 + n * (n + 1) // 2, n))
        yield here.poses, _six(constraints, speeds @ free * scales)


def _free(constraints: Constraints, poses: dict[str, Pose], scales: np.ndarray) -> tuple[np.ndarray, float]:
    """Basis (k, 6 n or 3 n) of the scaled twists that all joints allow, and how well these hold the others: the
    smallest singular value above round-off, of the largest."""
    C = constraints.evaluate(poses)[1] * scales
    if not C.size:
        return np.eye(C.shape[1]), 1.0
    _, s, Vt = np.linalg.svd(C)
    rank = int(np.sum(s > DEPENDENT * s[0]))
    return Vt[rank:], float(s[rank - 1] / s[0])


def _six(constraints: Constraints, xi: np.ndarray) -> np.ndarray:
    """Twists (..., bodies, 6) from scaled ones in one row."""
    twists = np.zeros((len(xi), len(constraints.names), 6))
    twists[..., [0, 1, 5] if constraints.freedom == 3 else slice(None)] = xi.reshape(*twists.shape[:2], -1)
    return twists
