"""All segments of all runs as one native batch: outputs, ends, and their exact derivatives.

e = (measured − h(y, x))/σ ,    r = L (y_end of a segment − y₀ of the next)/w        (theory/search, eq. 23)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poinsot.estimate.closed_loop.simulation import step_inputs, whole_turns
from poinsot.estimate.problems.output.delays import Between, whole_samples
from poinsot.estimate.problems.output.equations import drive_states, step_kernel
from poinsot.estimate.problems.output.records import OutputRun, Prepared, Starts

SETTLING = 2  # steps of no length before the first sample, by which initial states come to the constraints


@dataclass(frozen=True, eq=False)
class Shot:
    """What N candidates give: S segments of T samples, c channels, P pairs of adjacent segments, b directions."""

    e: np.ndarray  # (N, S, T, c) over the noise, 0 where nothing was measured
    r: np.ndarray  # (N, P, b) gaps between segments over what they may be
    e_z: np.ndarray  # (N, S, T, c, b) by the segment's own initial state
    r_end: np.ndarray  # (N, P, b, b) by the initial state of the first of a pair
    r_begin: np.ndarray  # (N, P, b, b) by that of the second
    e_x: np.ndarray  # (N, S, T, c, k) by the parameters; none where they were not asked for
    r_x: np.ndarray  # (N, P, b, k)

    @property
    def cost(self) -> np.ndarray:
        """Σ e² + Σ r² (N,), infinite where the simulation has no answer."""
        with np.errstate(over="ignore", invalid="ignore"):
            found = np.sum(self.e**2, axis=(1, 2, 3)) + np.sum(self.r**2, axis=(1, 2))
        return np.where(np.isfinite(found), found, np.inf)

    def with_parts(self, at: np.ndarray, other: Shot, chosen: np.ndarray) -> Shot:
        """This shot, with some candidates replaced by those chosen of another."""
        found = {name: x.copy() for name, x in vars(self).items()}
        for name, x in found.items():
            x[at] = getattr(other, name)[chosen]
        return Shot(**found)


@dataclass(frozen=True, eq=False)
class Shooting:
    """Segments of runs, from their initial states on."""

    prepared: Prepared
    segments: tuple[tuple[OutputRun, int, int], ...]  # S: run, its first sample and the first of the next
    starts: Starts
    steps: int  # from one sample to the next
    weights: np.ndarray | None = None  # (P, b) what gaps may be; None: segments are not joined

    @cached_property
    def pairs(self) -> list[int]:
        """Segments that another one of the same run follows."""
        if self.weights is None:
            return []
        return [s for s, (a, b) in enumerate(zip(self.segments, self.segments[1:])) if a[0] is b[0]]

    @cached_property
    def longest(self) -> int:
        """Samples T of the longest segment, with the first of the next."""
        return max(min(stop + 1, len(run.t)) - first for run, first, stop in self.segments)

    @cached_property
    def measured(self) -> np.ndarray:
        """Samples (S, T, c) that every segment has to explain, NaN elsewhere."""
        found = np.full((len(self.segments), self.longest, len(self.prepared.channels)), np.nan)
        for s, (run, first, stop) in enumerate(self.segments):
            found[s, : stop - first] = self.prepared.explained(run)[first:stop]
        return found

    def measured_for(self, x: np.ndarray) -> np.ndarray:
        """The same for unknowns x (k,): channels that are late are explained by what was before."""
        found = self.measured
        for c, delay in self.prepared.delays(x).items():
            found = found.copy() if found is self.measured else found
            for s, (run, first, stop) in enumerate(self.segments):
                k = np.arange(first, stop) + whole_samples(delay, run.period)[0]
                inside = (k >= 0) & (k < len(run.t))
                y = self.prepared.explained(run)[np.clip(k, 0, len(run.t) - 1), c]
                found[s, : stop - first, c] = np.where(inside, y, np.nan)
        return found

    def late(self, x: np.ndarray, h: np.ndarray, slopes: bool = False) -> np.ndarray:
        """Channels (S, T, c, …) as they are recorded with the delays of unknowns x (k,), or rates of those alone."""
        delays = self.prepared.delays(x)
        found = np.zeros_like(h) if slopes else h.copy() if delays else h
        for c, delay in delays.items():
            for s, (run, first, stop) in enumerate(self.segments):
                rows, theta = min(stop + 1, len(run.t)) - first, whole_samples(delay, run.period)[1]
                scale = -1 / run.period if slopes else 1.0
                between = Between.of(theta, stop - first, rows)
                found[s, : stop - first, c] = scale * between.values(h[s, :rows, c], slopes)
        return found

    @cached_property
    def own(self) -> np.ndarray:
        """Samples (S, T) that belong to the segments, in the order of time within runs."""
        return np.array([np.arange(self.longest) < stop - first for _, first, stop in self.segments])

    @cached_property
    def table(self) -> np.ndarray:
        """What every step is given (n, S, …); segments that end early stand still."""
        m = self.steps
        fine = {id(run): self._inputs(run) for run, _, _ in self.segments}
        width = next(iter(fine.values())).shape[1]
        found = np.zeros((SETTLING + (self.longest - 1) * m + 1, len(self.segments), width))
        for s, (run, first, stop) in enumerate(self.segments):
            last = min(stop, len(run.t) - 1)
            rows = fine[id(run)][first * m : last * m + 1].copy()
            rows[-1, self._length] = 0.0
            found[SETTLING : SETTLING + len(rows), s] = rows
        return found

    @property
    def _length(self) -> int:
        """Where the length of a step stands among what it is given."""
        return 0 if self.prepared.control is None else 1

    def _inputs(self, run: OutputRun) -> np.ndarray:
        """What the steps of a run are given ((n − 1) m + 1, …)."""
        m, control, compiled = self.steps, self.prepared.control, self.prepared.compiled
        if control is not None:
            assert run.told is not None
            (seen,) = drive_states(compiled, control)(run.q[:1], run.v[:1], self.prepared.p)
            off = run.told.s[0] - np.reshape(seen, (2, -1))[0]
            return step_inputs(run.told, control, whole_turns(compiled, control, off), m)
        return step_forces(run, m, self.prepared.inputs)

    def outputs(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """Channels (N, S, T, c) of parameters (N, k) and initial states (N, S, b), without derivatives."""
        return self._simulated(X, Z)[1]

    def residuals(self, X: np.ndarray, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """e (N, S, T, c) and r (N, P, b) of the same, without derivatives."""
        y, h = self._simulated(X, Z)
        measured = np.array([self.measured_for(x) for x in X])
        e = self._residuals(measured, np.array([self.late(x, one) for x, one in zip(X, h)]))
        return e, self._gaps(y, np.zeros((*y.shape, 0)))[0]

    def _simulated(self, X: np.ndarray, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """States at both ends (N, S, 2, states), and channels (N, S, T, c)."""
        kernel, Y, which = self._kernel(False), self._begin(X, Z), np.tile(np.arange(len(self.segments)), len(X))
        rows, flat = [SETTLING, len(self.table)], Y.reshape(-1, Y.shape[2])
        (y,), (seen,) = kernel.chains([flat], self.table, which, [self.prepared.p], rows, self._keep)
        N, S, width = Y.shape
        return y.reshape(N, S, 2, width), seen.reshape(N, S, *seen.shape[1:])[..., self.prepared.seen]

    def positions(self, x: np.ndarray, Z: np.ndarray, run: OutputRun) -> np.ndarray:
        """Coordinates (n, nq) at the samples of a run, for unknowns x (k,) and initial states (1, S, b)."""
        own = [s for s, (other, _, _) in enumerate(self.segments) if other is run]
        rows = range(SETTLING, len(self.table), self.steps)
        Y = self._begin(x[None], Z)[0, own]
        ends, _ = self._kernel(False).chains([Y], self.table, np.array(own), [self.prepared.p], rows, slice(0))
        q = ends[0][:, :, : self.prepared.compiled.sizes[0]]
        return np.concatenate([part[: stop - first] for part, (_, first, stop) in zip(q, self._of(own))])

    def _of(self, numbers: list[int]) -> list[tuple[OutputRun, int, int]]:
        return [self.segments[s] for s in numbers]

    def shot(self, X: np.ndarray, Z: np.ndarray, parameters: bool = False) -> Shot:
        """Residuals and their derivatives by initial states, and by parameters if asked for."""
        own = len(self.prepared.unknowns)
        Y, k, b = self._begin(X, Z), own if parameters else 0, Z.shape[2]
        (N, S, width), D = Y.shape, b + k
        tangents = np.zeros((S, D, width))
        tangents[:, :b, : self.starts.G.shape[1]] = np.swapaxes(self.starts.G, 1, 2)
        tangents[:, b:, width - own :] = np.eye(own)[:k]
        flat = np.broadcast_to(Y[:, :, None], (N, S, D, width)).reshape(-1, width)
        along = np.broadcast_to(tangents, (N, S, D, width)).reshape(-1, width)
        which = np.tile(np.repeat(np.arange(S), D), N)
        rows = [SETTLING, len(self.table)]
        ends, seen = self._kernel(True).chains([flat, along], self.table, which, [self.prepared.p], rows, self._keep)
        y, dy = (x.reshape(N, S, D, 2, width) for x in ends)
        h, dh = (x.reshape(N, S, D, *x.shape[1:])[..., self.prepared.seen] for x in seen)
        h, dh = h[:, :, 0], np.moveaxis(dh, 2, -1)
        dh = np.array([self.late(x, one) for x, one in zip(X, dh)])
        if parameters and self.prepared.delayed:
            dh = np.concatenate([dh, self._by_delays(X, h)], axis=-1)
        measured = np.array([self.measured_for(x) for x in X])
        e = self._residuals(measured, np.array([self.late(x, one) for x, one in zip(X, h)]))
        slopes = np.where(np.isfinite(measured)[..., None], -dh / self.prepared.sigma[:, None], 0.0)
        r, begin, end = self._gaps(y[:, :, 0], np.moveaxis(dy, 2, -1))
        r_x = np.zeros((*r.shape, slopes.shape[-1] - b))  # delays do not move the machine
        r_x[..., :k] = (end + begin)[..., b:]
        return Shot(e, r, slopes[..., :b], end[..., :b], begin[..., :b], slopes[..., b:], r_x)

    def _by_delays(self, X: np.ndarray, h: np.ndarray) -> np.ndarray:
        """Changes (N, S, T, c, d) of channels with their unknown delays.        (theory/search, eq. 31)"""
        rates = np.array([self.late(x, one, slopes=True) for x, one in zip(X, h)])
        found = np.zeros((*h.shape, len(self.prepared.delayed)))
        for k, c in enumerate(self.prepared.delayed):
            found[..., c, k] = rates[..., c]
        return found

    def end_slopes(self, x: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """Derivatives (S, states, b) of states at the end of every segment by its initial state, for x (k,)."""
        Y, b, S = self._begin(x[None], Z)[0], Z.shape[2], len(self.segments)
        along = np.zeros((S, b, Y.shape[1]))
        along[:, :, : self.starts.G.shape[1]] = np.swapaxes(self.starts.G, 1, 2)
        begin = [np.repeat(Y, b, axis=0), along.reshape(S * b, -1)]
        which, rows = np.repeat(np.arange(S), b), [len(self.table)]
        ends, _ = self._kernel(True).chains(begin, self.table, which, [self.prepared.p], rows, slice(0))
        return np.swapaxes(ends[1][:, 0, : self.starts.G.shape[1]].reshape(S, b, -1), 1, 2)

    def _residuals(self, measured: np.ndarray, h: np.ndarray) -> np.ndarray:
        """Measured less predicted channels (N, S, T, c) over their noise; angles up to whole turns."""
        off = measured - h
        turn = 2 * np.pi * self.prepared.turning
        with np.errstate(invalid="ignore"):
            off = off - turn * np.round(off / np.where(turn > 0, turn, 1.0))
        return np.where(np.isfinite(measured), off / self.prepared.sigma, 0.0)

    def _gaps(self, y: np.ndarray, dy: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Gaps (N, P, b), and their derivatives (N, P, b, D) through the second and the first of a pair."""
        P, width = self.pairs, self.starts.L.shape[2]
        after = [s + 1 for s in P]
        weights = np.ones((0, self.starts.L.shape[1])) if self.weights is None else self.weights
        L = self.starts.L[after] / weights[:, :, None]
        gap = np.einsum("pbw,npw->npb", L, y[:, P, 1, :width] - y[:, after, 0, :width])
        end = np.einsum("pbw,npwd->npbd", L, dy[:, P, 1, :width])
        begin = -np.einsum("pbw,npwd->npbd", L, dy[:, after, 0, :width])
        return gap, begin, end

    @property
    def _keep(self) -> slice:
        return slice(SETTLING, None, self.steps)

    def _kernel(self, tangent: bool):
        one = self.prepared
        return step_kernel(one.compiled, one.unknowns, one.outputs, one.control, tangent)

    def _begin(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """Initial states and parameters (N, S, states + k)."""
        y, X = self.starts.y + np.einsum("swb,nsb->nsw", self.starts.G, Z), X[:, : len(self.prepared.unknowns)]
        return np.concatenate([y, np.broadcast_to(X[:, None], (len(X), y.shape[1], X.shape[1]))], axis=2)


def step_forces(run: OutputRun, m: int, how: str) -> np.ndarray:
    """Lengths of m steps from sample to sample, and forces at their beginning, halfway and at their end.

    ((n − 1) m + 1, 1 + 3 nu); the last step has no length.
    """
    h = np.append(np.repeat(np.diff(run.t) / m, m), 0.0)[:, None]
    halves = forces_between(run.u, 2 * m, how)
    if how == "held":
        return np.concatenate([h, *[halves[::2]] * 3], axis=1)
    return np.concatenate(
        [h, halves[::2], *(np.concatenate([halves[k::2], halves[-1:]])[: len(h)] for k in (1, 2))], axis=1
    )


def forces_between(u: np.ndarray, parts: int, how: str) -> np.ndarray:
    """Forces (n, nu) at so many parts of every sample, ((n − 1) parts + 1, nu): held, on straight lines or cubics."""
    from scipy.interpolate import make_interp_spline

    share = np.arange((len(u) - 1) * parts + 1) / parts
    if how == "held":
        return u[share.astype(int)]
    return make_interp_spline(np.arange(len(u)), u, k=3 if how == "cubic" else 1)(share)
