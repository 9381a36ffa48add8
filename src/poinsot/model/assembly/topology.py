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
    closing: tuple[str, ...]  # joints outside the tree
    floating: tuple[str, ...]  # bodies that no joint connects to the ground
    loops: int  # independent ones: joints − bodies where all is connected to the ground


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
    tree, parts = {branch.joint for branch in branches}, _parts(elements)
    return Topology(
        branches=tuple(branches),
        closing=tuple(name for name in elements.joints if name not in tree),
        floating=tuple(name for name in elements.bodies if parts[name] != parts[GROUND]),
        loops=len(elements.joints) - len(parts) + len(set(parts.values())),
    )


def idle_closing(elements: Elements) -> tuple[str, ...]:
    """Joints that are marked as closing and close no loop: nothing else connects their bodies."""
    ends = {name: (elements.joints[name].a.body, elements.joints[name].b.body) for name in elements.closing}
    parts = {name: _parts(elements, without=name) for name in ends}
    return tuple(name for name, (a, b) in ends.items() if parts[name][a] != parts[name][b])


def _parts(elements: Elements, without: str = "") -> dict[str, str]:
    """Connected part of every body, by the name of one body in it; all joints connect but the one left out."""
    above = {name: name for name in (GROUND, *elements.bodies)}

    def top(name: str) -> str:
        while above[name] != name:
            name = above[name]
        return name

    for joint in elements.joints.values():
        if joint.name != without:
            above[top(joint.b.body)] = top(joint.a.body)
    return {name: top(name) for name in above}
