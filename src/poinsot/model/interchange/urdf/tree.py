"""URDF in: links and joints as the file has them, checked to be one tree."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from poinsot.errors import PoinsotError, listing, unknown
from poinsot.model.interchange.cut_bodies import only_carries
from poinsot.model.interchange.notes import Lost
from poinsot.model.interchange.urdf.visuals import is_colour, is_visual, read_colours, read_visuals
from poinsot.model.interchange.xml import FileContext, parse_xml
from poinsot.spatial.inertia import inertia_defect, rotate_inertia
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import euler_matrix

JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
READ = {
    "robot": ("link", "joint"),
    "link": ("inertial",),
    "joint": ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"),
    "inertial": ("origin", "mass", "inertia"),
}


@dataclass(frozen=True, eq=False)
class UrdfLink:
    """A link: mass, centre and inertia about the centre in the link's axes."""

    name: str
    mass: float  # [kg]
    com: np.ndarray  # [m]
    inertia: np.ndarray  # (3, 3)  [kg·m²]
    visuals: tuple[dict[str, Any], ...] = ()  # as model files have them, in the link

    @property
    def only_carries(self) -> bool:
        """Whether it is there for frames and joints alone."""
        return only_carries({"mass": self.mass, "inertia": self.inertia})


@dataclass(frozen=True, eq=False)
class UrdfJoint:
    """A joint from a parent to a child link, whose frame it carries."""

    name: str
    type: str
    parent: str
    child: str
    xyz: tuple[float, ...]  # of the child's frame at zero, in the parent  [m]
    rpy: tuple[float, ...]  # about fixed axes  [rad]
    axis: tuple[float, ...]  # in the child's frame  [-]
    limits: tuple[float, float] | None  # [rad] or [m]
    effort: float  # 0: not given  [N·m] or [N]
    velocity: float  # 0: not given
    damping: float
    friction: float
    mimic: tuple[str, float, float] | None  # another joint, multiplier and offset

    def origin(self) -> Pose:
        """X_PC at zero: R = R_z R_y R_x."""
        return Pose(euler_matrix("xyz", np.array(self.rpy)), np.array(self.xyz))


@dataclass(frozen=True)
class UrdfTree:
    """A robot: links in order from the root, and the joint that carries each of them."""

    name: str
    root: str
    links: dict[str, UrdfLink]  # parents before children
    joints: dict[str, UrdfJoint]
    carrier: dict[str, UrdfJoint]  # by child link
    left_out: tuple[str, ...]  # what the file also holds: "3 visual"
    repeated: tuple[str, ...] = ()  # notes on elements of which only the first is read

    def link(self, name: str) -> str:
        """The link that a name in the sidecar means: a link's own, or that of the joint which carries it."""
        return self.joints[name].child if name in self.joints else name


def read_tree(path: Path) -> UrdfTree:
    """Read a URDF; every error names the file and the link or joint."""
    robot, context = parse_xml(path, "robot"), FileContext(path)
    links = _named(context, robot, "link")
    if not links:
        raise PoinsotError(f"{path}: the robot has no links")
    colours = read_colours(context, robot)
    read_links = {name: _link(context, name, element, colours) for name, element in links.items()}
    joints = {name: _joint(context, name, e, links) for name, e in _named(context, robot, "joint").items()}
    for name, joint in joints.items():
        if joint.mimic and joint.mimic[0] == name:
            raise context.fail(f"joint '{name}'", "mimic: it follows itself")
        if joint.mimic and joint.mimic[0] not in joints:
            raise context.fail(f"joint '{name}'", f"mimic: {unknown('joint', joint.mimic[0], joints)}")
    carrier: dict[str, UrdfJoint] = {}
    for joint in joints.values():
        if joint.child in carrier:
            both = f"'{carrier[joint.child].name}' and '{joint.name}'"
            raise context.fail(f"link '{joint.child}'", f"two joints carry it, {both}; loops go to the sidecar")
        carrier[joint.child] = joint
    root, order = _ordered(context, read_links, joints, carrier)
    name = (robot.get("name") or "").strip()
    inertials = {name: link.find("inertial") for name, link in links.items()}
    return UrdfTree(
        name=name,
        root=root,
        links={n: read_links[n] for n in order},
        joints=joints,
        carrier=carrier,
        left_out=_left_out(robot),
        repeated=(
            *_repeated("link", links),
            *_repeated("joint", _named(context, robot, "joint")),
            *_repeated("link", {name: one for name, one in inertials.items() if one is not None}),
        ),
    )


def _named(context: FileContext, robot: Element, tag: str) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for number, element in enumerate(robot.findall(tag), 1):
        name = context.text(element, f"{tag} {number}", "name")
        if name in found:
            raise context.fail(f"{tag} '{name}'", "the name is used twice")
        found[name] = element
    return found


