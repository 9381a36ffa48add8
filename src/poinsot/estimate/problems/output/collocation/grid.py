"""Nodes of all runs, from sample to sample in even steps, and which variables each of them has.

y = y* + G z at a node ,   u = u_recorded + σ_u w at a sample, on a straight line in between (or held)    (eq. 26)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from poinsot.estimate.problems.output.records import Prepared, Starts


@dataclass(frozen=True, eq=False)
class Grid:
    """K nodes, each the beginning of a step; the last step of a run has no length. N samples, i noisy inputs."""

    prepared: Prepared
    steps: int  # from one sample to the next
    nodes: Starts  # states (K, ny) near which nodes are looked for, and their directions (K, ny, b)
    forces: np.ndarray  # (K, 1 + 3 nu) lengths of steps, recorded forces at their beginning, halfway and at their end

    @cached_property
    def sample(self) -> np.ndarray:
        """The sample (K,) before each node, counted over all runs."""
        first = np.cumsum([0, *(len(run.t) for run in self.prepared.runs)])
        return np.concatenate([a + np.arange(n) // self.steps for a, n in zip(first, self._sizes)])

    @cached_property
    def following(self) -> np.ndarray:
        """The sample (K,) after each step's beginning; the last of a run follows itself."""
        return np.where(self.whole, self.sample + 1, self.sample)

    @cached_property
    def whole(self) -> np.ndarray:
        """Steps (K,) that have a length."""
        return np.concatenate([np.arange(n) < n - 1 for n in self._sizes])

    @cached_property
    def end(self) -> np.ndarray:
        """The node (K,) at which each step ends."""
        return np.arange(len(self.whole)) + self.whole

    @cached_property
    def share(self) -> np.ndarray:
        """Parts (K, 3) of the following sample's input at the beginning of a step, halfway and at its end."""
        within = np.concatenate([np.arange(n) % self.steps for n in self._sizes])
        return (
            (within[:, None] + [0.0, 0.5, 1.0]) / self.steps * (self.prepared.inputs != "held") * self.whole[:, None]
        )

    @cached_property
    def at_samples(self) -> np.ndarray:
        """Nodes (N,) that are samples."""
        first = np.cumsum([0, *self._sizes])
        return np.concatenate([np.arange(a, b, self.steps) for a, b in pairwise(first)])

    @cached_property
    def measured(self) -> np.ndarray:
        """Channels (N, c), NaN where masked."""
        return np.concatenate([self.prepared.explained(run) for run in self.prepared.runs])

    @cached_property
    def recorded(self) -> np.ndarray:
        """Inputs (N, i), gaps bridged."""
        return np.concatenate([run.u[:, self.drives] for run in self.prepared.runs])

    @cached_property
    def noise(self) -> np.ndarray:
        """Standard deviations (N, i) of the recorded inputs; where a gap was bridged, that of the input itself."""
        gaps, sigma = (
            np.concatenate([run.gaps[:, self.drives] for run in self.prepared.runs]),
            self.prepared.input_sigma,
        )
        return np.where(gaps, np.hypot(sigma, np.std(self.recorded, axis=0)), sigma)

    @cached_property
    def drives(self) -> list[int]:
        """Which (i,) of all drives were recorded."""
        return [self.prepared.compiled.commands.index(name) for name in self.prepared.driven]

    @cached_property
    def sizes(self) -> tuple[int, int, int, int]:
        """Numbers K b of states, N i of inputs, k of the model's parameters, and constraints."""
        b = self.nodes.G.shape[2]
        return len(self.whole) * b, self.noise.size, len(self.prepared.unknowns), int(self.whole.sum()) * b

    @property
    def _sizes(self) -> list[int]:
        return [(len(run.t) - 1) * self.steps + 1 for run in self.prepared.runs]
