"""What is simulated: samples and inputs of runs, and the mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poinsot.estimate.closed_loop.controllers import Control, References
from poinsot.estimate.results.kept import BodyMotion
from poinsot.model.mechanism import Mechanism
from poinsot.system.system import System


@dataclass(frozen=True, eq=False)
class OutputRun:
    """n samples of one run: c channels, forces of all drives, and the motion near which it is looked for."""

    name: str
    t: np.ndarray  # (n,)  [s]
    measured: np.ndarray  # (n, c), NaN where masked
    u: np.ndarray  # (n, nu) recorded forces of the drives, gaps bridged, 0 where none was  [N or N·m]
    gaps: np.ndarray  # (n, nu) where nothing was recorded
    told: References | None  # of controllers
    q: np.ndarray  # (n, nq)
    v: np.ndarray  # (n, nv)

    @property
    def period(self) -> float:
        """From one sample to the next  [s]."""
        return float(self.t[-1] - self.t[0]) / (len(self.t) - 1)


@dataclass(frozen=True, eq=False)
class InputNoise:
    """Noise of i recorded forces that are inputs."""

    sigma: np.ndarray  # (i,) standard deviation of a sample, 0 where there is none  [N or N·m]
    told: np.ndarray  # (i,) whether the study, the recording or a sensor of the model tells it, else samples do


@dataclass(frozen=True, eq=False)
class Prepared:
    """All runs of one role, and the mechanism that is simulated."""

    mechanism: Mechanism  # with names for all coordinates that were recorded, jumps of friction spread
    compiled: System
    p: np.ndarray  # its parameters and charts at the start of the search
    unknowns: tuple[str, ...]  # k
    control: Control | None
    inputs: str  # how forces go from one sample to the next
    outputs: tuple[str, ...]  # recorded coordinates
    forces: tuple[str, ...]  # drives whose force is an output, under control
    channels: tuple[tuple[str, str], ...]  # c, name and unit
    sigma: np.ndarray  # (c,) standard deviation of a sample  [SI]
    known: bool  # whether the study gives it
    driven: tuple[str, ...]  # i drives whose recorded force is an input
    input_sigma: np.ndarray  # (i,) standard deviation of a sample, NaN where the study does not give it  [N or N·m]
    input_noise: InputNoise  # the same wherever it is known from
    runs: tuple[OutputRun, ...]
    steps: tuple[str, ...]
    assumed: tuple[str, ...]  # what was taken for granted
    late: np.ndarray  # (c,) delays of channels that the model states  [s]
    reach: np.ndarray  # (2, c) least and greatest delay of every channel, unknown ones included  [s]
    delayed: tuple[int, ...] = ()  # channels with an unknown delay, the last unknowns

    @property
    def seen(self) -> list[int]:
        """Which of all coordinates and forces that a step shows are channels."""
        return [
            *range(len(self.outputs)),
            *(len(self.outputs) + self.compiled.commands.index(f) for f in self.forces),
        ]

    def delays(self, x: np.ndarray) -> dict[int, float]:
        """Delays of channels that have any, by number, for unknowns x (k,)  [s]."""
        late = self.late.copy()
        late[list(self.delayed)] += x[len(self.unknowns) :]
        return {c: float(late[c]) for c in np.flatnonzero(self.reach.any(axis=0)).tolist()}

    def explained(self, run: OutputRun) -> np.ndarray:
        """Samples of a run (n, c), NaN where no delay within reach lets a simulation of the run explain them."""
        k, (least, most) = np.arange(len(run.t))[:, None], np.ceil(np.abs(self.reach) / run.period - 1e-9)
        before, after = np.where(self.reach[1] > 0, most, 0), np.where(self.reach[0] < 0, least, 0)
        return np.where((k >= before) & (k < len(run.t) - after), run.measured, np.nan)

    def motion(self, run: OutputRun, q: np.ndarray, x: np.ndarray) -> BodyMotion:
        """Poses of all bodies at the samples of a run with coordinates (n, nq), for unknowns x (k,)."""
        p = self.p.copy()
        p[[self.compiled.free.index(name) for name in self.unknowns]] = x[: len(self.unknowns)]
        return BodyMotion.of(self.compiled, run.t, q, p)

    @cached_property
    def turning(self) -> np.ndarray:
        """Channels (c,) that are angles, known up to whole turns."""
        named = self.mechanism.elements.coordinates
        counted = [self.compiled.counts(named[name]) for name in self.outputs] + [False] * len(self.forces)
        return np.array([unit == "rad" and not told for (_, unit), told in zip(self.channels, counted)])


@dataclass(frozen=True, eq=False)
class Starts:
    """S initial states, each with b directions."""

    y: np.ndarray  # (S, states)
    G: np.ndarray  # (S, states, b)
    L: np.ndarray  # (S, b, states)


def force_unit(mechanism: Mechanism, drive: str) -> str:
    """Of the force of a drive."""
    return mechanism.template.actuators[drive].unit
