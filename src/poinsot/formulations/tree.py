"""The spanning tree for joint coordinates: hubs float, so that legs stay alike and short."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poinsot.elements import GROUND
from poinsot.elements.frame import Frame
from poinsot.elements.joints import Free, Joint, Planar
from poinsot.model.assembly.topology import Topology, topology
from poinsot.model.parts import Elements

HUB = 3  # a body with so many joints that close loops floats


@dataclass(frozen=True)
class Node:
    """A body with the joint that carries it and its place among the coordinates."""

    body: str
    parent: str
    joint: Joint
    reversed: bool  # the body is on side A of its joint
    q: slice
    v: slice


@dataclass(frozen=True)
class Tree:
    """Bodies from the ground outwards, and the joints that close loops."""

    nodes: tuple[Node, ...]
    closing: tuple[Joint, ...]

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of coordinates and of speeds."""
        return (self.nodes[-1].q.stop, self.nodes[-1].v.stop) if self.nodes else (0, 0)

    @property
    def depth(self) -> int:
        """Bodies on the longest way from the ground."""
        level = {GROUND: 0}
        for node in self.nodes:
            level[node.body] = level[node.parent] + 1
        return max(level.values())


def speed_scales(nodes: Sequence[Node], size: float) -> np.ndarray:
    """Natural size of every speed (nv,): the machine's size a second for slides, a radian a second for turns."""
    scales: list[float] = []
    for node in nodes:
        plain = [size if c.unit == "m" else 1.0 for c in node.joint.coordinates if c.unit != "-"]
        scales += plain + [1.0] * (node.joint.freedom - len(plain))
    return np.array(scales)


def speed_names(nodes: Sequence[Node]) -> list[str]:
    """Name of every speed (nv): that of the joint's coordinate, or the axis of a turn."""
    names: list[str] = []
    for node in nodes:
        plain = [c.name for c in node.joint.coordinates if c.unit != "-"]
        count = node.v.stop - node.v.start
        own = [*plain, *(f"turn {axis}" for axis in "xyz"[: count - len(plain)])]
        names += [node.joint.name] if count == 1 else [f"{node.joint.name}.{name}" for name in own]
    return names


def spanning_tree(elements: Elements) -> Tree:
    """Choose the tree: breadth first from the ground, then from the hubs, which float.

    A leg is then a branch from the body it stands on, and its last joint, at the platform, closes the loop.
    """
    hubs = _hubs(elements, topology(elements))
    found: list[tuple[str, str, Joint, bool]] = []
    reached = {GROUND, *hubs}
    for root in (GROUND, *hubs):
        if root != GROUND:
            found.append((root, GROUND, _floating(root, elements), False))
        _grow(elements, root, reached, found)
    for body in elements.bodies:
        if body not in reached:
            reached.add(body)
            found.append((body, GROUND, _floating(body, elements), False))
            _grow(elements, body, reached, found)
    nodes, q, v = [], 0, 0
    for body, parent, joint, backwards in found:
        nq, nv = len(joint.coordinates), joint.freedom
        nodes.append(Node(body, parent, joint, backwards, slice(q, q + nq), slice(v, v + nv)))
        q, v = q + nq, v + nv
    carried = {node.joint.name for node in nodes}
    return Tree(tuple(nodes), tuple(j for n, j in elements.joints.items() if n not in carried and j.rows))


def _grow(elements: Elements, root: str, reached: set[str], found: list[tuple[str, str, Joint, bool]]) -> None:
    """Add everything that joints can carry from a root, breadth first."""
    queue = deque([root])
    while queue:
        parent = queue.popleft()
        for joint in elements.joints.values():
            carrier = None if joint.name in elements.closing else joint.carrier(elements.planar)
            if parent not in (joint.a.body, joint.b.body) or carrier is None:
                continue
            child = joint.b.body if joint.a.body == parent else joint.a.body
            if child not in reached:
                reached.add(child)
                queue.append(child)
                found.append((child, parent, carrier, child == joint.a.body))


def _hubs(elements: Elements, tree: Topology) -> tuple[str, ...]:
    """Bodies where three or more joints meet and at least two of them close loops."""
    found = []
    for body in elements.bodies:
        joints = [j.name for j in elements.joints.values() if body in (j.a.body, j.b.body)]
        if len(joints) >= HUB and sum(name in tree.closing for name in joints) >= 2:
            found.append(body)
    return tuple(found)


def _floating(body: str, elements: Elements) -> Joint:
    law = Planar if elements.planar else Free
    return law(f"{body} (floating)", Frame(GROUND, ""), Frame(body, ""))
