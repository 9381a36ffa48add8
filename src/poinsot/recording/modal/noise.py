"""How noise of forces and responses becomes error of responses, with everything that it has in common.

    δH = Σ_b (N_b − H M_b) X̃_b*,   X̃_b = S_xx⁻¹ X_b/n                                  (theory/modal-tests, eq. 7)

N and M are the spectra of the windowed noise of outputs and inputs in block b. What a window ends early is alike in
neighbouring lines, what a force cell adds is alike at all points: both would make error bars too short if lines and
points were taken as independent.

    S_ee = diag S_nn + S_mm H Hᴴ                                                       (theory/modal-tests, eq. 6)

tells the two apart. Spectra that are known from few blocks make bars longer, by Student's t over 1.96.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

__all__ = ["LineNoise", "NoiseSpectra", "independent_lines", "noise_spectra", "shared_lines", "smoothed"]

BLOCKS = 40  # that stand for all of them
STEPS = 25  # towards the most likely spectra of noise
LEAST = 1e-6  # of the power of an output: its own noise is not less
BAR = 0.975, 1.959964  # quantile of a bar of 95 %, and what it is where noise is known


@dataclass(frozen=True, eq=False)
class NoiseSpectra:
    """Power of the noise of o outputs and i inputs at n lines, and how many lines about each tell it."""

    output: np.ndarray  # (n, o) E|N|²
    input: np.ndarray  # (n, i) E|M|²
    output_told: np.ndarray  # (n, o)
    input_told: np.ndarray  # (n, i)


def noise_spectra(E: np.ndarray, h: np.ndarray | None, half: int, wide: int) -> NoiseSpectra:
    """The most likely noise of outputs and of one force, given what no response explains.

    `E` (b, n, o) has the squares Σ_b |E|² = S_ee, `h` (n, o) are responses, 0 where they are not known, or None where
    noise of forces is not looked for. S_nn is gathered from `half`, S_mm from `wide` lines on either side. S_mm takes
    steps of Fisher's scoring, S_nn of expectation and maximisation: neither becomes negative, and what outputs have
    in common does not exceed what each of them shows. They begin with all noise in common, so that what is not told
    apart makes bars too long rather than too short.
    """
    P = np.sum(np.abs(E) ** 2, axis=0)
    n, none = smoothed(P, half), np.zeros((len(P), 1))
    if h is None:
        return NoiseSpectra(n, none, np.full(P.shape, 2 * half + 1.0), none)
    if len(E) > E.shape[2]:
        E = np.moveaxis(np.asarray(np.linalg.qr(np.moveaxis(E, 0, 1), mode="r")), 0, 1)  # the same S_ee
    h2, least = np.abs(h) ** 2, np.maximum(LEAST * n, 1e-200)
    bound = smoothed(np.max(h2 / np.maximum(n, least), axis=1), wide)
    m = np.where(bound > 0, 1 / np.where(bound > 0, bound, 1.0), 0.0)  # as much as the outputs show: all is in common
    n = np.maximum(n - h2 * m[:, None], np.maximum(0.1 * n, least))
    for _ in range(STEPS):
        a = np.sum(h2 / n, axis=1)  # hᴴ S_nn⁻¹ h
        g = np.einsum("bno,no->bn", E, h.conj() / n)
        q = a / (1 + m * a)  # hᴴ S_ee⁻¹ h
        known = smoothed(q**2, wide)
        told = known > 1e-12 * known.max(initial=0.0)  # running means leave rounding where nothing is known
        score = smoothed(np.sum(np.abs(g) ** 2, axis=0) / (1 + m * a) ** 2 - q + m * q**2, wide)
        m = np.where(told, np.maximum(score / np.where(told, known, 1.0), 0.0), 0.0)
        v = m / (1 + m * a)  # what E leaves open of |M|²
        own = np.sum(np.abs(E - (v * g)[:, :, None] * h) ** 2, axis=0) + h2 * v[:, None]
        n = np.maximum(smoothed(own, half), least)
    a = np.sum(h2 / n, axis=1)
    share = m * a / (1 + m * a)
    alone = 1 - h2 / n * (m / (1 + m * a))[:, None]
    of_output, of_input = (2 * half + 1) * smoothed(alone**2, half), (2 * wide + 1) * smoothed(share**2, wide)
    return NoiseSpectra(n, m[:, None], of_output, of_input[:, None])


def smoothed(x: np.ndarray, half: int) -> np.ndarray:
    """Means over so many lines on either side."""
    from scipy.ndimage import uniform_filter1d

    return uniform_filter1d(x, 2 * half + 1, axis=0, mode="nearest") if half else x


def independent_lines(told: np.ndarray, window: np.ndarray) -> np.ndarray:
    """How many independent lines those are worth that tell a noise; a window (N,) makes neighbours alike."""
    return np.maximum(np.minimum(told, 1.0), told / shared_lines(window))


def shared_lines(window: np.ndarray) -> float:
    """How many neighbouring lines count as one under a window (N,): N Σw⁴/(Σw²)²."""
    w2 = window**2
    return float(len(w2) * np.sum(w2**2) / np.sum(w2) ** 2)


@dataclass(frozen=True, eq=False)
class LineNoise:
    """Noise of o outputs and i inputs in b blocks of N samples, at n lines."""

    inverse: np.ndarray  # (b, n, i) X̃
    output: np.ndarray  # (n, o) E|N|²
    input: np.ndarray  # (n, i) E|M|²
    index: np.ndarray  # (n,) numbers of the lines
    window: np.ndarray  # (N,) over the responses
    force_window: np.ndarray  # (N,) over the forces
    output_freedom: np.ndarray  # (n, o) degrees of freedom with which `output` is known
    input_freedom: np.ndarray  # (n, i)
    overlap: float = 1.0  # blocks by independent ones

    def lines(self, which: np.ndarray) -> LineNoise:
        """Some of the lines, by mask (n,)."""
        names = ("output", "input", "index", "output_freedom", "input_freedom")
        return replace(self, inverse=self.inverse[:, which], **{name: getattr(self, name)[which] for name in names})

    def scaled(self, factor: np.ndarray) -> LineNoise:
        """The noise of responses times a factor (n,)."""
        return replace(self, output=self.output * np.abs(factor[:, None]) ** 2)

    def variance(self, H: np.ndarray) -> np.ndarray:
        """E|δH|² (n, o, i)."""
        power = self.output + np.einsum("noi,ni->no", np.abs(H) ** 2, self.input)
        return self.overlap * power[:, :, None] * np.sum(np.abs(self.inverse) ** 2, axis=0)[:, None]

    def covariance(self, P: np.ndarray, H: np.ndarray) -> np.ndarray:
        """Covariance (m, m) of Re Σ P δH, sums over lines, outputs and inputs; P (n, o, i, m), H (n, o, i).

        Where noise is known with few degrees of freedom, it is scaled so that 1.96 standard errors are a bar of 95 %.
        """
        o, i, m = P.shape[1:]
        total, own = np.zeros((m, m)), np.zeros((o + i, m))  # of all noise; variances by that of every channel
        power, doubt = np.zeros((2, o + i, m))
        chosen = np.unique(np.linspace(0, len(self.inverse) - 1, min(BLOCKS, len(self.inverse))).astype(int))
        for X in self.inverse[chosen]:
            seen = np.einsum("noim,ni->nom", P, X.conj())  # of the noise of every output
            through = np.einsum("nom,noj->njm", seen, H) if self.input.any() else np.zeros((len(P), 0, m))
            for k in range(o + through.shape[1]):
                S, freedom, window, Q = self._channel(k, seen, through)
                C = self._of_noise(Q * np.sqrt(S[:, None]), window)
                total += C
                own[k] += np.diag(C)
                Q2 = S[:, None] * np.abs(Q) ** 2
                power[k] += Q2.sum(axis=0)
                doubt[k] += np.sum(Q2 / np.sqrt(np.maximum(freedom[:, None], 1e-6)), axis=0)
        factor = _student(own, (doubt / np.maximum(power, 1e-300)) ** 2)  # neighbours err alike
        return self.overlap * np.outer(factor, factor) * total * len(self.inverse) / len(chosen)

    def _channel(
        self, k: int, seen: np.ndarray, through: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Noise (n,), its degrees of freedom (n,), window (N,) and weights (n, m) of outputs, then of inputs."""
        o = seen.shape[1]
        if k < o:
            return self.output[:, k], self.output_freedom[:, k], self.window, seen[:, k]
        j = k - o
        return self.input[:, j], self.input_freedom[:, j], self.force_window, through[:, j]

    def _of_noise(self, Q: np.ndarray, window: np.ndarray) -> np.ndarray:
        """Covariance of Re Σ_f Q N for noise n(t) of unit density under a window: Σ_t w² Re q Re qᵀ/Σ_t w²."""
        spectrum = np.zeros((len(window), Q.shape[1]), complex)
        spectrum[self.index] = Q
        q = np.fft.fft(spectrum, axis=0).real
        return (q.T * (window**2 / np.sum(window**2))) @ q


def _student(variance: np.ndarray, doubt: np.ndarray) -> np.ndarray:
    """Student's t over 1.96 (m,) for sums of variances (c, m), each known with 1/doubt degrees of freedom.

    (Welch 1947, Satterthwaite 1946)
    """
    from scipy.special import stdtrit

    total = np.maximum(variance.sum(axis=0), 1e-300)
    freedom = 1 / np.maximum(np.sum((variance / total) ** 2 * doubt, axis=0), 1e-12)
    return stdtrit(np.maximum(freedom, 1.0), BAR[0]) / BAR[1]
