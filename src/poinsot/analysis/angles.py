"""Angles that are read off poses are known up to turns: along a motion they are continued from sample to sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from poinsot.analysis.system import System
from poinsot.elements.coordinates import AlongJoint

__all__ = ["turning", "unwound"]


def turning(compiled: System) -> tuple[str, ...]:
    """Named coordinates that are angles and not among the coordinates of the formulation itself."""

    def make() -> tuple[dict[str, Any], list[str]]:
        direct, named = compiled.equations.direct, compiled.elements.coordinates
        angles = {name: c for name, c in named.items() if c.unit == "rad"}
        return {}, [n for n, c in angles.items() if not isinstance(c, AlongJoint) or direct(c) is None]

    return tuple(compiled.kept("turning", make).facts)


def unwound(t: Sequence[float], s: np.ndarray, s_dot: np.ndarray) -> np.ndarray:
    """Angles s (…, n) at times t (n,) without jumps by turns, from the first sample on.

    The turn is the one that the rates s_dot (…, n) foretell where these are alike at both ends of an interval: a
    shaft may turn more than half a turn between samples. Elsewhere it is the nearest one.

    >>> unwound([0.0, 1.0, 2.0], np.array([3.0, -3.0, 3.0]), np.array([0.3, 0.3, 6.6])).round(2).tolist()
    [3.0, 3.28, 3.0]
    """
    t = np.asarray(t)
    step, moved = t[1:] - t[:-1], s[..., 1:] - s[..., :-1]
    if np.abs(moved).max(initial=0.0) + np.abs(s_dot).max(initial=0.0) * step.max(initial=0.0) < np.pi:
        return s  # no turn could be foretold
    first, last = s_dot[..., :-1], s_dot[..., 1:]
    steady = np.abs(last - first) * step < np.pi
    expected = np.where(steady, (first + last) * step / 2, 0.0)
    turns = np.rint((expected - moved) / (2 * np.pi))
    if not turns.any():
        return s
    return np.concatenate([s[..., :1], s[..., 1:] + 2 * np.pi * np.cumsum(turns, axis=-1)], axis=-1)
