"""Clipped samples are told whatever their share; motions that come to rest at an end are not clipped."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.recording.findings.held import clipped_findings

TRIALS = 40


def is_clipped(t: np.ndarray, x: np.ndarray, step: float = 0.0) -> bool:
    """Whether samples in so many steps over their span are said to be clipped."""
    quantum = step * np.ptp(x)
    read = np.round(x / quantum) * quantum if quantum else x
    return bool(list(clipped_findings(poinsot.Recording.of(t, {"A": read}), ["A"])))


def swings(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    t = np.arange(0, 10, 1 / rng.choice([100, 200, 500, 1000]))
    parts = [rng.normal() * np.sin(2 * np.pi * rng.uniform(0.1, 2) * t + rng.uniform(0, 6)) for _ in range(4)]
    return t, np.sum(parts, axis=0)


@pytest.mark.parametrize("step", [0.0, 1e-4, 1e-3])
@pytest.mark.parametrize("share", [0.02, 0.2, 0.4, 0.6])
def test_any_share_of_clipped_samples_is_told(share, step):
    runs = [swings(seed) for seed in range(TRIALS)]
    told = [is_clipped(t, np.minimum(x, np.quantile(x, 1 - share)), step) for t, x in runs]
    assert np.mean(told) >= 0.95


@pytest.mark.parametrize("step", [0.0, 1e-4, 1e-3, 5e-3])
def test_swings_are_not_clipped_whatever_the_encoder(step):
    assert not any(is_clipped(*swings(seed), step) for seed in range(TRIALS))


@pytest.mark.parametrize("rate", [200, 1000])
@pytest.mark.parametrize("step", [0.0, 1e-5, 1e-3])
@pytest.mark.parametrize("rest", [0.1, 0.5, 5.0])
@pytest.mark.parametrize("moving", [0.3, 1.0, 3.0])
def test_motions_to_and_fro_with_rests_are_not_clipped(moving, rest, step, rate):
    """Speeds that are trapezoids, with rests at both ends and at least six samples between rest and speed."""
    t = np.arange(0, 30, 1 / rate)
    u = (t % (2 * (moving + rest))) / moving
    there, back = np.clip(u, 0, 1), np.clip(u - 1 - rest / moving, 0, 1)
    for ramp in (0.1, 0.25, 0.5):  # of the time of a move
        x = _moved(there, ramp) - _moved(back, ramp)
        assert not is_clipped(t, x, step)


def _moved(u: np.ndarray, ramp: float) -> np.ndarray:
    speed = 1 / (1 - ramp)
    middle = speed * (u - ramp / 2)
    ends = speed / (2 * ramp) * u**2, 1 - speed / (2 * ramp) * (1 - u) ** 2
    return np.where(u < ramp, ends[0], np.where(u > 1 - ramp, ends[1], middle))


@pytest.mark.parametrize("noise", [0.0, 0.01, 0.03])
@pytest.mark.parametrize(("below", "above"), [(0.1, 0.4), (0.4, 0.1), (0.25, 0.25)])
def test_what_is_clipped_at_both_ends_is_told_of_both(below, above, noise):
    both = []
    for seed in range(TRIALS):
        t, x = swings(seed)
        x = x + noise * np.std(x) * np.random.default_rng(seed).standard_normal(len(x))
        read = np.clip(x, *np.quantile(x, (below, 1 - above)))
        found = list(clipped_findings(poinsot.Recording.of(t, {"A": read}), ["A"]))
        both.append({f.amount for f in found} == {read.min(), read.max()})
    assert np.mean(both) >= 0.9
