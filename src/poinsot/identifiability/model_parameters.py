"""Columns for the parameters of the model file: masses, centres, inertias about centres, shared constants.

∂y/∂p = W ∂θ/∂p, exact where θ is linear in p (masses and inertias for known centres), else at the nominal values.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError, unknown
from poinsot.identifiability.linear import LinearParameter
from poinsot.identifiability.regressor import Regressor
from poinsot.lazy import casadi
from poinsot.model.mechanism import Mechanism
from poinsot.model.parts import Elements
from poinsot.spatial.algebra import is_symbolic


def in_model_parameters(W: Regressor, names: tuple[str, ...]) -> Regressor:
    """A regressor whose columns are parameters of the model file; its other parameters are known."""
    mechanism = W.mechanism
    for name in names:
        if name not in mechanism.parameters:
            raise PoinsotError(unknown("parameter", name, mechanism.parameters))
    slopes = linear_slopes(mechanism, W.linear, names)
    own = [mechanism.parameters[name] for name in names]
    values = np.array([p.value for p in own])
    matrix = W.matrix @ slopes
    return replace(
        W,
        columns=names,
        units=tuple(p.unit for p in own),
        matrix=matrix,
        rhs=W.values.ravel() - matrix @ values,
        parameters=values,
        linear=tuple(LinearParameter(p.name, p.unit, "parameters", p.name, ("", 0), True) for p in own),
        natural=lambda weights: W.natural(weights) @ np.abs(slopes),
    )


def linear_slopes(mechanism: Mechanism, linear: tuple[LinearParameter, ...], names: tuple[str, ...]) -> np.ndarray:
    """∂θ/∂p (k, n) of linear parameters with respect to parameters of the model file, at their values."""
    found = linear_function(mechanism, linear, names)([mechanism.parameters[name].value for name in names])
    return np.asarray(casadi.densify(found[1]))


def linear_function(
    mechanism: Mechanism, linear: tuple[LinearParameter, ...], names: tuple[str, ...]
) -> casadi.Function:
    """θ (k,) and ∂θ/∂p (k, n) of parameters p (n,) of the model file; for p (n, N) of many, one after the other."""
    p = casadi.SX.sym("p", len(names))
    elements = mechanism.resolved({name: p[i] for i, name in enumerate(names)})
    _require_linear(elements, names)
    phi = {name: casadi.SX(body.inertial_parameters()) for name, body in elements.bodies.items()}

    def value(of: LinearParameter) -> Any:
        field, i = of.place
        if of.table == "bodies":
            return phi[of.owner][i]
        found = getattr(getattr(elements, of.table)[of.owner], field)
        return found[i] if isinstance(found, tuple) else found

    theta = casadi.vertcat(*(casadi.SX(value(of)) for of in linear))
    return casadi.Function("theta", [p], [theta, casadi.jacobian(theta, p)])


def _require_linear(elements: Elements, names: tuple[str, ...]) -> None:
    """Parameters must not stand in geometry, gravity, rest positions or limits, which move the regressor itself."""
    bodies = {n: replace(b, mass=0.0, com=(0.0,) * 3, inertia=(0.0,) * 6) for n, b in elements.bodies.items()}
    laws = {
        table: {n: replace(x, **dict.fromkeys(x.linear, 0.0)) for n, x in getattr(elements, table).items()}
        for table in ("forces", "loads")
    }
    rest = replace(elements, bodies=bodies, **laws, sensors={}, placements={}, pose={})
    if _symbols(rest):
        raise PoinsotError(
            f"among {', '.join(names)} there is a parameter of the geometry, of gravity or of a rest position: "
            "a regressor has columns for inertias and constants of laws; for others see poinsot.sensitivity"
        )


def _symbols(value: Any) -> bool:
    """Whether a description holds a symbol."""
    if is_symbolic(value):
        return not value.is_constant()
    if isinstance(value, dict):
        return any(_symbols(item) for item in value.values())
    if isinstance(value, tuple | list):
        return any(_symbols(item) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return any(_symbols(getattr(value, f.name)) for f in fields(value))
    return False
