"""Payload from the difference of two runs: what the model lacks repeats itself and cancels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import poinsot
from poinsot.errors import PoinsotError
from poinsot.estimate.methods.registry import method_of
from poinsot.estimate.problem import linear_problem
from poinsot.estimate.solution import rows_and_steps
from poinsot.estimate.study import Processing, Role, Unknown
from poinsot.estimate.unknowns import unknowns_in
from tests.estimate.runs import CRANK, noise
from tests.generated.share import repetitions, share

BAR = poinsot.load("four_bar")
ADDED = 0.3  # [kg]
OWN = tuple(Unknown(name) for name in ("link2.m", "link3.m", "link3.mx"))
LOAD = Unknown("link2.m", payload=True)


def run(payload: float, seed: int, lacking: float = 1.0, sigma: float = 0.05) -> poinsot.Recording:
    """A crank whose torque has ripples that no model knows [N·m], in every run the same."""
    t, rng = np.arange(0, 10, 0.02), np.random.default_rng(seed)
    bar = with_payload(payload)
    found = poinsot.inverse_dynamics(bar, {"theta1": CRANK}, t)
    angle = found.kinematics.coordinates["theta1"]
    torque = found.forces["A"] + lacking * np.sin(3 * angle) + sigma * noise(rng, (len(t),))
    return poinsot.Recording.of(t, {"theta1": angle, "A": torque})


def with_payload(m: float) -> poinsot.Mechanism:
    """The four-bar with a point mass at the origin of its coupler."""
    body = BAR.bodies["link2"]
    total, c = body.mass + m, np.asarray(body.com, float)
    moved = c * body.mass / total
    about = float(body.inertia[5]) + body.mass * m / total * float(c @ c)
    return BAR.with_parameters(
        {"link2.mass": total, "link2.com.x": moved[0], "link2.com.y": moved[1], "link2.inertia": about}
    )


def study(against: str, method="weighted", payload: float = ADDED) -> poinsot.Study:
    runs = (
        poinsot.Run("bare", run(0.0, 1)),
        poinsot.Run("loaded", run(payload, 2), Role.PAYLOAD, against=against),
    )
    return poinsot.Study(BAR, runs, (*OWN, LOAD), processing=Processing(cutoff=20.0), method=method)


def test_ripples_cancel_in_the_difference_and_nothing_else_does():
    apart, paired = (poinsot.identify(study(against))["payload link2.m"] for against in ("", "bare"))
    assert abs(paired.value - ADDED) < 4 * paired.deviation, paired
    assert paired.deviation < apart.deviation / 4
    assert abs(apart.value - ADDED) < 4 * apart.deviation, apart


def test_a_difference_is_a_channel_of_its_own_and_said():
    est = poinsot.identify(study("bare"))
    assert [f.channel for f in est.fit.channels] == ["A", "A difference"]
    assert est.fit["A difference"].rms < est.fit["A"].rms / 4
    assert "run 'loaded' is taken as its difference to run 'bare'" in est.steps
    assert "numerics sound" in est.verdict


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "times", "colour"),
    share([(*case, colour) for colour in (0.9, 0.0) for case in (("weighted", 300), ("likelihood", 100))]),
)
def test_error_bars_of_the_difference_cover_the_truth(method, times, colour):
    times = repetitions(times)
    whole = study("bare", payload=0.0)
    asked = unknowns_in(whole, whole.unknowns)
    runs, _ = rows_and_steps(whole, asked)
    runs = tuple(replace(one, noise=None) for one in runs)
    problem, rng, inside = linear_problem(asked, runs, np.ones(2)), np.random.default_rng(11), []
    k = problem.base.independent.index("payload link2.m")
    for _ in range(times):
        a, b = (0.05 * noise(rng, (len(runs[0].y),), colour) for _ in range(2))
        first, second = (one.y.copy() for one in runs)
        first[:, 0] += a
        second[:, 1] = b - a + (runs[1].known + runs[1].W @ asked.model)[:, 1]
        noisy = replace(problem, runs=(replace(runs[0], y=first), replace(runs[1], y=second)))
        found = method_of(method).solve(noisy.rows)
        inside.append(abs(noisy.base_values(found.d)[k]) < 1.96 * np.sqrt(found.covariance[k, k]))
    assert abs(np.mean(inside) - 0.95) < 3 * np.sqrt(0.95 * 0.05 / times), np.mean(inside)


def test_runs_that_are_no_partners_are_refused():
    with pytest.raises(PoinsotError, match="no identified run 'bear'"):
        study("bear")
    late = poinsot.Run(
        "late", run(ADDED, 2).rows(np.arange(500) % 3 == 0, "every third"), Role.PAYLOAD, against="bare"
    )
    slower = replace(study("").processing, cutoff=5.0)
    odd = replace(study(""), runs=(study("").runs[0], late), processing=slower)
    with pytest.raises(PoinsotError, match="another clock"):
        poinsot.identify(odd)
