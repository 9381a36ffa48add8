"""Small motions of rigid bodies, from the equations of any formulation at rest.

    M = M(q₀),    D = −∂Q/∂v,    K = −∂(Q − Cᵀλ)/∂q N        at        Q(q₀, 0, u) = C(q₀)ᵀ λ

The forces u of the actuators that hold the pose and the multipliers λ come first, from the balance itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.elements import GROUND
from poinsot.elements.frame import Frame
from poinsot.errors import PoinsotError
from poinsot.model.assembly.assembly import Assembly
from poinsot.model.assembly.end_stops import require_given_between_stops
from poinsot.model.mechanism import Mechanism
from poinsot.model.parts import Elements
from poinsot.spatial.algebra import skew
from poinsot.spatial.pose import Pose
from poinsot.statics.equilibrium import require_reach, settle
from poinsot.statics.locked import locked_actuators
from poinsot.statics.point import Given, Point
from poinsot.statics.residual import Balance, balance
from poinsot.system.functions import poses_at
from poinsot.system.initial_state import state
from poinsot.system.scaled_rank import displacements, rank_of
from poinsot.system.system import System, start, system
from poinsot.vibration.equations import elastic_parts, twist_function
from poinsot.vibration.linear_model.record import ElasticPart, LinearModel
from poinsot.vibration.linear_model.rigid_derivatives import Held, rigid_derivatives

BALANCED = 1e-8  # of the forces that act, up to which a given pose counts as an equilibrium


@one_blas_thread()
def rigid_model_about(
    mechanism: Mechanism,
    pose: Mapping[str, float] | Assembly | None,
    *,
    formulation: str = "joint",
    locked: str | Sequence[str] | None = None,
    forces: Mapping[str, float] | None = None,
    free: tuple[str, ...] = (),
) -> LinearModel:
    """The small motions of a mechanism of rigid bodies about a pose."""
    begin = start(mechanism, pose)
    compiled = system(mechanism, formulation, free)
    functions = balance(compiled)
    p = compiled.parameters(mechanism, begin.poses)
    q, _ = state(compiled, begin, p, None)
    u = compiled.forces(forces or {})
    solved = tuple(i for i, name in enumerate(compiled.commands) if name not in (forces or {}))
    point = Point(functions, q, Given(u, solved, (), np.zeros(0), functions.rests(q, p), p))
    held = choose_locked(mechanism.elements, point, locked)
    at = np.asarray(functions.forces(q, point.u, point.given.rho, p)[5]).ravel()[list(held)]  # locked where they are
    point = Point(functions, q, replace(point.given, held=held, at=at))
    balanced = point.imbalance <= BALANCED
    moved, angles = pose is None and not balanced, begin.angles
    if moved:
        point, angles = settle(compiled, q, replace(point.given, u=u, solved=held), begin)
        require_reach(mechanism, compiled, point, angles)
    elif not balanced:
        raise PoinsotError(_unbalanced(compiled, point))
    else:
        require_given_between_stops(mechanism, pose, begin)
    kept = tuple(pose if isinstance(pose, Mapping) else mechanism.elements.pose)
    found = _linear(mechanism, compiled, point, Held(kept, pose is not None, q if moved else None))
    return replace(found, angles=angles)


def choose_locked(elements: Elements, point: Point, wish: str | Sequence[str] | None) -> tuple[int, ...]:
    """Numbers of the actuators that hold their coordinate; none by default where they would hold everything."""
    held = locked_actuators(elements, wish)
    if wish is not None:
        return held
    sizes = point.functions.sizes
    rows = np.vstack([point.C, point.J_a[list(held)]]) * sizes.speeds
    fixed = rank_of(rows / np.concatenate([sizes.rows, sizes.drives[list(held)]])[:, None])
    return held if fixed < len(sizes.speeds) else ()


def _unbalanced(compiled: System, point: Point) -> str:
    """Which force is left, where it acts, and what would hold it."""
    names, units = displacements(compiled)
    sizes, B = point.functions.sizes.speeds, point.motions
    worst = int(np.argmax(np.abs(point.force) / np.where(point.terms > 0, point.terms, np.inf)))
    i = int(np.flatnonzero((B[:, worst] == 1) & (np.count_nonzero(B, axis=1) == 1))[0])
    left = point.force[worst] / sizes[i]
    unit, way = ("N·m", "about") if units[i] == "rad" else ("N", "along")
    what = f"joint '{names[i]}'" if names[i] in compiled.elements.joints else f"'{names[i]}'"
    return (
        f"not an equilibrium: {abs(left):.3g} {unit} {way} {what} is not balanced; "
        "poinsot.equilibrium(mechanism, pose=…) finds one, or let an actuator hold it"
    )


def _linear(mechanism: Mechanism, compiled: System, point: Point, held: Held) -> LinearModel:
    p = point.given.p
    M, D = (np.asarray(x) for x in point.functions.inertia(point.q, p))
    poses = {name: X for name, X in poses_at(compiled, point.q, p).items() if name != GROUND}
    flat = np.asarray(twist_function.formula(compiled).function(point.q, p))
    names = list(compiled.mechanism.template.bodies)
    twists = dict(zip(names, flat.reshape(len(names), 6, -1)))  # by body, of its origin, in world axes, per speed

    def twist(frame: Frame) -> np.ndarray:
        if frame.body == GROUND:
            return np.zeros((6, len(M)))
        arm = np.asarray(poses[frame.body].R) @ np.asarray(frame.pose().p, float)
        V = twists[frame.body]
        return np.vstack([V[:3] - np.asarray(skew(arm)) @ V[3:], V[3:]])

    commands, (named, units) = compiled.commands, displacements(compiled)
    return LinearModel(
        mechanism=mechanism,
        formulation=compiled.dynamics.formulation,
        names=named,
        units=units,
        M=M,
        D=D,
        K=point.K,
        summed=point.stiffness_terms,
        C=point.rows,
        sizes=point.functions.sizes.speeds,
        row_sizes=point.row_sizes,
        force=point.left,
        forces=dict(zip(commands, point.u.tolist())),
        locked=tuple(commands[i] for i in point.given.held),
        poses=poses,
        parts=_parts(point.functions, point),
        basis=None,
        coordinates=len(M),
        twist=twist,
        derivatives=lambda names, places=(): rigid_derivatives(mechanism, compiled, point, held, names, places),
        momentum=_momentum(mechanism.elements, poses, twists),
    )


def _momentum(elements: Elements, poses: dict[str, Pose], twists: dict[str, np.ndarray]) -> np.ndarray:
    """Momentum and moment of momentum about the world's origin (6, n), per speed."""
    total: Any = 0.0
    for name, body in elements.bodies.items():
        X, V = poses[name], twists[name]
        R, p_WB = np.asarray(X.R), np.asarray(X.p)
        inertia = body.spatial_inertia()
        m, c, J = float(body.mass), R @ np.asarray(body.com, float), R @ np.asarray(inertia.I) @ R.T
        c_x, p_x = np.asarray(skew(c)), np.asarray(skew(p_WB))
        momentum = m * (V[:3] - c_x @ V[3:])
        total = total + np.vstack([momentum, m * c_x @ V[:3] + J @ V[3:] + p_x @ momentum])
    return total


def _parts(functions: Balance, point: Point) -> tuple[ElasticPart, ...]:
    """Springs, and end stops that are touched, with their own stiffness ∂²V/∂s²."""
    written, found = elastic_parts(functions.compiled), []
    if not written.facts:
        return ()
    rows = np.asarray(written.functions["rows"].function(point.q, point.given.p))
    for (name, kind), row in zip(written.facts, rows):
        k, J = row[0], row[1:]
        index = np.flatnonzero(J)
        if k != 0 and len(index):
            found.append(ElasticPart(name, kind, index, k * np.outer(J[index], J[index])))
    return tuple(found)
