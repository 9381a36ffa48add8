"""NaVARo with flexible links: from a pose to ten frequencies, against the frame in OpenSees; a map of 10⁴ poses.

OpenSees has no pose: it is given the places of the nodes, and builds its frame anew for every pose, as its users do.
"""

from __future__ import annotations

from itertools import islice

import numpy as np

import poinsot

from .measure import Table, interleave, stopwatch
from .peer_opensees import frame, frequencies

POSES, FEW = 10_000, 10


def run() -> Table:
    """Time single poses of both, and the map of ours on one thread and on all."""
    robot, rng = poinsot.load("navaro"), np.random.default_rng(0)
    poses = {"x": rng.uniform(-0.05, 0.05, POSES), "y": rng.uniform(-0.05, 0.05, POSES)}
    poses["theta"] = rng.uniform(-0.5, 0.0, POSES)
    every = ({name: float(values[k]) for name, values in poses.items()} for k in range(POSES))  # no pose twice
    frames = [frame(robot, pose) for pose in islice(every, FEW)]
    ours = poinsot.frequency_map(robot, {n: v[:FEW] for n, v in poses.items()}, n=10).frequencies
    theirs = [frequencies(*f, 10) for f in frames]  # without rotary inertia
    assert np.isfinite(ours).all() and np.allclose(ours, theirs, rtol=0.02)
    times = interleave(
        {
            "OpenSees, frame and Arpack": lambda: [frequencies(*f, 10) for f in frames],
            "OpenSees, frame and Lapack": lambda: [frequencies(*f, 10, "-fullGenLapack") for f in frames],
            "Poinsot, modes with shapes": lambda: [
                poinsot.modes(robot, pose=pose, n=10) for pose in islice(every, FEW)
            ],
        },
        repeats=5,
    )
    milli = {name: 1e3 * timing.best / FEW for name, timing in times.items()}
    seconds = stopwatch(lambda: poinsot.frequency_map(robot, poses, n=10))
    milli[f"Poinsot, map of {POSES} poses"] = 1e3 * seconds / POSES
    theirs = min(value for name, value in milli.items() if "OpenSees" in name)
    ratio = theirs / milli[f"Poinsot, map of {POSES} poses"]
    return Table(
        "NaVARo, 90 independent coordinates: from pose to ten frequencies",
        ("what", "ms a pose", "OpenSees / this"),
        tuple((name, value, theirs / value) for name, value in milli.items()),
        ((f"quicker than OpenSees in a map: {ratio:.1f} ×", ratio > 1),),
        {f"{name} [ms]": value for name, value in milli.items()},
    )
