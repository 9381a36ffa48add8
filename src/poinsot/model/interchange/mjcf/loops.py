"""MJCF in: equality constraints become joints that close loops."""

from __future__ import annotations

import numpy as np

from poinsot.model.interchange.couplings import coupling_entry, knows
from poinsot.model.interchange.cut_bodies import place
from poinsot.model.interchange.mjcf.model import MjcfModel
from poinsot.model.interchange.notes import Lost
from poinsot.model.interchange.recognise import HINGE, SLIDE
from poinsot.spatial.orientation import along
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import quaternion_matrix

Ends = tuple[tuple[str, Pose], tuple[str, Pose]]  # body and frame on it, twice


def screws(model: MjcfModel) -> dict[int, tuple[float, float]]:
    """Slides that an equality couples to a turn on the same body: offset and advance per radian."""
    m, found = model.compiled, {}
    for i in range(m.neq):
        if int(m.eq_type[i]) != model.number("mjtEq", "JOINT") or not m.eq_active0[i] or m.eq_obj2id[i] < 0:
            continue
        one, two = int(m.eq_obj1id[i]), int(m.eq_obj2id[i])
        c = m.eq_data[i]
        kinds = (int(m.jnt_type[one]), int(m.jnt_type[two]))
        if m.jnt_bodyid[one] != m.jnt_bodyid[two] or c[1] == 0 or np.any(c[2:5]):
            continue
        if m.body_jntnum[m.jnt_bodyid[one]] != 2 or np.linalg.norm(m.jnt_axis[one] - m.jnt_axis[two]) > 1e-9:
            continue
        if kinds == (SLIDE, HINGE):
            found[one] = (float(c[0]), float(c[1]))
        elif kinds == (HINGE, SLIDE):
            found[two] = (float(-c[0] / c[1]), float(1 / c[1]))
    return found


def add_loops(model: MjcfModel) -> None:
    """Take connects, welds and rods; two connects between the same bodies are a hinge."""
    m = model.compiled
    forms = {name: model.number("mjtEq", name) for name in ("CONNECT", "WELD", "TENDON", "JOINT")}
    connects: dict[tuple[str, str], list[tuple[str, Ends]]] = {}
    for i in range(m.neq):
        label, form = model.label("equality", i) or f"equality{i + 1}", int(m.eq_type[i])
        if not m.eq_active0[i]:
            model.notes.append(f"The equality '{label}' is not active and is left out.")
        elif form == forms["CONNECT"]:
            ends = _ends(model, i, weld=False)
            connects.setdefault((ends[0][0], ends[1][0]), []).append((label, ends))
        elif form == forms["WELD"]:
            _add(model, label, "fixed", _ends(model, i, weld=True))
        elif form == forms["TENDON"]:
            _distance(model, i, label)
        elif form == forms["JOINT"]:
            _couple(model, i, label)
        else:
            model.notes.append(Lost(f"The equality '{label}' has no counterpart and is left out."))
    for found in connects.values():
        while len(found) >= 2 and (hinge := _hinge(found[0][1], found[1][1])) is not None:
            stem, _, number = found[0][0].rpartition(".")
            _add(model, stem if number == "1" and stem else found[0][0], "revolute", hinge)
            found = found[2:]
        for label, ends in found:
            _add(model, label, "spherical", ends)


def _couple(model: MjcfModel, i: int, label: str) -> None:
    """q − q₀ = c₀ + c₁ (q' − q'₀) of two joints, or q − q₀ = c₀ of one, with the coordinates q₀ of qpos0."""
    m, c = model.compiled, model.compiled.eq_data[i]
    if _is_screw(model, i):
        return
    ids = [int(j) for j in (m.eq_obj1id[i], m.eq_obj2id[i]) if j >= 0]
    if any(model.joints[j][1] is None for j in ids):
        model.notes.append(Lost(f"The equality '{label}' is of a motion that is no coordinate and is left out."))
        return
    if len(ids) == 2 and np.any(c[2:5]):
        model.notes.append(Lost(f"The equality '{label}' of two joints is not linear and is left out."))
        return
    owners = [model.joints[j] for j in ids]
    names = [name if knows(model.tables, name) else f"{name}.{coordinate}" for name, coordinate in owners]
    q0 = [float(m.qpos0[m.jnt_qposadr[j]]) for j in ids]
    leader, ratio = (names[1], float(c[1])) if len(ids) == 2 else (None, 0.0)
    offset = float(c[0]) + q0[0] - (ratio * q0[1] if leader else 0.0)
    model.tables["couplings"][model.names["coupling"].add(label)] = coupling_entry(names[0], leader, ratio, offset)


