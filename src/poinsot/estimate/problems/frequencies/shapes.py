"""Measured shapes less those of the model, which are scaled to them, over their standard deviations.

    e = ψ − α u ,    α = uᴴψ/uᴴu ,    de = −α (du − u uᴴdu/uᴴu) − u duᴴe/uᴴu        (theory/search, eq. 12 and 13)

ψ and u, what the points show of the partner, are over the standard deviations of the points. |e|² = |ψ|² (1 − MAC).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poinsot.estimate.modal_run import ModalRun
from poinsot.estimate.problems.frequencies.spectrum import ModelSpectrum
from poinsot.vibration.shape_derivatives import distinct


@dataclass(frozen=True, eq=False)
class ShapePairs:
    """c measured shapes of a run that count, at p points, and those of their partners in the model."""

    run: ModalRun
    found: ModelSpectrum
    modes: np.ndarray  # (c,) numbers of the measured modes
    index: np.ndarray  # (c,) modes of the model, −1 without one
    in_phase: bool  # whether shapes and scales are real

    @cached_property
    def told(self) -> np.ndarray:
        """Whether each has a partner with a shape of its own (c,)."""
        return (self.index >= 0) & np.append(distinct(self.found.found), False)[self.index]

    @property
    def repeated(self) -> np.ndarray:
        """Whether each has a partner whose frequency others have too, so that its shape says nothing (c,)."""
        return (self.index >= 0) & ~self.told

    def _both(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """ψ and u (p,) of one shape."""
        assert self.found.shown is not None
        sigma = self.run.shape_deviation[:, self.modes[k]]
        psi, u = self.run.shapes[:, self.modes[k]] / sigma, self.found.shown[:, self.index[k]] / sigma
        return (np.real(psi), np.real(u)) if self.in_phase else (psi, u)

    def _stacked(self, x: np.ndarray) -> np.ndarray:
        return x if self.in_phase else np.concatenate([np.real(x), np.imag(x)])

    def _scaled(self, k: int) -> tuple[np.ndarray, np.ndarray, complex]:
        """e (p,), u (p,) and α of one shape; as if it did not move at all without a partner."""
        psi, u = self._both(k)
        if self.repeated[k]:
            return np.zeros_like(psi), u, 0.0
        alpha = complex(np.vdot(u, psi) / np.vdot(u, u)) if self.told[k] else 0.0
        alpha = alpha.real if self.in_phase else alpha
        return psi - alpha * u, u, alpha

    @property
    def residuals(self) -> np.ndarray:
        """(c r,), r = p or, with imaginary parts, 2 p."""
        return np.concatenate([np.zeros(0), *(self._stacked(self._scaled(k)[0]) for k in range(len(self.modes)))])

    def jacobian(self, names: tuple[str, ...]) -> np.ndarray:
        """(c r, p)."""
        slopes = iter(self.found.shown_slopes(names, self.index[self.told]) if self.told.any() else ())
        parts = [np.zeros((0, len(names)))]
        for k, told in enumerate(self.told):
            e, u, alpha = self._scaled(k)
            if not told:
                parts.append(np.zeros((len(self._stacked(e)), len(names))))
                continue
            du = np.nan_to_num(next(slopes)) / self.run.shape_deviation[:, self.modes[k], None]
            du, size = np.real(du) if self.in_phase else du, float(np.vdot(u, u).real)
            across = du - np.outer(u, u.conj() @ du) / size
            parts.append(self._stacked(-alpha * across - np.outer(u, (du.conj().T @ e)) / size))
        return np.concatenate(parts)

    @property
    def scales(self) -> np.ndarray:
        """Directions (c r, s) of the residuals that the scales take up, of length 1."""
        r, columns = len(self.run.points) * (1 if self.in_phase else 2), []
        for k in np.flatnonzero(self.told).tolist():
            u = self._both(k)[1]
            for way in (u,) if self.in_phase else (u, 1j * u):
                column = np.zeros((len(self.modes), r))
                column[k] = self._stacked(way) / np.linalg.norm(u)
                columns.append(column.ravel())
        return np.array(columns).T if columns else np.zeros((len(self.modes) * r, 0))

    @property
    def absorbed(self) -> int:
        """Residuals that scales take up, and those of shapes that say nothing."""
        return self.scales.shape[1] + int(self.repeated.sum()) * len(self.run.points) * (1 if self.in_phase else 2)
