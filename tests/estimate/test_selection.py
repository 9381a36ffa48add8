"""Which alternatives the data supports: those that are there, and not what noise supports."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

import poinsot
from poinsot.errors import PoinsotError
from poinsot.estimate.methods.registry import method_of
from poinsot.estimate.problem import LinearProblem, linear_problem
from poinsot.estimate.selection.alternatives import evidence_of, with_alternatives
from poinsot.estimate.selection.sets import selected
from poinsot.estimate.solution import rows_and_steps
from poinsot.estimate.study import study_of
from poinsot.estimate.unknowns import unknowns_in
from tests.estimate.runs import CRANK, noise
from tests.generated.share import repetitions, share

LAWS = {
    "dry": {"type": "friction", "viscous": 0.5, "coulomb": 1.0, "smooth": 0.05},
    "slow": {"type": "stribeck", "stribeck": 0.0, "speed": 0.5, "smooth": 0.05},
    "apart": {"type": "asymmetric-friction", "viscous_forward": 0.0, "smooth": 0.05},
    "hose": {"type": "polynomial", "c1": 0.0, "c2": 0.0},
}
OWN = ["link2.m", "link3.m", "link3.mx", "dry.viscous", "dry.coulomb"]
ALTERNATIVES = ["slow.stribeck", "apart.viscous_forward", "hose.c[12]", "dry.offset"]
OTHER = poinsot.Fourier(2.1, (0.3, 0.4), (0.2, -0.1), 1.0)


def bar(**values: float) -> poinsot.Mechanism:
    document = dict(poinsot.load("four_bar").document)
    document["forces"] = {name: {**law, "on": {"joint": "A"}} for name, law in LAWS.items()}
    return poinsot.build(document).with_parameters({name.replace("__", "."): x for name, x in values.items()})


def run(
    seed: int, motion=CRANK, sigma: float = 0.2, colour: float = 0.8, late: float = 0.0, **values: float
) -> poinsot.Recording:
    """A crank with some laws, its torque late by a time  [s]."""
    t, rng = np.arange(0, 10, 0.02), np.random.default_rng(seed)
    before, found = (poinsot.inverse_dynamics(bar(**values), {"theta1": motion}, x) for x in (t - late, t))
    torque = before.forces["A"] + sigma * noise(rng, (len(t),), colour)
    return poinsot.Recording.of(t, {"theta1": found.kinematics.coordinates["theta1"], "A": torque})


TRUTHS = {"none": {}, "slow.stribeck": {"slow__stribeck": 1.5}, "hose.c[12]": {"hose__c1": 3.0, "hose__c2": -2.0}}


@pytest.mark.parametrize("held_out", [False, True], ids=["criterion", "held-out"])
@pytest.mark.parametrize("truth", TRUTHS)
def test_what_is_there_is_chosen_and_shown(truth, held_out, tmp_path):
    values = TRUTHS[truth]
    more = {"validate": run(2, OTHER, **values)} if held_out else {}
    est = poinsot.identify(bar(), run(1, **values), OWN, choose=ALTERNATIVES, processing={"cutoff": 20.0}, **more)
    assert est.selection is not None
    assert est.selection.chosen == (() if truth == "none" else (truth,)), est.selection
    assert est.selection.by == ("held-out runs" if held_out else "information criterion")
    for name, value in values.items():
        found = est[name.replace("__", ".")]
        assert abs(found.value - value) < 4 * found.deviation, found
    assert {n for n in est.names if "." in n and n not in OWN} == {name.replace("__", ".") for name in values}
    assert f"chosen by {est.selection.by}: {truth if values else 'none of the alternatives'}" in str(est)
    assert [] in [trial["alternatives"] for trial in est.to_dict()["selection"]["trials"]]
    assert sum(trial.chosen for trial in est.selection.trials) == 1


def problem_with_all(held_out: bool) -> tuple[LinearProblem, list]:
    """All alternatives at once, along perfect motions."""
    more = {"validate": run(2, OTHER, sigma=0.0)} if held_out else {}
    study = study_of(
        bar(), run(1, sigma=0.0), OWN, "weighted", processing={"cutoff": 20.0}, choose=ALTERNATIVES, **more
    )
    full = with_alternatives(study)
    asked = unknowns_in(full, full.unknowns)
    runs, _ = rows_and_steps(full, asked)
    runs = [replace(one, noise=None) for one in runs]
    return linear_problem(asked, (runs[0],), np.ones(1)), runs[1:]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("held_out", "colour"), share([(held, colour) for colour in (0.9, 0.0) for held in (False, True)])
)
def test_noise_is_not_chosen_and_a_law_is(held_out, colour):
    """Without a law, one is chosen in one of fifty studies, 5 of 100 at most; with one, it is in nearly all."""
    problem, unseen = problem_with_all(held_out)
    rng, times, wrong, missed = np.random.default_rng(3), repetitions(100), 0, 0
    k = problem.unknowns.names.index("slow.stribeck")
    for _ in range(times):
        noisy = [replace(r, y=r.y + 0.2 * noise(rng, r.y.shape, colour)) for r in (*problem.runs, *unseen)]
        for amplitude in (0.0, 1.0):
            there = [replace(r, y=r.y + amplitude * r.W[:, :, k]) for r in noisy]
            one = replace(problem, runs=(there[0],))
            solution = method_of("weighted").solve(one.rows)
            chosen = selected(evidence_of(ALTERNATIVES, one, solution, there[1:])).chosen
            wrong += bool(chosen) and not amplitude
            missed += "slow.stribeck" not in chosen and bool(amplitude)
    assert wrong <= binom.isf(0.02, times, 0.02), wrong
    assert missed <= 0.05 * times, missed


def test_delays_of_channels_are_alternatives_too():
    est = poinsot.identify(
        bar(), run(1, late=0.01), OWN, choose=["delay *", "hose.c[12]"], processing={"cutoff": 20.0}
    )
    assert est.selection is not None
    assert est.selection.chosen == ("delay *",), est.selection
    assert abs(est["delay A"].value - 0.01) < 4 * est["delay A"].deviation


def test_alternatives_that_do_not_exist_are_refused():
    with pytest.raises(PoinsotError, match=r"no parameter 'slow\.striebeck'"):
        poinsot.identify(bar(), run(1), OWN, choose=["slow.striebeck"])
    with pytest.raises(PoinsotError, match="supports none"):
        poinsot.identify(bar(), run(1), ["slow.stribeck"], choose=["slow.stribeck"], processing={"cutoff": 20.0})
