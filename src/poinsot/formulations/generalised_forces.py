"""Generalised forces of springs, dampers, friction, drives and loads in any coordinates.

Along a coordinate s(q) with ṡ = J v:   Q += Jᵀ (−∂V/∂s + F(s, ṡ) + u),   M += Jᵀ I_a J,   Q −= Jᵀ I_a J̇ v
(theory/dynamics, eq. 10)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from poinsot.elements.coordinates import AlongJoint, Coordinate
from poinsot.elements.forces import Force, gravity_potential
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
    if coordinate.parts != (coordinate,):
        parts = [along(part, elements, poses, q, q_dot, direct) for part in coordinate.parts]
        s, s_dot = (coordinate.combined(values) for values in zip(*parts))
        return s, s_dot
    if isinstance(coordinate, AlongJoint) and (found := direct(coordinate)) is not None:
        return found
    s = casadi.SX(coordinate.value(poses, elements.joints))
    return s, casadi.jtimes(s, q, q_dot)


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
        given = force.force(s, s_dot) if command is None else None
        free = transmitted(elements.forces.values(), force, command, s_dot) if given is None else given
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


def transmitted(laws: Iterable[Force], drive: Force, u: Any, s_dot: Any) -> Any:
    """What arrives of the force u of a drive, past the laws along its coordinate."""
    for law in laws:
        u = law.transmitted(u, s_dot) if law.on == drive.on else u
    return u


def commanded(e: Equations, w: Any) -> Any:
    """Forces (nu, 1) of all drives of which w (nu, 1) arrives."""
    first, found = len(e.balance.acting) - e.u.size1(), []
    for k, (drive, _, s_dot) in enumerate(e.balance.acting[first:]):
        u = w[k]
        for law, _, _ in e.balance.acting[first - 1 :: -1] if first else ():
            u = law.commanded(u, s_dot) if law.on == drive.on else u
        found.append(u)
    return casadi.vertcat(casadi.SX(0, 1), *found)


def winds(force: Any, direct: Direct) -> bool:
    """Whether a law depends on an angle that is read off a pose, and so is known up to turns."""
    return force.on in angles_read(force.on, direct) and force.positional


def angles_read(coordinate: Coordinate, direct: Direct) -> tuple[Coordinate, ...]:
    """Angles that are read off poses among the parts of a coordinate."""
    angles = (part for part in coordinate.parts if part.unit == "rad")
    return tuple(part for part in angles if not isinstance(part, AlongJoint) or direct(part) is None)


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
    laws = (law for law, _, _ in e.balance.acting[:first])
    free = transmitted(laws, force, e.u[k - first], s_dot) if k >= first else force.force(s, s_dot)
    total = free - slope(force, s)
    inertia = _inertia(force)
    if inertia is None:
        return total
    return total - inertia * e.rate(s_dot, a)
