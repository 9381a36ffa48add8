"""Constraints between unknowns: equalities and inequalities as a person writes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from poinsot.errors import PoinsotError, one_line
from poinsot.estimate.search.problem import Space
from poinsot.lazy import casadi
from poinsot.model.quantities.dimensions import dimension_of, unit_dimension
from poinsot.model.quantities.expressions import Call, Expression, evaluate, parse

Function = Callable[[np.ndarray], np.ndarray]
SIGNS = re.compile(r"(<=|>=|≤|≥|==|=|<|>)")


def constraint_functions(texts: Sequence[str], space: Space) -> tuple[Function, Function, np.ndarray, np.ndarray]:
    """g (c,), ∂g/∂p (c, k), and the least and greatest values (c,) of constraints such as "a >= b + 2 N·m"."""
    differences, least, greatest = [], [], []
    for text in texts:
        difference, low, high = _constraint(text, space)
        differences.append(difference)
        least.append(low)
        greatest.append(high)
    p = casadi.SX.sym("p", len(space.names))
    values = {name: p[j] for j, name in enumerate(space.names)}
    g = casadi.vertcat(*(evaluate(one, values) for one in differences))
    function = casadi.Function("constraints", [p], [g, casadi.jacobian(g, p) if texts else casadi.SX(0, p.numel())])
    return (
        lambda x: np.asarray(function(x)[0]).reshape(len(texts)),
        lambda x: np.asarray(function(x)[1]).reshape(len(texts), len(space.names)),
        np.array(least),
        np.array(greatest),
    )


def _constraint(text: str, space: Space) -> tuple[Expression, float, float]:
    """Left side less right side, and between what that must be."""
    parts = SIGNS.split(text)
    if len(parts) != 3:
        raise PoinsotError(f"a constraint is written 'a <= b', 'a >= b' or 'a = b', not '{one_line(text, 60)}'")
    difference = Call("-", (parse(parts[0].strip()), parse(parts[2].strip())))
    dimension_of(difference, {name: unit_dimension(unit) for name, unit in zip(space.names, space.units)})
    if parts[1] in ("=", "=="):
        return difference, 0.0, 0.0
    return (difference, -np.inf, 0.0) if parts[1] in ("<=", "<", "≤") else (difference, 0.0, np.inf)
