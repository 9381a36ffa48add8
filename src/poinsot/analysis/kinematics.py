"""Kinematics of a driven mechanism: named coordinates are prescribed, everything else follows.

Φ(q) = 0, s(q) = s*(t)          Newton, exact to round-off
C v = 0, J v = ṡ*               C v̇ = γ, J v̇ = s̈* − J̇ v
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from poinsot.analysis.angles import turning, unwound
from poinsot.analysis.motion import as_times, evaluate_motion, require_motion
from poinsot.analysis.path import Path, require_continuity
from poinsot.analysis.system import System, start, system
from poinsot.analysis.trouble import poses_at, surplus_or_free, weakness
from poinsot.analysis.variants import careful
from poinsot.engine import Link, elimination_order, kernel, kkt
from poinsot.errors import MotionError, PoinsotError
from poinsot.model.assembly import Assembly
from poinsot.model.mechanism import Mechanism, require_mechanism

__all__ = ["Driven", "DrivenEquations", "Kinematics", "Path", "driven", "kinematics", "require_count", "solve_path"]

TOLERANCE = 1e-13  # of the machine's size
COARSE = 16  # every so many samples one is solved from the one before it, the others from their neighbours
SINGULAR = 1e-10  # check value of the solution below which the prescribed coordinates do not tell the speeds
REACH = 0.5  # … or after so much of a prescribed motion  [rad or of the machine's size]


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

    def first(self, n: int) -> Kinematics:
        """The same at the first n times."""
        if n == len(self.t):
            return self
        path = self.path
        cut = replace(path, **{x: getattr(path, x)[:n] for x in ("t", "q", "v", "a", "condition")})
        parts = {f.name: getattr(self, f.name) for f in fields(self)}
        dicts = {x: {b: rows[:n] for b, rows in part.items()} for x, part in parts.items() if isinstance(part, dict)}
        return replace(self, t=self.t[:n], path=cut, **dicts)

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
    try:
        return _observed(solve_path(mechanism, motion, t, formulation))
    except MotionError as error:
        error.partial = None if error.partial is None else _observed(error.partial)
        raise


def solve_path(
    mechanism: Mechanism,
    motion: Mapping[str, Any],
    t: Sequence[float],
    formulation: str = "joint",
    free: tuple[str, ...] = (),
) -> Path:
    """Coordinates, speeds and accelerations along a prescribed motion; `free` are further parameters as symbols.

    A motion that cannot be followed is an error that keeps the path up to there.
    """
    t = as_times(t)
    try:
        return _path(require_mechanism(mechanism), motion, t, formulation, free)
    except MotionError as error:
        before = int(np.searchsorted(t, error.t))
        if before == 0 or error.partial is not None:
            raise
        path = solve_path(mechanism, motion, t[:before], formulation, free)
        held = {name: mechanism.coordinates[name] for name in motion}
        weak = weakness(path.system, poses_at(path.system, path.q[-1], path.p), held)
        raise MotionError(
            f"{error} ({weak} at t = {path.t[-1]:g} s, the last pose reached)",
            t=error.t,
            joint=weak.name,
            condition=weak.condition,
            partial=path,
        ) from None


def _path(
    mechanism: Mechanism, motion: Mapping[str, Any], t: np.ndarray, formulation: str, free: tuple[str, ...]
) -> Path:
    names = tuple(require_motion(motion))
    require_count(system(mechanism, formulation, free), names)
    s, s_dot, s_ddot = evaluate_motion(motion, t)
    begin = _begin(mechanism, dict(zip(names, s[0])), t[0], formulation)
    compiled = system(mechanism, formulation, free, home=begin)
    p = compiled.parameters(mechanism, begin.poses)
    for one, every in ((compiled, False), (compiled, True), (careful(compiled), True)):
        drive = driven(one, names)
        try:
            q, residual = _positions(drive, compiled.coordinates(begin, p), s, p, t, begin.size, every)
            v, a, check = drive.rates(q, s_dot, s_ddot, p)
            _require_determined(drive, t, check.ravel())
            path = Path(one, t, q, v, a, p, residual, check.ravel())
            require_continuity(path, names)
            return path
        except MotionError as error:
            trouble = error
    raise trouble


def _begin(mechanism: Mechanism, pose: dict[str, float], t: float, formulation: str) -> Assembly:
    """The mechanism in the first pose of a motion."""
    try:
        return start(mechanism, pose)
    except PoinsotError as error:
        held = {name: mechanism.coordinates[name] for name in pose}
        weak = weakness(system(mechanism, formulation), start(mechanism, None).poses, held)
        text = f"at t = {t:g} s {error} ({weak} in the pose of the model file)"
        raise MotionError(text, t=float(t), joint=weak.name, condition=weak.condition) from None


def _require_determined(drive: Driven, t: np.ndarray, check: np.ndarray) -> None:
    """A motion through a pose in which the prescribed coordinates do not tell all speeds is an error."""
    if np.any(~(check > SINGULAR)):
        at = int(np.argmax(~(check > SINGULAR)))
        raise MotionError(
            f"at t = {t[at]:g} s the prescribed coordinates ({', '.join(drive.names)}) do not determine the motion: "
            "the pose is singular for them",
            t=float(t[at]),
        )


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
        sampled = None if compiled.dynamics.careful or e.combined is not None else sampled
        links = [*e.links, *(Link(f"drive {n}", (m + i,), _touched(e, J[i, :])) for i, n in enumerate(names))]
        order = elimination_order(e.blocks, links, e.couplings, jacobian=sampled)
        gap = casadi.vertcat(e.phi, error)
        step = self._system = kkt(casadi.diag(casadi.SX(1 / e.scales**2)), A, casadi.SX(n, 1), -gap, order, added={})
        q_new = e.q + casadi.jacobian(e.q_dot, e.v) @ step.acceleration
        self.A, self.gap = A, casadi.vertcat(e.phi, s)
        newton = casadi.Function("newton", [e.q, targets[0], e.p], [unit_quaternions(e, q_new), gap])
        v = self.solve(casadi.vertcat(casadi.SX(m, 1), targets[1]))
        self.gamma = casadi.vertcat(e.gamma, -casadi.jtimes(s_dot, e.q, e.q_dot))
        acceleration = self.solve(self.gamma + casadi.vertcat(casadi.SX(m, 1), targets[2]))
        speeds = casadi.Function("speeds", [e.q, targets[1], e.p], [v, step.factor.check])
        accelerations = casadi.Function("accelerations", [e.q, e.v, targets[2], e.p], [acceleration])
        self.functions = {"newton": newton, "speeds": speeds, "accelerations": accelerations}

    def solve(self, b: Any) -> Any:
        """x (nv, k) with A x = b, A = [C; J], from the factor of the Newton step."""
        import casadi

        return self._system.solve(casadi.SX(self._system.M.size1(), b.size2()), b)[0]

    def multipliers(self, Q: Any) -> Any:
        """λ with Aᵀ λ nearest to forces Q (nv, 1)."""
        import casadi

        return self._system.solve(Q, casadi.SX(self._system.C.size1(), 1))[1]


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
            f"{len(names)} coordinates ({', '.join(names) or 'none'}): prescribe {n - m} independent ones; "
            + surplus_or_free(compiled, names, n - m)
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
    driven: Driven, q0: np.ndarray, s: np.ndarray, p: np.ndarray, t: np.ndarray, size: float, every: bool
) -> tuple[np.ndarray, float]:
    """Coordinates at all samples: a coarse walk from sample to sample, then all others between their neighbours.

    With `every` the walk takes all samples: slower, and safe where the mechanism moves much for little of the drive.
    """
    n = len(t)
    q = np.empty((n, len(q0)))
    coarse = np.arange(n) if every else _coarse(s / np.where(driven.turns, 1.0, size))
    here = q0
    for last, k in zip([0, *coarse], coarse):
        try:
            here = q[k] = _next(driven, here, s[k].copy(), p, t[k], size)
        except MotionError:  # find the first sample that cannot be reached
            for i in range(last + 1, k):
                here = _next(driven, here, s[i].copy(), p, t[i], size)
            raise
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
    first = int(np.argmax(~(error < 1e-12 * max(size, 1.0))))
    row = int(np.argmax(np.abs(gap[first])))
    rows = driven.compiled.outline.rows
    name = str(rows[row]) if row < len(rows) else f"the coordinate '{driven.names[row - len(rows)]}'"
    raise MotionError(
        f"at t = {t[first]:g} s the motion leaves the workspace or meets a singular pose: {name} stays off by "
        f"{error[first]:.1e}",
        t=float(t[first]),
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
        named += [compiled.coordinate(name)[1] for name in turning(compiled)]
        outputs = [casadi.vertcat(*columns), casadi.vertcat(*named) if named else casadi.SX(0, 1)]
        return casadi.Function("observed", [e.q, e.v, a, e.p], outputs)

    observed = compiled.made("observed", lambda: kernel(compiled.formula("observed", make)))
    rates, named = observed(path.q, path.v, path.a, path.p)
    rates = rates.reshape(len(path.t), len(names), 4, 3)
    position, rotation = compiled.poses(path.q, path.p)
    coordinates = {name: named[:, k] for k, name in enumerate(compiled.mechanism.template.coordinates)}
    for k, name in enumerate(turning(compiled), len(coordinates)):
        coordinates[name] = unwound(path.t, coordinates[name], named[:, k])
    by_body = [{n: rates[:, k, j] for k, n in enumerate(names)} for j in range(4)]
    return Kinematics(
        t=path.t,
        position=position,
        rotation=rotation,
        velocity=by_body[0],
        acceleration=by_body[1],
        angular_velocity=by_body[2],
        angular_acceleration=by_body[3],
        coordinates=coordinates,
        residual=path.residual,
        path=path,
    )
