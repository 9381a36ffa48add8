"""Beams of a model file: materials, sections, and the flexible parts of bodies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from poinsot.elements.bodies import Beam
from poinsot.errors import unknown
from poinsot.model.build.places import ZERO, Places
from poinsot.model.build.scope import ModelError, Scope
from poinsot.model.parts import substitute
from poinsot.model.quantities.expressions import Expression, evaluate
from poinsot.model.schema import BeamSpec, ModelSpec

MATERIAL = {"E": ("Pa", "elastic"), "G": ("Pa", "elastic"), "density": ("kg/m³", "inertia")}
SECTION = {
    "area": ("m²", "inertia"),
    "Iy": ("m⁴", "elastic"),
    "Iz": ("m⁴", "elastic"),
    "torsion": ("m⁴", "elastic"),
    "shear_y": ("-", "elastic"),
    "shear_z": ("-", "elastic"),
}


def beams(model: ModelSpec, found: list[Scope], places: Places) -> dict[str, Beam]:
    """Read all beams; the numbers of materials and sections become parameters such as "steel.E"."""
    materials = _tables(model, found[0], places, "materials", MATERIAL)
    sections = _tables(model, found[0], places, "sections", SECTION)
    return {
        scope.element(f"{key}.{name}"): _beam(scope, key, name, spec, places, materials, sections)
        for scope in found
        for key, body in scope.group.bodies.items()
        for name, spec in body.beams.items()
    }


def _tables(model: ModelSpec, scope: Scope, places: Places, table: str, keys: Mapping[str, tuple[str, str]]) -> dict:
    return {
        name: {
            key: places.slots.slot(scope, (table, name, key), f"{name}.{key}", value, unit, role, 0.0)
            for key, (unit, role) in keys.items()
            if (value := getattr(spec, key)) is not None
        }
        for name, spec in getattr(model, table).items()
    }


def _beam(
    scope: Scope, key: str, name: str, spec: BeamSpec, places: Places, materials: Mapping, sections: Mapping
) -> Beam:
    path, body = (*scope.path, "bodies", key, "beams", name), scope.element(key)
    if body not in places.bodies:
        raise ModelError(path, "the ground cannot have beams: give them to a body that is fixed to it")
    for table, existing in (("material", materials), ("section", sections)):
        if getattr(spec, table) not in existing:
            raise ModelError((*path, table), unknown(table, getattr(spec, table), existing))
    ends = [
        places.frame(scope, (*path, "between", i), place, f"{key}.{name}") for i, place in enumerate(spec.between)
    ]
    for i, end in enumerate(ends):
        if end.body != body:
            raise ModelError((*path, "between", i), f"expected a frame of '{body}', got '{end.label}'")
    ends = [end if end.name else replace(end, position=(ZERO,) * 3) for end in ends]
    return Beam(
        name=scope.element(f"{key}.{name}"),
        a=ends[0],
        b=ends[1],
        **materials[spec.material],
        **sections[spec.section],
        up=None if spec.z is None else _direction(scope, (*path, "z"), spec.z, places),
        elements=spec.elements,
    )


def _direction(scope: Scope, path: tuple, values: Any, places: Places) -> tuple[Expression, Expression, Expression]:
    if len(values) != 3:
        raise ModelError(path, f"expected 3 numbers, got {len(values)}")
    x, y, z = (places.slots.number(scope, (*path, i), value, "-") for i, value in enumerate(values))
    return x, y, z


def with_axes(beam: Beam, values: Mapping[str, float]) -> Beam:
    """Settle the turn of the section about the beam's axis: z along the body's z, or its x for a beam along z."""
    numbers = substitute(beam, lambda expression: float(evaluate(expression, values)))
    direction = np.subtract(numbers.b.position, numbers.a.position)
    length = float(np.linalg.norm(direction))
    path = ("beams", beam.name)
    if not length > 0:
        raise ModelError(path, "its two ends are in the same place")
    for key in ("E", "G", "density", "area", "Iy", "Iz", "torsion", "shear_y", "shear_z"):
        if getattr(numbers, key) is not None and not getattr(numbers, key) > 0:
            raise ModelError(path, f"{key} must be above zero, got {getattr(numbers, key):g}")
    up = numbers.up or ((1.0, 0.0, 0.0) if _parallel(direction, (0.0, 0.0, 1.0)) else (0.0, 0.0, 1.0))
    if _parallel(direction, up):
        raise ModelError((*path, "z"), "the z axis of the section must not point along the beam")
    return replace(beam, up=tuple(float(component) for component in up))


def _parallel(a: Any, b: Any) -> bool:
    return float(np.linalg.norm(np.cross(a, b))) <= 1e-6 * float(np.linalg.norm(a) * np.linalg.norm(b))
