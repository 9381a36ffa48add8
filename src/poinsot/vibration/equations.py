"""Equations of small motions: twists, elastic parts, how the matrices change with parameters, and M and K in the
coordinates of a pose, for many poses and parameter sets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poinsot import formulations
from poinsot.elements.frame import Frame
from poinsot.lazy import casadi
from poinsot.motion.driven import Driven, driven
from poinsot.spatial.motion import carry_twist
from poinsot.statics.residual import Balance, balance, force_sizes
from poinsot.system.stored import stored, stored_parts

if TYPE_CHECKING:
    from poinsot.system.system import System


@stored
def twist_function(compiled: System) -> casadi.Function:
    """(q, p) -> twists (6 b, nv) of the origins of all bodies in world axes, per speed."""
    e, rows = compiled.equations, []
    for name in compiled.elements.bodies:
        rows += [casadi.jacobian(moving, e.v) for moving in e.world_twist(name)]
    still = casadi.substitute(casadi.vertcat(*rows), e.v, casadi.SX.zeros(e.v.shape))
    return casadi.Function("twists", [e.q, e.p], [still])


@stored_parts
def elastic_parts(compiled: System) -> tuple[dict[str, casadi.Function], list[list[str]]]:
    """(q, p) -> ∂²V/∂s² and ∂ṡ/∂v of every elastic law, a row each; their names and kinds."""
    e = compiled.equations
    laws = [part for part in e.balance.acting if part[0].elastic]
    curved = [casadi.horzcat(formulations.curvature(law, s), casadi.jacobian(s_dot, e.v)) for law, s, s_dot in laws]
    functions = {"rows": casadi.Function("parts", [e.q, e.p], [casadi.vertcat(*curved)])} if laws else {}
    return functions, [[law.name, law.kind] for law, _, _ in laws]


@stored_parts
def change_functions(
    wide: System, coordinates: tuple[str, ...], given: bool, names: tuple[str, ...]
) -> tuple[dict[str, casadi.Function], None]:
    """Functions of (q, u, λ, ρ, p): what the change of the pose needs, and the matrices along a direction."""
    e, b = wide.equations, balance(wide)
    inputs = [e.q, e.u, b.lam, b.rho, e.p]
    columns = [e.symbols.names.index(name) for name in names]
    r = b.Q - b.C.T @ b.lam
    pose, target = _pose(wide, coordinates, given)

    def by_q(x: casadi.SX) -> casadi.SX:
        return casadi.jacobian(x, e.q) @ b.N

    def by_p(x: casadi.SX) -> casadi.SX:
        return casadi.jacobian(x, e.p)[:, columns]

    outputs = [b.K, b.J_a, b.C, casadi.jacobian(r, b.rho), by_p(r), by_p(e.kinematics.phi)]
    outputs += [f(x) for x in (b.read, pose, b.s_a) for f in (by_q, by_p)] + [b.N, by_p(target)]
    return {"pose": casadi.Function("pose", inputs, outputs), "directional": _directional(b, inputs)}, None


def _pose(wide: System, coordinates: tuple[str, ...], given: bool) -> tuple[casadi.SX, casadi.SX]:
    """The coordinates that keep their values, and those values: given numbers, or expressions of the model file."""
    own = wide.elements.pose
    pose = [wide.coordinate(name)[0] for name in coordinates]
    target = [casadi.SX(0.0 if given else own[name]) for name in coordinates]
    held, values = (casadi.vertcat(*x) if x else casadi.SX(0, 1) for x in (pose, target))
    return held, values


def _directional(b: Balance, inputs: list[casadi.SX]) -> casadi.Function:
    """(q, u, λ, ρ, p, their changes) -> changes of M, D, K and of [C; J_a]."""
    e = b.compiled.equations
    steps = [casadi.SX.sym("d", x.shape) for x in inputs]
    matrices = [e.balance.M, b.D, b.K, casadi.vertcat(b.C, b.J_a)]
    z, dz = casadi.vertcat(*inputs), casadi.vertcat(*steps)
    flat = casadi.jtimes(casadi.vertcat(*(casadi.vec(casadi.densify(m)) for m in matrices)), z, dz)
    ends = np.cumsum([m.numel() for m in matrices]).tolist()
    parts = [casadi.reshape(flat[a:b_], m.shape) for a, b_, m in zip([0, *ends[:-1]], ends, matrices)]
    return casadi.Function("directional", [*inputs, *steps], parts)


@stored
def place_twist(compiled: System, body: str, frame: str, names: tuple[str, ...]) -> casadi.Function:
    """(q, p) -> twist (6, k) of a place in world axes, per rate of the named coordinates."""
    e = compiled.equations
    place = next((f for f in compiled.elements.bodies[body].frames if f.name == frame), Frame(body, "")).pose()
    V = carry_twist(place, e.kinematics.twists[body])
    R = casadi.SX(e.kinematics.poses[body].R @ place.R)
    world = casadi.vertcat(R @ casadi.SX(V.v), R @ casadi.SX(V.w))
    still = casadi.substitute(casadi.jacobian(world, e.v), e.v, casadi.SX.zeros(e.v.shape))
    T = casadi.densify(still @ _basis(compiled, driven(compiled, names)))
    return casadi.Function("twist", [e.q, e.p], [T])


def _lengths(compiled: System, drive: Driven) -> np.ndarray:
    """What the coordinates of the pose are measured by (k,): the machine's size [m], or 1."""
    return np.where(drive.turns, 1.0, compiled.home.size)


