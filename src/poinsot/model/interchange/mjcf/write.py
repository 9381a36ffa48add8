"""MJCF out: bodies nested along the tree in the assembled pose, loops as equality constraints.

`ref` of every hinge and slide is the joint's coordinate in the assembled pose, so qpos0 holds the same numbers that
Poinsot reads. Balls have no ref in MJCF: they stand at 1 0 0 0 in the written pose.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np

from poinsot.elements import GROUND
from poinsot.elements.bodies import RigidBody
from poinsot.elements.joints.steps import BALL, DISTANCE, FRAME, HINGE, POINT
from poinsot.errors import PoinsotError, listing
from poinsot.model.interchange.couplings import followers
from poinsot.model.interchange.mjcf.visuals import MeshAssets, write_visuals
from poinsot.model.interchange.mjcf.write_forces import FARTHEST, MjcfActing, law_attributes, pose_attributes
from poinsot.model.interchange.notes import Conversion, dropped, written
from poinsot.model.interchange.summed_forces import force_along
from poinsot.model.interchange.tree import LoopClosure, OpenedTree, TreeLink, cut_tree
from poinsot.model.interchange.xml import number_text, numbers_text
from poinsot.model.mechanism import Mechanism, require_mechanism
from poinsot.model.meshes import paths_from
from poinsot.model.toml import as_path
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import quaternion_from_matrix

NATIVE = frozenset({POINT, FRAME, HINGE, DISTANCE})
WORLD = "world"  # the name of MuJoCo's ground
SMALL_MASS, SMALL_INERTIA = 1e-9, 1e-12  # [kg], [kg·m²]; MuJoCo refuses moving bodies with less than 1e-15
SMALL_RATIO = 1e-9  # least principal moment, as a fraction of the largest


def write_mjcf(mechanism: Mechanism, path: str | Path, overwrite: bool = False) -> Conversion:
    """Write a mechanism in its assembled pose as MJCF, the model format of MuJoCo; needs no MuJoCo.

    `mechanism` goes to `path`; a file there is kept unless `overwrite` is given. Mesh files are named as seen from
    there.

    What MJCF cannot say, or says only nearly, is in the notes of the result, one sentence each.
    """
    path = as_path(path)
    text, notes = mjcf_text(mechanism, paths_from(require_mechanism(mechanism), path.parent))
    return written({path: text}, [*notes, *dropped(mechanism)], overwrite)


def mjcf_text(mechanism: Mechanism, paths: Mapping[str, str] | None = None) -> tuple[str, list[str]]:
    """MJCF of a mechanism as text, and notes on what it cannot say; `paths` of mesh files by their names."""
    tree = cut_tree(mechanism, NATIVE, whole_balls=True)
    notes = list(tree.notes)
    root = Element("mujoco", model=mechanism.name)
    SubElement(root, "compiler", angle="radian", autolimits="true", balanceinertia="false", inertiafromgeom="false")
    SubElement(root, "option", gravity=numbers_text(mechanism.gravity))
    meshes = MeshAssets(SubElement(root, "asset"), paths or {})
    world = SubElement(root, "worldbody")
    along = MjcfActing(mechanism, tree, notes)
    notes += write_visuals(world, mechanism.elements.ground.visuals, meshes)
    elements = _bodies(world, tree, along, notes, meshes)
    along.add_sites(elements)
    following, lost = followers(mechanism, tree)
    notes += lost
    if tree.closures or following:
        equality = SubElement(root, "equality")
        for name, law in following.items():  # in the written pose, at ref, all couplings hold: no offset
            pair = {"joint1": name} | ({} if law.leader is None else {"joint2": law.leader})
            SubElement(equality, "joint", {**pair, "polycoef": numbers_text((0, law.ratio, 0, 0, 0))})
        for closure in tree.closures:
            _close(equality, closure, tree, along)
        notes.append("MuJoCo keeps equality constraints softly: loops open a little under load.")
        hinges = [closure.name for closure in tree.closures if closure.form == HINGE]
        if hinges:
            notes.append(
                f"Hinges that close loops are pairs of points, without a zero of their angle: {listing(hinges)}."
            )
    along.add_sections(root)
    if mechanism.planar:
        notes.append("The planar mechanism is written in space, in the plane z = 0.")
    _say_aids(tree, notes)
    if not len(meshes.root):
        root.remove(meshes.root)
    indent(root, "  ")
    return tostring(root, encoding="unicode") + "\n", notes


def _say_aids(tree: OpenedTree, notes: list[str]) -> None:
    """Note what stands in the file only because MuJoCo wants it so."""
    aids = [link.name for link in tree.links if link.body is None]
    if aids:
        notes.append(
            f"Auxiliary bodies have a mass of {SMALL_MASS:g} kg and moments of inertia of {SMALL_INERTIA:g} kg·m², "
            f"which MuJoCo demands: {listing(aids)}."
        )
    balls = [m.joint for link in tree.links for m in link.motions if m.type == BALL]
    if balls:
        named = f"'{balls[0]}'" if len(balls) == 1 else f"'{balls[0]}' and {len(balls) - 1} more"
        notes.append(f"Ball joints ({named}) read 1 0 0 0 in the written pose: MJCF has no ref for them.")


def _bodies(
    world: Element, tree: OpenedTree, along: MjcfActing, notes: list[str], meshes: MeshAssets
) -> dict[str, Element]:
    """Nest every link in its parent; returns the element of every link."""
    elements, poses = {GROUND: world}, {GROUND: Pose.identity()}
    for link in tree.links:
        if link.name in (*elements, WORLD):
            raise PoinsotError(f"MJCF cannot have a body called '{link.name}': the name is taken")
        X_PL = poses[link.parent].inverse() @ link.X_W
        element = SubElement(elements[link.parent], "body", {"name": link.name, **pose_attributes(X_PL)})
        elements[link.name], poses[link.name] = element, link.X_W
        _inertial(element, link, notes)
        if link.body is not None:
            notes += write_visuals(element, link.body.visuals, meshes)
        _joints(element, link, along, notes)
    return elements


def _joints(element: Element, link: TreeLink, along: MjcfActing, notes: list[str]) -> None:
    floating = len(link.motions) == 4 and link.motions[3].type == BALL
    if floating and link.parent == GROUND and not any(force_along(along.laws, m) for m in link.motions):
        SubElement(element, "freejoint", name=link.joint)
        notes.append(f"The free joint '{link.joint}' reads the world pose of '{link.name}' in qpos.")
        return
    for motion in link.motions:
        p_L = link.X_W.inverse().point(motion.point)
        attributes = {"name": motion.name, "type": motion.type, "pos": numbers_text(p_L)}
        if motion.type != BALL:
            attributes |= {"axis": numbers_text(link.X_W.R.T @ motion.axis), "ref": number_text(motion.value)}
        law = force_along(along.laws, motion)
        SubElement(element, "joint", attributes | law_attributes(law, "springref", -FARTHEST))


def _inertial(element: Element, link: TreeLink, notes: list[str]) -> None:
    """Mass, centre and principal moments; MuJoCo refuses moving bodies without, so they get a trifle."""
    if link.body is None:
        small = {"mass": number_text(SMALL_MASS), "diaginertia": numbers_text([SMALL_INERTIA] * 3), "pos": "0 0 0"}
        SubElement(element, "inertial", small)
        return
    mass, moments, R_BP = _principal(link.body, notes)
    attributes = {"pos": numbers_text(link.body.com), "mass": number_text(mass), "diaginertia": numbers_text(moments)}
    if not np.array_equal(R_BP, np.eye(3)):
        attributes["quat"] = numbers_text(quaternion_from_matrix(R_BP))
    SubElement(element, "inertial", attributes)


def _principal(body: RigidBody, notes: list[str]) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass [kg], principal moments [kg·m²] and their axes, with the least that MuJoCo accepts."""
    J = np.asarray(body.inertia_about_centre(), float)
    diagonal = np.count_nonzero(J - np.diag(np.diag(J))) == 0
    moments, R = (np.diag(J).copy(), np.eye(3)) if diagonal else np.linalg.eigh(J)
    R = R if np.linalg.det(R) > 0 else -R
    mass = float(body.mass)
    if mass < SMALL_MASS:
        notes.append(f"The body '{body.name}' has {mass:g} kg and is written with {SMALL_MASS:g} kg.")
        mass = SMALL_MASS
    least = max(SMALL_INERTIA, SMALL_RATIO * float(np.max(moments)))
    if np.min(moments) < least:
        given = float(np.min(moments))
        notes.append(
            f"The body '{body.name}' has a moment of inertia of {max(given, 0.0):.3g} kg·m² and is written with "
            f"{least:.3g} kg·m², because MuJoCo demands positive ones."
        )
        moments = np.maximum(moments, least)
    return mass, moments, R


