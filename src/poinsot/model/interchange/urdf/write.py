"""URDF out: the tree as links and joints, loops in the sidecar.

URDF turns a link about an axis through the link's own origin, by one coordinate a joint. A joint with several
coordinates becomes a chain of links without inertia, and a hinge beside the body's origin carries such a link to
which the body is fixed. Zero is Poinsot's zero; the assembled pose goes to the sidecar.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np

from poinsot.elements import GROUND
from poinsot.elements.bodies import RigidBody
from poinsot.elements.coordinates import AlongJoint
from poinsot.elements.joints.steps import FRAME, HINGE, POINT
from poinsot.errors import PoinsotError, listing
from poinsot.model.interchange.couplings import followers
from poinsot.model.interchange.motions import ElementaryMotion, undone
from poinsot.model.interchange.notes import Conversion, Lost, dropped, written
from poinsot.model.interchange.summed_forces import INFINITY, acting, force_along
from poinsot.model.interchange.tree import OpenedTree, TreeLink, cut_tree
from poinsot.model.interchange.urdf.sidecar import Sidecar, sidecar_text
from poinsot.model.interchange.urdf.visuals import write_visuals
from poinsot.model.interchange.xml import number_text, numbers_text
from poinsot.model.mechanism import Mechanism, require_mechanism
from poinsot.model.meshes import PACKAGE, names_from, relocated
from poinsot.model.toml import as_path
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import axis_rotation

NATIVE = frozenset({POINT, FRAME})
UNLIMITED = 1e9  # URDF demands limits of a slide; this stands for none
STANDARD_GRAVITY = (0.0, 0.0, -9.81)  # [m/s²]; what a URDF without a word on gravity is read with
ON_AXIS = 1e-12  # distance of a body's origin from its hinge that counts as none  [m]


def write_urdf(mechanism: Mechanism, path: str | Path, overwrite: bool = False) -> Conversion:
    """Write a mechanism as a URDF and, beside it, the sidecar with its loops, motors and assembled pose.

    `mechanism` goes to `path`; files there are kept unless `overwrite` is given. Mesh files are named as seen from
    there.

    What URDF cannot say is in the notes of the result, one sentence each.
    """
    path = as_path(path)
    packages = [name for name in names_from(require_mechanism(mechanism), path.parent) if name.startswith(PACKAGE)]
    mechanism = relocated(mechanism, path.parent)
    writer = _Writer(mechanism, cut_tree(mechanism, NATIVE, whole_balls=False))
    text, sidecar = writer.write()
    files = {path: text, path.with_suffix(".yaml"): sidecar_text(sidecar)}
    named = [f"Meshes of packages are named relative to the file: {listing(packages)}."] if packages else []
    return written(files, [*writer.notes, *named, *dropped(mechanism, writer.coordinates)], overwrite)


class _Writer:
    """Writes one mechanism; collects links and notes on the way."""

    def __init__(self, mechanism: Mechanism, tree: OpenedTree):
        self.mechanism, self.tree = mechanism, tree
        self.notes = list(tree.notes)
        self.robot = Element("robot", name=mechanism.name)
        self.poses: dict[str, Pose] = {}
        self.helpers: list[str] = []
        self.laws, notes = acting(mechanism.elements, tree.poses)
        self.notes += notes
        self.following, notes = followers(mechanism, tree)
        self.notes += notes

    def write(self) -> tuple[str, Sidecar]:
        """The URDF as text, and its sidecar."""
        self.notes += write_visuals(self._link(GROUND, Pose.identity()), self.mechanism.elements.ground.visuals)
        for link in self.tree.links:
            self._branch(link)
        for body in (self.mechanism.elements.ground, *self.mechanism.bodies.values()):
            for frame in body.frames:
                X = self.poses[body.name] @ frame.pose()
                self._fixed(f"{frame.label}_frame", body.name, frame.label, X)
        loops = []
        for closure in self.tree.closures:
            names = (f"{closure.name}_A", f"{closure.name}_B")
            for name, link in zip(names, (closure.a, closure.b)):
                self._fixed(f"{name}_frame", link, name, closure.X_W)
            loops.append((*names, "3d" if closure.form == POINT else "6d"))
        self._say()
        pose = {m.name: m.value for link in self.tree.links for m in link.motions}
        x, y, z = (float(g) for g in self.mechanism.gravity)
        sidecar = Sidecar(
            loops=tuple(loops),
            motors=self._motors(),
            pose=pose,
            gravity=None if (x, y, z) == STANDARD_GRAVITY else (x, y, z),
            drives=_other_names({name: m.name for name, m in self._drives().items() if m is not None}),
            coordinates=self.coordinates,
        )
        indent(self.robot, "  ")
        return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(self.robot, encoding="unicode") + "\n", sidecar

    def _link(self, name: str, X_W: Pose) -> Element:
        if name in self.poses:
            raise PoinsotError(f"URDF cannot have two links called '{name}': rename the body or frame of that name")
        self.poses[name] = X_W
        return SubElement(self.robot, "link", name=name)

    def _joint(self, name: str, kind: str, parent: str, child: str, X_PC: Pose) -> Element:
        joint = SubElement(self.robot, "joint", name=name, type=kind)
        SubElement(joint, "origin", xyz=numbers_text(X_PC.p), rpy=numbers_text(_rpy(X_PC.R)))
        SubElement(joint, "parent", link=parent)
        SubElement(joint, "child", link=child)
        return joint

    def _fixed(self, name: str, parent: str, child: str, X_W: Pose) -> Element:
        link = self._link(child, X_W)
        self._joint(name, "fixed", parent, child, self.poses[parent].inverse() @ X_W)
        return link

    def _branch(self, link: TreeLink) -> None:
        """One link of the tree, behind as many helper links as its joint has further coordinates."""
        parent, last = link.parent, link.motions[-1] if link.motions else None
        off = 0.0 if last is None else np.linalg.norm(np.cross(last.axis, link.X_W.p - last.point))  # its axis  [m]
        through = last is None or last.type != HINGE or off <= ON_AXIS
        moved = list(link.motions[:-1] if through else link.motions)
        for motion in moved:
            name, point = f"{motion.name}.link", motion.point if motion.type == HINGE else link.X_W.p
            X_W = Pose(link.X_W.R, np.asarray(point, float))
            self._link(name, X_W)
            self._moving(motion, parent, name, X_W)
            self.helpers.append(name)
            parent = name
        if last is None or not through:
            element = self._fixed(link.joint if last is None else f"{link.joint}.fixed", parent, link.name, link.X_W)
        else:
            element = self._link(link.name, link.X_W)
            self._moving(last, parent, link.name, link.X_W)
        if link.body is not None and (link.body.mass or np.any(link.body.inertia)):
            _inertial(element, link.body)
        if link.body is not None:
            self.notes += write_visuals(element, link.body.visuals)

    def _moving(self, motion: ElementaryMotion, parent: str, child: str, X_W: Pose) -> None:
        """A hinge or slide; its origin is where the child stands when the coordinate is zero."""
        law = force_along(self.laws, motion)
        limited = law is not None and law.limited()
        turning = motion.type == HINGE and not limited
        kind = "continuous" if turning else "revolute" if motion.type == HINGE else "prismatic"
        joint = self._joint(motion.name, kind, parent, child, self.poses[parent].inverse() @ undone(motion, X_W))
        SubElement(joint, "axis", xyz=numbers_text(X_W.R.T @ motion.axis))
        effort = self._effort(motion)
        if not turning or effort < UNLIMITED:
            ends = (law.lower, law.upper) if law is not None and limited else (-INFINITY, INFINITY)
            lower, upper = (float(np.clip(end, -UNLIMITED, UNLIMITED)) for end in ends)
            bounds = {} if turning else {"lower": number_text(lower), "upper": number_text(upper)}
            SubElement(joint, "limit", {"effort": number_text(effort), "velocity": number_text(UNLIMITED), **bounds})
        if law is not None and (law.damping or law.coulomb):
            SubElement(joint, "dynamics", damping=number_text(law.damping), friction=number_text(law.coulomb))
        follows = self.following.get(motion.name)
        if follows is not None and follows.leader is not None:
            numbers = {"multiplier": number_text(follows.ratio), "offset": number_text(follows.offset)}
            SubElement(joint, "mimic", {"joint": follows.leader, **numbers})
        elif follows is not None:
            self.notes.append(Lost(f"The joint '{motion.joint}' is held by a coupling, which URDF cannot say."))
        if motion.follows:
            self.notes.append(f"The screw '{motion.joint}' is a turn and a slide that mimics it.")

    def _drives(self) -> dict[str, ElementaryMotion | None]:
        """Actuators and the elementary motions that they drive."""
        return {
            name: self.tree.motion(a.on.joint, a.on.index) if isinstance(a.on, AlongJoint) else None
            for name, a in self.mechanism.actuators.items()
        }

    @cached_property
    def coordinates(self) -> dict[str, str]:
        """Elementary motions by the names of the coordinates that tell them, where these are others."""
        along = {n: c for n, c in self.mechanism.coordinates.items() if isinstance(c, AlongJoint)}
        motions = {name: self.tree.motion(c.joint, c.index) for name, c in along.items()}
        return _other_names({name: motion.name for name, motion in motions.items() if motion is not None})

    def _effort(self, motion: ElementaryMotion) -> float:
        for name, driven in self._drives().items():
            if driven is motion:
                actuator = self.mechanism.actuators[name]
                return min(max(abs(float(actuator.lower)), abs(float(actuator.upper))), UNLIMITED)
        return UNLIMITED

    def _motors(self) -> tuple[str, ...]:
        drives = self._drives()
        lost = [name for name, motion in drives.items() if motion is None]
        if lost:
            self.notes.append(Lost(f"Actuators that drive no joint cannot be represented: {listing(lost)}."))
        first: dict[str, str] = {}  # drive by the motion that it drives
        for name, motion in drives.items():
            if motion is not None and self._limits(first.setdefault(motion.name, name)) != self._limits(name):
                other = f"those of '{first[motion.name]}'"
                self.notes.append(f"Limits of the further drive '{name}' of '{motion.name}' become {other}.")
        return tuple(first)

    def _limits(self, actuator: str) -> tuple[float, float]:
        one = self.mechanism.actuators[actuator]
        return float(one.lower), float(one.upper)

    def _say(self) -> None:
        """Notes on what URDF has no words for."""
        forces = []
        for f in self.mechanism.forces.values():
            on = f"joint '{f.on.joint}'" if isinstance(f.on, AlongJoint) else f"a {f.on.kind}"
            forces.append((f, f"'{f.name}' along {on}"))
        for what, names in {
            "Springs": [name for f, name in forces if (law := f.simple(0.0)) and law.stiffness],
            "Drive inertias": [name for f, name in forces if (law := f.simple(0.0)) and law.inertia],
            "Forces along coordinates that are not a joint's": [
                f"the {f.kind} {name}" for f, name in forces if not isinstance(f.on, AlongJoint)
            ],
            "Sensors": list(self.mechanism.sensors),
        }.items():
            if names:
                said = f"{what} cannot be represented: {listing(names)}."
                self.notes.append(said if what == "Sensors" else Lost(said))
        if self.helpers:
            self.notes.append(f"Helper links without inertia carry single turns and slides: {listing(self.helpers)}.")
        if self.tree.closures:
            self.notes.append("Loops stand in the sidecar; a program that reads only the URDF sees a tree.")
        if self.mechanism.planar:
            self.notes.append("The planar mechanism is written in space, in the plane z = 0.")


def _other_names(motions: dict[str, str]) -> dict[str, str]:
    """Motions by names that are not their own, and by their own where they have several."""
    count = Counter(motions.values())
    return {name: motion for name, motion in motions.items() if motion != name or count[motion] > 1}


def _inertial(element: Element, body: RigidBody) -> None:
    inertial = SubElement(element, "inertial")
    SubElement(inertial, "origin", xyz=numbers_text(body.com), rpy="0 0 0")
    SubElement(inertial, "mass", value=number_text(body.mass))
    keys = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    SubElement(inertial, "inertia", {key: number_text(value) for key, value in zip(keys, body.inertia)})


def _rpy(R: np.ndarray) -> tuple[float, float, float]:
    """Roll, pitch, yaw with R = R_z R_y R_x, exact to round-off also where pitch is a right angle."""
    yaw = np.arctan2(R[1, 0], R[0, 0])
    rest = axis_rotation("Z", -yaw) @ R
    return np.arctan2(-rest[1, 2], rest[1, 1]), np.arctan2(-rest[2, 0], rest[0, 0]), yaw
