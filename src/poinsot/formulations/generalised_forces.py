"""Generalised forces of springs, dampers, friction, drives and loads in any coordinates.

Along a coordinate s(q) with ṡ = J v:   Q += Jᵀ (−∂V/∂s + F(s, ṡ) + u),   M += Jᵀ I_a J,   Q −= Jᵀ I_a J̇ v
(theory/dynamics, eq. 10)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from poinsot.elements.coordinates import AlongJoint, Coordinate
from poinsot.elements.forces import gravity_potential
from poinsot.errors import PoinsotError
from poinsot.lazy import casadi
from poinsot.model.parts import Elements
from poinsot.spatial.algebra import vector
from poinsot.spatial.motion import Twist
from poinsot.spatial.pose import Pose

if TYPE_CHECKING:
    from poinsot.formulations.equations import Equations


@dataclass(frozen=True, eq=False)
class Acting:
    """What acts along coordinates: additions to the mass matrix and to the generalised forces."""

    M: Any  # (nv, nv)
    Q: Any  # (nv, 1)
    potential: Any  # energy of springs and elastic stops  [J]
    power: Any  # of drives, dampers, friction and loads  [W]
    parts: tuple[tuple[Any, Any, Any], ...]  # (force, s, ṡ) of every law, actuators last


Direct = Callable[[AlongJoint], tuple[Any, Any] | None]  # s and ṡ where a coordinate is one of q and v itself


def along(coordinate: Coordinate, elements: Elements, poses: dict[str, Pose], q: Any, q_dot: Any, direct: Direct):
    """s and ṡ of a coordinate as symbols."""
    if is_direct(coordinate, direct):
        found = [(weight, *(direct(part) or ())) for weight, part in coordinate.terms]
        return sum(weight * s for weight, s, _ in found), sum(weight * rate for weight, _, rate in found)
    s = casadi.SX(coordinate.value(poses, elements.joints))
    return s, casadi.jtimes(s, q, q_dot)


def is_direct(coordinate: Coordinate, direct: Direct) -> bool:
    """Whether a coordinate is one of q itself, or a sum of such: it is then known beyond whole turns."""
    return bool(coordinate.terms) and all(direct(part) is not None for _, part in coordinate.terms)


def coordinate_along(e: Equations, coordinate: Coordinate) -> tuple[Any, Any]:
    """s and ṡ of a coordinate in written equations."""
    k = e.kinematics
    return along(coordinate, e.symbols.elements, k.poses, e.q, k.q_dot, k.direct)


def applied(
    elements: Elements,
    poses: dict[str, Pose],
    twists: dict[str, Twist],
    q: Any,
    v: Any,
    u: Any,
    q_dot: Any,
    direct: Direct,
) -> Acting:
    """Sum up everything that acts along coordinates, and the loads."""
    nv = v.size1()
    M, Q, potential, power = casadi.SX(nv, nv), casadi.SX(nv, 1), casadi.SX(0), casadi.SX(0)
    forces = [(force, None) for force in elements.forces.values()]
    forces += [(actuator, u[k]) for k, actuator in enumerate(elements.actuators.values())]
    parts = []
    for force, command in forces:
        s, s_dot = along(force.on, elements, poses, q, q_dot, direct)
        if winds(force, direct):
            s = force.centre + turn(s - force.centre)
        J = casadi.jacobian(s_dot, v)
        parts.append((force, s, s_dot))
        free = force.force(s, s_dot) if command is None else command
        Q += J.T @ (free - slope(force, s))
        potential, power = potential + force.potential(s), power + free * s_dot
        inertia = _inertia(force)
        if inertia is not None:
            M += J.T @ J * inertia
            Q -= J.T @ casadi.jtimes(s_dot, q, q_dot) * inertia
    for load in elements.loads.values():  # Jᵀ of the loaded place, times force and moment in its axes
        F, V_F = load.wrench(poses[load.at.body]), load.twist(twists[load.at.body])
        force = casadi.jacobian(casadi.SX(V_F.v), v).T @ F.f + casadi.jacobian(casadi.SX(V_F.w), v).T @ F.n
        Q, power = Q + force, power + force.T @ v
    return Acting(casadi.sparsify(M), Q, potential, power, tuple(parts))


def winds(force: Any, direct: Direct) -> bool:
    """Whether a law depends on an angle that is read off a pose, and so is known up to turns."""
    return force.on.unit == "rad" and not is_direct(force.on, direct) and force.positional


def turn(angle: Any) -> Any:
    """The angle within half a turn of zero  [rad]."""
    return casadi.atan2(casadi.sin(angle), casadi.cos(angle))


def slope(force: Any, s: Any) -> Any:
    """∂V/∂s at s."""
    x = casadi.SX.sym("s")
    return casadi.substitute(casadi.jacobian(casadi.SX(force.potential(x)), x), x, s)


def curvature(force: Any, s: Any) -> Any:
    """∂²V/∂s² at s."""
    x = casadi.SX.sym("s")
    return casadi.substitute(casadi.jacobian(slope(force, x), x), x, s)


def _inertia(force: Any) -> Any | None:
    """I_a of a force that has kinetic energy ½ I_a ṡ²."""
    x = casadi.SX.sym("s")
    second = casadi.jacobian(casadi.jacobian(casadi.SX(force.kinetic(x)), x), x)
    if casadi.depends_on(second, x):
        raise PoinsotError(f"the kinetic energy of the {force.kind} '{force.name}' is not ½ I_a ṡ²")
    return None if second.nnz() == 0 or second.is_zero() else second


def gravity_energy(elements: Elements, poses: dict[str, Pose]) -> Any:
    """Potential energy of all bodies in the field of gravity  [J]."""
    gravity = vector(*elements.gravity)
    return sum((gravity_potential(body, poses[name], gravity) for name, body in elements.bodies.items()), 0.0)


def drive_inertias(e: Equations) -> list[tuple[Any, Any]]:
    """(ṡ, I_a) of every law along a coordinate that has kinetic energy ½ I_a ṡ²."""
    found = ((s_dot, _inertia(force)) for force, _, s_dot in e.balance.acting)
    return [(s_dot, inertia) for s_dot, inertia in found if inertia is not None]


def coordinate_force(e: Equations, k: int, a: Any) -> Any:
    """Force of law k along its coordinate, the inertia of a drive included, for accelerations a."""
    force, s, s_dot = e.balance.acting[k]
    first = len(e.balance.acting) - len(e.symbols.elements.actuators)
    total = (e.u[k - first] if k >= first else force.force(s, s_dot)) - slope(force, s)
    inertia = _inertia(force)
    if inertia is None:
        return total
    return total - inertia * e.rate(s_dot, a)
