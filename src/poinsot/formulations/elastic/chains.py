"""Loops closed by Jacobians: chains of beams and joints between hubs, and the coordinates that depend on others.

A hub is a node at which three or more beams or joints meet; it is cut free and has six coordinates of its own. A
chain goes from hub to hub; its coordinates are the elastic ones of its beams and the freedoms of its joints:

    V_{k+1} = X V_k + S_k q_k        along the chain        (theory/elastic, eq. 3)
    V_end = V_hub                    where it arrives       (theory/elastic, eq. 4)

The last coordinates of every chain are the dependent ones, so that equal legs are described alike; only blocks of
six are inverted.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from poinsot.elements import GROUND
from poinsot.spatial.algebra import skew

REGULAR = 1e-7  # smallest pivot of a block of dependent coordinates, as a part of the largest


@dataclass(frozen=True)
class Edge:
    """A beam element or a joint between two nodes; S (6, k) moves b seen from a, in the axes of b."""

    name: str
    a: str
    b: str
    labels: tuple[str, ...]  # k, of its coordinates
    elastic: bool  # a beam element


@dataclass(frozen=True)
class Chain:
    """A way from a hub to another, or to a loose end."""

    start: str
    steps: tuple[tuple[int, bool], ...]  # numbers of edges, and whether they are passed backwards
    end: str
    closes: bool


@dataclass(frozen=True)
class Chains:
    """A mechanism cut at its hubs."""

    edges: tuple[Edge, ...]
    hubs: tuple[str, ...]  # with coordinates of their own: all but the ground
    chains: tuple[Chain, ...]

    @property
    def coordinates(self) -> int:
        """Number of coordinates before the loops are closed."""
        return 6 * len(self.hubs) + sum(len(self.edges[i].labels) for c in self.chains for i, _ in c.steps)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Names of the coordinates: of the hubs, then along the chains."""
        hubs = [f"{hub} {c}" for hub in self.hubs for c in ("x", "y", "z", "rx", "ry", "rz")]
        return (*hubs, *(label for c in self.chains for i, _ in c.steps for label in self.edges[i].labels))

    @cached_property
    def dependent(self) -> tuple[tuple[int, ...], ...]:
        """Of every chain that closes a loop, the coordinates of its last beam element, or its last six."""
        found, column = [], 6 * len(self.hubs)
        for chain in self.chains:
            last: tuple[int, ...] = ()
            first = column
            for i, _ in chain.steps:
                size = len(self.edges[i].labels)
                if self.edges[i].elastic:
                    last = tuple(range(column, column + size))
                column += size
            if chain.closes:
                found.append(last or tuple(range(max(first, column - 6), column)))
        return tuple(found)


def chains(nodes: tuple[str, ...], edges: tuple[Edge, ...]) -> Chains:
    """Cut a mechanism at its hubs and follow the chains between them, from the ground outwards."""
    at: dict[str, list[int]] = {node: [] for node in (GROUND, *nodes)}
    for i, edge in enumerate(edges):
        at[edge.a].append(i)
        at[edge.b].append(i)
    hubs = {node for node in nodes if len(at[node]) > 2} | {GROUND}
    order, taken, found, seen = [], set(), [], set()
    for root in (GROUND, *nodes):
        if root in seen:
            continue
        hubs.add(root)  # a part that does not touch the ground starts at a hub of its own
        queue = deque([root])
        seen.add(root)
        while queue:
            hub = queue.popleft()
            order.append(hub)
            for first in at[hub]:
                if first in taken:
                    continue
                chain = _follow(hub, first, edges, at, hubs, taken, seen)
                found.append(chain)
                if chain.closes and chain.end not in seen:
                    seen.add(chain.end)
                    queue.append(chain.end)
    return Chains(edges, tuple(hub for hub in order if hub != GROUND), tuple(found))


def _follow(
    hub: str, first: int, edges: tuple[Edge, ...], at: dict[str, list[int]], hubs: set[str], taken: set, seen: set
) -> Chain:
    here, step, steps = hub, first, []
    while True:
        taken.add(step)
        edge = edges[step]
        backwards = edge.a != here
        steps.append((step, backwards))
        here = edge.a if backwards else edge.b
        if here in hubs:
            return Chain(hub, tuple(steps), here, True)
        seen.add(here)
        onward = [i for i in at[here] if i not in taken]
        if not onward:
            return Chain(hub, tuple(steps), here, False)
        step = onward[0]


