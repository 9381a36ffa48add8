"""Steps of Newton to the constraints, and rates and outputs of a state, with derivatives along one direction.

P(y, x) ,   f = f(y, u, x) ,   s = h(y, x)        (theory/search, eq. 26, 27)

y holds q and v, x the unknown parameters. One direction at a time keeps the code short; directions and states are
samples of one batch.
"""

from __future__ import annotations

from typing import Any

from poinsot.estimate.problems.output.equations import coordinates, plant_of, with_unknowns
from poinsot.lazy import casadi
from poinsot.system.stored import stored
from poinsot.system.system import System


@stored
def newton_step(compiled: System, unknowns: tuple[str, ...]) -> casadi.Function:
    """(Y, δY, p) -> y after a step to the constraints, and its change; Y holds y and x."""
    nq, nv, *_ = compiled.sizes
    n, plant = nq + nv, plant_of(compiled, None)
    Y, p = casadi.SX.sym("Y", n + len(unknowns)), casadi.SX.sym("p", compiled.equations.p.size1())
    kept = plant.kept(Y[:nq], Y[nq:n], with_unknowns(compiled, p, unknowns, Y[n:]))
    return _along("newton_step", Y, p, [casadi.vertcat(*kept)])


@stored
def rates_and_outputs(compiled: System, unknowns: tuple[str, ...], outputs: tuple[str, ...]) -> casadi.Function:
    """(Y, δY, p) -> f and s, each with its change; Y holds y, u and x."""
    nq, nv, _, nu = compiled.sizes
    n, plant = nq + nv, plant_of(compiled, None)
    Y, p = casadi.SX.sym("Y", n + nu + len(unknowns)), casadi.SX.sym("p", compiled.equations.p.size1())
    constants, q, v = with_unknowns(compiled, p, unknowns, Y[n + nu :]), Y[:nq], Y[nq:n]
    f = casadi.vertcat(*plant.rates(q, v, Y[n : n + nu], constants))
    return _along("rates_and_outputs", Y, p, [f, coordinates(compiled, outputs)(q, v, constants)])


def _along(name: str, Y: Any, p: Any, parts: list) -> casadi.Function:
    """(Y, δY, p) -> parts, each with its change."""
    D = casadi.SX.sym("D", Y.size1())
    found = [x for part in parts for x in (part, casadi.jtimes(part, Y, D))]
    return casadi.Function(name, [Y, D, p], [casadi.densify(x) for x in found])
