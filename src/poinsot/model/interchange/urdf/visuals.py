"""`<visual>` of a URDF, in and out: boxes, cylinders, spheres and mesh files with their colours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from poinsot.elements.bodies.visual import Visual
from poinsot.model.interchange.visuals import visual_entry
from poinsot.model.interchange.xml import FileContext, number_text, numbers_text
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import euler_angles, euler_matrix

KNOWN = ("box", "cylinder", "sphere", "capsule", "mesh")


def is_visual(element: Element) -> bool:
    """Whether an element is a shape that can be drawn."""
    return element.tag == "visual" and _shape(element) is not None


def _shape(visual: Element) -> Element | None:
    geometry = visual.find("geometry")
    return next((child for child in geometry if child.tag in KNOWN), None) if geometry is not None else None


def is_colour(element: Element) -> bool:
    """Whether an element of a robot is a material with a colour, for visuals to name."""
    return element.tag == "material" and element.find("color") is not None


def read_colours(context: FileContext, robot: Element) -> dict[str, list[float]]:
    """Colours (4,) red, green, blue, opacity by material; those of the robot come before those inside its links."""
    found: dict[str, list[float]] = {}
    for material in [*robot.findall("material"), *robot.findall("link/visual/material")]:
        name = (material.get("name") or "").strip()
        if name and name not in found and is_colour(material):
            found[name] = _rgba(context, f"material '{name}'", material)
    return found


def read_visuals(
    context: FileContext, where: str, link: Element, colours: Mapping[str, list[float]]
) -> tuple[dict[str, Any], ...]:
    """Shapes of a link as a model file has them; `colours` are those of materials by name."""
    found = []
    for visual in link.findall("visual"):
        if (shape := _shape(visual)) is None:
            continue
        origin, zero = visual.find("origin"), (0.0, 0.0, 0.0)
        p, rpy = (np.array(context.numbers(origin, where, key, 3, zero)) for key in ("xyz", "rpy"))
        X, scale = Pose(euler_matrix("xyz", rpy), p), None
        if shape.tag == "mesh":
            scale = context.numbers(shape, where, "scale", 3, (1.0, 1.0, 1.0))
        colour = _colour(context, where, visual, colours)
        found.append(visual_entry(shape.tag, _size(context, where, shape), X, colour, scale))
    return tuple(found)


def _size(context: FileContext, where: str, shape: Element) -> Any:
    if shape.tag == "mesh":
        return context.text(shape, where, "filename")
    if shape.tag == "box":
        return context.numbers(shape, where, "size", 3, None)
    keys = ("radius",) if shape.tag == "sphere" else ("radius", "length")
    return [context.number(shape, where, key) for key in keys]


def _colour(
    context: FileContext, where: str, visual: Element, colours: Mapping[str, list[float]]
) -> list[float] | None:
    material = visual.find("material")
    if material is None:
        return None
    return (
        _rgba(context, where, material) if is_colour(material) else colours.get((material.get("name") or "").strip())
    )


def _rgba(context: FileContext, where: str, material: Element) -> list[float]:
    return context.numbers(material.find("color"), where, "rgba", 4, (0.5, 0.5, 0.5, 1.0))


def write_visuals(link: Element, visuals: tuple[Visual, ...]) -> list[str]:
    """Write the shapes of a body into its link; returns notes on what URDF has no words for."""
    notes = []
    for visual in visuals:
        element = SubElement(link, "visual")
        X = visual.pose()
        rpy = euler_angles("xyz", np.asarray(X.R, float))
        SubElement(element, "origin", xyz=numbers_text(X.p), rpy=numbers_text(rpy))
        geometry, size = SubElement(element, "geometry"), [float(x) for x in visual.size]
        if visual.shape == "mesh":
            SubElement(geometry, "mesh", filename=visual.file, scale=numbers_text(size))
        elif visual.shape == "box":
            SubElement(geometry, "box", size=numbers_text(size))
        elif visual.shape == "sphere":
            SubElement(geometry, "sphere", radius=number_text(size[0]))
        else:
            SubElement(geometry, "cylinder", radius=number_text(size[0]), length=number_text(size[1]))
        if visual.shape == "capsule":
            notes.append("Capsules that bodies are drawn with are written as cylinders.")
        if visual.colour is not None:
            rgba = (*visual.colour, 1.0)[:4]
            SubElement(SubElement(element, "material", name=""), "color", rgba=numbers_text(rgba))
    return notes
