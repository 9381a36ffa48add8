"""Random states of a mechanism with accelerations that agree with its constraints, away from singular poses.

Each state is reached from the home pose by a walk in a random direction: along the motions that the constraints
allow, with Newton steps back to them. A walk ends before constraints or actuators come near to a singularity.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import PoinsotError
from poinsot.model.assembly.constraints import row_lengths
from poinsot.model.mechanism import Mechanism
from poinsot.system.functions import walk_function
from poinsot.system.scales import natural_speeds
from poinsot.system.system import System, start, system

STEPS = 28  # of a walk
REACH = 2.0  # of the longest walk  [rad or of the machine's size]
MARGIN = 0.2  # of the home pose's smallest singular values, below which a walk does not go
DEPENDENT = 1e-8  # of the largest singular value of the constraints, below which rows depend on others
SPECIAL = 3  # steps from a home pose where some seem to
CLOSED = 1e-12  # of the machine's size, or in radians


@dataclass(frozen=True, eq=False)
class States:
    """States of a system with their accelerations: n of them."""

    system: System
    t: np.ndarray  # (n,)  [s]
    q: np.ndarray  # (n, nq)
    v: np.ndarray  # (n, nv)
    a: np.ndarray  # (n, nv)
    p: np.ndarray  # (np,), or (n, np) where charts of balls change on the way
    size: float  # of the machine  [m]


@one_blas_thread()
def random_states(mechanism: Mechanism, count: int, rng: np.random.Generator) -> States:
    """Random states with accelerations, of the order of gravity over the machine's size."""
    begin = start(mechanism, None)
    compiled = system(mechanism, "joint", home=begin)
    p = compiled.parameters(mechanism, begin.poses)
    n, home = compiled.sizes[1], compiled.coordinates(begin, p)
    walk = _Walk(compiled, p, begin.size, home)
    if not walk.freedom:
        raise PoinsotError(f"{mechanism.name} cannot move: it has mobility 0")
    q = walk.run(home, count, rng)
    gravity = float(np.linalg.norm(np.asarray(mechanism.gravity, float)))
    rate = np.sqrt(gravity / begin.size) if gravity else 1.0
    v = rate * walk.tangent(q, rng.normal(size=(count, n)))
    a = rate**2 * walk.tangent(q, rng.normal(size=(count, n))) + walk.curved(q, v)
    return States(compiled, np.arange(count, dtype=float), q, v, a, p, begin.size)


def _rank_of(C: np.ndarray) -> int:
    s = np.linalg.svd(C, compute_uv=False) if C.size else np.zeros(0)
    return int(np.sum(s > DEPENDENT * s[0])) if len(s) else 0


class _Walk:
    """Steps along the motions that the constraints allow, for a batch of states; rows and speeds in natural sizes.

    Rows may depend on others: their rank is that at home.
    """

    def __init__(self, compiled: System, p: np.ndarray, size: float, home: np.ndarray):
        _, nv, m, nu = compiled.sizes
        self.p, self.u = p, np.zeros(nu)
        self.scales, self.rows = natural_speeds(compiled, size), row_lengths(compiled.outline.rows, size)
        self._run, self._shapes, self.driven = walk_function(compiled), ((m, nv), (nu, nv)), False
        self.rank = self._rank(home)
        self.freedom = nv - self.rank
        self.driven = nu >= self.freedom  # whether actuators count in a state's quality

    def at(self, q: np.ndarray, step: np.ndarray | None = None) -> tuple[np.ndarray, ...]:
        """C and J_a in natural sizes, Φ, γ and the coordinates after a step, for a batch of states."""
        step = np.zeros((len(q), len(self.scales))) if step is None else step
        C, phi, gamma, J, moved = self._run(q, step, self.u, self.p)
        C, J = (x.reshape(len(q), *shape) * self.scales for x, shape in zip((C, J), self._shapes))
        phi, gamma = (x.reshape(len(q), -1) / self.rows for x in (phi, gamma))
        return C / self.rows[:, None], J, phi, gamma, moved

    def _rank(self, home: np.ndarray) -> int:
        """Rank of C away from special poses: home may be one."""
        q, rng = home[None], np.random.default_rng(0)
        self.rank = found = _rank_of(self.at(q)[0][0])
        for _ in range(SPECIAL if found < len(self.rows) else 0):
            step = self.tangent(q, rng.normal(size=(1, len(self.scales))))
            moved, ok = self.closed(self.at(q, 0.1 * step)[4])
            q = moved if ok.all() else q
            self.rank = found = max(found, _rank_of(self.at(q)[0][0]))
        return found

    def motions(self, C: np.ndarray) -> np.ndarray:
        """Motions (…, nv, f) that the constraints leave, orthonormal in natural sizes."""
        if not C.shape[1]:
            return np.broadcast_to(np.eye(C.shape[2]), (len(C), C.shape[2], C.shape[2]))
        return np.swapaxes(np.linalg.svd(C)[2][:, self.rank :], 1, 2)

    def tangent(self, q: np.ndarray, direction: np.ndarray) -> np.ndarray:
        """Speeds (n, nv) that the constraints allow, nearest to given directions."""
        N = self.motions(self.at(q)[0])
        return self.scales * np.einsum("nif,njf,nj->ni", N, N, direction)

    def curved(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The least accelerations (n, nv) that speeds v need: C v̇ = γ."""
        C, _, _, gamma, _ = self.at(q, v)
        return self.scales * np.einsum("nij,nj->ni", np.linalg.pinv(C, rcond=DEPENDENT), gamma)

    def quality(self, q: np.ndarray) -> np.ndarray:
        """Smallest singular values (n, 2) of the constraints and of the actuators' rates."""
        C, J, *_ = self.at(q)
        first = np.linalg.svd(C, compute_uv=False)[:, self.rank - 1] if self.rank else np.ones(len(q))
        N = self.motions(C)
        second = np.linalg.svd(J @ N, compute_uv=False)[:, N.shape[2] - 1] if self.driven else np.ones(len(q))
        return np.stack([first, second], axis=1)

    def closed(self, q: np.ndarray, iterations: int = 12) -> tuple[np.ndarray, np.ndarray]:
        """Newton back to the constraints; and which states got there."""
        error = np.zeros(len(q))
        for _ in range(iterations):
            C, _, phi, _, _ = self.at(q)
            error = np.max(np.abs(phi), axis=1, initial=0.0)
            if np.max(error, initial=0.0) < 1e-15:
                break
            step = -np.einsum("nij,nj->ni", np.linalg.pinv(C, rcond=DEPENDENT), phi)
            q = self.at(q, self.scales * np.clip(step, -0.5, 0.5))[4]
        return q, error < CLOSED

    def run(self, home: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
        """States (count, nq) at the ends of random walks."""
        q = np.tile(home, (count, 1))
        least = MARGIN * self.quality(q[:1])
        direction = rng.normal(size=(count, len(self.scales)))
        lengths = REACH * rng.uniform(0.1, 1.0, size=(count, 1)) / STEPS
        going = np.ones(count, bool)
        for _ in range(STEPS):
            step = self.tangent(q, direction) / self.scales
            size = np.max(np.abs(step), axis=1, keepdims=True)
            moved = self.at(q, self.scales * lengths * step / np.where(size > 0, size, 1.0))[4]
            moved, ok = self.closed(moved)
            going &= ok & np.all(self.quality(moved) > least, axis=1)
            q = np.where(going[:, None], moved, q)
        return q
