"""Residuals, defects and their sparse derivatives, all nodes and intervals as one native batch.

e = ((measured − s)/σ, w) ,   L d = 0        (theory/search, eq. 28)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csc_matrix, eye, vstack

from poinsot.estimate.problems.output.collocation.equations import newton_step, rates_and_outputs
from poinsot.estimate.problems.output.collocation.grid import Grid
from poinsot.estimate.problems.output.delays import late_channels

NEWTON = 3  # steps from a node to the constraints; between nodes, where order 4 is near to them, one


@dataclass(frozen=True, eq=False)
class CollocatedPoint:
    """Residuals (m,) and defects (M,), with their derivatives by all variables, sparse."""

    e: np.ndarray
    g: np.ndarray
    R: Any  # (m, n)
    A: Any  # (M, n)
    seen: np.ndarray  # channels (N, c)
    u: np.ndarray  # recorded inputs as they are now (N, i)
    y: np.ndarray  # states (K, ny) of the nodes


@dataclass(frozen=True, eq=False)
class Collocated:
    """Variables (n,) are directions z of all nodes, deviations w of all inputs, and parameters over their sizes."""

    grid: Grid
    size: np.ndarray  # (k,) of the parameters

    def point(self, variables: np.ndarray) -> CollocatedPoint:
        """Everything at once."""
        grid, (nz, nw, _, _) = self.grid, self.grid.sizes
        z, w, x = variables[:nz], variables[nz : nz + nw], variables[nz + nw :] * self.size
        start, own = grid.nodes, x[: len(grid.prepared.unknowns)]
        y = start.y + np.einsum("nyb,nb->ny", start.G, z.reshape(len(start.G), -1))
        off = grid.noise * w.reshape(grid.noise.shape)
        d, dd, s, ds = self._defects(y, [self._u(off, part) for part in range(3)], own)
        g = np.einsum("nby,ny->nb", start.L, d)[grid.whole].ravel()
        A = self._filled(self._defects_at, (start.L @ np.swapaxes(dd, 1, 2))[grid.whole])
        e, R, seen = self._residuals(s[grid.at_samples], np.swapaxes(ds, 1, 2)[grid.at_samples], x)
        return CollocatedPoint(np.append(e, w), g, self._with_inputs(R), A, seen, grid.recorded + off, y)

    def pattern(self, point: CollocatedPoint, x: np.ndarray) -> tuple[Any, Any]:
        """Where derivatives of residuals and defects may have entries, delays being less than a sample away."""
        ones = np.ones((*self.grid.measured.shape, self._outputs_at.shape[1]))
        R, A = self._filled(self._outputs_at, ones), point.A.copy()
        A.data[:] = 1.0
        if self.grid.prepared.reach.any():
            R = late_channels(self.grid.prepared, x)[2] @ R + self._by_delays(np.ones(R.shape[0]))
        return self._with_inputs(R), A

    def _u(self, off: np.ndarray, part: int) -> np.ndarray:
        """Forces (K, nu) of all drives at the beginning of steps, halfway or at their end."""
        grid, nu = self.grid, self.grid.prepared.compiled.sizes[3]
        u, share = grid.forces[:, 1 + part * nu : 1 + (part + 1) * nu].copy(), grid.share[:, part, None]
        u[:, grid.drives] += (1 - share) * off[grid.sample] + share * off[grid.following]
        return u

    def _defects(self, y: np.ndarray, u: list[np.ndarray], x: np.ndarray) -> tuple[np.ndarray, ...]:
        """d (K, ny) with changes by z of both ends, w of both samples and parameters; s (K, c) with changes.

        ŷ_c = P((ŷ_a + ŷ_b)/2 + h (f_a − f_b)/8) ,   d = ŷ_b − ŷ_a − h (f_a + 4 f_c + f_b)/6        (eq. 27)
        """
        grid, h = self.grid, self.grid.forces[:, :1]
        a, f_a, s, da, df_a, ds = self._state(y, u[0], x, *self._directions(grid.nodes.G, len(x)), NEWTON)
        own, pushed = self._directions(grid.nodes.G[grid.end], len(x))
        b, f_b, _, db, df_b, _ = self._state(y[grid.end], u[2], x, own, pushed, NEWTON)
        da, df_a, db, df_b = (self._widened(c, part) for c, part in ((da, 0), (df_a, 0), (db, 2), (df_b, 2)))
        y, dy = (a + b) / 2 + h * (f_a - f_b) / 8, (da + db) / 2 + h[:, None] * (df_a - df_b) / 8
        _, f_c, _, _, df_c, _ = self._state(y, u[1], x, dy, self._widened(pushed, 1), 1)
        d, dd = b - a - h * (f_a + 4 * f_c + f_b) / 6, db - da - h[:, None] * (df_a + 4 * df_c + df_b) / 6
        return d, dd, s, ds

    def _directions(self, G: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Changes of y (K, b + i + k, ny) and u (K, b + i + k, nu) by z, by forces of drives, and by parameters."""
        (K, n, b), drives = G.shape, self.grid.drives
        dy = np.zeros((K, b + len(drives) + k, n))
        du = np.zeros((*dy.shape[:2], self.grid.prepared.compiled.sizes[3]))
        dy[:, :b] = np.swapaxes(G, 1, 2)
        du[:, range(b, b + len(drives)), drives] = 1.0
        return dy, du

    def _widened(self, change: np.ndarray, part: int) -> np.ndarray:
        """Changes (K, b + i + k, m) at the beginning of steps, halfway or at their end, as (K, 2 b + 2 i + k, m)."""
        grid, b, i = self.grid, self.grid.nodes.G.shape[2], len(self.grid.drives)
        share = grid.share[:, part, None]
        z, u, none = change[:, :b], change[:, b : b + i], np.zeros_like(change[:, :b])
        parts = [none, z] if part == 2 else [z, none]
        parts += [
            u * ((1 - share) * grid.noise[grid.sample])[..., None],
            u * (share * grid.noise[grid.following])[..., None],
        ]
        return np.concatenate([*parts, change[:, b + i :]], axis=1)

    def _state(
        self, y: np.ndarray, u: np.ndarray, x: np.ndarray, dy: np.ndarray, du: np.ndarray, newton: int
    ) -> tuple[np.ndarray, ...]:
        """ŷ, f and s (K, …) after steps of Newton, then their changes (K, d, …); the last are by parameters."""
        one, (K, d, _), k = self.grid.prepared, dy.shape, len(x)
        X, dX = np.broadcast_to(x, (K, k)), np.zeros((K, d, k))
        dX[:, d - k :] = np.diag(self.size[:k])
        nq, nv, m, _ = one.compiled.sizes
        for _ in range(newton if m or nq > nv else 0):
            step = newton_step(one.compiled, one.unknowns)
            y, dy = _split(step(*_pairs([y, X], [dy, dX]), one.p), K, d)
        found = rates_and_outputs(one.compiled, one.unknowns, one.outputs)(*_pairs([y, u, X], [dy, du, dX]), one.p)
        f, df, s, ds = _split(found, K, d)
        return y, f, s, dy, df, ds

    def _residuals(self, s: np.ndarray, ds: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, Any, np.ndarray]:
        """Of channels (N c,) over their noise, angles up to whole turns; their sparse slopes; channels (N, c)."""
        one, measured, b = self.grid.prepared, self.grid.measured, self.grid.nodes.G.shape[2]
        R = self._filled(self._outputs_at, -np.delete(ds, np.s_[b : b + len(self.grid.drives)], axis=2))
        if one.reach.any():
            W, rates, _ = late_channels(one, x)
            R = W @ R - self._by_delays(rates @ s.ravel())
            s = (W @ s.ravel()).reshape(s.shape)
        off, turn = measured - s, 2 * np.pi * one.turning
        known = np.isfinite(measured)
        off = off - turn * np.round(np.where(known, off, 0.0) / np.where(turn > 0, turn, 1.0))
        weights = np.where(known, 1 / one.sigma, 0.0).ravel()
        return np.where(known, off / one.sigma, 0.0).ravel(), R.multiply(weights[:, None]).tocsc(), s

    def _by_delays(self, rates: np.ndarray) -> Any:
        """Sparse columns (N c, n) of unknown delays, from the change (N c,) of every channel with its own."""
        one, c = self.grid.prepared, len(self.grid.prepared.channels)
        first, (nz, nw, _, _) = len(one.unknowns), self.grid.sizes
        rows = [np.arange(channel, len(rates), c) for channel in one.delayed]
        columns = [np.full(len(row), nz + nw + first + k) for k, row in enumerate(rows)]
        data = [self.size[first + k] * rates[row] for k, row in enumerate(rows)]
        at = [np.concatenate([np.zeros(0, int), *parts]) for parts in (rows, columns)]
        return csc_matrix((np.concatenate([np.zeros(0), *data]), tuple(at)), shape=(len(rates), self._columns))

    @cached_property
    def _outputs_at(self) -> np.ndarray:
        """Columns (N, b + k) of what channels depend on."""
        grid, (nz, nw, k, _) = self.grid, self.grid.sizes
        own = grid.at_samples[:, None] * grid.nodes.G.shape[2] + np.arange(grid.nodes.G.shape[2])
        return np.concatenate([own, np.broadcast_to(nz + nw + np.arange(k), (len(own), k))], axis=1)

    @cached_property
    def _defects_at(self) -> np.ndarray:
        """Columns (steps, 2 b + 2 i + k) of what defects depend on."""
        grid, (nz, nw, k, _) = self.grid, self.grid.sizes
        b, i = np.arange(grid.nodes.G.shape[2]), np.arange(len(grid.drives))
        parts = [at[:, None] * len(b) + b for at in (np.arange(len(grid.whole)), grid.end)]
        parts += [nz + at[:, None] * len(i) + i for at in (grid.sample, grid.following)]
        x = np.broadcast_to(nz + nw + np.arange(k), (len(grid.whole), k))
        return np.concatenate([*parts, x], axis=1)[grid.whole]

    @property
    def _columns(self) -> int:
        return sum(self.grid.sizes[:2]) + len(self.size)

    def _filled(self, columns: np.ndarray, blocks: np.ndarray) -> Any:
        """A sparse matrix from dense blocks (n, r, d) at columns (n, d)."""
        n, r, _ = blocks.shape
        row = np.broadcast_to(np.arange(n * r).reshape(n, r, 1), blocks.shape).ravel()
        column = np.broadcast_to(columns[:, None], blocks.shape).ravel()
        return csc_matrix((blocks.ravel(), (row, column)), shape=(n * r, self._columns))

    def _with_inputs(self, R: Any) -> Any:
        """Rows of channels, then those of the inputs' deviations, which are variables themselves."""
        nz, nw, _, _ = self.grid.sizes
        return vstack([R, eye(nw, self._columns, nz)], format="csc")


def _pairs(parts: list[np.ndarray], changes: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Every state (K, …) with every direction (K, d, …), as (K d, …)."""
    D = np.concatenate(changes, axis=2)
    return np.repeat(np.concatenate(parts, axis=1), D.shape[1], axis=0), D.reshape(-1, D.shape[2])


def _split(found: tuple[np.ndarray, ...], K: int, d: int) -> list[np.ndarray]:
    """Values (K, …), each followed by its changes (K, d, …)."""
    shaped = [x.reshape(K, d, -1) for x in found]
    return [x if k % 2 else x[:, 0] for k, x in enumerate(shaped)]
