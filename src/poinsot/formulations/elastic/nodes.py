"""Flexible bodies cut into nodes: small rigid frames that carry joints and lumps and are joined by beam elements.

A body without beams is one node. A body with beams has one at every end of a beam, at every frame that something
uses on the way, and between the elements of a beam; what sits elsewhere is rigidly fixed to the nearest node.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import count, pairwise
from typing import Any

import numpy as np

from poinsot.elements import GROUND
from poinsot.elements.bodies import Beam, RigidBody
from poinsot.elements.bodies.beam import Span
from poinsot.elements.frame import Frame
from poinsot.model.parts import Elements, substitute
from poinsot.spatial.algebra import Mat3, Scalar
from poinsot.spatial.pose import Pose

NEAR = 1e-9  # distance within which two places are one, as a fraction of the beam's length
USERS = ("joints", "couplings", "forces", "loads", "actuators", "sensors", "coordinates")


@dataclass(frozen=True)
class Place:
    """A place in a body: on the way from one frame to another."""

    body: str
    a: int  # number of a frame among all frames
    b: int
    part: float  # 0 at a, 1 at b

    def position(self, frames: list[Frame]) -> tuple[Scalar, ...]:
        """Where it is in the body  [m]."""
        p, q = frames[self.a].position, frames[self.b].position
        return p if self.part == 0 else tuple(x + self.part * (y - x) for x, y in zip(p, q))


@dataclass(frozen=True)
class Piece:
    """One finite element of a beam between two nodes."""

    beam: str
    a: str
    b: str
    span: Span
    axes: Mat3  # of the beam in its body, and so in its nodes at rest


@dataclass(frozen=True)
class Mesh:
    """A mechanism in which every body is a node."""

    elements: Elements  # the bodies are nodes; those of flexible bodies have the mass of lumps only
    pieces: tuple[Piece, ...]
    arms: dict[str, tuple[str, tuple[Scalar, ...]]]  # by node of a flexible body: the body, the node's position in it

    def poses(self, rigid: Mapping[str, Pose]) -> dict[str, Pose]:
        """Poses of all nodes while the bodies are undeformed."""
        found = {GROUND: Pose.identity()}
        for node in self.elements.bodies:
            body, position = self.arms.get(node, (node, None))
            X = rigid[body]
            found[node] = X if position is None else Pose(X.R, X.point(np.array(position, float)))
        return found

    def hung(self, frame: Frame) -> Frame:
        """A frame of a body, in numbers, as a frame of the nearest node."""
        own = [node for node, (body, _) in self.arms.items() if body == frame.body]
        if not own:
            return frame
        ways = {node: np.subtract(frame.position, self.arms[node][1]) for node in own}
        nearest = min(own, key=lambda node: float(np.linalg.norm(ways[node])))
        return replace(frame, body=nearest, position=tuple(ways[nearest].tolist()))


@dataclass(frozen=True)
class Plan:
    """How a mechanism is cut: decided from its numbers, carried out on numbers or symbols."""

    nodes: dict[str, Place]
    pieces: tuple[tuple[str, str, str], ...]  # beam, node, node
    hangs: dict[int, str]  # node of every frame on a flexible body
    lumps: dict[str, str]  # node that carries the rest of a flexible body

    def mesh(self, elements: Elements) -> Mesh:
        """Cut the mechanism."""
        frames = _frames(elements)
        positions = {node: place.position(frames) for node, place in self.nodes.items()}
        arms = {node: (place.body, positions[node]) for node, place in self.nodes.items()}
        counter = count(2 * len(elements.beams))  # the ends of the beams come first

        def hang(frame: Frame) -> Frame:
            k = next(counter)
            if k not in self.hangs:
                return frame
            node = self.hangs[k]
            at_node = self.nodes[node].a == k and self.nodes[node].part == 0
            return replace(
                frame, body=node, position=(0.0,) * 3 if at_node else _way(positions[node], frame.position)
            )

        tables = {table: substitute(getattr(elements, table), hang, (Frame,)) for table in USERS}
        bodies = {name: body for name, body in elements.bodies.items() if name not in elements.lumps}
        for node in self.nodes:
            bodies[node] = RigidBody(node, 0.0, (0.0, 0.0, 0.0), (0.0,) * 6)
        for body, node in self.lumps.items():
            lump = elements.lumps[body]
            bodies[node] = replace(lump, name=node, com=_way(positions[node], lump.com), frames=())
        pieces = tuple(self._piece(elements.beams[beam], a, b, frames) for beam, a, b in self.pieces)
        return Mesh(replace(elements, bodies=bodies, beams={}, lumps={}, planar=False, **tables), pieces, arms)

    def _piece(self, beam: Beam, a: str, b: str, frames: list[Frame]) -> Piece:
        ends = [self.nodes[node].position(frames) for node in (a, b)]
        part = replace(beam, a=replace(beam.a, position=ends[0]), b=replace(beam.b, position=ends[1]))
        return Piece(beam.name, a, b, beam.span(part.length()), beam.axes())


def _way(start: tuple[Scalar, ...], end: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    return tuple(y - x for x, y in zip(start, end))


def _frames(elements: Elements) -> list[Frame]:
    """All frames: the ends of the beams, then those that something else uses, always in the same order."""
    found: list[Frame] = [end for beam in elements.beams.values() for end in (beam.a, beam.b)]

    def keep(frame: Frame) -> Frame:
        found.append(frame)
        return frame

    for table in USERS:
        substitute(getattr(elements, table), keep, (Frame,))
    return found


def plan(elements: Elements) -> Plan:
    """Decide, from numbers, where the nodes are."""
    frames = _frames(elements)
    nodes: dict[str, Place] = {}
    points: dict[str, np.ndarray] = {}

    def node_at(place: Place, name: str, near: float) -> str:
        p = np.array(place.position(frames), float)
        for other, q in points.items():
            if nodes[other].body == place.body and float(np.linalg.norm(p - q)) <= near:
                return other
        nodes[name], points[name] = place, p
        return name

    pieces = []
    for k, beam in enumerate(elements.beams.values()):
        near = NEAR * float(beam.length())
        stations = _stations(beam, k, frames, near)
        for (i, s), (j, t) in pairwise(stations):
            parts = max(1, round(beam.elements * (t - s)))
            names = [frames[i].label, *(f"{beam.name}.{i}-{j}.{n}" for n in range(1, parts)), frames[j].label]
            places = [Place(beam.body, i, j, n / parts) for n in range(parts)] + [Place(beam.body, j, j, 0.0)]
            chain = [node_at(place, _unused(name, nodes), near) for place, name in zip(places, names)]
            pieces += [(beam.name, a, b) for a, b in pairwise(chain)]
    lumps = {body: _nearest(body, lump.com, nodes, points) for body, lump in elements.lumps.items()}
    flexible = {place.body for place in nodes.values()}
    hung = {k: frame for k, frame in enumerate(frames) if frame.body in flexible}
    hangs = {k: _nearest(frame.body, frame.position, nodes, points) for k, frame in hung.items()}
    return Plan(nodes, tuple(pieces), hangs, lumps)


def _stations(beam: Beam, k: int, frames: list[Frame], near: float) -> list[tuple[int, float]]:
    """Numbers of the frames along a beam, and how far along they are: its ends, and used frames in between."""
    start, way = np.array(beam.a.position, float), np.subtract(beam.b.position, beam.a.position)
    length = float(np.linalg.norm(way))
    found = [(2 * k, 0.0)]
    for i, frame in enumerate(frames):
        if frame.body != beam.body:
            continue
        offset = np.subtract(frame.position, start)
        along = float(offset @ way) / length**2
        aside = float(np.linalg.norm(offset - along * way))
        new = all(abs(along - other) * length > near for _, other in [*found, (0, 1.0)])
        if aside <= near and 0 < along < 1 and new:
            found.append((i, along))
    return [*sorted(found, key=lambda station: station[1]), (2 * k + 1, 1.0)]


def _unused(name: str, nodes: Mapping[str, Any]) -> str:
    """A name for a node; two places of a body may carry frames of the same name."""
    while name in nodes:
        name += "'"
    return name


def _nearest(body: str, position: Any, nodes: Mapping[str, Place], points: Mapping[str, np.ndarray]) -> str:
    """The node of a body that is nearest to a position in it."""
    own, p = [node for node, place in nodes.items() if place.body == body], np.array(position, float)
    return min(own, key=lambda node: float(np.linalg.norm(points[node] - p)))
