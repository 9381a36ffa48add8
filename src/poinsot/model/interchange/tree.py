"""The tree and its cuts: a mechanism as links on elementary motions, and closures that keep the loops together.

Other programs carry a tree and know few kinds of loop closure. So the tree is chosen for the cuts: balls are cut
before hinges, hinges before all else, and a joint along which something acts is kept in the tree. A cut that the
other program cannot say becomes a small auxiliary link that the joint carries, welded to the other body.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from poinsot.elements import GROUND
from poinsot.elements.bodies import RigidBody
from poinsot.elements.coordinates import AlongJoint
from poinsot.elements.frame import Frame
from poinsot.elements.joints import Free, Joint
from poinsot.elements.joints.steps import DISTANCE, FRAME, HINGE, OPEN, POINT, Closing
from poinsot.errors import listing
from poinsot.model.assembly.assembly import assemble
from poinsot.model.interchange.motions import ElementaryMotion, motions
from poinsot.model.interchange.notes import Lost
from poinsot.model.mechanism import Mechanism
from poinsot.model.parts import Elements
from poinsot.spatial.orientation import along
from poinsot.spatial.pose import Pose

BUSY, LINKED = 8.0, 5.0  # cost of cutting a joint along which something acts, and one that takes an auxiliary link
COSTS = {OPEN: 9.0, POINT: 1.0, FRAME: 2.0, HINGE: 3.0, DISTANCE: 5.0}  # of the others


@dataclass(frozen=True, eq=False)
class TreeLink:
    """A body of the tree, or an auxiliary link without mass."""

    name: str
    parent: str
    X_W: Pose  # in the assembled pose
    motions: tuple[ElementaryMotion, ...]  # from the parent to this link; none: welded to it
    joint: str  # that carries it
    body: RigidBody | None  # None: auxiliary


@dataclass(frozen=True, eq=False)
class LoopClosure:
    """What keeps a loop together: common point, common frame, common axis, or a distance."""

    form: str  # POINT, FRAME, HINGE or DISTANCE
    name: str
    a: str  # link
    b: str  # link
    X_W: Pose  # frame in the assembled pose; z is the axis of a hinge; of a distance, the end on a
    p_b: np.ndarray | None = None  # other end of a distance, in the world  [m]


@dataclass(frozen=True)
class OpenedTree:
    """A mechanism cut open in its assembled pose."""

    poses: dict[str, Pose]  # X_WB of every body, the ground included
    links: tuple[TreeLink, ...]  # parents before children
    closures: tuple[LoopClosure, ...]
    notes: tuple[str, ...]

    def motion(self, joint: str, coordinate: int) -> ElementaryMotion | None:
        """The elementary motion that is a coordinate of a joint."""
        for link in self.links:
            for motion in link.motions:
                if (motion.joint, motion.coordinate) == (joint, coordinate):
                    return motion
        return None


def acted(elements: Elements) -> set[str]:
    """Names of joints along which a force, drive, coupling or encoder acts."""
    laws = [*elements.forces.values(), *elements.actuators.values(), *elements.sensors.values()]
    coupled = [part for coupling in elements.couplings.values() for part in coupling.on.parts]
    places = [*coupled, *(getattr(law, "on", None) for law in laws)]
    return {place.joint for place in places if isinstance(place, AlongJoint)}


def cut_tree(mechanism: Mechanism, native: frozenset[str], whole_balls: bool) -> OpenedTree:
    """Cut a mechanism open so that every closure is one of the `native` forms."""
    elements, poses = mechanism.elements, assemble(mechanism).require().poses
    carrying = _spanning(elements)
    links = [*_branches(elements, poses, carrying, whole_balls)]
    closures: list[LoopClosure] = []
    notes: list[str] = []
    for name, joint in elements.joints.items():
        if name not in carrying:
            link, closure, note = _cut(elements, joint, poses, native, whole_balls)
            links += [link] if link else []
            closures += [closure] if closure else []
            notes += [note] if note else []
    cuts = [link.name for link in links if link.name.endswith(".cut") and link.body is None]
    if cuts:
        notes.append(f"Loops are closed by auxiliary links that the cut joint carries: {listing(cuts)}.")
    if flexible := list(mechanism.elements.lumps):
        notes.append(Lost(f"Bodies made of beams are written as rigid ones: {listing(flexible)}."))
    return OpenedTree(poses, tuple(links), tuple(closures), tuple(notes))


def _cost(elements: Elements, joint: Joint, busy: set[str]) -> float:
    """How much is lost by cutting a joint; a joint that the file marks as closing is cut among equals."""
    way = joint.closing(elements.planar)
    cost = BUSY if joint.name in busy else COSTS[way.form] if way.carried == 0 else LINKED
    return cost - (0.5 if joint.name in elements.closing else 0.0)


def _spanning(elements: Elements) -> set[str]:
    """Joints of the spanning tree with the cheapest cuts (Kruskal)."""
    busy = acted(elements)
    candidates = [joint for joint in elements.joints.values() if joint.carries]
    root = {name: name for name in (GROUND, *elements.bodies)}

    def find(name: str) -> str:
        while root[name] != name:
            name = root[name]
        return name

    kept = set()
    for joint in sorted(candidates, key=lambda j: -_cost(elements, j, busy)):
        a, b = find(joint.a.body), find(joint.b.body)
        if a != b:
            root[b] = a
            kept.add(joint.name)
    return kept


def _branches(elements: Elements, poses: dict[str, Pose], carrying: set[str], whole_balls: bool):
    """Links breadth first from the ground; a body that only distances or closures hold floats."""
    waiting = deque([GROUND])
    reached = {GROUND}
    todo = list(elements.bodies)
    while waiting or todo:
        if not waiting:
            name = next(n for n in todo if n not in reached)
            floating = Free(f"{name}.free", Frame(GROUND, ""), Frame(name, ""))
            yield _link(elements, floating, GROUND, name, False, poses, whole_balls)
            reached.add(name)
            waiting.append(name)
        parent = waiting.popleft()
        for joint in elements.joints.values():
            ends = (joint.a.body, joint.b.body)
            if joint.name not in carrying or parent not in ends:
                continue
            child = ends[1] if ends[0] == parent else ends[0]
            if child not in reached:
                yield _link(elements, joint, parent, child, child == ends[0], poses, whole_balls)
                reached.add(child)
                waiting.append(child)
        todo = [name for name in todo if name not in reached]


def _link(elements, joint: Joint, parent: str, child: str, backwards: bool, poses, whole_balls: bool) -> TreeLink:
    sides = poses[joint.a.body], poses[joint.b.body]
    chain = motions(joint, elements.planar, *sides, backwards, whole_balls)
    return TreeLink(child, parent, poses[child], tuple(chain), joint.name, elements.bodies[child])


def _cut(
    elements: Elements, joint: Joint, poses: dict[str, Pose], native: frozenset[str], whole_balls: bool
) -> tuple[TreeLink | None, LoopClosure | None, str | None]:
    """Closure of a joint outside the tree, with an auxiliary link where it takes one."""
    a, b = joint.a.body, joint.b.body
    X_WF, X_WM = poses[a] @ joint.frame_on_a(), poses[b] @ joint.frame_on_b()
    busy, way = joint.name in acted(elements), joint.closing(elements.planar)
    if way.form == OPEN and not busy:
        note = f"The {joint.kind} joint '{joint.name}' closes a loop without holding anything and is left out."
        return None, None, note
    if way.form == DISTANCE and DISTANCE in native:
        return None, LoopClosure(DISTANCE, joint.name, a, b, X_WF, np.asarray(X_WM.p, float)), None
    if way.form == DISTANCE:
        return _rod(elements, joint, X_WF, X_WM)
    if way.form == OPEN or (way.form == HINGE and (busy or HINGE not in native)):
        way = Closing()
    if way.carried == 0:
        return None, LoopClosure(way.form, joint.name, a, b, X_WM), None
    chain = motions(joint, elements.planar, poses[a], poses[b], False, whole_balls)[: way.carried]
    link = TreeLink(f"{joint.name}.cut", a, X_WM, tuple(chain), joint.name, None)
    return link, LoopClosure(way.form, joint.name, link.name, b, X_WM), None


def _rod(elements: Elements, joint: Joint, X_WF: Pose, X_WM: Pose) -> tuple[TreeLink, LoopClosure, str]:
    """A distance as a rod without mass: two hinges at one end, a ball at the other."""
    way = np.asarray(X_WM.p - X_WF.p, float)
    R = np.asarray(along(way, way).matrix(), float)
    point, name = np.asarray(X_WF.p, float), f"{joint.name}.rod"
    axes = [np.array([0.0, 0.0, 1.0])] if elements.planar else [R[:, 0], R[:, 1]]
    labels = ("turn_1", "turn_2")
    chain = [
        ElementaryMotion(HINGE, f"{joint.name}.{label}", joint.name, None, u, point, 0.0)
        for u, label in zip(axes, labels)
    ]
    note = f"The distance '{joint.name}' is written as the rod '{name}' without mass between its two points."
    end = LoopClosure(POINT, joint.name, name, joint.b.body, Pose(R, np.asarray(X_WM.p, float)))
    return TreeLink(name, joint.a.body, Pose(R, point), tuple(chain), joint.name, None), end, note
