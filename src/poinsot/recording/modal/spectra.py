"""Averaged spectra of a test's blocks, responses from them, and the noise in them.

H₁ = S_yx S_xx⁻¹,   H₂ = S_yy/S_xy,   H_v = (S_yx/|S_yx|) √(S_yy/S_xx)            (theory/modal-tests, eq. 4)
γ² = S_yx S_xx⁻¹ S_xy / S_yy                                                      (theory/modal-tests, eq. 5)
var H₁ = S_ee [S_xx⁻¹]_ii / (n − i),   S_ee = S_yy (1 − γ²)                       (theory/modal-tests, eq. 6)
ρ_k = Σ w² e^(−2πikm/N) / Σ w²,   lines k apart                                   (theory/modal-tests, eq. 7)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError, unknown
from poinsot.recording.modal.hits import HitBlock
from poinsot.recording.modal.noise import LineNoise, independent_lines, noise_spectra, shared_lines, smoothed

__all__ = ["ESTIMATORS", "Spectra", "independent_averages", "spectra"]

ESTIMATORS = ("H1", "H2", "Hv")
SMOOTH = 60  # degrees of freedom at which a variance is good enough; fewer are gathered from neighbouring lines
KNOWN = 20.0  # variances of its error: a response of less power than that tells nothing about the noise of the force
WIDEST = 10  # lines on either side over which a variance is gathered at most


@dataclass(frozen=True, eq=False)
class Spectra:
    """Spectra of b blocks at n lines: i inputs, o outputs."""

    frequency: np.ndarray  # (n,)  [Hz]
    X: np.ndarray  # (b, n, i)
    Y: np.ndarray  # (b, n, o)
    averages: float  # independent ones, ≤ b

    def response(self, estimator: str = "H1", without: Sequence[int] = ()) -> np.ndarray:
        """H (n, o, i), without some of the blocks.  (theory/modal-tests, eq. 4)"""
        Sxx, Syx, Syy = self._averaged(without)
        if estimator == "H1":
            return np.swapaxes(np.linalg.solve(np.swapaxes(Sxx, 1, 2), np.swapaxes(Syx, 1, 2)), 1, 2)
        if estimator not in ESTIMATORS:
            raise PoinsotError(unknown("estimator", estimator, ESTIMATORS))
        if self.X.shape[2] > 1:
            raise PoinsotError(f"{estimator} is for one input; with {self.X.shape[2]} inputs take H1")
        if estimator == "H2":
            return Syy[:, :, None] / Syx.conj()
        return Syx / np.abs(Syx) * np.sqrt(Syy[:, :, None] / np.real(Sxx))

    def _averaged(self, without: Sequence[int] = ()) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        kept = np.setdiff1d(np.arange(len(self.X)), without)
        X, Y = self.X[kept], self.Y[kept]
        Sxx = np.einsum("bni,bnj->nij", X, X.conj()) / len(kept)
        Syx = np.einsum("bno,bni->noi", Y, X.conj()) / len(kept)
        return Sxx, Syx, np.mean(np.abs(Y) ** 2, axis=0)

    def coherence(self) -> np.ndarray:
        """Multiple coherence γ² (n, o)  [-].  (theory/modal-tests, eq. 5)"""
        _, Syx, Syy = self._averaged()
        explained = np.einsum("noi,noi->no", self.response(), Syx.conj()).real
        return np.clip(explained / np.where(Syy > 0, Syy, 1.0), 0.0, 1.0)

    def noise(self, window: np.ndarray, force_window: np.ndarray) -> LineNoise | None:
        """What of the blocks no response explains; None where there are no more blocks than inputs.

        At several outputs the noise of a single force shows in all of them at once, H_o H_p* S_mm between two, and is
        told apart by that (theory/modal-tests, eq. 6).
        """
        b, n, i = self.X.shape
        freedom = self.averages - i
        if freedom < 0.5:
            return None
        H, Sxx = self.response(), self._averaged()[0]
        E = (self.Y - np.einsum("noi,bni->bno", H, self.X)) * np.sqrt(self.averages / (b * freedom))
        h = None
        if i == 1 and H.shape[1] > 1:
            power = smoothed(np.sum(np.abs(E) ** 2, axis=0), WIDEST)
            error = power / (self.averages * np.abs(Sxx[:, 0]))  # E|δH|² (n, o)
            h = np.where(np.abs(H[:, :, 0]) ** 2 > KNOWN * error, H[:, :, 0], 0.0)
        half, wide = _gathered(freedom, shared_lines(window)), max(WIDEST, n // 20)
        told = noise_spectra(E, h, half, wide)
        known = 2 * freedom * independent_lines(told.output_told, window)
        force_known = 2 * freedom * independent_lines(told.input_told, force_window)
        inverse = np.swapaxes(np.linalg.solve(Sxx, np.moveaxis(self.X, 0, 2)), 1, 2) / b  # (n, b, i)
        return LineNoise(
            np.moveaxis(inverse, 1, 0), told.output, np.broadcast_to(told.input, (n, i)), np.arange(1, n + 1), window,
            force_window, known, np.broadcast_to(force_known, (n, i)), b / self.averages,
        )  # fmt: skip

    def relative_variance(self, estimator: str) -> np.ndarray | None:
        """E|error of H|² (n, o, 1) of H₂ and H_v, from the coherence."""
        freedom = self.averages - 1
        if freedom < 0.5:
            return None
        gamma2 = self.coherence()
        share = smoothed((1 - gamma2) / np.maximum(gamma2, 1e-12), _gathered(freedom))
        return np.abs(self.response(estimator)) ** 2 * (share / freedom)[:, :, None]

    def left_out(self, estimator: str, groups: int = 12) -> np.ndarray | None:
        """H without each of r ≤ 12 groups of blocks in turn (r, n, o, i), for the jackknife."""
        b, i = len(self.X), self.X.shape[2]
        parts = [part for part in np.array_split(np.arange(b), min(groups, b)) if len(part)]
        if len(parts) < 3 or b - max(map(len, parts)) < i:
            return None
        return np.stack([self.response(estimator, part.tolist()) for part in parts])


def spectra(blocks: Sequence[HitBlock], window: np.ndarray, overlap: float = 0.0) -> Spectra:
    """Spectra of all whole segments of the window's length (N,) in the blocks."""
    from scipy.signal import stft

    N = len(window)
    shared = round(overlap * N)
    rate = 1 / float(np.median(np.diff(blocks[0].t)))
    options: dict[str, Any] = {"window": window, "nperseg": N, "noverlap": shared, "boundary": None, "padded": False}
    X, Y, f = [], [], np.zeros(0)
    for block in blocks:
        for samples, found in ((block.force, X), (block.response, Y)):
            f, _, Z = stft(samples, rate, **options, axis=0)
            found.append(np.moveaxis(Z, -1, 0))  # (segments, n, channels)
    X, Y = np.concatenate(X), np.concatenate(Y)
    used = slice(1, None)  # a mean is no vibration
    return Spectra(f[used], X[:, used], Y[:, used], independent_averages(len(X), window, shared))


def independent_averages(segments: int, window: np.ndarray, shared: int) -> float:
    """How many independent segments those are worth that share samples (Welch 1967)."""
    w, N, step = window, len(window), len(window) - shared
    far = range(1, min(segments, (N - 1) // step + 1))
    squares = [(float(w[: N - j * step] @ w[j * step :]) / float(w @ w)) ** 2 for j in far]
    return segments / (1 + 2 * sum((1 - j / segments) * c for j, c in zip(far, squares)))


def _gathered(freedom: float, shared: float = 1.0) -> int:
    """Lines on either side from which a variance is gathered, where so many of them count as one."""
    return int(np.clip(np.ceil((SMOOTH * shared / freedom - 1) / 2), 0, np.ceil(WIDEST * shared)))