def _basis(compiled: System, drive: Driven) -> casadi.SX:
    """B (nv, k): all speeds per rate of the coordinates, these at their natural sizes."""
    k, m = len(drive.names), compiled.equations.kinematics.phi.size1()
    right = casadi.vertcat(casadi.SX(m, k), casadi.SX(casadi.DM(np.diag(_lengths(compiled, drive)))))
    return casadi.densify(drive.equations.solve(right))


@stored_parts
def batch_functions(compiled: System, names: tuple[str, ...]) -> tuple[dict[str, casadi.Function], list[int]]:
    """(q, p) -> forces along the coordinates and rates of the actuators; (q, u, p) -> M_i, K_i, the forces that are
    left, the terms that are summed up in them, and what the factor leaves of constraints and of forces, squared.

    And the numbers of the parameters that constraints or coordinates depend on.
    """
    drive = driven(compiled, names)
    e, b = compiled.equations, balance(compiled)
    k, m, n = len(drive.names), e.kinematics.phi.size1(), e.v.size1()
    columns = _basis(compiled, drive)
    Q, J_a = casadi.substitute([b.Q, b.J_a], [b.rho], [b.read])
    idle = casadi.substitute(Q, e.u, casadi.SX.zeros(e.u.shape))
    hold = casadi.Function("hold", [e.q, e.p], [columns.T @ idle, casadi.densify(J_a @ columns)])
    B = casadi.SX.sym("B", n, k)
    derivatives = [casadi.jtimes(b.Q - b.C.T @ b.lam, e.q, b.N @ B[:, j]) for j in range(k)]
    reaction = casadi.densify(drive.equations.multipliers(Q))
    KB = casadi.substitute(casadi.horzcat(*derivatives), b.rho, b.read)
    KB = -casadi.substitute([KB], [b.lam, B], [reaction[:m, :], columns])[0]
    rests = {part[0].name: part[1] for part in b.clamped}
    terms = force_sizes(e, b.sizes.machine, rests)
    outputs = [columns.T @ e.balance.M @ columns, columns.T @ KB, columns.T @ Q, casadi.fabs(columns).T @ terms]
    outputs.append(_lost(compiled, drive, columns, Q - drive.equations.A.T @ reaction, terms))
    matrices = casadi.Function("matrices", [e.q, e.u, e.p], [casadi.densify(x) for x in outputs])
    moving = casadi.jacobian(drive.equations.gap, e.p).sparsity().get_triplet()[1]
    return {"hold": hold, "matrices": matrices}, sorted(set(moving))


def _lost(compiled: System, drive: Driven, B: casadi.SX, r: casadi.SX, terms: casadi.SX) -> casadi.SX:
    """Squares of A B − [0; 1] and of Q − Aᵀλ (2, 1), as fractions of their natural sizes."""
    e, lengths, sizes = compiled.equations, _lengths(compiled, drive), balance(compiled).sizes
    wish = casadi.vertcat(casadi.SX(e.kinematics.phi.size1(), len(lengths)), casadi.SX(casadi.DM(np.diag(lengths))))
    rows = casadi.DM(1 / np.concatenate([sizes.rows, lengths]))
    open_ = casadi.sumsqr(casadi.diag(rows) @ (drive.equations.A @ B - wish))
    speeds = casadi.DM(sizes.speeds)
    acting = casadi.sumsqr(speeds * terms)
    return casadi.vertcat(open_, casadi.sumsqr(speeds * r) / casadi.if_else(acting > 0, acting, 1.0))
