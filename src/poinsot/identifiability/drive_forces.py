"""Forces of drives on the freedoms of a machine that has more drives than freedoms.

    Q = Jᵀ u ,    ṡ = J η        J: rates of the drives for unit independent speeds η      (theory/estimation, eq. 42)

Drives that work against each other, in null(Jᵀ), do not count: Q follows from the motion, however they share it.
"""

from __future__ import annotations

from poinsot.identifiability.channels import MeasuredChannel, channels
from poinsot.identifiability.rows import free_directions
from poinsot.lazy import casadi
from poinsot.system.stored import stored
from poinsot.system.system import System


def freedoms(compiled: System) -> tuple[MeasuredChannel, ...]:
    """Channels of the forces on all freedoms."""
    return channels(compiled, "freedoms")


@stored
def drive_shares(compiled: System, speeds: tuple[int, ...]) -> casadi.Function:
    """(q, p) -> Jᵀ (freedoms, drives), for independent speeds by number."""
    e = compiled.equations
    B = casadi.jacobian(e.balance.Q, e.u)
    return casadi.Function("shares", [e.q, e.p], [casadi.densify(free_directions(compiled, speeds).T @ B)])
