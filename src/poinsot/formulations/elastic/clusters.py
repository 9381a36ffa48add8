"""Nodes that joints hold together: a cluster moves with six coordinates of its root and the freedoms of its joints.

Nothing has to be inverted, and a node depends on a handful of coordinates:

    V_node = X V_root + Σ X S q        along the joints from the root        (theory/elastic, eq. 8)

Beams join the clusters. Loops that joints close by themselves, without a beam in them, are not for this.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from poinsot.elements import GROUND
from poinsot.formulations.elastic.chains import Edge, Motions


@dataclass(frozen=True)
class Clusters:
    """Which coordinates move which node; k coordinates in all."""

    edges: tuple[Edge, ...]
    roots: tuple[str, ...]  # with six coordinates each, first
    ways: dict[str, tuple[str, tuple[tuple[int, bool], ...]]]  # by node: its root, and the joints from there
    columns: dict[str, tuple[int, ...]]  # by node: the coordinates that move it
    count: int  # k

    def blocks(self, motions: Motions) -> dict[str, np.ndarray]:
        """Twists (..., 6, columns of the node) of every node by its coordinates."""
        found: dict[str, np.ndarray] = {}
        lead = next(iter(motions.p.values())).shape[:-1]
        for node, (root, way) in self.ways.items():
            if not way:
                found[node] = np.broadcast_to(np.eye(6), (*lead, 6, 6)) if root != GROUND else np.zeros((*lead, 6, 0))
                continue
            i, backwards = way[-1]
            edge, S = self.edges[i], motions.S[i]
            before = edge.b if backwards else edge.a
            own = -motions.across(edge.b, edge.a) @ S if backwards else S
            found[node] = np.concatenate([motions.across(before, node) @ found[before], own], axis=-1)
        return found


def clusters(nodes: tuple[str, ...], edges: tuple[Edge, ...]) -> Clusters | None:
    """Find the clusters; None where joints close a loop among themselves."""
    at: dict[str, list[int]] = {node: [] for node in (GROUND, *nodes)}
    first, start = {}, 0
    joints = [i for i, edge in enumerate(edges) if not edge.elastic]
    for i in joints:
        at[edges[i].a].append(i)
        at[edges[i].b].append(i)
    ways: dict[str, tuple[str, tuple]] = {}
    roots, used = [], 0
    for root in (GROUND, *nodes):
        if root in ways:
            continue
        if root != GROUND:
            roots.append(root)
        ways[root] = (root, ())
        queue = deque([root])
        while queue:
            here = queue.popleft()
            for i in at[here]:
                there = edges[i].b if edges[i].a == here else edges[i].a
                if there not in ways:
                    ways[there] = (root, (*ways[here][1], (i, edges[i].a != here)))
                    queue.append(there)
                    used += 1
    if used != len(joints):
        return None
    start = 6 * len(roots)
    for i in joints:
        first[i] = start
        start += len(edges[i].labels)
    columns = {}
    for node, (root, way) in ways.items():
        own = [] if root == GROUND else list(range(6 * roots.index(root), 6 * roots.index(root) + 6))
        columns[node] = (*own, *(first[i] + k for i, _ in way for k in range(len(edges[i].labels))))
    return Clusters(edges, tuple(roots), ways, columns, start)
