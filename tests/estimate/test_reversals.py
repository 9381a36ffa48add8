"""Dry friction that reverses between two states of the regressor jumps in its columns when it does in the forces."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.estimate.rows.reversals import _kernel
from poinsot.estimate.solution import force_rows
from poinsot.estimate.study import study_of
from tests.estimate.machines import SLIDE_UNKNOWNS, SLIDE_VALUES, slide

LEFT = 0.005  # of Coulomb friction; 0.16 where columns jump at states


def swing(
    rate: float, smooth: float = 1e-3, encoder: float = 0.0, force: float = 0.0, seed: int = 0
) -> poinsot.Recording:
    """Ten seconds of three sines at so many samples a second, with noise of the encoder [m] and of the force [N]."""
    t, rng = np.arange(0, 10, 1 / rate), np.random.default_rng(seed)
    parts = [(0.2, 1.3, 0.0), (0.08, 4.1, 0.5), (0.03, 7.7, 1.0)]
    x, v, a = (sum(f(A, w, w * t + phase) for A, w, phase in parts) for f in (_sine, _rate, _acceleration))
    dry = np.tanh(v / smooth) if smooth else np.sign(v)
    u = 20 * a + 40 * v + 15 * dry + force * rng.standard_normal(len(t))
    return poinsot.Recording.of(t, {"x": x + encoder * rng.standard_normal(len(t)), "drive": u})


def _sine(A, w, at):
    return A * np.sin(at)


def _rate(A, w, at):
    return A * w * np.cos(at)


def _acceleration(A, w, at):
    return -A * w**2 * np.sin(at)


@pytest.mark.parametrize("smooth", [0.0, 1e-3])
@pytest.mark.parametrize("rate", [500, 1000, 2500])
def test_exact_recordings_leave_nothing_at_reversals(rate, smooth):
    model, how = slide(smooth), {"cutoff": 8.0}
    rows = force_rows(study_of(model, swing(rate, smooth), SLIDE_UNKNOWNS, "weighted", processing=how))
    run = rows.used[0]
    left = run.target - run.W @ run.regressor.parameters
    assert run.motion.every > 1
    assert np.max(np.abs(left)) < LEFT * 15


def test_standard_errors_tell_the_scatter_where_dry_friction_reverses():
    model, found = slide(1e-3), []
    for seed in range(24):
        est = poinsot.identify(model, swing(1000, encoder=1e-5, force=0.5, seed=seed), SLIDE_UNKNOWNS)
        found.append([(est[name].value, est[name].deviation) for name in SLIDE_UNKNOWNS])
    value, told = np.moveaxis(np.array(found), 2, 0)
    ratio = np.sqrt(np.mean((value - SLIDE_VALUES) ** 2, axis=0)) / told.mean(axis=0)
    assert np.all((ratio > 0.6) & (ratio < 1.4)), ratio


@pytest.mark.parametrize("m", [2, 3, 19])
def test_the_kernel_keeps_squares(m):
    j = np.arange(-2 * m, 2 * m + 1)
    weights = _kernel(j / m) / m
    assert [np.sum(weights * (j / m) ** k) for k in range(3)] == pytest.approx([1, 0, 0], abs=1e-12)
