"""The integrators of `integrator_code.py` in NumPy, around kernels on CasADi's VM.

What runs where there is no native code, and its oracle: the same operations in the same order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from poinsot.engine.integration import controller
from poinsot.engine.integration.controller import REGISTERS, Status
from poinsot.engine.integration.dop853 import tableau
from poinsot.engine.integration.layout import RESULTS
from poinsot.engine.integration.rk4_code import STAGES, WEIGHTS
from poinsot.engine.kernels import kernel

if TYPE_CHECKING:
    from poinsot.engine.code.formula import Formula

_BISECTIONS = 50


def numpy_integration(
    functions: dict[str, Formula],
    method: str,
    t: np.ndarray,
    y0: np.ndarray,
    p: np.ndarray,
    out: np.ndarray,
    results: np.ndarray,
    event_results: np.ndarray,
    registers: np.ndarray,
    substeps: int,
) -> None:
    """Integrate all samples together into out (N, T, n), results (N, 5) and event_results (N, 2 k)."""
    kernels = {name: kernel(function, engine="vm") for name, function in functions.items()}
    run = _Run(kernels, t, y0, p, out, registers)
    try:
        with np.errstate(all="ignore"):
            if method == "rk4":
                run.fixed_steps(substeps)
            else:
                run.adaptive_steps()
    finally:  # also after an interrupt
        for i, name in enumerate(RESULTS):
            results[:, i] = run.R[name]
        k = event_results.shape[1] // 2
        if run.first.size:
            event_results[:, :k], event_results[:, k:] = run.first, run.changes


class _Run:
    """The state of an integration while it runs."""

    def __init__(self, kernels: dict[str, Any], t, y0, p, out, registers):
        count, _, n = out.shape
        self.kernels, self.times, self.p, self.out = kernels, t, p, out
        self.R = {name: np.full(count, value) for name, value in zip(REGISTERS, registers)}
        self.y = np.broadcast_to(y0, (count, n)).copy()
        self.K = np.zeros((16, count, n))
        self.first = self.changes = np.zeros((0, 0))  # (N, k), once there are events
        out[:, 0] = self.y

    def evaluate(self, name: str, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Evaluate a function of (t, y, p) in all samples."""
        return self.kernels[name](t[:, None], y, self.p)[0]

    def update(self, rule: Any) -> None:
        """Let a function of the controller change the registers."""
        table = np.stack([self.R[name] for name in REGISTERS], axis=1)
        changed = kernel(rule(), engine="vm")(table)[0]
        self.R = {name: changed[:, i].copy() for i, name in enumerate(REGISTERS)}

    def combine(self, row: tuple[tuple[int, float], ...]) -> np.ndarray:
        """Sum coefficients times slopes."""
        (stage, a), *others = row
        total = a * self.K[stage]
        for stage, a in others:
            total = total + a * self.K[stage]
        return total

    def stage(self, stage: int, c: float, row: tuple, t: np.ndarray, step: np.ndarray) -> None:
        """Evaluate the slope k_stage."""
        y = self.y + step[:, None] * self.combine(row)
        self.K[stage] = self.evaluate("rhs", t + c * step, y)

    def norms(self, a: np.ndarray, b: np.ndarray, other: np.ndarray) -> None:
        """Sum (a/scale)² and (b/scale)² into n5 and n3, state by state."""
        here, there = np.abs(self.y), np.abs(other)
        size = np.where(there > here, there, here)
        scale = self.R["atol"][:, None] + self.R["rtol"][:, None] * size
        for name, value in (("n5", a), ("n3", b)):
            total = np.zeros(len(value))
            for column in ((value / scale) ** 2).T:
                total = total + column
            self.R[name] = total

    def adaptive_steps(self) -> None:
        """Step until no sample is active."""
        table, R = tableau(), self.R
        self.K[0] = self.evaluate("rhs", R["t"], self.y)
        self.norms(self.y, self.K[0], self.y)
        self.update(controller.probe)
        self.stage(1, 1.0, ((0, 1.0),), self.R["t"], self.R["step"])
        self.norms(self.K[0], self.K[1] - self.K[0], self.y)
        self.update(controller.first_step)
        if "events" in self.kernels:
            self.e = self.evaluate("events", self.R["t"], self.y)
            self.first, self.changes = np.full_like(self.e, np.nan), np.zeros_like(self.e)
        while self.R["active"].any():
            self.update(controller.begin)
            t, step = self.R["t"], self.R["step"]
            for stage, (c, row) in enumerate(table.stages, start=1):
                self.stage(stage, c, row, t, step)
            self.y_new = self.y + step[:, None] * self.combine(table.step)
            self.norms(self.combine(table.error5), self.combine(table.error3), self.y_new)
            self.update(controller.judge)
            if self.R["accept"].any():
                self.accept()
            self.update(controller.advance)

    def accept(self) -> None:
        """Give outputs and events of an accepted step, and take over its state."""
        accept = self.R["accept"] != 0
        if "projection" in self.kernels:
            self.y_new = self.evaluate("projection", self.R["t_try"], self.y_new)
        self.K[12] = self.evaluate("rhs", self.R["t_try"], self.y_new)
        self.coefficients()
        self.outputs(accept)
        if self.first.size:
            self.search(accept)
        self.y = np.where(accept[:, None], self.y_new, self.y)
        self.K[0] = np.where(accept[:, None], self.K[12], self.K[0])

    def coefficients(self) -> None:
        """Evaluate F₀ … F₆ of dense output."""
        table, h = tableau(), self.R["step"][:, None]
        for stage, (c, row) in enumerate(table.extra, start=13):
            self.stage(stage, c, row, self.R["t"], self.R["step"])
        move, old, new = self.y_new - self.y, self.K[0], self.K[12]
        self.F = [move, h * old - move, (move + move) - h * (new + old)]
        self.F += [h * self.combine(row) for row in table.dense]

    def interpolate(self, theta: np.ndarray) -> np.ndarray:
        """Give y(θ)."""
        value, theta = None, theta[:, None]
        for turn, F in enumerate(reversed(self.F)):
            value = (F if value is None else value + F) * (theta if turn % 2 == 0 else 1 - theta)
        return self.y + value

    def outputs(self, accept: np.ndarray) -> None:
        """Store the states at the output times within the step."""
        while True:
            index = self.R["next"].astype(int)
            time = self.times[np.minimum(index, len(self.times) - 1)]
            due = accept & (index < len(self.times)) & (time <= self.R["t_try"])
            if not due.any():
                return
            y = self.interpolate((time - self.R["t"]) / self.R["step"])
            if "projection" in self.kernels:
                y = self.evaluate("projection", time, y)
            y = np.where((time < self.R["t_try"])[:, None], y, self.y_new)
            self.out[due, index[due]] = y[due]
            self.R["next"] = np.where(due, self.R["next"] + 1, self.R["next"])

    def search(self, accept: np.ndarray) -> None:
        """Count changes of sign and locate the first of each event function."""
        after = self.evaluate("events", self.R["t_try"], self.y_new)
        hit = _crosses(self.e, after) & accept[:, None]
        wanted = hit & (self.changes == 0)
        for i in np.flatnonzero(wanted.any(axis=0)):
            low, high = np.zeros(len(after)), np.ones(len(after))
            for _ in range(_BISECTIONS):
                middle = 0.5 * (low + high)
                y = self.interpolate(middle)
                there = self.evaluate("events", self.R["t"] + middle * self.R["step"], y)
                crossed = _crosses(self.e[:, i], there[:, i])
                low, high = np.where(crossed, low, middle), np.where(crossed, middle, high)
            time = self.R["t"] + high * self.R["step"]
            self.first[:, i] = np.where(wanted[:, i], time, self.first[:, i])
        self.changes += hit
        self.e = np.where(accept[:, None], after, self.e)

    def fixed_steps(self, substeps: int) -> None:
        """Take equal substeps from each output time to the next, by the method of `rk4_code.py`."""
        ones = np.ones(len(self.y))
        for number, (start, end) in enumerate(zip(self.times[:-1], self.times[1:]), start=1):
            step = ones * ((end - start) / substeps)
            for k in range(substeps):
                t = start + k * step
                self.K[0] = self.evaluate("rhs", t, self.y)
                for stage, (c, row) in enumerate(STAGES[1:], start=1):
                    self.stage(stage, c, row, t, step)
                self.y = self.y + step[:, None] * self.combine(WEIGHTS)
                if "projection" in self.kernels:
                    self.y = self.evaluate("projection", t + step, self.y)
                self.R["steps"] = self.R["steps"] + 1
            self.out[:, number] = self.y
            self.R["t"] = ones * end
        self.R["status"] = ones * float(Status.FINISHED)


def _crosses(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    return ((before < 0) & (after >= 0)) | ((before > 0) & (after <= 0))
