"""Singular poses are passed with momentum: one step from before such a pose to behind it, nothing evaluated between.

Where branches of a mechanism's motions meet, its equations do not tell which one it takes. Momentum does: the branch
on which it arrives goes on smoothly. With rates f at three times before the pose and one behind it

    y₂ = y₁ + ∫ f dt,        f the cubic through f₋₁, f₀, f₁ and f₂        (theory/dynamics, eq. 15)

is right to the order of h⁵, projected onto the constraints; other branches are apart by the order of h.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from poinsot.simulation.equations import plain_functions
from poinsot.simulation.integration import Motion
from poinsot.system.conditioning import conditioning
from poinsot.system.functions import poses_at
from poinsot.system.scales import natural_speeds
from poinsot.system.system import System, system
from poinsot.system.variants import careful

ENTRY = 1e4  # condition number from which to which a singular pose is stepped over
FINER = 32  # parts into which an interval is cut to find that place
CREEPING = 200  # steps in a part, accepted or not: more than a motion needs that is not next to such a pose
SLOW = 0.2  # of the speed: what accelerations may change it by over the step; with less momentum nothing is known
BALANCED = 1e-8  # of the largest energy: what the step may lose


@dataclass(frozen=True, eq=False)
class Crossing:
    """A step over a singular pose."""

    t: tuple[float, float]  # before and behind  [s]
    y: tuple[np.ndarray, np.ndarray]  # states there
    f: tuple[np.ndarray, np.ndarray]  # their rates

    def at(self, t: np.ndarray) -> np.ndarray:
        """States (n, states) at times (n,) within the step: cubic."""
        (t1, t2), (y1, y2), (f1, f2) = self.t, self.y, self.f
        h = t2 - t1
        x, moved = ((t - t1) / h)[:, None], y2 - y1
        return y1 + x * moved + x * (1 - x) * ((1 - x) * (h * f1 - moved) - x * (h * f2 - moved))


@dataclass(frozen=True, eq=False)
class _Approach:
    """Three states before a singular pose, the last one next to it, and the time at which it would be met."""

    t: np.ndarray  # (3,)  [s]
    y: np.ndarray  # (3, states)
    singular: float  # [s]


def across(
    compiled: System,
    motion: Callable[[System], Motion],
    begin: tuple[float, np.ndarray],
    p: np.ndarray,
    end: float,
    options: dict[str, Any],
) -> Crossing | None:
    """Step over the first singular pose between a state at a time and a later time; None where nobody knows how."""
    if motion(compiled).method != "explicit" or not compiled.sizes[2]:
        return None
    compiled, p = _plain(compiled, p)
    found = _before(compiled, motion(compiled), begin, p, end, options)
    if found is None:
        return None
    written = plain_functions(careful(compiled), motion(compiled).laws).functions  # rates, projection, energies
    plain = {n: lambda t, y, p, one=f.function: np.asarray(one(t, y, p)).ravel() for n, f in written.items()}
    step = _stepped(plain, found, p)
    return step if step is not None and _believed(compiled, plain, step, p) else None


def leading(
    compiled: System,
    motion: Callable[[System], Motion],
    begin: tuple[float, np.ndarray],
    p: np.ndarray,
    t: np.ndarray,
    options: dict[str, Any],
) -> np.ndarray:
    """States (n, states) at times between a state and the step over a singular pose, NaN where none is reached."""
    compiled, p = _plain(compiled, p)
    times = np.append(begin[0], t)
    return motion(compiled).native(times, begin[1], p, **options).y[0, 1:] if len(t) else np.zeros((0, len(begin[1])))


def _plain(compiled: System, p: np.ndarray) -> tuple[System, np.ndarray]:
    """The system and constants in which a singular pose is approached."""
    if compiled.formulation == "embedded":  # whose rates are poor near such a pose; the coordinates are the same
        about = compiled.about
        compiled = system(about.mechanism, "joint", about.free, about.home)
    if compiled.outline.redundancy.groups:  # all combinations are poor there: no limit keeps the motion away
        p = np.append(p[:-1], 0.0)
    return compiled, p


def _condition(compiled: System, y: np.ndarray, p: np.ndarray) -> float:
    nq, _, _, nu = compiled.sizes
    return conditioning(compiled, poses_at(compiled, y[:nq], p[nu:])).condition


def _before(
    compiled: System,
    motion: Motion,
    begin: tuple[float, np.ndarray],
    p: np.ndarray,
    end: float,
    options: dict[str, Any],
) -> _Approach | None:
    """States before a singular pose, where 1/condition goes to zero; None if there is none."""
    t, y = begin
    for _ in range(12):
        times = np.unique(t + (end - t) * np.linspace(0.0, 1.0, FINER + 1))
        states = _reached(motion, times, y, p, options)
        if len(states) < 3:
            return None
        conditions = np.array([_condition(compiled, state, p) for state in states])
        over = conditions > ENTRY
        last = int(np.argmax(over)) - 1 if over.any() else max(int(np.argmax(conditions)) - 1, 0)
        if last < 0:
            return None
        if last > 1 and conditions[last] > ENTRY / 3:
            (t0, t1), (c0, c1) = times[last - 1 : last + 1], conditions[last - 1 : last + 1]
            near = slice(last - 2, last + 1)
            return _Approach(times[near], states[near], (c1 * t1 - c0 * t0) / (c1 - c0)) if c1 > c0 else None
        first = max(last - 3, 0)
        t, y, end = times[first], states[first], times[min(last + 2, len(times) - 1)]
    return None


def _reached(motion: Motion, times: np.ndarray, y: np.ndarray, p: np.ndarray, options: dict[str, Any]) -> np.ndarray:
    """States (m, states) at the first m of the times, up to where few steps no longer lead to the next.

    Next to a singular pose accelerations are noise, and steps of any number creep there.
    """
    found, few = [y], options | {"max_steps": min(CREEPING, options["max_steps"])}
    for between in zip(times, times[1:]):
        (after,) = motion.native(np.array(between), found[-1], p, **few).y[0, 1:]
        if not np.isfinite(after).all():
            break
        found.append(after)
    return np.array(found)


def _stepped(plain: dict[str, Any], found: _Approach, p: np.ndarray) -> Crossing | None:
    """The step over the pose, by as many iterations as it takes; None where it does not lead to a pose."""
    rates, kept = plain["rates"], plain["kept"]
    t1, y1, h = found.t[-1], found.y[-1], 2 * (found.singular - found.t[-1])
    before = [rates(t, y, p) for t, y in zip(found.t, found.y)]
    y2, t2 = y1 + h * _weights(found.t - t1, h) @ before, t1 + h
    weights = _weights(np.append(found.t - t1, h), h)
    for _ in range(8):
        for _ in range(3):
            y2 = kept(t2, y2, p)
        f2 = rates(t2, y2, p)
        if not np.isfinite(f2).all():
            return None
        settled, y2 = y2, y1 + h * weights @ [*before, f2]
        if np.abs(y2 - settled).max() < 1e-13 * np.abs(y2).max():
            break
    return Crossing((t1, t2), (y1, settled), (before[-1], f2))


def _weights(nodes: np.ndarray, h: float) -> np.ndarray:
    """Weights (n,) of values at n times: h times their sum is the integral of the polynomial through them, 0 to h.

    >>> _weights(np.array([0.0, 0.5, 1.0]), 1.0).round(6).tolist()
    [0.166667, 0.666667, 0.166667]
    """
    k = np.arange(len(nodes))
    return np.linalg.solve(np.vander(nodes / h, increasing=True).T, 1.0 / (k + 1))


def _believed(compiled: System, plain: dict[str, Any], step: Crossing, p: np.ndarray) -> bool:
    """Whether momentum decides: speeds go on smoothly, no energy is lost, and the pose behind is a regular one."""
    nq, nv, _, _ = compiled.sizes
    sizes = natural_speeds(compiled, compiled.home.size)
    v1, v2 = (y[nq : nq + nv] / sizes for y in step.y)
    if not np.isfinite(v2).all() or not np.linalg.norm(v2 - v1) < SLOW * np.linalg.norm(v1):
        return False
    before, behind = (plain["energies"](t, y, p) for t, y in zip(step.t, step.y))
    lost = abs(behind.sum() - before.sum() - (step.y[1][-1] - step.y[0][-1]))
    return lost < BALANCED * np.abs([before, behind]).max() and _condition(compiled, step.y[1], p) < 3 * ENTRY
