"""The direction of a motion, which dry friction opposes."""

from __future__ import annotations

from poinsot.spatial.algebra import Scalar, function, is_zero


def direction(s_dot: Scalar, smooth: Scalar) -> Scalar:
    """tanh(ṡ/v_s): the sign of ṡ from a few v_s on, and everywhere for v_s = 0."""
    return function("sign", s_dot) if is_zero(smooth) else function("tanh", s_dot / smooth)


def steepness(smooth: Scalar) -> Scalar:
    """Slope of the direction at rest, 1/v_s; zero where it jumps  [s/m] or [s/rad]."""
    return 0.0 if is_zero(smooth) else 1 / smooth
