"""Sensors that stand still without a jump, and values that stay for good reasons."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.recording.findings.samples import sample_findings

T = np.arange(1500) / 250.0
ANGLE = 1.2 * np.sin(2 * np.pi * 0.7 * T) + 0.4 * np.sin(2 * np.pi * 1.9 * T)
REST = (T > 2) & (T < 2.6)
VALUE = float(np.round(np.cos(3 * 2.6), 6))  # what a force would have after the rest, without a jump


def stuck(force: np.ndarray, angle: np.ndarray = ANGLE) -> list[str]:
    recording = poinsot.Recording.of(T, {"angle": angle, "force": force}, units={"angle": "rad", "force": "N·m"})
    return [f.channel for f in sample_findings(recording) if f.code == "stuck"]


def noisy(seed: int, digits: int = 6) -> np.ndarray:
    return np.round(np.cos(3 * T) + 0.02 * np.random.default_rng(seed).standard_normal(len(T)), digits)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("samples", [30, 100, 400])
@pytest.mark.parametrize("digits", [6, 3])
def test_a_force_that_stands_still_is_told_whatever_it_jumps_by(seed, samples, digits):
    force = noisy(seed, digits)
    begin = 300 + 20 * seed
    drift = force[begin + samples] - force[begin]
    for jump in (0.0, 0.5, 1.0):
        held = force.copy()
        held[begin : begin + samples] = np.round(force[begin] + jump * drift, digits) + 0.0
        assert stuck(held) == ["force"]


@pytest.mark.parametrize("seed", range(10))
def test_what_stays_for_a_reason_is_none(seed):
    force, random = noisy(seed), np.random.default_rng(seed)
    still = np.where(REST, VALUE, force)
    resting = np.interp(T - np.clip(T - 2, 0, 0.6), T, ANGLE)
    assert stuck(force) == []
    assert stuck(np.where(REST, 0.0, force)) == []  # a drive that is switched off
    assert stuck(np.clip(force, -0.8, 0.8)) == []  # an end of the range
    assert stuck(still, np.round(resting, 4)) == []  # a machine at rest, seen by an encoder
    later = 2.6 + 2 * np.pi / 3  # where the same force comes again
    again = np.where(REST | (T > 4.2) & (later > T), VALUE, force)
    assert stuck(again) == []  # a limit of a drive
    assert stuck(np.round(force, 2)) == []
    assert stuck(np.where(REST, VALUE, np.cos(3 * T))) == []  # a set-point
    assert stuck(np.where(REST, VALUE, np.round(np.cos(3 * T), 4))) == []
    assert stuck(np.repeat(random.standard_normal(50), 30)) == []  # a slower clock
