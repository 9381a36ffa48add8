"""What methods share that simulate the closed loop: steps whose rows come from the motion of the values before."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poinsot.estimate.methods.base import LinearMethod, LinearRows, residuals, rough, spread

_progress = logging.getLogger("poinsot.progress")
Step = Callable[[LinearRows, list[np.ndarray]], tuple[np.ndarray, np.ndarray, LinearRows]]


@dataclass(frozen=True, eq=False)
class Iterated:
    """Where the steps ended."""

    d: np.ndarray  # (r,)
    H: np.ndarray  # (r, r)
    at: np.ndarray  # values (r,) with which the last motion was simulated
    simulated: LinearRows  # rows along that motion
    weights: list[np.ndarray]  # of the last step, by run (n, c)
    sigma: np.ndarray  # standard deviation of residuals after it, by channel (c,)
    iterations: int
    settled: bool


@dataclass(frozen=True)
class SimulatingMethod(LinearMethod):
    """A method whose columns come from the simulated motion; noise of the recorded one does not bias it."""

    iterations: int = 20  # at most
    tolerance: float = 1e-2  # change in standard errors at which they end

    simulates = True

    def iterate(self, rows: LinearRows, step: Step) -> Iterated:
        """Steps from least squares on, each with (simulated rows, weights) -> d, H and the rows that d should fit."""
        begin, (d, sigma) = time.monotonic(), rough(rows)
        at, settled, k = np.zeros_like(d), False, 0
        while not settled and k < self.iterations:
            weights, k = [np.where(good, 1 / sigma, 0.0) for good in rows.good], k + 1
            simulated, at = rows.simulation_towards(d, at)
            d, H, fitted = step(simulated, weights)
            sigma, moved = spread(rows, residuals(fitted, d)), d - at
            step_size = np.sqrt(abs(moved @ H @ moved) / len(d))
            settled = bool(step_size < self.tolerance)
            left = float(np.sqrt(np.mean((sigma / rows.scale) ** 2)))
            _progress.info(
                f"simulation {k} of at most {self.iterations}: residual {left:.4g} of the channels, values moved by "
                f"{step_size:.2g} standard errors, {(time.monotonic() - begin) / k:.1f} s each"
            )
        return Iterated(d, H, at, simulated, weights, sigma, k, settled)
