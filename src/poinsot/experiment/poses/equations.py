"""Coordinates that are limited, as functions of the coordinates of the equations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poinsot.lazy import casadi
from poinsot.system.stored import stored

if TYPE_CHECKING:
    from poinsot.system.system import System


@stored
def limited(compiled: System, owners: tuple[tuple[str, str], ...]) -> casadi.Function:
    """(q, p) -> s (k,) of coordinates, or along which actuators and end stops act: ("actuators", "leg1")."""
    e, rows = compiled.equations, []
    for table, name in owners:
        found = getattr(compiled.elements, table)[name]
        rows.append(compiled.along(found if table == "coordinates" else found.on)[0])
    return casadi.Function("limited", [e.q, e.p], [casadi.densify(casadi.vertcat(casadi.SX(0, 1), *rows))])
