"""Partial inverse dynamics: some coordinates are prescribed, the others follow from the equations of motion.

Prescribed s_d(t) and free s_f together tell the motion. With drives of their own the free ones would take

    u_f = M_ff s̈_f + h_f(s_d, ṡ_d, s̈_d, s_f, ṡ_f)        linear in s̈_f; there are none, so u_f = 0 gives s̈_f

and the actuators take what is left (theory/dynamics, eq. 21). M_ff is regular where the actuators act along the
prescribed coordinates, as those of a gantry do; it is not where a prescribed load hangs on them by a rope.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from poinsot.elements.forces import Actuator
from poinsot.errors import MotionError, PoinsotError, counted, listing, require_known
from poinsot.model.assembly.constraints import row_lengths
from poinsot.model.mechanism import Mechanism
from poinsot.model.quantities.parameters import as_value
from poinsot.motion.driven import Driven, driven, require_count
from poinsot.motion.equations import SINGULAR, inverse_function, jacobians
from poinsot.motion.signals import Measured, as_signals, as_times, dense, evaluate_motion
from poinsot.spatial.algebra import Numbers
from poinsot.system.scaled_rank import rank_of
from poinsot.system.scales import natural_speeds
from poinsot.system.system import System, start, system
from poinsot.system.variants import solved_with_care

RTOL, ATOL = 1e-10, 1e-12  # of the integration, the latter by the size of the machine where it is a length
NEWTON, CLOSED = 30, 1e-13  # steps that close the joints, and what is closed, by the machine's size
UNRELATED = (
    "at t = {t:g} s the actuators do not act along the prescribed coordinates ({motion}): no motion of {free} follows"
)
ILL = 1e10  # condition number of M_ff from which the actuators do not act along the prescribed coordinates


def driven_along(mechanism: Mechanism, names: tuple[str, ...], keep: bool = False) -> Mechanism:
    """The mechanism with an ideal drive along each named coordinate, instead of its actuators or besides them."""
    known = mechanism.template.coordinates
    ideal = {name if not keep else f"free {name}": known[name] for name in names}
    laws = {name: Actuator(name, on) for name, on in ideal.items()}
    return mechanism.with_actuators({**(mechanism.template.actuators if keep else {}), **laws})


def completed(
    mechanism: Mechanism,
    motion: Mapping[str, Any],
    t: Numbers,
    free: tuple[str, ...],
    pose: Mapping[str, float] | None,
    velocity: Mapping[str, float] | None,
    formulation: str,
) -> dict[str, Any]:
    """The motion with that of the free coordinates, from a pose and rates of theirs (the file's, at rest)."""
    require_known("coordinate", free, mechanism.coordinates)
    if twice := [name for name in free if name in motion]:
        raise PoinsotError(f"'{twice[0]}' cannot be both prescribed and free")
    whole = driven_along(mechanism, free, keep=True)
    compiled = system(whole, formulation)
    names = (*motion, *free)
    require_count(compiled, names)
    _, n, m, nu = compiled.sizes
    if nu != n - m:
        raise PoinsotError(
            f"{mechanism.name} has {counted(len(mechanism.actuators), 'actuator')} ({listing(mechanism.actuators)}) "
            f"and the motion prescribes {counted(len(motion), 'coordinate')} ({listing(motion)}): as many as "
            "actuators are needed"
        )
    _require_independent(compiled, whole, tuple(motion), free)
    times = dense(as_times(t))
    course = _Course(whole, motion, free, times, formulation)
    s, rate, acceleration = course.integrated(*course.begin(pose or {}, velocity or {}))
    return {**motion, **{f: Measured(times, s[:, k], rate[:, k], acceleration[:, k]) for k, f in enumerate(free)}}


def _require_independent(compiled: System, whole: Mechanism, motion: tuple[str, ...], free: tuple[str, ...]) -> None:
    """Actuators and free coordinates together must tell the motion."""
    home = start(whole, None)
    p = compiled.parameters(whole, home.poses)
    C, J = (np.asarray(x) for x in jacobians(compiled, ())(compiled.coordinates(home, p), p)[:2])
    size = home.size
    rows = np.concatenate([row_lengths(compiled.outline.rows, size), _sizes(compiled.commands, whole, size)])
    A = np.vstack([C, J]) * natural_speeds(compiled, size) / rows[:, None]
    if rank_of(A) < A.shape[1]:
        raise MotionError(UNRELATED.format(t=0.0, motion=", ".join(motion), free=", ".join(free)), t=0.0)


def _sizes(names: Iterable[str], whole: Mechanism, size: float) -> np.ndarray:
    """Natural sizes of the coordinates that actuators of these names drive: the machine's [m], or 1."""
    return np.array([size if whole.template.actuators[name].on.unit == "m" else 1.0 for name in names])


class _Course:
    """A motion that is partly prescribed, as a differential equation of the free coordinates."""

    def __init__(
        self, whole: Mechanism, motion: Mapping[str, Any], free: tuple[str, ...], t: np.ndarray, formulation: str
    ):
        self.mechanism, self.free, self.t, self.formulation = whole, free, t, formulation
        self.signals, self.names = as_signals(motion), (*motion, *free)
        self.count = len(free)

    def begin(self, pose: Mapping[str, Any], velocity: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
        """Values and rates (f,) of the free coordinates at the start."""
        known, home = self.mechanism.elements, start(self.mechanism, None)
        for given in (pose, velocity):
            require_known("free coordinate", given, self.free)
        at = {name: float(known.coordinates[name].value(home.poses, known.joints)) for name in self.free}
        units = {name: known.coordinates[name].unit for name in self.free}
        s = {name: as_value(pose.get(name, at[name]), units[name], name) for name in self.free}
        rate = [as_value(velocity.get(n, 0.0), f"{units[n]}/s", f"rate of {n}") for n in self.free]
        first = dict(zip(self.signals, evaluate_motion(self.signals, self.t[:1])[0][0].tolist()))
        begin = start(self.mechanism, {**first, **s})
        self.compiled = system(self.mechanism, self.formulation, home=begin)
        self.p = self.compiled.parameters(self.mechanism, begin.poses)
        self.q, self.size = self.compiled.coordinates(begin, self.p)[None], begin.size
        self.sizes = _sizes([f"free {name}" for name in self.free], self.mechanism, begin.size)
        return np.array(list(s.values())), np.array(rate)

    @property
    def drive(self) -> Driven:
        """Newton steps and rates with all coordinates prescribed."""
        return driven(self.compiled, self.names)

    def accelerations(self, t: float, s_f: np.ndarray, rate_f: np.ndarray) -> np.ndarray:
        """s̈_f (f,) that takes no forces along the free coordinates."""
        s, rate, acceleration = (x[0] for x in evaluate_motion(self.signals, np.array([t])))
        q = self._closed(t, np.concatenate([s, s_f])[None])
        one = np.zeros((self.count + 1, len(s) + self.count))
        one[:, : len(s)] = acceleration
        one[1:, len(s) :] = np.eye(self.count)
        rates = np.broadcast_to(np.concatenate([rate, rate_f]), one.shape)
        many = np.broadcast_to(q, (len(one), q.shape[1]))
        v, a, _ = self.drive.rates(np.ascontiguousarray(many), np.ascontiguousarray(rates), one, self.p)
        weights = np.ones(len(self.compiled.commands))
        states = np.ascontiguousarray(many), v, a, weights, self.p
        u = solved_with_care(self.compiled, inverse_function, *states, check=2, least=SINGULAR)[0]
        h, M = u[0, -self.count :], (u[1:, -self.count :] - u[0, -self.count :]).T
        if not np.linalg.cond(M * self.sizes * self.sizes[:, None]) < ILL:
            words = UNRELATED.format(t=t, motion=", ".join(self.signals), free=", ".join(self.free))
            raise MotionError(words, t=float(t))
        return np.linalg.solve(M, -h)

    def _closed(self, t: float, s: np.ndarray) -> np.ndarray:
        """Coordinates q (1, nq) with all coordinates at s, from those before."""
        q, rows = self.q, self.drive.row_sizes(self.size)
        for _ in range(NEWTON):
            q, gap = self.drive.newton(q, s, self.p)
            if np.max(np.abs(gap / rows), initial=0.0) < CLOSED:
                break
        if not np.isfinite(q).all() or self.drive.violation(q, s, self.p, self.size) > 1e-9:
            raise MotionError(f"at t = {t:g} s the joints cannot be closed", t=float(t))
        self.q = q
        return q

    def integrated(self, s: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """s_f, ṡ_f and s̈_f (n, f) at all times."""
        from scipy.integrate import solve_ivp

        k = self.count

        def f(t: float, y: np.ndarray) -> np.ndarray:
            return np.concatenate([y[k:], self.accelerations(t, y[:k], y[k:])])

        y0, first = np.concatenate([s, rate]), self.q
        if len(self.t) > 1:
            span = (float(self.t[0]), float(self.t[-1]))
            found = solve_ivp(f, span, y0, "DOP853", t_eval=self.t, rtol=RTOL, atol=ATOL * np.tile(self.sizes, 2))
            if not found.success:
                raise MotionError(f"the free coordinates cannot be integrated: {found.message}", t=float(found.t[-1]))
            y = found.y.T
        else:
            y = y0[None]
        self.q = first
        return y[:, :k], y[:, k:], np.array([self.accelerations(t, x[:k], x[k:]) for t, x in zip(self.t, y)])
