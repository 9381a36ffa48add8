"""Geoms of an MJCF file as shapes that bodies are drawn with, and back; contacts are left out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

from poinsot.elements.bodies.visual import Visual
from poinsot.model.interchange.mjcf.model import MjcfModel
from poinsot.model.interchange.visuals import visual_entry
from poinsot.model.interchange.xml import numbers_text
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import quaternion_from_matrix, quaternion_matrix

SEEN_GROUPS = 3  # MuJoCo shows the groups below
READ = (".stl", ".obj", ".msh")  # endings of mesh files that MuJoCo reads


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


class MeshAssets:
    """Mesh files of a model that is written, each with each scale once."""

    def __init__(self, root: Element, paths: Mapping[str, str]):
        self.root, self.paths = root, paths  # files as seen from the new model, by their names in the old one
        self.names: dict[tuple[str, str], str] = {}

    def name(self, visual: Visual) -> str:
        """The asset that a mesh is; nothing where its file is not there, or not one that MuJoCo reads."""
        path = self.paths.get(visual.file, "")
        if Path(path).suffix.lower() not in READ:
            return ""
        key = path, numbers_text([float(x) for x in visual.size])
        if key not in self.names:
            self.names[key] = f"mesh{len(self.names) + 1}"
            SubElement(self.root, "mesh", {"name": self.names[key], "file": path, "scale": key[1]})
        return self.names[key]


def write_visuals(element: Element, visuals: tuple[Visual, ...], meshes: MeshAssets) -> list[str]:
    """Write shapes as geoms without mass and contact; returns notes on what is left out."""
    notes = []
    for visual in visuals:
        size = [float(x) for x in visual.size]
        half = {"box": [x / 2 for x in size], "sphere": size}.get(visual.shape, [size[0], size[-1] / 2])
        shape = {"size": numbers_text(half)}
        if visual.shape == "mesh" and not (shape := {"mesh": meshes.name(visual)})["mesh"]:
            notes.append(f"A mesh that is not found, or that MuJoCo does not read, is left out: {visual.file}.")
            continue
        X = visual.pose()
        attributes = {"type": visual.shape, **shape, "pos": numbers_text(X.p)}
        attributes |= {"quat": numbers_text(quaternion_from_matrix(X.R)), "group": "1", "mass": "0"}
        attributes |= {"contype": "0", "conaffinity": "0"}
        if visual.colour is not None:
            attributes["rgba"] = numbers_text((*visual.colour, 1.0)[:4])
        SubElement(element, "geom", attributes)
    return notes
