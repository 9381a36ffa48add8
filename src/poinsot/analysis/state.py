"""Coordinates and speeds of a system from poses and rates that a user names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from poinsot.analysis.system import System
from poinsot.errors import PoinsotError
from poinsot.model.assembly import Assembly
from poinsot.model.parameters import as_value

__all__ = ["speeds", "state"]


def state(
    system: System, start: Assembly, p: np.ndarray, velocity: Mapping[str, float] | None
) -> tuple[np.ndarray, np.ndarray]:
    """q (nq,) and v (nv,) at an assembled pose, with rates of named coordinates; at rest if there are none."""
    q = system.coordinates(start, p)
    return q, speeds(system, q, p, velocity or {})


def speeds(system: System, q: np.ndarray, p: np.ndarray, velocity: Mapping[str, float]) -> np.ndarray:
    """Speeds v (nv,) of least norm that keep the constraints and give named coordinates their rates."""
    _, nv, m, _ = system.sizes
    if not velocity:
        return np.zeros(nv)
    units = [f"{system.mechanism.template.coordinate(name).unit}/s" for name in velocity]
    given = [as_value(value, unit, f"rate of {name}") for (name, value), unit in zip(velocity.items(), units)]
    rows = system.formula(("rates", *velocity), lambda: _rates(system, tuple(velocity))).function
    A = np.asarray(rows(q, 0, 0, p))
    b = np.concatenate([np.zeros(m), given])
    v = np.linalg.lstsq(A, b, rcond=1e-11)[0]
    error = np.max(np.abs(A @ v - b))
    if error > 1e-8 * max(1.0, np.max(np.abs(b))):
        raise PoinsotError(f"the rates {dict(velocity)} contradict the joints: an error of {error:.1e} remains")
    return v


def _rates(system: System, names: tuple[str, ...]) -> Any:
    """(q, v, u, p) -> [C; J], with the rates of named coordinates ṡ = J v."""
    import casadi

    e = system.equations
    rates = casadi.vertcat(*(system.coordinate(name)[1] for name in names))
    return system.dynamics.function("rates", [casadi.vertcat(e.C, casadi.jacobian(rates, e.v))])
