"""Motions that are tried, most of which a mechanism cannot make: found quickly, or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.model.mechanism import Mechanism
from poinsot.motion.continuation import Course
from poinsot.motion.continuity import Path
from poinsot.motion.driven import driven, require_count
from poinsot.motion.initial_pose import straight
from poinsot.motion.kinematics import in_charts
from poinsot.motion.signals import as_signals, evaluate_motion
from poinsot.system.system import system


def plain_path(mechanism: Mechanism, motion: Mapping[str, Any], t: np.ndarray) -> Path | None:
    """The motion if native Newton leads from the file's pose straight to its first sample and on; None if not.

    Nothing else is tried, no reason is given; `solve_path` does both.
    """
    signals = as_signals(motion)
    try:
        require_count(system(mechanism), tuple(motion))
        rates = evaluate_motion(signals, t)
        begin = straight(mechanism, dict(zip(motion, rates[0][0].tolist())))
        if begin is None:
            return None
        drive, charted = driven(begin.system, tuple(motion)), len(begin.p) > len(begin.system.free)
        course = Course(drive, signals, t, *rates, begin.p, begin.system.home.size, charted=True)
        dense, asked = course.dense()  # in one batch, rather than one by one where a step is too long
        return in_charts(replace(dense, charted=charted), asked, begin.q, care=False)
    except PoinsotError:
        return None
