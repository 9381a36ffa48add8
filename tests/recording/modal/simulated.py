"""Simulated modal tests of library mechanisms: exact responses of their linear models to band-limited forces."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from scipy.fft import next_fast_len

import poinsot
from poinsot.recording.modal.points import MeasurementPoint, point_rows
from poinsot.recording.recording import Recording
from poinsot.vibration.eigenmodes import reduced


def modified(name: str, change: Callable[[dict[str, Any]], None]) -> poinsot.Mechanism:
    """A library mechanism with changes to its document."""
    document = tomllib.loads((files("poinsot") / "library" / f"{name}.toml").read_text())
    change(document)
    return poinsot.build(document, name)


@cache
def damped_three_link() -> poinsot.Mechanism:
    """three_link with dampers in its joints, a hammer and modal points at the ends of its links."""

    def change(document: dict[str, Any]) -> None:
        for joint, damping in {"A": 4e-3, "B": 1.2e-3, "C": 1.6e-4}.items():
            document["joints"][joint]["damping"] = damping
        document["bodies"]["link3"]["frames"] = {"tip": ["l3/2 + L3", 0]}
        point = {"type": "modal-point", "direction": [0, 1, 0]}
        document["sensors"] = {f"P{i}": {**point, "at": f"link{i}.tip"} for i in (1, 2, 3)}
        document["actuators"] = {"hammer": {"on": {"position": "link3.tip", "axis": "y"}}}
        document["sensors"]["force"] = {"type": "drive-force", "actuator": "hammer"}

    return modified("three_link", change)


@dataclass(frozen=True, eq=False)
class Bench:
    """A mechanism at rest, p points, and its exact accelerance between them."""

    modes: Any
    poles: np.ndarray  # (k,) by growing frequency  [1/s]
    shapes: np.ndarray  # (p, k) real, mass-normalised for modal damping
    rows: np.ndarray  # (p, n)
    modal: bool  # damping ratios of modes, not the dampers of the model

    @classmethod
    def of(
        cls, mechanism: poinsot.Mechanism, points: tuple[str, ...], ratio: float | None = None, **options: Any
    ) -> Bench:
        """`ratio` is the damping ratio of all modes; None takes the dampers of the model."""
        found = poinsot.modes(mechanism, **options)
        rows = point_rows(found.linear, map(MeasurementPoint, points))
        if ratio is None:
            poles = found.damped.poles
            poles = poles[poles.imag > 0]
        else:
            poles = 2 * np.pi * found.frequencies * (-ratio + 1j * np.sqrt(1 - ratio**2))
        return cls(found, poles[np.argsort(np.abs(poles))], rows @ found.shapes, rows, ratio is not None)

    @property
    def frequencies(self) -> np.ndarray:
        return np.abs(self.poles) / (2 * np.pi)

    @property
    def damping(self) -> np.ndarray:
        return -self.poles.real / np.abs(self.poles)

    def accelerance(self, f: np.ndarray, inputs: Sequence[int]) -> np.ndarray:
        """(n, p, i)  [m/s²/N]."""
        s = 2j * np.pi * f
        if self.modal:
            amplitude = s[:, None] ** 2 / ((s[:, None] - self.poles) * (s[:, None] - self.poles.conj()))
            return np.einsum("pk,nk,ik->npi", self.shapes, amplitude, self.shapes[list(inputs)])
        M, D, K = reduced(self.modes.linear)
        rows = self.rows @ self.modes.linear.free
        s = s[:, None, None]
        force = np.broadcast_to(rows[list(inputs)].T, (len(f), len(M), len(inputs)))
        return s**2 * (rows @ np.linalg.solve(K + s * D + s**2 * M, force))

    def response(self, force: np.ndarray, rate: float, inputs: Sequence[int], periodic: bool = False) -> np.ndarray:
        """Accelerations (N, p) under band-limited forces (N, i), from rest, or as one period of a steady state."""
        N = len(force)
        slowest = float(np.min(-self.poles.real))
        total = N if periodic else next_fast_len(N + int(np.ceil(30 / slowest * rate)))
        F = np.fft.rfft(force, total, axis=0)
        f = np.fft.rfftfreq(total, 1 / rate)
        Y = np.einsum("npi,ni->np", self.accelerance(f[1:], inputs), F[1:])
        return np.fft.irfft(np.concatenate([np.zeros((1, Y.shape[1])), Y]), total, axis=0)[:N]


def pulse(t: np.ndarray, at: float, width: float, peak: float) -> np.ndarray:
    """A smooth blow of a hammer (n,)  [N]."""
    x = (t - at) / width
    return np.where(np.abs(x) < 0.5, peak * np.cos(np.pi * x) ** 2, 0.0)


def recorded(
    t: np.ndarray, force: np.ndarray, y: np.ndarray, noise: Mapping[str, float], rng: np.random.Generator
) -> Recording:
    """Forces (n, i) and accelerations (n, p) as channels F1 …, P1 …, with white noise on both."""
    force = force + noise["force"] * rng.standard_normal(force.shape)
    y = y + noise["response"] * rng.standard_normal(y.shape)
    values = {f"F{k + 1}": column for k, column in enumerate(force.T)}
    values |= {f"P{k + 1}": column for k, column in enumerate(y.T)}
    return Recording.of(t, values, units={name: "N" if name[0] == "F" else "m/s²" for name in values})


def burst(
    rng: np.random.Generator, t: np.ndarray, end: float, band: tuple[float, float], inputs: int = 1
) -> np.ndarray:
    """Random forces (n, inputs) of one newton rms in a band [Hz], on until `end` [s]."""
    f = np.fft.rfftfreq(len(t), t[1] - t[0])
    X = np.fft.rfft(rng.standard_normal((len(t), inputs)), axis=0) * ((f > band[0]) & (f < band[1]))[:, None]
    on = np.clip((t - 0.05) / 0.05, 0, 1) * np.clip((end - t) / 0.05, 0, 1)
    force = np.fft.irfft(X, len(t), axis=0) * on[:, None]
    return force / force.std(axis=0)


def sweep(t: np.ndarray, band: tuple[float, float]) -> np.ndarray:
    """A periodic sweep (n, 1) of one newton rms through a band [Hz], one period in t."""
    f = np.fft.rfftfreq(len(t), t[1] - t[0])
    on = (f > band[0]) & (f < band[1])
    delay = np.cumsum(np.cumsum(on)) / on.sum()  # the group delay grows evenly with the frequency
    force = np.fft.irfft(on * np.exp(-1j * np.pi * delay), len(t))[:, None]
    return force / force.std()


def assert_covered(name: str, z: np.ndarray) -> None:
    """Bars of 95 % cover the truth in 90 to 98 % of all numbers (repetitions, 2, k), and each number by itself.

    Where so few are drawn that right bars would leave these limits, they are three binomial deviations about 95 %:
    less than 90 % for 171 draws and fewer, more than 98 % for 475 and fewer. Squares tell rare errors of many bars.
    """
    covered, size = np.abs(z) < 1.96, np.sqrt(np.mean(z**2))
    print(name, len(z), covered.mean(axis=0), covered.mean(), size)

    def chance(draws: int) -> float:
        return 3 * np.sqrt(0.95 * 0.05 / draws)

    assert min(0.90, 0.95 - chance(z.size)) <= covered.mean() <= max(0.98, 0.95 + chance(z.size))
    assert (covered.mean(axis=0) >= min(0.90, 0.95 - chance(len(z)))).all()
    assert abs(size - 1) < 0.1 + 3 / np.sqrt(2 * z.size)
