"""How noise of forces and responses becomes error of responses, with everything that it has in common.

    δH = Σ_b (N_b − H M_b) X̃_b*,   X̃_b = S_xx⁻¹ X_b/n                                  (theory/modal-tests, eq. 7)

N and M are the spectra of the windowed noise of outputs and inputs in block b. What a window ends early is alike in
neighbouring lines, what a force cell adds is alike at all points: both would make error bars too short if lines and
points were taken as independent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

__all__ = ["LineNoise"]

BLOCKS = 40  # that stand for all of them


@dataclass(frozen=True, eq=False)
class LineNoise:
    """Noise of o outputs and i inputs in b blocks of N samples, at n lines."""

    inverse: np.ndarray  # (b, n, i) X̃
    output: np.ndarray  # (n, o) E|N|²
    input: np.ndarray  # (n, i) E|M|²
    index: np.ndarray  # (n,) numbers of the lines
    window: np.ndarray  # (N,) over the responses
    force_window: np.ndarray  # (N,) over the forces
    overlap: float = 1.0  # blocks by independent ones

    def lines(self, which: np.ndarray) -> LineNoise:
        """Some of the lines, by mask (n,)."""
        output, input, index = (x[which] for x in (self.output, self.input, self.index))
        return replace(self, inverse=self.inverse[:, which], output=output, input=input, index=index)

    def scaled(self, factor: np.ndarray) -> LineNoise:
        """The noise of responses times a factor (n,)."""
        return replace(self, output=self.output * np.abs(factor[:, None]) ** 2)

    def variance(self, H: np.ndarray) -> np.ndarray:
        """E|δH|² (n, o, i)."""
        power = self.output + np.einsum("noi,ni->no", np.abs(H) ** 2, self.input)
        return self.overlap * power[:, :, None] * np.sum(np.abs(self.inverse) ** 2, axis=0)[:, None]

    def covariance(self, P: np.ndarray, H: np.ndarray) -> np.ndarray:
        """Covariance (m, m) of Re Σ P δH, sums over lines, outputs and inputs; P (n, o, i, m), H (n, o, i)."""
        total = np.zeros((P.shape[3], P.shape[3]))
        chosen = np.unique(np.linspace(0, len(self.inverse) - 1, min(BLOCKS, len(self.inverse))).astype(int))
        for X in self.inverse[chosen]:
            seen = np.einsum("noim,ni->nom", P, X.conj())  # of the noise of every output
            for o in range(P.shape[1]):
                total += self._of_noise(seen[:, o] * np.sqrt(self.output[:, o, None]), self.window)
            if self.input.any():
                through = np.einsum("nom,noj->njm", seen, H)
                for j in range(P.shape[2]):
                    total += self._of_noise(through[:, j] * np.sqrt(self.input[:, j, None]), self.force_window)
        return self.overlap * total * len(self.inverse) / len(chosen)

    def _of_noise(self, Q: np.ndarray, window: np.ndarray) -> np.ndarray:
        """Covariance of Re Σ_f Q N for noise n(t) of unit density under a window: Σ_t w² Re q Re qᵀ/Σ_t w²."""
        spectrum = np.zeros((len(window), Q.shape[1]), complex)
        spectrum[self.index] = Q
        q = np.fft.fft(spectrum, axis=0).real
        return (q.T * (window**2 / np.sum(window**2))) @ q
