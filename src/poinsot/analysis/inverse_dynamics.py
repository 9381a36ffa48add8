"""Inverse dynamics: the forces that a prescribed motion needs, and what every joint has to bear.

M v̇ + Cᵀλ = Q₀ + B u          solved for u and λ; with more actuators than freedoms, uᵀ W u is least:
(B W⁻¹ Bᵀ) y − Cᵀλ = M v̇ − Q₀,    C y = 0,    u = W⁻¹ Bᵀ y
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from poinsot.analysis.kinematics import Kinematics, Path, kinematics
from poinsot.analysis.system import System, system
from poinsot.analysis.undetermined import undetermined
from poinsot.engine import kernel, kkt
from poinsot.errors import PoinsotError, listing, unknown
from poinsot.model.mechanism import Mechanism

__all__ = ["InverseDynamics", "inverse_dynamics", "inverse_expressions"]

SINGULAR = 1e-12  # check value of the solution below which the actuators do not hold the mechanism


@dataclass(frozen=True, eq=False)
class InverseDynamics:
    """Forces along a motion: n times."""

    t: np.ndarray  # (n,)  [s]
    forces: dict[str, np.ndarray]  # by actuator (n,)  [N or N·m]
    power: dict[str, np.ndarray]  # by actuator (n,)  [W]
    reactions: dict[
        str, np.ndarray
    ]  # NaN where not determined; by joint, (fx, fy, fz, mx, my, mz) on its second body (n, 6)  [N, N·m]
    multipliers: np.ndarray  # (n, m)
    body_forces: dict[str, np.ndarray]  # by body, Q_e − M q̈ in world axes and body moment (n, 6)  [N, N·m]
    condition: np.ndarray  # (n,) check value: 1 is perfect, 0 where the actuators lose hold of the mechanism
    kinematics: Kinematics

    def __str__(self) -> str:
        lines = [f"{len(self.t)} samples from {self.t[0]:g} to {self.t[-1]:g} s"]
        for name, force in self.forces.items():
            power = np.abs(self.power[name]).max()
            lines.append(f"  {name}  {force.min():.6g} … {force.max():.6g} N or N·m, at most {power:.4g} W")
        return "\n".join(lines)


def inverse_dynamics(
    mechanism: Mechanism,
    motion: Mapping[str, Any],
    t: Sequence[float],
    *,
    weights: Mapping[str, float] | None = None,
    formulation: str = "joint",
) -> InverseDynamics:
    """Actuator forces, reactions of every joint and powers along a prescribed motion.

    With more actuators than freedoms the forces of least weighted square sum are taken; `weights` by actuator.
    Reactions are those on the joint's second body, about its frame there and in the joint's own axes: those of
    that frame, turned so that z is the joint's axis (docs/theory/joints.md).

    >>> import poinsot
    >>> d = poinsot.inverse_dynamics(poinsot.load("four_bar"), {"theta1": lambda t: 1 + 2 * t}, [0.0, 0.1])
    >>> sorted(d.forces)
    ['A']
    """
    _require_actuators(system(mechanism, formulation))
    moving = kinematics(mechanism, motion, t, formulation=formulation)
    path = moving.path
    weight = _weights(path.system, weights or {})
    solve = _inverse(path.system)
    u, lam, check, flat = solve(path.q, path.v, path.a, weight, path.p)
    if np.any(~(check > SINGULAR)):
        at = int(np.argmin(np.where(np.isfinite(check), check, -1)))
        raise PoinsotError(
            f"at t = {path.t[at]:g} s the actuators ({', '.join(path.system.commands)}) do not hold the mechanism: "
            "it is under-actuated, or in a singular pose"
        )
    return _result(path, moving, u, lam, check, flat)


def _require_actuators(compiled: System) -> None:
    """There must be at least as many actuators as the mechanism has freedoms."""
    _, n, m, actuators = compiled.sizes
    if actuators < n - m:
        raise PoinsotError(
            f"{compiled.mechanism.name} has mobility {n - m} and {actuators} actuators "
            f"({listing(compiled.commands)}): it is under-actuated, no forces of its own give a prescribed motion"
        )


def _weights(compiled: System, weights: Mapping[str, float]) -> np.ndarray:
    for name, weight in weights.items():
        if name not in compiled.commands:
            raise PoinsotError(unknown("actuator", name, compiled.commands))
        if not weight > 0:
            raise PoinsotError(f"the weight of actuator '{name}' must be positive, not {weight}")
    return np.array([float(weights.get(name, 1.0)) for name in compiled.commands])


def inverse_expressions(compiled: System) -> tuple[Any, Any, Any]:
    """Symbols of v̇ and of the weights, and the actuator forces u as an expression of (q, v, v̇, w, p)."""
    a, w, u, _, _ = _solution(compiled)
    return a, w, u


def _solution(compiled: System) -> tuple[Any, Any, Any, Any, Any]:
    """v̇, weights, u, λ and check value as symbols."""
    import casadi

    if "inverse solution" not in compiled._kernels:
        e = compiled.equations
        a, w = casadi.SX.sym("a", e.v.size1()), casadi.SX.sym("w", e.u.size1())
        B = casadi.jacobian(e.Q, e.u)
        Q0 = casadi.substitute(e.Q, e.u, casadi.SX.zeros(e.u.shape))
        drives = B @ casadi.diag(1 / w) @ B.T
        solved = kkt(drives, e.C, e.M @ a - Q0, casadi.SX(e.phi.size1(), 1), compiled.dynamics.order)
        u, lam = (B.T @ solved.acceleration) / w, -solved.multipliers
        compiled._kernels["inverse solution"] = a, w, u, lam, solved.factor.check
    return compiled._kernels["inverse solution"]


def _inverse(compiled: System) -> Any:
    """(q, v, v̇, weights, p) -> u, λ, check, reactions and rates of the actuated coordinates."""

    def make() -> Any:
        import casadi

        from poinsot.formulations.reactions import reactions

        e = compiled.equations
        a, w, u, lam, check = _solution(compiled)
        rates = [rate for _, _, rate in e.acting[len(e.acting) - e.u.size1() :]]
        wrenches = reactions(e, a, lam)
        columns = [
            casadi.vertcat(casadi.SX(wrenches[n].f), casadi.SX(wrenches[n].n)) for n in compiled.elements.joints
        ]
        flat = casadi.substitute(casadi.vertcat(*columns, *rates), e.u, u)
        return casadi.Function("inverse", [e.q, e.v, a, w, e.p], [u, lam, check, flat])

    return compiled.made("inverse", lambda: kernel(compiled.formula("inverse", make)))


def _result(
    path: Path, moving: Kinematics, u: np.ndarray, lam: np.ndarray, check: np.ndarray, flat: np.ndarray
) -> InverseDynamics:
    compiled = path.system
    names = list(compiled.mechanism.template.joints)
    unknown_parts = undetermined(compiled)
    for k, name in enumerate(names):
        if name in unknown_parts:
            flat[:, 6 * k : 6 * k + 6][:, unknown_parts[name]] = np.nan
    rates = flat[:, 6 * len(names) :]
    return InverseDynamics(
        t=path.t,
        forces={name: u[:, k] for k, name in enumerate(compiled.commands)},
        power={name: u[:, k] * rates[:, k] for k, name in enumerate(compiled.commands)},
        reactions={name: flat[:, 6 * k : 6 * k + 6] for k, name in enumerate(names)},
        multipliers=lam,
        body_forces=_body_forces(path, moving),
        condition=check.ravel(),
        kinematics=moving,
    )


def _body_forces(path: Path, moving: Kinematics) -> dict[str, np.ndarray]:
    """Q_e − M q̈ of every body by itself: gravity less what its motion needs; moments about the centre, body axes."""
    found = {}
    elements = path.mechanism.elements
    gravity = np.asarray(elements.gravity, float)
    for name, body in elements.bodies.items():
        R, w, alpha = moving.rotation[name], moving.angular_velocity[name], moving.angular_acceleration[name]
        arm = R @ np.asarray(body.com, float)
        acceleration = moving.acceleration[name] + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
        J = np.asarray(body.inertia_about_centre(), float)
        w_B, alpha_B = (np.einsum("nji,nj->ni", R, x) for x in (w, alpha))
        moment = alpha_B @ J + np.cross(w_B, w_B @ J)
        found[name] = np.concatenate([body.mass * (gravity - acceleration), -moment], axis=1)
    return found
