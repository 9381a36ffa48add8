"""How many combinations of inertial parameters the motion of a machine shows: a rank, by the plain route.

Of bodies with parameters φ = (m, h, I) the wrenches of inertia and gravity are linear in φ; what the freedoms feel of
them are the rows motionsᵀ W(V, A) φ, at random states that the joints allow.
"""

from __future__ import annotations

import numpy as np

from tests.generated.closure import LENGTHS, free_columns, freedoms, jacobian, natural, skew
from tests.generated.machine import Machine, Poses
from tests.generated.motion import drive, random_rates
from tests.generated.reference import bias

SHOWN = 1e-9  # of the largest singular value, masses by the size


def body_rows(machine: Machine, poses: Poses, V: np.ndarray, A: np.ndarray, name: str, k: int) -> np.ndarray:
    """Wrench (6, 10) at a body's origin, world axes, that its unit parameters need and gravity does not give."""
    R = poses[name][0]
    (_, w), (a, alpha) = V[6 * k : 6 * k + 6].reshape(2, 3), A[6 * k : 6 * k + 6].reshape(2, 3)
    pull, w_B, alpha_B = a - machine.gravity, R.T @ w, R.T @ alpha
    found = np.zeros((6, 10))
    found[:3, 0] = pull
    found[:3, 1:4] = (skew(alpha) + skew(w) @ skew(w)) @ R
    found[3:, 1:4] = -skew(pull) @ R
    for column, (i, j) in enumerate(((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)), 4):
        unit = np.zeros((3, 3))
        unit[i, j] = unit[j, i] = 1.0
        found[3:, column] = R @ (unit @ alpha_B + np.cross(w_B, unit @ w_B))
    return found


def rows_at(machine: Machine, poses: Poses, rng: np.random.Generator) -> np.ndarray:
    """Rows (mobility, 10 n) at a pose, with random speeds and accelerations; masses count by the machine's size."""
    free, L = freedoms(machine, poses), machine.size
    columns, rate = free_columns(machine), np.sqrt(9.81 / L)
    units = np.tile(np.repeat([L, 1.0], 3), len(machine.bodies))
    row_units = np.concatenate([np.where(LENGTHS[j.kind], L, 1.0) for j in machine.joints])
    V = free.motions @ rng.uniform(-1, 1, free.mobility) * rate
    A = free.motions @ rng.uniform(-1, 1, free.mobility) * rate**2
    held = np.linalg.lstsq(
        natural(machine, jacobian(machine, poses)), bias(machine, poses, V) / row_units, rcond=1e-9
    )
    A[columns] += held[0] * units[columns]
    blocks = [
        free.motions[6 * k : 6 * k + 6].T @ body_rows(machine, poses, V, A, body.name, k)
        for k, body in enumerate(machine.bodies)
    ]
    return np.hstack(blocks) / np.tile([L * L, L, L, L, 1, 1, 1, 1, 1, 1], len(machine.bodies))


def _along(machine: Machine, rate: dict[str, float], sign: int, samples: int = 12) -> list[Poses]:
    """Poses of a driven motion, as long as it can be: half of it, and so on, where it does not reach its end."""
    for half in range(8):
        poses = drive(machine, {name: sign * s * 0.5**half for name, s in rate.items()}, samples).poses
        if len(poses) > samples:
            break
    return poses


def shown(machine: Machine, seed: int = 0, count: int = 4) -> tuple[int, float]:
    """Number of base parameters, and the gap of the singular values that decides it."""
    rng = np.random.default_rng([seed, 4])
    rows = []
    for k in range(count):
        for poses in _along(machine, random_rates(machine, 1000 * seed + k), (-1) ** k):
            rows += [rows_at(machine, poses, rng) for _ in range(3)]
    wanted = [0, 1, 2, 9] if machine.planar else range(10)
    W = np.vstack(rows)[:, [10 * k + i for k in range(len(machine.bodies)) for i in wanted]]
    s = np.linalg.svd(W, compute_uv=False)
    rank = int(np.sum(s > SHOWN * s[0]))
    return rank, float(s[rank - 1] / max(s[rank:].max(initial=0.0), 1e-15 * s[0]))
