"""MJCF in: MuJoCo compiles the file, and the compiled bodies, joints and loops become a model file's document."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.model.interchange.cut_bodies import NEGLIGIBLE, inertia_entry, listed, mend_cuts, pose_entry
from poinsot.model.interchange.drives import drive, require_drives
from poinsot.model.interchange.mjcf.files import compile_mjcf
from poinsot.model.interchange.mjcf.home import part_placement, placements
from poinsot.model.interchange.mjcf.loops import add_loops, screws
from poinsot.model.interchange.mjcf.model import MjcfModel
from poinsot.model.interchange.mjcf.read_forces import add_acting, joint_laws
from poinsot.model.interchange.mjcf.visuals import add_visuals
from poinsot.model.interchange.names import changed_names
from poinsot.model.interchange.notes import Lost, built
from poinsot.model.interchange.recognise import BALL, FREE, HINGE, SLIDE, MjJoint, Recognised, recognise, stem
from poinsot.model.mechanism import Mechanism
from poinsot.model.toml import as_path
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import quaternion_matrix

LEFT_OUT = {  # counters of the compiled model, and what they count
    "ncam": "cameras",
    "nlight": "lights",
    "nmat": "materials",
    "ntex": "textures",
    "nkey": "keyframes",
    "nflex": "flexible bodies",
    "nskin": "skins",
    "npair": "contact pairs",
    "nexclude": "contact exclusions",
    "nnumeric": "custom numbers",
    "ntext": "custom texts",
    "ntuple": "custom tuples",
}


def read_mjcf(path: str | Path, drives: Sequence[str] | None = None) -> Mechanism:
    """Read an MJCF file with MuJoCo (extra `mujoco`); what a mechanism cannot hold is warned of and noted.

    `path` of the file; nothing outside its folder is read. `drives` are the joints that actuators drive; without them
    the file's own actuators do, and none where it has none. Coordinates are MuJoCo's qpos under the names of the
    joints, and the pose of the mechanism is that of qpos0, in which joints that follow others are where equalities
    keep them.
    """
    path, chosen = as_path(path), require_drives(drives)
    model = MjcfModel(compile_mjcf(path))
    try:
        _add_bodies(model)
        _add_sites(model)
        add_visuals(model)
        _add_joints(model)
        add_loops(model)
        add_acting(model)
        _note_left_out(model)
        model.notes += mend_cuts(model.tables)
        if chosen is not None:
            drive(model.tables, chosen)
    except PoinsotError as error:
        raise PoinsotError(f"{path}: {error}") from None
    return built(_document(model), path, [*model.notes, *changed_names(model.names.values(), model.tables)])


def _document(model: MjcfModel) -> dict[str, Any]:
    m = model.compiled
    gravity_off = bool(m.opt.disableflags & model.number("mjtDisableBit", "GRAVITY"))
    tables = {key: table for key, table in model.tables.items() if table}
    name = m.names[: m.names.find(b"\x00")].decode(errors="replace") if m.names else ""
    header = {"format": 1, "name": name} if name else {"format": 1}
    return {**header, "gravity": [0.0] * 3 if gravity_off else listed(m.opt.gravity), **tables}


def _add_bodies(model: MjcfModel) -> None:
    """Bodies with their inertia; one without mass or joints is part of its parent."""
    m = model.compiled
    home = placements(model)
    for i in range(1, m.nbody):
        parent = model.home[int(m.body_parentid[i])]
        X_PB = parent[1] @ Pose(quaternion_matrix(m.body_quat[i]), m.body_pos[i].copy())
        if m.body_jntnum[i] == 0 and m.body_mass[i] <= NEGLIGIBLE:
            model.home[i] = (parent[0], X_PB)
            model.notes.append(f"The body '{model.body_label(i)}' without mass is part of '{parent[0]}'.")
            continue
        name = model.names["body"].add(model.body_label(i))
        model.home[i] = (name, Pose.identity())
        R = quaternion_matrix(m.body_iquat[i])
        J = R @ np.diag(m.body_inertia[i]) @ R.T
        model.tables["bodies"][name] = {
            "mass": float(m.body_mass[i]),
            "com": listed(m.body_ipos[i]),
            "inertia": inertia_entry(J),
            "placement": home[i],
        }
        if m.body_gravcomp[i]:
            model.notes.append(Lost(f"The gravity compensation of the body '{name}' is left out."))


def _add_sites(model: MjcfModel) -> None:
    """Sites become frames of their bodies."""
    m = model.compiled
    for i in range(m.nsite):
        body, X_HB = model.home[int(m.site_bodyid[i])]
        X = X_HB @ Pose(quaternion_matrix(m.site_quat[i]), m.site_pos[i].copy())
        label = model.label("site", i) or f"site{i}"
        short = label.removeprefix(f"{body}.").replace(".", "_")
        frames = model.tables["bodies"].setdefault(body, {}).setdefault("frames", {})
        name = model.frame_names(body).add(short)
        frames[name] = pose_entry(X)
        model.sites[i] = f"{body}.{name}"


def _joints_of(model: MjcfModel, body: int, coupled: dict[int, tuple[float, float]]) -> list[MjJoint]:
    m = model.compiled
    first, count = int(m.body_jntadr[body]), int(m.body_jntnum[body])
    found = []
    for j in range(first, first + count):
        joint_type = int(m.jnt_type[j])
        ref = float(m.qpos0[m.jnt_qposadr[j]]) if joint_type in (SLIDE, HINGE) else 0.0
        name = model.label("joint", j) or f"{model.body_label(body)}_joint{j - first + 1 if count > 1 else ''}"
        found.append(MjJoint(j, name, joint_type, m.jnt_pos[j].copy(), m.jnt_axis[j].copy(), ref, coupled.get(j)))
    return found


def _add_joints(model: MjcfModel) -> None:
    """One joint a body where there is one, otherwise a chain with bodies without mass."""
    m, coupled = model.compiled, screws(model)
    for i in range(1, m.nbody):
        name = model.home[i][0]
        if model.names["body"].given.get(model.body_label(i)) != name:
            continue  # part of the ground or of another body
        parent, X_HP = model.home[int(m.body_parentid[i])]
        X0 = X_HP @ Pose(quaternion_matrix(m.body_quat[i]), m.body_pos[i].copy())
        joints = _joints_of(model, i, coupled)
        whole = recognise(X0, joints)
        if whole is not None:
            _add_joint(model, parent, name, joints, whole)
        else:
            _add_chain(model, parent, name, X0, joints, i)


def _add_chain(model: MjcfModel, parent: str, body: str, X0: Pose, joints: list[MjJoint], index: int) -> None:
    """Several joints that no type joins: intermediate bodies without mass carry them one by one."""
    added = []
    for k, joint in enumerate(joints):
        last = k == len(joints) - 1
        child = body if last else model.names["body"].add(f"{body}.part{k + 1}")
        if not last:
            model.tables["bodies"][child] = {"mass": 0.0, "placement": part_placement(model, index, k + 1)}
            added.append(child)
        single = recognise(X0, [joint])
        if single is None:
            raise PoinsotError(f"the joint '{joint.name}' is of a type that is not known here")
        _add_joint(model, parent, child, [joint], single)
        parent, X0 = child, Pose.identity()
    model.notes.append(f"The joints of the body '{body}' are carried by bodies without mass: {', '.join(added)}.")


def _add_joint(model: MjcfModel, parent: str, child: str, joints: list[MjJoint], found: Recognised) -> None:
    names = [joint.name for joint in joints]
    name = model.names["joint"].add(stem(names) or "_".join(names) or f"{child}_joint")
    spec = found.spec(parent, child)
    for joint, coordinate in zip(joints, found.coordinates):
        model.joints[joint.index] = (name, coordinate)
    _name_coordinates(model, name, joints, found)
    joint_laws(model, spec, joints, found)
    model.tables["joints"][name] = spec


def _name_coordinates(model: MjcfModel, name: str, joints: list[MjJoint], found: Recognised) -> None:
    """Coordinates of a joint that is made of several have the names of those."""
    told = {}
    for joint, coordinate in zip(joints, found.coordinates):
        label = model.label("joint", joint.index)
        if len(joints) > 1 and label and coordinate is not None and label != f"{name}.{coordinate}":
            told[model.names["coordinate"].add(label)] = {"joint": name, "coordinate": coordinate}
    if told:
        several = ", ".join(f"'{joint.name}'" for joint in joints)
        model.tables["coordinates"] |= told
        model.notes.append(f"The joints {several} are one, '{name}', whose coordinates are called {', '.join(told)}.")


def _note_left_out(model: MjcfModel) -> None:
    m = model.compiled
    if m.ngeom:
        model.notes.append(f"Contacts of {m.ngeom} geoms are left out; their mass is in the bodies.")
    counts = [f"{getattr(m, c)} {what}" for c, what in LEFT_OUT.items() if getattr(m, c, 0)]
    if counts:
        model.notes.append(f"Left out: {', '.join(counts)}.")
    if m.opt.density or m.opt.viscosity or np.any(m.opt.wind):
        model.notes.append(Lost("Fluid forces and wind are left out."))
    types = [int(joint_type) for joint_type in m.jnt_type]
    if any(m.dof_damping[m.jnt_dofadr[j]] for j, joint_type in enumerate(types) if joint_type in (BALL, FREE)):
        model.notes.append(Lost("Damping of ball and free joints is left out."))
