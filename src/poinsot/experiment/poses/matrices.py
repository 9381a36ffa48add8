"""M and K of a mechanism with their slopes by the unknowns, for many poses and parameter sets.

M(s, p) = M₀ + ∑ (p_j − p̂_j) ∂M/∂p_j ,    K likewise                                  (theory/design, eq. 13)

holds exactly for stiffnesses, masses and whatever else enters once; then a pose needs its matrices once for all
parameter sets. Otherwise every pair has its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.experiment.poses.local import LocalMatrices
from poinsot.experiment.poses.prior import ParameterPrior
from poinsot.experiment.poses.space import PoseSpace
from poinsot.model.mechanism import Mechanism
from poinsot.vibration.elastic_batch import ElasticBatch
from poinsot.vibration.rigid_batch import Batched, BatchMatrices, Placed

STEP = 2e-3  # of an unknown's size, in differences of matrices of fourth order
WIDE = 0.5  # the same where matrices are linear in the unknowns
AFFINE = 1e-10  # of the largest entry, up to which matrices are linear in the unknowns
SYMMETRIC = 1e-9  # of the largest stiffness
TRIALS = 16  # poses and parameter sets on which that is tried


class PoseMatrices:
    """Matrices of a mechanism over poses that prescribe all its freedoms, and over its unknowns."""

    def __init__(self, mechanism: Mechanism, space: PoseSpace, prior: ParameterPrior, locked: Any):
        self.mechanism, self.space, self.prior = mechanism, space, prior
        kind = ElasticBatch if mechanism.elements.beams else BatchMatrices
        batch = kind.of(mechanism, space.names, prior.names, locked)
        if batch is None:
            raise PoinsotError(
                f"{mechanism.name}: poses for modal tests need coordinates that prescribe all its freedoms, and "
                f"beams without preload; its pose is {', '.join(space.names)}"
            )
        self.batch = batch
        self.moved, self.affine = self._moves(), False
        self.affine = not self.moved and self._is_affine()

    def place(self, s: np.ndarray) -> Placed:
        """Coordinates at poses s (N, d), with the model's parameters."""
        return self.batch.place(s, self.prior.nominal[None])

    def at(self, s: np.ndarray, placed: Placed, p: np.ndarray, near: Batched | None = None) -> Batched:
        """Matrices at poses s (N, d) with parameter sets p (N, k)."""
        where = self.batch.place(s, p) if self.moved else placed
        found = self.batch.at(where, p, None, near)
        if found is None:
            raise PoinsotError(f"forces at rest bend the beams of {self.mechanism.name}: this is not supported here")
        return found

    def resolved(self, at: Batched) -> np.ndarray:
        """Samples (N,) with positive masses and a stiffness that comes from a potential."""
        with np.errstate(invalid="ignore"):
            skew, largest = (np.max(np.abs(x), axis=(1, 2), initial=0.0) for x in (at.K - at.K.swapaxes(1, 2), at.K))
            massive = (np.einsum("nii->ni", at.M) > 0).all(axis=1)
            return at.good & massive & (skew <= SYMMETRIC * largest)

    def local(self, s: np.ndarray, placed: Placed, p: np.ndarray, base: Batched | None = None) -> LocalMatrices:
        """Matrices and slopes at N poses with parameter sets p (N, k): differences, exact where unknowns enter once,
        else of fourth order. `base` are the matrices themselves, if they are known."""
        base, size = self.at(s, placed, p) if base is None else base, self.prior.size
        dM, dK = (np.empty((len(s), len(size), *base.M.shape[1:])) for _ in range(2))
        for j, unit in enumerate(np.diag(size)):
            if self.affine:
                end = self.at(s, placed, p + WIDE * unit, base)
                dM[:, j], dK[:, j] = (end.M - base.M) / WIDE, (end.K - base.K) / WIDE
                continue
            ends = [self.at(s, placed, p + m * STEP * unit, base) for m in (1, -1, 2, -2)]
            for slope, name in ((dM, "M"), (dK, "K")):
                a, b, c, d = (getattr(end, name) for end in ends)
                slope[:, j] = (8 * (a - b) - (c - d)) / (12 * STEP)
        K, dK = ((x + x.swapaxes(-1, -2)) / 2 for x in (base.K, dK))
        return LocalMatrices(base.M, K, dM, dK)

    def _moves(self) -> bool:
        """Whether an unknown moves the bodies in a given pose."""
        compiled = self.batch.compiled
        s = self.space.own(compiled, self.batch.q, compiled.parameters(self.mechanism))
        k = len(self.prior.names)
        p = self.prior.nominal + np.diag(STEP * self.prior.size)
        q, changed = self.batch.place(s, self.prior.nominal[None])[0], self.batch.place(np.repeat(s, k, 0), p)[0]
        return bool(np.max(np.abs(changed - q), initial=0.0) > 1e-9 * min(1.0, self.batch.begin.size))

    def _is_affine(self) -> bool:
        rng = np.random.default_rng(0)
        s, p = self.space.draw(rng, TRIALS), self.prior.draw(rng, TRIALS)
        placed = self.place(s)
        base = self.at(s, placed, np.broadcast_to(self.prior.nominal, p.shape))
        good = base.good
        local, ends = self.local(s, placed, np.broadcast_to(self.prior.nominal, p.shape)), self.at(s, placed, p, base)
        steps = (p - self.prior.nominal) / self.prior.size
        for here, slope, end in (
            (local.M, local.dM, ends.M),
            (local.K, local.dK, (ends.K + ends.K.swapaxes(1, 2)) / 2),
        ):
            gap = np.abs(here + np.einsum("nk,nkij->nij", steps, slope) - end)[good]
            if np.max(gap, initial=0.0) > AFFINE * np.max(np.abs(end[good]), initial=0.0):
                return False
        return bool(good.any())
