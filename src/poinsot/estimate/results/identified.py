"""The mechanism with the values that were found: full parameters nearest to those of the model.

φ = argmin ‖(φ − φ₀)/s‖   subject to   φ₁ + B φ₂ = β        what the data leaves open stays near the model
                                                                                 (theory/estimation, eq. 10)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.estimate.unknowns import PAYLOAD, Unknowns
from poinsot.identifiability.linear import LinearParameter, force_name
from poinsot.model.mechanism import Mechanism

if TYPE_CHECKING:
    from poinsot.estimate.problem import LinearProblem

COM, MOMENTS = ("com.x", "com.y", "com.z"), ("xx", "xy", "xz", "yy", "yz", "zz")


def nearest(nominal: np.ndarray, size: np.ndarray, B: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """Values (k,) nearest to nominal ones, in sizes (k,), with B φ = β; B is (b, k)."""
    scaled = B * size
    step = np.linalg.lstsq(scaled, beta - B @ nominal, rcond=None)[0]
    return nominal + size * step


def sizes(unknowns: Unknowns, nominal: np.ndarray, length: float) -> np.ndarray:
    """By how much parameters (k,) may reasonably differ: mass × lengthⁿ of their body, else their own size."""
    masses = {name: float(body.mass) for name, body in unknowns.mechanism.bodies.items()}
    whole = sum(masses.values()) or 1.0
    found = []
    for p, value in zip(unknowns.linear, np.abs(nominal)):
        physical = (masses.get(p.owner) or whole) * length**p.order if p.table == "bodies" else value
        found.append(max(value, physical) or 1.0)
    return np.array(found)


def full_values(problem: LinearProblem, beta: np.ndarray) -> np.ndarray:
    """Values of the mechanism's unknowns, nearest to the model's among those with base parameters β (b,)."""
    unknowns, own = problem.unknowns, problem.unknowns.own
    size = sizes(unknowns, unknowns.model[:own], problem.runs[0].regressor.size)
    rows = [j for j, name in enumerate(problem.base.independent) if name in unknowns.names[:own]]
    B, added = np.split(problem.combine[rows], [own], axis=1)
    return nearest(unknowns.model[:own], size, B, beta[rows] - added @ unknowns.model[own:])


def with_linear(mechanism: Mechanism, linear: tuple[LinearParameter, ...], values: np.ndarray) -> Mechanism:
    """The mechanism with values for linear parameters: those of bodies about their origin, constants of laws.

    What a payload adds is no part of it.
    """
    own = [k for k, p in enumerate(linear) if not p.name.startswith(PAYLOAD)]
    linear, values = tuple(linear[k] for k in own), np.asarray(values)[own]
    shared = {copy: name for name, p in mechanism.parameters.items() for copy in p.copies}
    changes: dict[str, float] = {}
    owners = {p.owner for p in linear if p.table == "bodies"}
    for owner in owners:
        ten = np.asarray(mechanism.bodies[owner].inertial_parameters(), float).ravel()
        for p, value in zip(linear, values):
            if p.table == "bodies" and p.owner == owner:
                ten[p.place[1]] = value
        changes |= body_parameters(owner, ten, bool(mechanism.nominal.get("planar")))  # also if modelled in space
    for p, value in zip(linear, values):
        if p.table == "forces":
            changes[force_name(mechanism.template.forces[p.owner], p.place[0])] = float(value)
        elif p.table == "loads":
            changes[p.name] = float(value)
    apart = sorted({shared[name] for name in changes if name in shared})
    mechanism = mechanism.with_separate(*apart) if apart else mechanism
    present = {name: value for name, value in changes.items() if name in mechanism.parameters or value}
    return mechanism.with_parameters(present)


def body_parameters(name: str, ten: np.ndarray, planar: bool) -> dict[str, float]:
    """Mass, centre and inertia about the centre, as the model file has them, from ten parameters about the origin."""
    m, h = float(ten[0]), ten[1:4]
    if not m > 0:
        raise PoinsotError(
            f"the values give body '{name}' a mass of {m:g} kg: what the data says is not physically possible near "
            "the model's values; use the method 'consistent'"
        )
    c = h / m
    I = np.array([[ten[4], ten[5], ten[6]], [ten[5], ten[7], ten[8]], [ten[6], ten[8], ten[9]]])
    about = I - m * (c @ c * np.eye(3) - np.outer(c, c))
    if planar:
        return {f"{name}.mass": m, f"{name}.com.x": c[0], f"{name}.com.y": c[1], f"{name}.inertia": about[2, 2]}
    inertia = {f"{name}.inertia.{label}": about["xyz".index(label[0]), "xyz".index(label[1])] for label in MOMENTS}
    return {f"{name}.mass": m} | {f"{name}.{key}": x for key, x in zip(COM, c)} | inertia
