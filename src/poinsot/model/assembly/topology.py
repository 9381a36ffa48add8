"""Topology: which joints carry the branches of a spanning tree, and which close loops."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from poinsot.elements import GROUND
from poinsot.model.parts import Elements


@dataclass(frozen=True)
class Branch:
    """One edge of the spanning tree: a joint that carries a body from its parent."""

    joint: str
    parent: str
    child: str
    reversed: bool  # the child is on side A of the joint


@dataclass(frozen=True)
class Topology:
    """Spanning tree of a mechanism, rooted at the ground."""

    branches: tuple[Branch, ...]  # parents before children
    closing: tuple[str, ...]  # joints outside the tree, each closing one loop
    floating: tuple[str, ...]  # bodies that no joint connects to the ground


def topology(elements: Elements) -> Topology:
    """Find the spanning tree breadth first, so that branches are short, joints in the order of the file.

    A joint that the user marks as closing, or that cannot carry a body, is left out of the tree.
    """
    carrying = [j for j in elements.joints.values() if j.carries and j.name not in elements.closing]
    at: dict[str, list] = {name: [] for name in (GROUND, *elements.bodies)}
    for joint in carrying:
        at[joint.a.body].append((joint.name, joint.b.body, False))
        at[joint.b.body].append((joint.name, joint.a.body, True))
    branches: list[Branch] = []
    reached, queue = {GROUND}, deque([GROUND])
    while queue:
        parent = queue.popleft()
        for joint, child, backwards in at[parent]:
            if child not in reached:
                reached.add(child)
                queue.append(child)
                branches.append(Branch(joint, parent, child, backwards))
    tree, connected = {branch.joint for branch in branches}, _connected(elements)
    return Topology(
        branches=tuple(branches),
        closing=tuple(name for name in elements.joints if name not in tree),
        floating=tuple(name for name in elements.bodies if name not in connected),
    )


def _connected(elements: Elements) -> set[str]:
    """Bodies that some chain of joints, distances and closing joints included, connects to the ground."""
    reached, before = {GROUND}, 0
    while len(reached) > before:
        before = len(reached)
        for joint in elements.joints.values():
            ends = {joint.a.body, joint.b.body}
            reached |= ends if ends & reached else set()
    return reached