def _is_screw(model: MjcfModel, i: int) -> bool:
    m, helical = model.compiled, {n for n, j in model.tables["joints"].items() if j["type"] == "helical"}
    owners = {model.joints[int(j)][0] for j in (m.eq_obj1id[i], m.eq_obj2id[i]) if j >= 0}
    return len(owners) == 1 and owners <= helical


def _ends(model: MjcfModel, i: int, weld: bool) -> Ends:
    """Bodies and frames of a connect or weld that is written with bodies, or with sites."""
    m, ids = model.compiled, (int(model.compiled.eq_obj1id[i]), int(model.compiled.eq_obj2id[i]))
    d = m.eq_data[i]
    frames = Pose(np.eye(3), d[0:3].copy()), Pose(np.eye(3), d[3:6].copy())
    if weld:  # the second body's anchor has a pose in the first one
        frames = Pose(quaternion_matrix(d[6:10]), frames[1].p), frames[0]
    out = []
    for which, X in zip(ids, frames):
        if int(m.eq_objtype[i]) == model.number("mjtObj", "SITE"):
            X = Pose(quaternion_matrix(m.site_quat[which]), m.site_pos[which].copy())
            which = int(m.site_bodyid[which])
        body, X_HB = model.home[max(which, 0)]
        out.append((body, X_HB @ X))
    return out[0], out[1]


def _hinge(first: Ends, second: Ends) -> Ends | None:
    """Two common points: a common axis through both, if they are apart, and equally far on both bodies."""
    ways = [second[side][1].p - first[side][1].p for side in (0, 1)]
    lengths = [float(np.linalg.norm(way)) for way in ways]
    if min(lengths) < 1e-9 or abs(lengths[0] - lengths[1]) > 1e-6 * max(lengths):
        return None
    (a, X_a), (b, X_b) = first
    frames = [Pose(along(way, way).matrix(), X.p) for way, X in zip(ways, (X_a, X_b))]
    return (a, frames[0]), (b, frames[1])


def tendon_ends(model: MjcfModel, tendon: int) -> tuple[str, str] | None:
    """The two places of a tendon that runs straight between two sites; None for any other."""
    m = model.compiled
    start, count = int(m.tendon_adr[tendon]), int(m.tendon_num[tendon])
    wraps, site = range(start, start + count), model.number("mjtWrap", "SITE")
    if count != 2 or any(int(m.wrap_type[w]) != site for w in wraps):
        return None
    a, b = (model.sites[int(m.wrap_objid[w])] for w in wraps)
    return a, b


def _distance(model: MjcfModel, i: int, label: str) -> None:
    m, tendon = model.compiled, int(model.compiled.eq_obj1id[i])
    ends = tendon_ends(model, tendon)
    if ends is None or m.eq_obj2id[i] >= 0:
        model.notes.append(Lost(f"The tendon equality '{label}' has no counterpart and is left out."))
        return
    length = float(m.tendon_length0[tendon] + m.eq_data[i][0])
    name = model.names["joint"].add(label)
    model.tables["joints"][name] = {"type": "distance", "between": list(ends), "length": length}


def _add(model: MjcfModel, label: str, kind: str, ends: Ends) -> None:
    (a, X_a), (b, X_b) = ends
    if a == b:
        model.notes.append(f"The equality '{label}' holds '{a}' to itself and is left out.")
        return
    name = model.names["joint"].add(label)
    spec = {"type": kind, "between": [place(a, X_a), place(b, X_b)], "closing": True}
    model.tables["joints"][name] = spec