def _link(context: FileContext, name: str, element: Element, colours: dict[str, list[float]]) -> UrdfLink:
    where, inertial = f"link '{name}'", element.find("inertial")
    visuals = read_visuals(context, where, element, colours)
    if inertial is None:
        return UrdfLink(name, 0.0, np.zeros(3), np.zeros((3, 3)), visuals)
    mass = inertial.find("mass")
    if mass is None:
        raise context.fail(where, "<inertial> needs a <mass>")
    kilograms = context.number(mass, where, "value")
    if kilograms < 0:
        raise context.fail(where, f"the mass {kilograms:g} kg is negative")
    origin, inertia = inertial.find("origin"), inertial.find("inertia")
    com = context.numbers(origin, where, "xyz", 3, (0.0, 0.0, 0.0))
    rpy = context.numbers(origin, where, "rpy", 3, (0.0, 0.0, 0.0))
    keys = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    xx, xy, xz, yy, yz, zz = (context.number(inertia, where, key, 0.0) for key in keys)
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if (defect := inertia_defect(kilograms, J, 1e-6)) is not None:
        raise context.fail(where, f"{defect}: no body has such; correct its <inertia>, by its shape for a start")
    if any(rpy):
        J = rotate_inertia(euler_matrix("xyz", np.array(rpy)), J)
    return UrdfLink(name, kilograms, np.array(com), J, visuals)


def _joint(context: FileContext, name: str, element: Element, links: dict[str, Element]) -> UrdfJoint:
    where = f"joint '{name}'"
    joint_type = context.text(element, where, "type")
    if joint_type not in JOINT_TYPES:
        raise context.fail(where, f"there is no joint type '{joint_type[:40]}'; there are: {listing(JOINT_TYPES)}")
    ends = {}
    for side in ("parent", "child"):
        if (end := element.find(side)) is None:
            raise context.fail(where, f"the element <{side}> is missing")
        ends[side] = context.text(end, where, "link")
        if ends[side] not in links:
            raise context.fail(where, f"{side}: {unknown('link', ends[side], links)}")
    if ends["parent"] == ends["child"]:
        raise context.fail(where, f"the link '{ends['child']}' is parent and child")
    origin, dynamics, limit = (element.find(tag) for tag in ("origin", "dynamics", "limit"))
    axis = context.numbers(element.find("axis"), where, "xyz", 3, (1.0, 0.0, 0.0))
    if joint_type not in ("fixed", "floating") and not 1e-9 < np.linalg.norm(axis) < 1e9:
        raise context.fail(where, f"an axis of length {np.linalg.norm(axis):g} has no direction")
    mimic = None
    if (at := element.find("mimic")) is not None:
        ratio, offset = context.number(at, where, "multiplier", 1.0), context.number(at, where, "offset", 0.0)
        mimic = context.text(at, where, "joint"), ratio, offset
    return UrdfJoint(
        name=name,
        type=joint_type,
        parent=ends["parent"],
        child=ends["child"],
        xyz=tuple(context.numbers(origin, where, "xyz", 3, (0.0, 0.0, 0.0))),
        rpy=tuple(context.numbers(origin, where, "rpy", 3, (0.0, 0.0, 0.0))),
        axis=tuple(axis),
        limits=_limits(context, where, limit, joint_type),
        effort=context.number(limit, where, "effort", 0.0),
        velocity=context.number(limit, where, "velocity", 0.0),
        damping=context.number(dynamics, where, "damping", 0.0),
        friction=context.number(dynamics, where, "friction", 0.0),
        mimic=mimic,
    )


def _limits(context: FileContext, where: str, limit: Element | None, joint_type: str) -> tuple[float, float] | None:
    """Lower and upper limit; none where neither is written, which exporters do for joints without stops."""
    if limit is None or joint_type not in ("revolute", "prismatic") or not {"lower", "upper"} & set(limit.keys()):
        return None
    lower, upper = (context.number(limit, where, end, 0.0) for end in ("lower", "upper"))
    if lower > upper:
        raise context.fail(where, f"the lower limit {lower:g} is above the upper limit {upper:g}")
    return lower, upper


def _ordered(
    context: FileContext, links: dict[str, UrdfLink], joints: dict[str, UrdfJoint], carrier: dict[str, UrdfJoint]
) -> tuple[str, list[str]]:
    """The root, and links with parents before children; several roots or a cycle are errors."""
    roots = [name for name in links if name not in carrier]
    if len(roots) > 1:
        raise PoinsotError(f"{context.path}: the links are not one tree: {listing(roots)} have no parent")
    children: dict[str, list[str]] = {name: [] for name in links}
    for joint in joints.values():
        children[joint.parent].append(joint.child)
    order = list(roots)
    for name in order:
        order += children[name]
    if len(order) < len(links):
        ring = [name for name in links if name not in set(order)]
        raise PoinsotError(
            f"{context.path}: the joints form a cycle through {listing(ring)}; loops go to the sidecar"
        )
    return roots[0], order


def _repeated(kind: str, owners: dict[str, Element]) -> list[Lost]:
    """Notes on elements that stand several times where one is meant: the first is read."""
    found = []
    for name, owner in owners.items():
        count = Counter(str(child.tag) for child in owner)
        several = ((tag, count[tag]) for tag in READ[owner.tag] if count[tag] > 1)
        found += [Lost(f"The {kind} '{name}' has {n} <{tag}>: the first is used.") for tag, n in several]
    return found


def _left_out(robot: Element) -> tuple[str, ...]:
    """Elements that are not read, counted by tag."""
    count: Counter[str] = Counter()
    for owner in (robot, *robot.findall("link"), *robot.findall("joint")):
        others = (c for c in owner if c.tag not in READ[owner.tag] and not is_visual(c) and not is_colour(c))
        count.update(str(c.tag)[:40] for c in others)
    return tuple(f"{number} {tag}" for tag, number in count.items())
