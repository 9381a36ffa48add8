"""Columns for the parameters of the model file: masses, centres, inertias about centres, shared constants.

∂y/∂p = W ∂θ/∂p, exact where θ is linear in p (masses and inertias for known centres), else at the nominal values.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError, listing, unknown
from poinsot.identifiability.linear import LinearParameter, chosen
from poinsot.identifiability.regressor import Regressor
from poinsot.lazy import casadi
from poinsot.model.mechanism import Mechanism
from poinsot.model.parts import Elements
from poinsot.spatial.algebra import is_symbolic


def in_model_parameters(W: Regressor, names: tuple[str, ...]) -> Regressor:
    """A regressor whose columns are parameters of the model file; its other parameters are known."""
    mechanism = W.mechanism
    names = _matching(mechanism, names)
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


def possible_columns(mechanism: Mechanism) -> tuple[str, ...]:
    """Parameters of the model file that regressors can have as columns: in inertias and constants of laws alone."""
    symbols = {name: casadi.SX.sym(name) for name in mechanism.parameters}
    elements = mechanism.resolved(symbols)
    geometric = _symbols(_without_linear(elements))
    linear = _symbols([elements.bodies, elements.forces, elements.loads])
    return tuple(name for name in symbols if name in linear - geometric)


def _matching(mechanism: Mechanism, patterns: tuple[str, ...]) -> tuple[str, ...]:
    """Parameters of the model file by names or patterns; the linear ones that go with them are others."""
    if all(name in mechanism.parameters for name in patterns):
        return patterns
    possible, linear = possible_columns(mechanism), chosen(mechanism, None)
    found: dict[str, None] = {}
    for pattern in patterns:
        given = pattern in mechanism.parameters
        names = [pattern] if given else [name for name in possible if fnmatchcase(name, pattern)]
        if not names and any(fnmatchcase(p.name, pattern) for p in linear):
            other = next(name for name in patterns if name != pattern)
            why = "ask for linear parameters, or for those of the model file, not for both"
            raise PoinsotError(f"'{pattern}' is a linear parameter and '{other}' is none: {why}")
        if not names:
            raise PoinsotError(unknown("column", pattern, [*possible, *(p.name for p in linear)]))
        found |= dict.fromkeys(names)
    return tuple(found)


def linear_slopes(mechanism: Mechanism, linear: tuple[LinearParameter, ...], names: tuple[str, ...]) -> np.ndarray:
    """∂θ/∂p (k, n) of linear parameters with respect to parameters of the model file, at their values."""
    found = linear_function(mechanism, linear, names)([mechanism.parameters[name].value for name in names])
    return np.asarray(casadi.densify(found[1]))


def linear_function(
    mechanism: Mechanism, linear: tuple[LinearParameter, ...], names: tuple[str, ...]
) -> casadi.Function:
    """θ (k,) and ∂θ/∂p (k, n) of parameters p (n,) of the model file; for p (n, N) of many, one after the other."""
    symbols = {name: casadi.SX.sym(name) for name in names}
    p, elements = casadi.vertcat(casadi.SX(0, 1), *symbols.values()), mechanism.resolved(symbols)
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
    elsewhere = _symbols(_without_linear(elements))
    wrong = [name for name in names if name in elsewhere]
    if wrong:
        are = "is a parameter" if len(wrong) == 1 else "are parameters"
        raise PoinsotError(
            f"{listing(wrong)} {are} of the geometry, of gravity or of a rest position: a regressor "
            'has columns for inertias and constants of laws; a study estimates others with problem = "geometry" or '
            '"output", and poinsot.sensitivity tells how motions and forces hang on them'
        )


def _without_linear(elements: Elements) -> Elements:
    """The elements without inertias, constants of laws, and what no regressor depends on."""
    bodies = {n: replace(b, mass=0.0, com=(0.0,) * 3, inertia=(0.0,) * 6) for n, b in elements.bodies.items()}
    laws = {
        table: {n: replace(x, **dict.fromkeys(x.linear, 0.0)) for n, x in getattr(elements, table).items()}
        for table in ("forces", "loads")
    }
    return replace(elements, bodies=bodies, **laws, sensors={}, placements={}, pose={})


def _symbols(value: Any) -> set[str]:
    """Names of the symbols that a description holds."""
    if is_symbolic(value):
        return {symbol.name() for symbol in casadi.symvar(casadi.SX(value))}
    if is_dataclass(value) and not isinstance(value, type):
        value = [getattr(value, f.name) for f in fields(value)]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, tuple | list) else ()
    return set().union(*(_symbols(part) for part in parts))
