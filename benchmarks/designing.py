"""Designs of experiments: the published search of 10⁶ eigenproblems, larger ones, and poses of larger mechanisms."""

from __future__ import annotations

import logging
import resource
from dataclasses import replace

import numpy as np

import poinsot
from poinsot.estimate.study import unknowns_of
from poinsot.experiment.limits import limits_of
from poinsot.experiment.poses.assessment import PoseTest
from poinsot.experiment.poses.prior import ParameterPrior
from poinsot.experiment.poses.sampling import Sampling, chunk, joined, judge
from poinsot.experiment.poses.search import draw
from poinsot.experiment.poses.space import PoseSpace

from .measure import Table, interleave, stopwatch

PUBLISHED = 80.0  # of 10⁶ eigenproblems on a laptop  [s]
TEST = PoseTest(99, (0.0, np.inf), 0.0, 0.005, 0.0, "condition", "nominal")


def run() -> Table:
    """Measure the search of the three-link mechanism, and poses of mechanisms with 3, 6 and 12 degrees of freedom."""
    links = sampling("three_link", ["?.stiffness"], {"phi*": "45 deg"}, 1000, 1000)
    judge(links)
    times = interleave({"one": lambda: joined([chunk(links, k) for k in range(links.chunks)])}, repeats=5)
    whole = interleave({"threads": lambda: draw(links, keep=False)}, repeats=5)["threads"].best
    rows = [("10⁶ eigenproblems, threads", whole, whole, PUBLISHED / whole)]
    rows.append(
        ("10⁶ eigenproblems, one thread", times["one"].best, times["one"].best, PUBLISHED / times["one"].best)
    )
    large, before = replace(links, poses=100_000), memory()
    progress = logging.getLogger("poinsot.progress")
    progress.addHandler(logging.StreamHandler())
    progress.setLevel(logging.INFO)
    long = stopwatch(lambda: draw(large, keep=False))
    grown = memory() - before
    rows.append((f"10⁸ eigenproblems, {grown:.0f} MB more memory", long, 1e6 * long / 1e8, 100 * PUBLISHED / long))
    figures = {"10⁶ s": whole, "10⁸ s": long, "10⁸ MB": grown}
    for freedom, made in machines().items():
        judge(made)
        each = stopwatch(lambda made=made: chunk(made, 0)) / made.poses
        rows.append(
            (f"a pose of {freedom} degrees of freedom, {made.sets} sets", each, 1e6 * each / made.sets, np.nan)
        )
        figures[f"{freedom} dof ms per pose"] = 1e3 * each
    goals = (
        (f"10⁶ eigenproblems with sampling and correlations in less than 0.2 s: {whole:.3f}", whole < 0.2),
        (f"10⁸ in less than 500 MB: {grown:.0f}", grown < 500),
    )
    title = "poses for modal tests; ratio to the published time"
    return Table(title, ("what", "s", "µs per eigenproblem", "ratio"), tuple(rows), goals, figures)


def sampling(model: str | poinsot.Mechanism, unknowns: list[str], limits: dict, poses: int, sets: int) -> Sampling:
    """A search on a mechanism, or on one of the library."""
    mechanism = poinsot.load(model) if isinstance(model, str) else model
    mechanism, prior, _ = ParameterPrior.of(mechanism, unknowns_of(unknowns, mechanism), 0.3)
    space = PoseSpace.of(mechanism, limits_of(limits, mechanism))
    return Sampling(mechanism, space, prior, TEST, None, poses, sets, 4, 0)


def machines() -> dict[int, Sampling]:
    """Mechanisms by their degrees of freedom."""
    plate = {"x": "60 mm", "y": "60 mm", "z": ["250 mm", "300 mm"], "rz": ["45 deg", "75 deg"], "r[xy]": "10 deg"}
    return {
        3: sampling("three_link", ["?.stiffness"], {"phi*": "45 deg"}, 128, 1000),
        6: sampling("ex800_drives", ["leg[1-6].slide.stiffness"], plate, 128, 1000),
        12: sampling(chain(12), ["j*.stiffness"], {"phi*": "45 deg"}, 128, 1000),
    }


def chain(n: int) -> poinsot.Mechanism:
    """A planar chain of n links on springs that are relaxed in the pose."""
    links = {
        f"link{k}": {"mass": 0.1, "com": [0.05, 0], "inertia": 1e-4, "frames": {"tip": [0.1, 0]}} for k in range(n)
    }
    spring = {"type": "revolute", "rest": "pose"}
    joints = {
        f"j{k}": {**spring, "between": [f"link{k - 1}.tip" if k else "ground", f"link{k}"], "stiffness": 20.0 - k}
        for k in range(n)
    }
    angles = {f"phi{k}": {"angle": f"link{k}"} for k in range(n)}
    document = {"format": 1, "planar": True, "gravity": [0, 0], "bodies": links, "joints": joints}
    return poinsot.build({**document, "coordinates": angles, "pose": dict.fromkeys(angles, 0)}, "chain")


def memory() -> float:
    """Largest memory of this process so far  [MB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
