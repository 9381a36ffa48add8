"""Samples at rest say nothing of dry friction, which holds with any force there, whether its law jumps or not."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from tests.estimate.machines import SLIDE_UNKNOWNS, SLIDE_VALUES, slide


def stop_and_go(still: float, seed: int = 0) -> poinsot.Recording:
    """Sixteen strokes of a second, after each a rest of so many seconds [s] held by a force within the friction."""
    rng, dt = np.random.default_rng(seed), 1e-3
    t = np.arange(0, 16 * (1 + still), dt)
    stroke, at = np.divmod(t, 1 + still)
    share = np.clip(at, 0, 1)
    size = np.where(stroke % 2 == 0, 1.0, -1.0) * (0.2 + 0.1 * (stroke // 2 % 3))
    v = size * (1 - np.cos(2 * np.pi * share))
    a = size * 2 * np.pi * np.sin(2 * np.pi * share) * (at < 1)
    held = rng.uniform(-12, 12, int(stroke[-1]) + 1)[stroke.astype(int)]
    force = np.where(at < 1, 20 * a + 40 * v + 15 * np.sign(size), held)
    x = np.cumsum(v) * dt + 2e-5 * rng.standard_normal(len(t))
    return poinsot.Recording.of(t, {"x": x, "drive": force + 0.5 * rng.standard_normal(len(t))})


@pytest.mark.parametrize("smooth", [0.0, 1e-3])
def test_samples_at_rest_are_left_out_where_dry_friction_jumps_too(smooth):
    model, run = slide(smooth), stop_and_go(1.5)
    est = poinsot.identify(model, run, SLIDE_UNKNOWNS)
    assert any("samples at rest, where dry friction holds" in step for step in est.steps)
    assert [est[name].value for name in SLIDE_UNKNOWNS] == pytest.approx(SLIDE_VALUES, rel=0.02)


def test_a_machine_that_only_turns_is_not_at_rest():
    t, rng = np.arange(0, 10, 1e-3), np.random.default_rng(1)
    v = 1.5 * np.cos(6 * t)
    force = -20 * 9.0 * np.sin(6 * t) + 40 * v + 15 * np.sign(v) + 0.5 * rng.standard_normal(len(t))
    run = poinsot.Recording.of(t, {"x": 0.25 * np.sin(6 * t), "drive": force})
    est = poinsot.identify(slide(1e-3), run, SLIDE_UNKNOWNS)
    assert not any("at rest" in step for step in est.steps)
    assert [est[name].value for name in SLIDE_UNKNOWNS] == pytest.approx(SLIDE_VALUES, rel=0.02)
