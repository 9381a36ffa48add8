"""Rates of the coordinates that drives move, and of those with dry friction, as stored functions."""

from __future__ import annotations

from poinsot.lazy import casadi
from poinsot.system.stored import stored
from poinsot.system.system import System


@stored
def drive_rates(compiled: System) -> casadi.Function:
    """(q, v, p) -> ṡ of all actuators (nu,)."""
    e = compiled.equations
    rates = [compiled.along(actuator.on)[1] for actuator in compiled.elements.actuators.values()]
    return casadi.Function("drive_rates", [e.q, e.v, e.p], [casadi.densify(casadi.vertcat(casadi.SX(0, 1), *rates))])


@stored
def dry_rates(compiled: System) -> casadi.Function:
    """(q, v, p) -> ṡ of all laws that change their sign with it."""
    e = compiled.equations
    rates = [rate for law, _, rate in e.balance.acting if law.dry]
    return casadi.Function("dry_rates", [e.q, e.v, e.p], [casadi.densify(casadi.vertcat(casadi.SX(0, 1), *rates))])
