"""Payload from the difference of two runs: what the model lacks repeats itself and cancels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import poinsot
from poinsot.app.report.blocks import ReportTable
from poinsot.app.report.saved import read_result
from poinsot.app.report.sections.validation import validation
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


def five_bar_runs(seed: int) -> dict[str, poinsot.Recording]:
    """A five-bar whose encoders have noise, without a payload and with 105 g."""
    rig, t = poinsot.load("five_bar"), np.arange(0, 6, 0.01)
    motion = {
        "q1": poinsot.Fourier(3, (0.1, 0.05), (0.02,), np.deg2rad(130)),
        "q2": poinsot.Fourier(3, (0.05, -0.05), (0.04,), np.deg2rad(50)),
    }
    found = {}
    for k, mass in enumerate((0.0, 0.105)):
        whole = rig.with_parameters({"forearm2.mass": rig.parameters["forearm2.mass"].value + mass})
        run, rng = poinsot.inverse_dynamics(whole, motion, t), np.random.default_rng(100 * seed + k)
        angles = {name: run.kinematics.coordinates[name] + 1e-4 * rng.standard_normal(len(t)) for name in motion}
        forces = {name: u + 0.02 * rng.standard_normal(len(t)) for name, u in run.forces.items()}
        found[("bare", "loaded")[k]] = poinsot.Recording.of(t, angles | forces)
    return found


@pytest.mark.parametrize("seed", (3, 4))
def test_runs_taken_against_each_other_share_the_lower_cutoffs_of_their_spectra(seed):
    from poinsot.estimate.rows.runs import prepared, with_cutoffs

    rig, runs = poinsot.load("five_bar"), five_bar_runs(seed)
    pair = (
        poinsot.Run("bare", runs["bare"]),
        poinsot.Run("loaded", runs["loaded"], Role.PAYLOAD, against="bare"),
    )
    asked = poinsot.Study(rig, pair, (Unknown("forearm2.m", payload=True),))
    own = [with_cutoffs(asked.processing, prepared(run, rig), rig).cutoff for run in pair]
    assert own[0] != own[1]  # or this test sees nothing
    est = poinsot.identify(asked)
    one, other = est.problem.runs
    assert np.array_equal(one.t[: len(other.t)], other.t)
    assert one.motion.edge == 1 / min(min(both.values()) for both in own)
    found = est["payload forearm2.m"]
    assert abs(found.value - 0.105) < 4 * found.deviation, est


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


def test_held_out_runs_have_no_rows_of_differences_that_they_do_not_have(tmp_path):
    given = study("bare")
    more = replace(given, runs=(*given.runs, poinsot.Run("check", run(0.0, 3), Role.VALIDATE)))
    found = poinsot.identify(more)
    assert "A difference" in str(found.fit) and "A difference" not in str(found.validation)
    assert "nan" not in str(found.validation) and len(str(found.validation).splitlines()) == 2
    assert "nan" not in str(found).lower()
    found.save(tmp_path / "out")
    saved = read_result(tmp_path / "out")
    section = validation(saved)
    tables = [block for block in section.blocks if isinstance(block, ReportTable)]
    assert [row[0] for table in tables for row in table.rows] == ["A"]
