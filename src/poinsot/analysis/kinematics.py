"""Kinematics of a driven mechanism: named coordinates are prescribed, everything else follows.

Φ(q) = 0, s(q) = s*(t)          Newton, exact to round-off
C v = 0, J v = ṡ*               C v̇ = γ, J v̇ = s̈* − J̇ v
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from poinsot.analysis.motion import evaluate_motion
from poinsot.analysis.system import System, start, system
from poinsot.engine import Link, elimination_order, kernel, kkt
from poinsot.errors import PoinsotError
from poinsot.model.mechanism import Mechanism

__all__ = ["Driven", "DrivenEquations", "Kinematics", "Path", "driven", "kinematics", "require_count", "solve_path"]

TOLERANCE = 1e-13  # of the machine's size
COARSE = 16  # every so many samples one is solved from the one before it, the others from their neighbours
REACH = 0.5  # … or after so much of a prescribed motion  [rad or of the machine's size]


@dataclass(frozen=True, eq=False)
class Path:
    """A driven motion in the coordinates of a system: n times."""

    mechanism: Mechanism
    system: System
    t: np.ndarray  # (n,)  [s]
    q: np.ndarray  # (n, nq)
    v: np.ndarray  # (n, nv)
    a: np.ndarray  # (n, nv), v̇
    p: np.ndarray  # parameters and chart
    residual: float  # largest violation of a constraint or of a prescribed coordinate  [m or rad]
    condition: np.ndarray  # (n,) check value of the solution: 1 is perfect, 0 is singular


@dataclass(frozen=True, eq=False)
class Kinematics:
    """Positions, velocities and accelerations of every body along a motion: n times."""

    t: np.ndarray  # (n,)  [s]
    position: dict[str, np.ndarray]  # by body, origin in the world (n, 3)  [m]
    rotation: dict[str, np.ndarray]  # by body, R_WB (n, 3, 3)
    velocity: dict[str, np.ndarray]  # by body, of the origin in the world (n, 3)  [m/s]
    angular_velocity: dict[str, np.ndarray]  # by body, in the world (n, 3)  [rad/s]
    acceleration: dict[str, np.ndarray]  # by body, of the origin in the world (n, 3)  [m/s²]
    angular_acceleration: dict[str, np.ndarray]  # by body, in the world (n, 3)  [rad/s²]
    coordinates: dict[str, np.ndarray]  # by name (n,)  [m or rad]
    residual: float  # largest violation of a constraint  [m or rad]
    path: Path

    def __str__(self) -> str:
        lines = [
            f"{len(self.t)} samples from {self.t[0]:g} to {self.t[-1]:g} s, joints closed to {self.residual:.1e}"
        ]
        lines += [f"  {name}  {s.min():.6g} … {s.max():.6g}" for name, s in self.coordinates.items()]
        return "\n".join(lines)


def kinematics(
    mechanism: Mechanism, motion: Mapping[str, Any], t: Sequence[float], *, formulation: str = "joint"
) -> Kinematics:
    """Positions, velocities and accelerations of every body of a driven mechanism.

    `motion` prescribes as many independent coordinates as the mechanism has freedoms: a number, a function of t,
    a Fourier series, or samples (times, values) for each.

    >>> import poinsot
    >>> k = poinsot.kinematics(poinsot.load("four_bar"), {"theta1": lambda t: 1 + 2 * t}, [0.0, 0.1])
    >>> bool(abs(k.angular_velocity["link1"][0, 2] - 2) < 1e-12)
    True
    """
    path = solve_path(mechanism, motion, np.asarray(t, float), formulation)
    return _observed(path)


def solve_path(
    mechanism: Mechanism,
    motion: Mapping[str, Any],
    t: np.ndarray,
    formulation: str = "joint",
    free: tuple[str, ...] = (),
) -> Path:
    """Coordinates, speeds and accelerations along a prescribed motion; `free` are further parameters as symbols."""
    if t.ndim != 1 or not t.size or not np.isfinite(t).all() or np.any(np.diff(t) <= 0):
        raise PoinsotError("t must be a list of times, each later than the one before")
    names = tuple(motion)
    require_count(system(mechanism, formulation, free), names)
    s, s_dot, s_ddot = evaluate_motion(motion, t)
    begin = start(mechanism, dict(zip(names, s[0])))
    compiled = system(mechanism, formulation, free, home=begin)
    p = compiled.parameters(mechanism, begin.poses)
    drive = driven(compiled, names)
    q, residual = _positions(drive, compiled.coordinates(begin, p), s, p, t, begin.size)
    v, a, check = drive.rates(q, s_dot, s_ddot, p)
    _require_continuity(compiled, t, q, v, p)
    return Path(mechanism, compiled, t, q, v, a, p, residual, check.ravel())


class DrivenEquations:
    """Equations of a system with some coordinates prescribed, as symbols."""

    def __init__(self, compiled: System, names: tuple[str, ...]):
        import casadi

        from poinsot.formulations.solve import unit_quaternions

        e = compiled.equations
        pairs = [compiled.coordinate(name) for name in names]
        s, s_dot = (casadi.vertcat(*column) for column in zip(*pairs))
        J = casadi.jacobian(s_dot, e.v)
        n, m, k = e.v.size1(), e.phi.size1(), len(names)
        targets = [casadi.SX.sym(x, k) for x in ("s", "s_dot", "s_ddot")]
        turns = [compiled.elements.coordinates[name].unit == "rad" for name in names]
        error = casadi.vertcat(*(_wrapped(s[i] - targets[0][i], turns[i]) for i in range(k)))
        A = casadi.vertcat(e.C, J)
        sample = casadi.Function("A", [e.q, e.p], [A])
        sampled = np.asarray(sample(compiled.dynamics.q_home, compiled.dynamics.p_nominal))
        links = [*e.links, *(Link(f"drive {n}", (m + i,), _touched(e, J[i, :])) for i, n in enumerate(names))]
        order = elimination_order(e.blocks, links, e.couplings, jacobian=sampled)
        gap = casadi.vertcat(e.phi, error)
        step = kkt(casadi.SX.eye(n), A, casadi.SX(n, 1), -gap, order)
        q_new = e.q + casadi.jacobian(e.q_dot, e.v) @ step.acceleration
        self.A, self.gap, self._factor = A, casadi.vertcat(e.phi, s), step.factor
        newton = casadi.Function("newton", [e.q, targets[0], e.p], [unit_quaternions(e, q_new), gap])
        v = self.solve(casadi.vertcat(casadi.SX(m, 1), targets[1]))
        self.gamma = casadi.vertcat(e.gamma, -casadi.jtimes(s_dot, e.q, e.q_dot))
        acceleration = self.solve(self.gamma + casadi.vertcat(casadi.SX(m, 1), targets[2]))
        speeds = casadi.Function("speeds", [e.q, targets[1], e.p], [v, step.factor.check])
        accelerations = casadi.Function("accelerations", [e.q, e.v, targets[2], e.p], [acceleration])
        self.functions = {"newton": newton, "speeds": speeds, "accelerations": accelerations}

    def solve(self, b: Any) -> Any:
        """x with A x = b, A = [C; J], from the factor of the Newton step."""
        import casadi

        return self._factor.solve(casadi.vertcat(self.A.T @ b, b))[: self.A.size2()]


class Driven:
    """Newton steps and rates of a system with some coordinates prescribed."""

    def __init__(self, compiled: System, names: tuple[str, ...]):
        coordinates = compiled.mechanism.template.coordinates
        self.compiled, self.names = compiled, names
        self.turns = np.array([coordinates[name].unit == "rad" for name in names])
        found = compiled.kept(("driven", *names), lambda: (self.equations.functions, None)).functions
        parts = ("newton", "speeds", "accelerations")
        self.newton, self._speeds, self._accelerations = (kernel(found[part]) for part in parts)

    @cached_property
    def equations(self) -> DrivenEquations:
        """The same as symbols."""
        return DrivenEquations(self.compiled, self.names)

    def rates(self, q: np.ndarray, s_dot: np.ndarray, s_ddot: np.ndarray, p: np.ndarray):
        """Speeds, accelerations and check values."""
        v, check = self._speeds(q, s_dot, p)
        (a,) = self._accelerations(q, v, s_ddot, p)
        return v, a, check


def require_count(compiled: System, names: tuple[str, ...]) -> None:
    """As many coordinates as the mechanism has freedoms must be prescribed."""
    _, n, m, _ = compiled.sizes
    for name in names:
        compiled.mechanism.template.coordinate(name)
    if n == m:
        raise PoinsotError(f"{compiled.mechanism.name} cannot move: it has mobility 0")
    if len(names) != n - m:
        raise PoinsotError(
            f"{compiled.mechanism.name} has mobility {n - m} and the motion prescribes "
            f"{len(names)} coordinates ({', '.join(names) or 'none'}): prescribe {n - m} independent ones"
        )


def _wrapped(error: Any, turn: bool) -> Any:
    """Difference of two angles between −π and π."""
    import casadi

    return casadi.atan2(casadi.sin(error), casadi.cos(error)) if turn else error


def _touched(e: Any, row: Any) -> tuple[str, ...]:
    """Blocks of speeds in which a row of the Jacobian has entries."""
    columns = set(row.sparsity().get_triplet()[1])
    return tuple(block.name for block in e.blocks if columns & set(block.columns))


def driven(compiled: System, names: tuple[str, ...]) -> Driven:
    """Newton steps and rates for prescribed coordinates, made once."""
    return compiled.made(("driven", *names), lambda: Driven(compiled, names))


def _positions(
    driven: Driven, q0: np.ndarray, s: np.ndarray, p: np.ndarray, t: np.ndarray, size: float
) -> tuple[np.ndarray, float]:
    """Coordinates at all samples: a coarse walk from sample to sample, then all others between their neighbours."""
    n = len(t)
    q = np.empty((n, len(q0)))
    coarse = _coarse(s / np.where(driven.turns, 1.0, size))
    here = q0
    for k in coarse:
        here = q[k] = _next(driven, here, s[k].copy(), p, t[k], size)
    rest = np.setdiff1d(np.arange(n), coarse)
    if len(rest):
        left = coarse[np.searchsorted(coarse, rest) - 1]
        right = coarse[np.searchsorted(coarse, rest)]
        weight = ((rest - left) / (right - left))[:, None]
        guess = (1 - weight) * q[left] + weight * q[right]
        q[rest] = _converged(driven, guess, s[rest], p, t[rest], size)[0]
    _, gap = driven.newton(q, s, p)
    return q, float(np.max(np.abs(gap)))


def _next(driven: Driven, start: np.ndarray, s: np.ndarray, p: np.ndarray, t: float, size: float) -> np.ndarray:
    """Newton for one sample, with full steps as long as they help; then with the care of `_converged`."""
    q, before = start, np.inf
    for _ in range(8):
        best, gap = driven.newton(q, s, p)
        error = max(gap.max(), -gap.min())
        if error < TOLERANCE * max(size, 1.0):
            return q
        if not error < before:
            break
        q, before = best, error
    return _converged(driven, start[None], s[None], p, np.array([t]), size)[0][0]


def _coarse(s: np.ndarray) -> np.ndarray:
    """Samples (n, k) to walk along: the first, the last, and others so near that no angle between is ambiguous."""
    steps = np.max(np.abs(np.diff(s, axis=0)), axis=1, initial=0.0)
    chosen, gone = [0], 0.0
    for k, step in enumerate(steps, 1):
        gone += step
        if k - chosen[-1] >= COARSE or gone >= REACH or k == len(steps):
            chosen.append(k)
            gone = 0.0
    return np.array(chosen)


def _converged(
    driven: Driven, q: np.ndarray, s: np.ndarray, p: np.ndarray, t: np.ndarray, size: float, iterations: int = 30
) -> tuple[np.ndarray, np.ndarray]:
    """Newton for a batch of samples; a sample that does not converge is an error that names it."""
    best, gap = driven.newton(q, s, p)
    error = np.max(np.abs(gap), axis=1)
    for _ in range(iterations):
        if np.max(error) < TOLERANCE * max(size, 1.0):
            return q, error
        fraction = np.ones((len(q), 1))
        for _ in range(12):
            trial = q + fraction * (best - q)
            next_best, next_gap = driven.newton(trial, s, p)
            next_error = np.max(np.abs(next_gap), axis=1)
            worse = ~(next_error <= error) & (error > 1e-14 * size)
            if not worse.any():
                break
            fraction[worse] /= 2
        if np.all(next_error >= 0.5 * error) and np.max(next_error) < 1e-12 * max(size, 1.0):
            return trial, next_error
        q, best, gap, error = trial, next_best, next_gap, next_error
    worst = int(np.argmax(np.where(np.isfinite(error), error, np.inf)))
    row = int(np.argmax(np.abs(gap[worst])))
    rows = driven.compiled.outline.rows
    name = str(rows[row]) if row < len(rows) else f"the coordinate '{driven.names[row - len(rows)]}'"
    raise PoinsotError(
        f"at t = {t[worst]:g} s the motion leaves the workspace or meets a singular pose: {name} stays off by "
        f"{error[worst]:.1e}"
    )


def _require_continuity(compiled: System, t: np.ndarray, q: np.ndarray, v: np.ndarray, p: np.ndarray) -> None:
    """A motion that jumps to another assembly mode between two samples is an error."""
    if len(t) < 3:
        return
    (rates,) = compiled.kernel("q_dot", lambda: [compiled.equations.q_dot])(q, v, np.zeros(compiled.sizes[3]), p)
    step = np.diff(t)[:, None]
    predicted = step * (rates[1:] + rates[:-1]) / 2
    miss = np.linalg.norm(np.diff(q, axis=0) - predicted, axis=1)
    allowed = 0.5 * np.linalg.norm(step * (np.abs(rates[1:]) + np.abs(rates[:-1])), axis=1) + 0.2
    if np.any(miss > allowed):
        at = int(np.argmax(miss / allowed))
        raise PoinsotError(
            f"between t = {t[at]:g} and {t[at + 1]:g} s the mechanism jumps to another assembly mode: it passes a "
            "singular pose, or the times are too far apart"
        )


def _observed(path: Path) -> Kinematics:
    """Motions of all bodies in world axes."""
    compiled = path.system
    names = list(compiled.mechanism.template.bodies)

    def make() -> Any:
        import casadi

        e = compiled.equations
        a = casadi.SX.sym("a", e.v.size1())
        columns = []
        for name in names:
            R, V = casadi.SX(e.poses[name].R), e.twists[name]
            for moving in (casadi.SX(V.v), casadi.SX(V.w)):
                world = R @ moving
                columns += [world, casadi.jtimes(world, e.q, e.q_dot) + casadi.jacobian(world, e.v) @ a]
        named = [compiled.coordinate(name)[0] for name in compiled.elements.coordinates]
        outputs = [casadi.vertcat(*columns), casadi.vertcat(*named) if named else casadi.SX(0, 1)]
        return casadi.Function("observed", [e.q, e.v, a, e.p], outputs)

    observed = compiled.made("observed", lambda: kernel(compiled.formula("observed", make)))
    rates, named = observed(path.q, path.v, path.a, path.p)
    rates = rates.reshape(len(path.t), len(names), 4, 3)
    position, rotation = compiled.poses(path.q, path.p)
    by_body = [{n: rates[:, k, j] for k, n in enumerate(names)} for j in range(4)]
    return Kinematics(
        t=path.t,
        position=position,
        rotation=rotation,
        velocity=by_body[0],
        acceleration=by_body[1],
        angular_velocity=by_body[2],
        angular_acceleration=by_body[3],
        coordinates={name: named[:, k] for k, name in enumerate(compiled.mechanism.template.coordinates)},
        residual=path.residual,
        path=path,
    )
