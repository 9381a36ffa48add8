"""Modes from peaks: the simple way, for well separated modes.

f = peak of Σ|H|²,   ζ = (f₂ − f₁)/2f at half power,   ψ = Re H at the peak    (theory/modal-tests, eq. 18)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poinsot.recording.modal.response import FrequencyResponse

__all__ = ["Peaks", "peaks"]

PROMINENT = 2.0  # a peak rises above its surroundings by this factor of |H|


@dataclass(frozen=True, eq=False)
class Peaks:
    """k peaks: poles that they would belong to, and the responses there."""

    poles: np.ndarray  # (k,)  [1/s]
    shapes: np.ndarray  # (o, k) what moves in phase with the force, at the largest reference
    deviations: np.ndarray  # (k, 2) of frequency [Hz] and damping ratio [-], from the width of a line


def peaks(response: FrequencyResponse, n: int | None = None) -> Peaks:
    """The peaks of responses, of mobility, whose peaks are at the natural frequencies; the n most prominent."""
    from scipy.signal import find_peaks

    mobility = response.as_quantity("mobility")
    power = np.sum(np.abs(mobility.H) ** 2, axis=(1, 2))
    at, found = find_peaks(10 * np.log10(power), prominence=20 * np.log10(PROMINENT))
    at = np.sort(at[np.argsort(-found["prominences"])[:n]])
    step = mobility.resolution
    frequency, widths = np.array([_parabola(mobility.frequency, power, k) for k in at]).reshape(-1, 2).T
    ratio = widths / (2 * frequency)
    poles = 2 * np.pi * frequency * (-ratio + 1j * np.sqrt(np.maximum(1 - ratio**2, 0.0))) + mobility.shift
    H = mobility.H[at]  # (k, o, i)
    strongest_input = np.argmax(np.sum(np.abs(H) ** 2, axis=1), axis=1)
    shapes = np.array([np.real(h[:, i]) for h, i in zip(H, strongest_input)]).reshape(len(at), -1).T
    error = step / np.sqrt(12)
    deviations = np.stack([np.full(len(at), error), np.sqrt(2) * error / (2 * frequency)], axis=1)
    return Peaks(poles, shapes, deviations)


def _parabola(f: np.ndarray, power: np.ndarray, peak: int) -> tuple[float, float]:
    """Frequency and half-power band [Hz] of a peak, from the parabola 1/|H|² about it; exact for one mode."""
    above = power > power[peak] / 2
    left = peak - int(np.argmin(np.append(above[: peak + 1][::-1], False))) + 1
    right = peak + int(np.argmin(np.append(above[peak:], False)))
    left, right = max(min(left, peak - 1), 0), min(max(right, peak + 2), len(f))
    a, b, c = np.polyfit(f[left:right] - f[peak], power[peak] / power[left:right], 2)
    if a <= 0:
        return float(f[peak]), float(f[right - 1] - f[left])
    return float(f[peak] - b / (2 * a)), 2 * float(np.sqrt(max(c - b**2 / (4 * a), 0.0) / a))
