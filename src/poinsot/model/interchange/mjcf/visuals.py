"""Geoms of an MJCF file as shapes that bodies are drawn with, and back; contacts are left out."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from poinsot.elements.bodies.visual import Visual
from poinsot.model.interchange.mjcf.model import MjcfModel
from poinsot.model.interchange.visuals import visual_entry
from poinsot.model.interchange.xml import numbers_text
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import quaternion_from_matrix, quaternion_matrix

SEEN_GROUPS = 3  # MuJoCo shows the groups below


def add_visuals(model: MjcfModel) -> None:
    """Shapes of geoms that MuJoCo would show; a mesh stays a file."""
    m = model.compiled
    types = {model.number("mjtGeom", name): name.lower() for name in ("BOX", "CYLINDER", "SPHERE", "CAPSULE", "MESH")}
    for i in range(m.ngeom):
        shape = types.get(int(m.geom_type[i]))
        if shape is None or m.geom_group[i] >= SEEN_GROUPS or m.geom_rgba[i][3] == 0:
            continue
        body, X_HB = model.home[int(m.geom_bodyid[i])]
        X = X_HB @ Pose(quaternion_matrix(m.geom_quat[i]), m.geom_pos[i].copy())
        a, b, c = (float(x) for x in m.geom_size[i])
        size = {"box": (2 * a, 2 * b, 2 * c), "sphere": (a,)}.get(shape, (a, 2 * b))
        colour = [float(part) for part in m.geom_rgba[i]]
        if shape == "mesh":
            k = int(m.geom_dataid[i])
            X = X @ Pose(quaternion_matrix(m.mesh_quat[k]), m.mesh_pos[k].copy()).inverse()
            entry = visual_entry("mesh", _mesh_file(model, k), X, colour, [float(s) for s in m.mesh_scale[k]])
        else:
            entry = visual_entry(shape, size, X, colour)
        if entry.get("mesh", "file"):
            model.tables["bodies"].setdefault(body, {}).setdefault("visual", []).append(entry)


def _mesh_file(model: MjcfModel, k: int) -> str:
    """The file of a mesh, as MuJoCo was told; nothing where its points stand in the model itself."""
    m = model.compiled
    start = int(m.mesh_pathadr[k])
    return "" if start < 0 else m.paths[start : m.paths.find(b"\x00", start)].decode(errors="replace")


def write_visuals(element: Element, visuals: tuple[Visual, ...]) -> list[str]:
    """Write shapes as geoms without mass and contact; returns notes on what is left out."""
    notes = []
    for visual in visuals:
        if visual.shape == "mesh":
            notes.append("Meshes that bodies are drawn with are left out.")
            continue
        size = [float(x) for x in visual.size]
        half = {"box": [x / 2 for x in size], "sphere": size}.get(visual.shape, [size[0], size[-1] / 2])
        X = visual.pose()
        attributes = {"type": visual.shape, "size": numbers_text(half), "pos": numbers_text(X.p)}
        attributes |= {"quat": numbers_text(quaternion_from_matrix(X.R)), "group": "1", "mass": "0"}
        attributes |= {"contype": "0", "conaffinity": "0"}
        if visual.colour is not None:
            attributes["rgba"] = numbers_text((*visual.colour, 1.0)[:4])
        SubElement(element, "geom", attributes)
    return notes
