"""Smoothing an inertial unit with six leg lengths: samples per second, against gtsam's batch smoother.

Both start from the leg lengths alone; gtsam's inertial factors take one sample each, as ours do.
"""

from __future__ import annotations

import numpy as np
from tests.recording.fusion.batch_smoother import smoothed
from tests.recording.fusion.stewart import platform
from tests.recording.fusion.test_fuse import MOTION

import poinsot

from .measure import Table, interleave

SAMPLES, RATE = 2000, 200.0  # [Hz]
GOAL = 1.0  # times the samples per second of gtsam


def run() -> Table:
    """Both by turns on the same samples."""
    machine, t = platform(), np.arange(SAMPLES) / RATE
    rec, truth = poinsot.measure(machine, MOTION, t, seed=1), poinsot.kinematics(machine, MOTION, t)
    R, p = truth.rotation["platform"], truth.position["platform"]
    rng = np.random.default_rng(0)
    start = p + 2e-5 * rng.standard_normal(p.shape)
    candidates = {"fuse": lambda: poinsot.fuse(machine, rec), "gtsam": lambda: smoothed(rec, R, start)}
    timings = interleave(candidates, repeats=3)
    ratio = timings["gtsam"].best / timings["fuse"].best
    return Table(
        f"smoothing {SAMPLES} samples of an inertial unit and six leg lengths",
        ("how", "seconds", "samples/s"),
        tuple((name, timings[name].best, SAMPLES / timings[name].best) for name in candidates),
        ((f"at least as many samples per second as gtsam: {ratio:.2f} times", ratio >= GOAL),),
    )
