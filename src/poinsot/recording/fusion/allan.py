"""Allan deviation of a sensor at rest: how much of its noise is white, and how much a walk of its bias.

σ²(τ) = ⟨(ȳ_{k+1} − ȳ_k)²⟩ / 2  over means ȳ of length τ, overlapping         (theory/measurements, eq. 10)
white noise of density N: σ² = N²/τ     random walk of the bias K: σ² = K² τ/3     flicker B: σ² = (2 ln 2/π) B²
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poinsot.errors import PoinsotError, counted
from poinsot.recording.recording import Recording
from poinsot.results import Curve, LinePanel, Panel, Result

__all__ = ["Allan", "allan"]

SHORTEST = 100  # samples
PER_DECADE = 10  # lengths
RESOLVED = 2.0  # standard errors from zero that a term needs


@dataclass(frozen=True, eq=False)
class Allan(Result):
    """Allan deviations of one channel at m averaging times."""

    channel: str
    unit: str
    tau: np.ndarray  # (m,)  [s]
    deviation: np.ndarray  # (m,) in the channel's unit
    error: np.ndarray  # its standard error (m,), in the channel's unit
    rate: float  # of the samples  [Hz]
    density: float  # N of the white noise, in the unit by √Hz
    flicker: float  # B, bias instability, in the unit; 0 where it does not stand out
    drift: float  # K of the random walk, in the unit by √s; 0 where it does not stand out

    _over = ("tau", "tau")
    _columns = {name: (name, lambda found: (found.unit,)) for name in ("deviation", "error")}

    def panels(self) -> tuple[Panel, ...]:
        """Deviations with their errors, and the law that was fitted to them."""
        square = self.density**2 / self.tau + self.flicker**2 * 2 * np.log(2) / np.pi + self.drift**2 * self.tau / 3
        found = Curve("measured", self.tau, self.deviation, self.error, style="points")
        fitted = Curve("fitted noise", self.tau, np.sqrt(square), style="dashed")
        label = f"Allan deviation of {self.channel} [{self.unit}]"
        return (LinePanel(x="averaging time [s]", y=label, curves=(found, fitted), log="xy"),)

    @property
    def noise(self) -> float:
        """Standard deviation of one sample of the white noise, as model files want it."""
        return self.density * float(np.sqrt(self.rate))

    def __str__(self) -> str:
        walk = f"{self.drift:.3g} {self.unit}/√s" if self.drift else "not resolved: record for longer"
        white = f"noise {self.noise:.3g} {self.unit} a sample at {self.rate:.4g} Hz"
        return f"'{self.channel}': {white}, random walk {walk}"


def allan(recording: Recording, channel: str) -> Allan:
    """Allan deviation of a `channel` of a `recording` that was taken at rest.

    >>> y = np.random.default_rng(1).standard_normal(20000)
    >>> found = allan(Recording.of(np.arange(20000) / 100, {"w": y}, units={"w": "rad/s"}), "w")
    >>> round(found.noise, 1), found.drift
    (1.0, 0.0)
    """
    if not isinstance(recording, Recording):
        raise PoinsotError(f"a recording is wanted, not {type(recording).__name__}")
    t, y = recording.require_times(), recording[channel]
    good = np.isfinite(y)
    if good.sum() < SHORTEST:
        raise PoinsotError(
            f"'{channel}' has {counted(int(good.sum()), 'sample')}; an Allan deviation needs {SHORTEST}"
        )
    if np.ptp(y[good]) == 0:
        raise PoinsotError(f"'{channel}' is {y[good][0]:g} all the time: it has no noise")
    rate = recording.rate
    y = np.interp(np.arange(t[0], t[-1], 1 / rate), t[good], y[good])
    decades = np.log10(len(y) // 9)
    lengths = np.unique(np.logspace(0, decades, PER_DECADE * max(1, int(decades))).astype(int))
    sums = np.concatenate([[0.0], np.cumsum(y - y.mean())])
    square, freedoms = np.empty(len(lengths)), np.empty(len(lengths))
    for j, m in enumerate(lengths):
        second = sums[2 * m :] - 2 * sums[m:-m] + sums[: len(sums) - 2 * m]
        square[j] = np.mean(second**2) / (2 * m**2)
        freedoms[j] = max(1.0, 1.5 * (len(y) / m - 1))  # white noise, overlapping estimate
    tau = lengths / rate
    density, flicker, drift = _fitted(tau, square, freedoms)
    error = np.sqrt(square / (2 * freedoms))
    return Allan(channel, recording.units[channel], tau, np.sqrt(square), error, rate, density, flicker, drift)


def _fitted(tau: np.ndarray, square: np.ndarray, freedoms: np.ndarray) -> tuple[float, float, float]:
    """N, B and K by weighted least squares without negative terms; those that do not stand out are 0."""
    from scipy.optimize import nnls

    columns = np.stack([1 / tau, np.full_like(tau, 2 * np.log(2) / np.pi), tau / 3], axis=1)
    weight = np.sqrt(freedoms / 2) / square / np.sqrt(PER_DECADE)  # neighbours share their samples
    kept = [0, 1, 2]
    while True:
        A = columns[:, kept] * weight[:, None]
        c, _ = nnls(A, square * weight)
        spread = np.sqrt(np.diagonal(np.linalg.inv(A.T @ A)))
        weak = [j for j in range(1, len(kept)) if c[j] < RESOLVED * spread[j]]
        if not weak:
            break
        kept.pop(min(weak, key=lambda j: c[j] / spread[j]))
    found = np.zeros(3)
    found[kept] = np.sqrt(c)
    return float(found[0]), float(found[1]), float(found[2])