def _carry(R: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Matrix (..., 6, 6) that carries a twist from A to B in their own axes, R and p of B in A."""
    X, Rt = np.zeros((*R.shape[:-2], 6, 6)), np.swapaxes(R, -1, -2)
    X[..., :3, :3] = X[..., 3:, 3:] = Rt
    X[..., :3, 3:] = -Rt @ skew(p)
    return X


@dataclass(frozen=True)
class Motions:
    """Numbers of a mechanism in one pose, or in N: poses of nodes and the columns of every edge."""

    R: dict[str, np.ndarray]  # (..., 3, 3)
    p: dict[str, np.ndarray]  # (..., 3)
    S: tuple[np.ndarray, ...]  # (..., 6, k) of every edge: twist of b seen from a, in the axes of b

    def across(self, a: str, b: str) -> np.ndarray:
        """Matrix that carries a twist from node a to node b."""
        Rt = np.swapaxes(self.R[a], -1, -2)
        way = self.p[b] - self.p[a]
        return _carry(Rt @ self.R[b], np.einsum("...ij,...j->...i", Rt, way))


def jacobians(cut: Chains, motions: Motions) -> tuple[dict[str, np.ndarray], list[np.ndarray]]:
    """Twists of all nodes (..., 6, n) by the coordinates, and what closes every chain (..., 6, n)."""
    n, lead = cut.coordinates, next(iter(motions.p.values())).shape[:-1]
    V = {GROUND: np.zeros((*lead, 6, n))}
    for k, hub in enumerate(cut.hubs):
        V[hub] = np.zeros((*lead, 6, n))
        V[hub][..., range(6), range(6 * k, 6 * k + 6)] = 1.0
    closures, column = [], 6 * len(cut.hubs)
    for chain in cut.chains:
        here, twist = chain.start, V[chain.start]
        for i, backwards in chain.steps:
            edge, S = cut.edges[i], motions.S[i]
            there = edge.a if backwards else edge.b
            if backwards:  # V_a = X⁻¹ (V_b − S q)
                S = -motions.across(edge.b, edge.a) @ S
            twist = motions.across(here, there) @ twist
            twist[..., column : column + S.shape[-1]] += S
            column, here = column + S.shape[-1], there
            if there != chain.end or not chain.closes:
                V[there] = twist
        if chain.closes:
            closures.append(twist - V[chain.end])
    return V, closures


@dataclass(frozen=True)
class Choice:
    """Which coordinates depend on the others; chosen in one pose, good for all near it."""

    dependent: tuple[int, ...]
    independent: tuple[int, ...]
    blocks: tuple[tuple[int, ...], ...] | None  # six dependent coordinates of every closed chain; None: all at once


def choose(cut: Chains, closures: list[np.ndarray], extra: np.ndarray) -> Choice:
    """Take the last coordinates of every chain where that can be done, else whatever pivoting finds."""
    n, blocks = cut.coordinates, cut.dependent
    if not len(extra) and all(_regular(A[:, list(block)]) for A, block in zip(closures, blocks)):
        dependent = tuple(i for block in blocks for i in block)
        return Choice(dependent, _others(n, dependent), blocks)
    from scipy.linalg import qr

    A = np.concatenate([*closures, extra], axis=0)
    weights = np.full(n, 1e-2)
    weights[[i for block in blocks for i in block]] = 1.0
    factors: Any = qr(A * weights, mode="economic", pivoting=True)
    _, R, pivots = factors
    size = np.abs(np.diag(R))
    rank = int(np.sum(size > 1e-9 * size[0])) if len(size) else 0
    dependent = tuple(sorted(int(i) for i in pivots[:rank]))
    return Choice(dependent, _others(n, dependent), None)


def _regular(A: np.ndarray) -> bool:
    if A.shape[0] != A.shape[1]:
        return False
    s = np.linalg.svd(A, compute_uv=False)
    return bool(s[-1] > REGULAR * s[0])


def _others(n: int, taken: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(set(range(n)) - set(taken)))


def closed(choice: Choice, closures: list[np.ndarray], extra: np.ndarray) -> np.ndarray:
    """J (..., n, k): all coordinates by the independent ones.

    q_f = −J_f⁻¹ J_0 q_0 in every chain by itself        (theory/elastic, eq. 5)
    """
    free = list(choice.independent)
    lead, n = (closures[0] if closures else extra).shape[:-2], extra.shape[-1]
    J = np.zeros((*lead, n, len(free)))
    J[..., free, range(len(free))] = 1.0
    if choice.blocks is not None:
        for A, block in zip(closures, choice.blocks):
            J[..., list(block), :] = -np.linalg.solve(A[..., list(block)], A[..., free])
    elif choice.dependent:
        A = np.concatenate([*closures, extra], axis=-2)
        J[..., list(choice.dependent), :] = -np.linalg.pinv(A[..., list(choice.dependent)]) @ A[..., free]
    return J