def _close(equality: Element, closure: LoopClosure, tree: OpenedTree, along: MjcfActing) -> None:
    """Write a closure; the world is left out as second body, as MJCF wants it."""
    poses = {**tree.poses, **{link.name: link.X_W for link in tree.links}}
    if closure.form == DISTANCE:
        SubElement(equality, "tendon", name=closure.name, tendon1=along.distance(closure, poses))
        return
    first, second = (closure.a, closure.b) if closure.a != GROUND else (closure.b, closure.a)
    bodies = {"body1": first} | ({} if second == GROUND else {"body2": second})
    X_AF = poses[first].inverse() @ closure.X_W
    if closure.form == FRAME:
        SubElement(equality, "weld", {"name": closure.name, **bodies})
        return
    size = max([float(np.linalg.norm(link.X_W.p)) for link in tree.links] + [1e-6])
    spread = float(
        10.0 ** np.round(np.log10(size) - 1)
    )  # of two points for a hinge: a tenth of it, in round numbers [m]
    points = [X_AF.p] if closure.form == POINT else [X_AF.p, X_AF.p + spread * X_AF.R[:, 2]]
    for number, point in enumerate(points, 1):
        name = closure.name if len(points) == 1 else f"{closure.name}.{number}"
        SubElement(equality, "connect", {"name": name, "anchor": numbers_text(point), **bodies})
