"""URDF in: links become bodies, links without mass become frames, the sidecar closes the loops."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from poinsot.elements import GROUND
from poinsot.elements.joints import JOINTS, AxisJoint
from poinsot.errors import PoinsotError, listing, unknown
from poinsot.model.interchange.auxiliary_links import mend_chains
from poinsot.model.interchange.cut_bodies import inertia_entry, listed, mend_cuts, place, pose_entry
from poinsot.model.interchange.drives import drive, joint_coordinates, require_drives
from poinsot.model.interchange.names import Names, changed_names
from poinsot.model.interchange.notes import Lost, built
from poinsot.model.interchange.recognise import stem
from poinsot.model.interchange.urdf.mimics import mimic_couplings, mimicked
from poinsot.model.interchange.urdf.mount import link_poses, mounted
from poinsot.model.interchange.urdf.sidecar import Sidecar, read_sidecar, sidecar_beside
from poinsot.model.interchange.urdf.tree import UrdfJoint, UrdfTree, read_tree
from poinsot.model.interchange.visuals import moved_visual
from poinsot.model.mechanism import Mechanism
from poinsot.model.toml import as_path
from poinsot.spatial.pose import Pose

TYPES = {
    "continuous": "revolute",
    "floating": "free",
    "SPHERICAL": "spherical",
    "CARDAN": "universal",
    "FIXED": "fixed",
}
UNLIMITED = 1e9  # limits this far out are none
TABLES = ("bodies", "joints", "couplings", "actuators")


def read_urdf(path: str | Path, sidecar: str | Path | None = None, drives: Sequence[str] | None = None) -> Mechanism:
    """Read a URDF and its sidecar (the YAML file of the same name, or the one given).

    `path` of the URDF; `sidecar` of the YAML file; `drives` are the joints that actuators drive, () for none. Without
    them the sidecar's `name_mot` decides; without that every hinge and slide that mimics no other is driven, unless
    a sidecar closes loops.

    The root link is the ground. A link of negligible mass on a fixed joint becomes a frame. Coordinates have the
    names of their joints, and joints that mimic others are coupled to them. What a mechanism cannot hold is warned of
    and noted in its description.
    """
    path, chosen = as_path(path), require_drives(drives)
    beside = as_path(sidecar) if sidecar is not None else sidecar_beside(path)
    extra = read_sidecar(beside) if beside is not None else Sidecar()
    reader = _Reader(path, read_tree(path), extra)
    reader.place_links()
    reader.check_loops()
    reader.add_bodies()
    reader.add_joints()
    reader.add_loops()
    reader.add_motors()
    notes = [*reader.notes, *mend_cuts(reader.tables), *mend_chains(reader.tables, reader.screws())]
    notes += reader.add_couplings()
    if chosen is not None:
        drive(reader.tables, chosen)
    return built(reader.document(), path, [*notes, *reader.said()])


@dataclass
class _Reader:
    path: Path
    tree: UrdfTree
    sidecar: Sidecar
    tables: dict[str, dict[str, Any]] = field(default_factory=lambda: {table: {} for table in TABLES})
    home: dict[str, tuple[str, Pose]] = field(default_factory=dict)  # link -> body, pose in it
    bodies: dict[str, str] = field(default_factory=dict)  # link that is a body -> its name here
    frames: dict[str, str] = field(default_factory=dict)  # link that is a frame -> "body.frame"
    joint_names: Names = field(default_factory=lambda: Names("joint"))
    link_names: Names = field(default_factory=lambda: Names("link"))
    notes: list[str] = field(default_factory=list)

    def type_of(self, joint: UrdfJoint) -> str:
        """Type of a joint in a model file; the sidecar may change it."""
        named = self.sidecar.joint_types.get(joint.name, joint.type)
        return TYPES.get(named, named)

    def place_links(self) -> None:
        """Decide which links are bodies and which are frames on one."""
        for name in self.sidecar.joint_types:
            if name not in self.tree.joints:
                raise PoinsotError(f"{self.sidecar.path}: joint_name: {unknown('joint', name, self.tree.joints)}")
        groups: dict[str, list[str]] = {}  # top link -> links fixed to it
        top: dict[str, str] = {}
        X_T: dict[str, Pose] = {}  # pose of a link in its top link
        for name in self.tree.links:
            joint = self.tree.carrier.get(name)
            weld = joint if joint is not None and self.type_of(joint) == "fixed" else None
            top[name] = name if weld is None else top[weld.parent]
            X_T[name] = Pose.identity() if weld is None else X_T[weld.parent] @ weld.origin()
            groups.setdefault(top[name], []).append(name)
        for head, members in groups.items():
            self._place_group(head, members, X_T)

    def _place_group(self, head: str, members: list[str], X_T: dict[str, Pose]) -> None:
        heavy = [name for name in members if not self.tree.links[name].only_carries]
        main = heavy[0] if heavy else head
        if head == self.tree.root:
            self.home[head], main = (GROUND, Pose.identity()), head
            if head in heavy:
                mass = self.tree.links[head].mass
                what = f"mass of {mass:g} kg" if mass else "inertia"
                self.notes.append(f"The root link '{head}' is the ground: its {what} is left out.")
        for name in members:
            if name not in self.home and (name == main or name in heavy):
                self.bodies[name] = self.link_names.add(name)
                self.home[name] = (self.bodies[name], Pose.identity())
        for name in members:
            if name not in self.home:
                near = self._nearest(name, main)
                self.home[name] = (self.home[near][0], X_T[near].inverse() @ X_T[name])

    def _nearest(self, name: str, main: str) -> str:
        """The body that carries a frame: the next one towards the root, else the main one of its group."""
        while name in self.tree.carrier and self.type_of(self.tree.carrier[name]) == "fixed":
            name = self.tree.carrier[name].parent
            if name in self.bodies:
                return name
        return main

    def add_bodies(self) -> None:
        """Write bodies with their inertia, and frames; with a pose in the sidecar also where they are."""
        where = self._poses()
        for link, name in self.bodies.items():
            data = self.tree.links[link]
            body: dict[str, Any] = {"mass": data.mass}
            if np.any(data.com):
                body["com"] = listed(data.com)
            body["inertia"] = inertia_entry(data.inertia)
            if where:
                body["placement"] = pose_entry(where[link])
                body["placement"].setdefault("position", [0.0, 0.0, 0.0])
            self.tables["bodies"][name] = body
        frames = Names("link")
        for link, (name, X) in self.home.items():
            if link in self.bodies or link == self.tree.root:
                continue
            short = link.removeprefix(f"{name}.").replace(".", "_")
            names = self.tables["bodies"].setdefault(name, {}).setdefault("frames", {})
            frames.taken = set(names)
            key = frames.add(short)
            names[key] = pose_entry(X)
            self.frames[link] = f"{name}.{key}"
        for link, (name, X) in self.home.items():
            if shapes := [moved_visual(X, one) for one in self.tree.links[link].visuals]:
                self.tables["bodies"].setdefault(name, {}).setdefault("visual", []).extend(shapes)
        self.link_names.changed |= frames.changed
        light = [link for link in self.frames if self.tree.links[link].mass > 0]
        if light:
            self.notes.append(f"Links of negligible mass are frames of the bodies that carry them: {listing(light)}.")

    def _poses(self) -> dict[str, Pose]:
        """Poses X_WL of all links in the sidecar's pose, or in one that closes the loops; empty for zero."""
        for name in self.sidecar.pose:
            if name not in self.tree.joints:
                raise PoinsotError(f"{self.sidecar.path}: pose: {unknown('joint', name, self.tree.joints)}")
        q = mimicked(self.tree, self.sidecar.pose or mounted(self.tree, self.type_of, self.sidecar))
        return link_poses(self.tree, self.type_of, q) if any(q.values()) or self.sidecar.pose else {}

    def add_joints(self) -> None:
        """Write joints with what acts along them."""
        for joint in self.tree.joints.values():
            moves = self.type_of(joint)
            if self.home[joint.parent][0] == self.home[joint.child][0]:
                continue  # inside one body
            name = self.joint_names.add(joint.name)
            spec: dict[str, Any] = {"type": moves, "between": [self._origin(joint), self._side(joint.child)]}
            if issubclass(JOINTS[moves], AxisJoint):
                spec["axis"] = listed(joint.axis)
            one = moves in ("revolute", "prismatic")
            if one and joint.damping:
                spec["damping"] = joint.damping
            if one and joint.friction:
                spec["friction"] = {"coulomb": joint.friction}
            if one and joint.limits and max(map(abs, joint.limits)) < UNLIMITED:
                spec["limits"] = list(joint.limits)
            if not one and (joint.damping or joint.friction):
                self.notes.append(Lost(f"Damping and friction of the {moves} joint '{name}' are left out."))
            self.tables["joints"][name] = spec

    def _origin(self, joint: UrdfJoint) -> Any:
        body, X = self.home[joint.parent]
        if np.array_equal(X.R, np.eye(3)) and not np.any(X.p):
            written: dict[str, Any] = {"body": body}
            if any(joint.xyz):
                written["position"] = listed(joint.xyz)
            if any(joint.rpy):
                written["rotation"] = {"sequence": "xyz", "angles": listed(joint.rpy)}
            return written if len(written) > 1 else body
        return place(body, X @ joint.origin())

    def _side(self, link: str) -> str:
        """The body or frame that a link is."""
        return self.bodies.get(link) or self.frames.get(link) or GROUND

    def check_loops(self) -> None:
        """The two ends of a closure must exist, on two bodies."""
        for pair in self.sidecar.loops:
            for name in pair[:2]:
                if self.tree.link(name) not in self.tree.links:
                    existing = [*self.tree.links, *self.tree.joints]
                    raise PoinsotError(
                        f"{self.sidecar.path}: closed_loop: {unknown('link or joint', name, existing)}"
                    )
            first, second = (self.home[self.tree.link(name)][0] for name in pair[:2])
            if first == second:
                both = f"'{pair[0]}' and '{pair[1]}' are both on '{first}'"
                raise PoinsotError(f"{self.sidecar.path}: closed_loop: {both}")

    def add_loops(self) -> None:
        """Write closing joints: a common point is a ball, a common frame a weld."""
        for number, (first, second, held) in enumerate(self.sidecar.loops, 1):
            ends = [self._side(self.tree.link(name)) for name in (first, second)]
            stem, other = (re.sub(r"[._]?[ABab]$", "", end) for end in (first, second))  # "tool_A", "tool_B": "tool"
            name = self.joint_names.add(stem if stem and stem == other else f"loop{number}")
            law = "spherical" if held == "3d" else "fixed"
            self.tables["joints"][name] = {"type": law, "between": ends, "closing": True}

    def add_motors(self) -> None:
        """Joints that motors drive, by default all that move; an effort limit becomes that of the drive."""
        driven = {joint for motor in self._motors() for joint in self._driven(motor)}
        called = self._called("drives")
        for name in sorted(driven, key=list(self.tree.joints).index):
            joint, here = self.tree.joints[name], self.joint_names[name]
            if self.type_of(joint) not in ("revolute", "prismatic"):
                self.notes.append(Lost(f"The motor of the {self.type_of(joint)} joint '{here}' is left out."))
            else:
                limited = 0 < joint.effort < UNLIMITED
                limits = {"limits": [-joint.effort, joint.effort]} if limited else {}
                for drive_name in called.get(name, [here]):
                    self.tables["actuators"][drive_name] = {"on": {"joint": here}, **limits}
        moving = [j for j in self.tree.joints.values() if self.type_of(j) != "fixed"]
        if any(joint.effort and joint.effort < UNLIMITED and joint.name not in driven for joint in moving):
            self.notes.append("Effort limits of joints that no motor drives are left out.")
        if any(0 < joint.velocity < UNLIMITED for joint in moving):
            self.notes.append("Velocity limits are left out.")

    def _called(self, key: str) -> dict[str, list[str]]:
        """Names that the sidecar gives to what drives or tells joints, by joint."""
        called: dict[str, list[str]] = {}
        for name, joint in getattr(self.sidecar, key).items():
            if joint not in self.tree.joints:
                raise PoinsotError(f"{self.sidecar.path}: {key}: {unknown('joint', joint, self.tree.joints)}")
            called.setdefault(joint, []).append(name)
        return called

    def _motors(self) -> Sequence[str]:
        """Motors of the sidecar; without a word on them every joint of a tree that moves by itself."""
        if self.sidecar.motors is not None:
            return self.sidecar.motors
        if self.sidecar.loops:
            self.notes.append("The sidecar names no motors (name_mot): no joint is driven.")
            return ()
        joints = self.tree.joints.items()
        moving = [name for name, j in joints if self.type_of(j) in ("revolute", "prismatic") and not j.mimic]
        return [name for name in moving if self.joint_names.given.get(name) in self.tables["joints"]]

    def _driven(self, motor: str) -> list[str]:
        """A motor is a joint's name, or a part of the names of several, as the convention has it."""
        if motor in self.tree.joints:
            return [motor]
        found = [n for n, j in self.tree.joints.items() if motor in n and self.type_of(j) != "fixed"]
        if not found:
            raise PoinsotError(f"{self.sidecar.path}: name_mot: {unknown('joint', motor, self.tree.joints)}")
        self.notes.append(f"The motor name '{motor}' stands for the joints {listing(found)}.")
        return found

    def add_couplings(self) -> list[str]:
        """Write couplings of joints that mimic others; returns notes."""
        found, notes = mimic_couplings(self.tree, self.type_of, self.joint_names.given, self.tables)
        self.tables["couplings"] |= found
        return notes

    def document(self) -> dict[str, Any]:
        """The document of a model file."""
        gravity = {"gravity": list(self.sidecar.gravity)} if self.sidecar.gravity is not None else {}
        name = {"name": self.tree.name} if self.tree.name else {}
        found = {"format": 1, **name, **gravity, **{k: t for k, t in self.tables.items() if t}}
        own, named = joint_coordinates(found), {}
        for joint, coordinates in self._called("coordinates").items():
            here = self.joint_names[joint]
            if on := own.get(here) or own.get(here.rpartition(".")[0]):  # a screw's turn tells its slide
                named |= dict.fromkeys(coordinates, on)
        return {**found, "coordinates": named} if named else found

    def screws(self) -> dict[str, tuple[float, float]]:
        """Slides that mimic the turn of the same joint ("nut.advance", "nut.angle"): offset, advance per radian."""
        mimics = {n: j.mimic for n, j in self.tree.joints.items() if j.mimic and j.type == "prismatic"}
        own = {n: m for n, m in mimics.items() if "." in n and stem([n, m[0]]) == n.rpartition(".")[0]}
        return {self.joint_names[name]: (offset, ratio) for name, (_, ratio, offset) in own.items()}

    def said(self) -> list[str]:
        """Notes on the whole file."""
        notes = [*self.tree.repeated, *changed_names((self.link_names, self.joint_names), self.tables)]
        if self.tree.root != GROUND and self.tree.links[self.tree.root].only_carries:
            notes.insert(0, f"The root link '{self.tree.root}' is the ground.")
        if self.tree.left_out:
            notes.append(f"Left out: {', '.join(self.tree.left_out)}.")
        if self.sidecar.unknown:
            notes.append(f"Keys of the sidecar that are not read: {listing(self.sidecar.unknown)}.")
        return notes
