"""Joint parameters from natural frequencies: the three-link mechanism identified as in the source, and beyond it.

The source's table 3 has errors of −4.8, +26.5 and −17.0 % in configuration 1. Three frequencies have several exact
solutions there; one of them lies at −5.8, +28.6 and −17.5 %, which is near what the source found.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from tests.compared import compared
from tests.papers.test_three_link import BENT, PRINTED, SPRINGS, STRAIGHT, by_hand, pose
from tests.recording.modal.simulated import Bench, burst, damped_three_link, recorded

import poinsot

TRUE = np.array([21.10, 13.90, 5.77])
START = {n: {"start": s, "bounds": [0.1, 1000]} for n, s in zip(SPRINGS, (30, 20, 10))}
RIGHT = (16.9, 83.1, 229.8)  # configuration 1 with its misprint put right  [Hz]
RMS = {STRAIGHT: (0.023, 0.079, 0.059), BENT: (0.012, 0.012, 0.010)}  # of spec/2, with 0.5 % of noise


@cache
def links() -> poinsot.Mechanism:
    return poinsot.load("three_link")


def identified(runs, method="interior-point", **more):
    return poinsot.identify(links(), runs, START, method, **more)


@pytest.mark.parametrize(
    ("configuration", "frequencies", "values"),
    [(BENT, PRINTED[BENT], (21.06, 13.93, 5.79)), (STRAIGHT, RIGHT, (20.99, 13.79, 5.86))],
)
def test_the_springs_from_the_printed_frequencies(configuration, frequencies, values):
    est = identified(poinsot.ModalRun(frequencies, pose(configuration), deviation="0.5 %"))
    np.testing.assert_allclose(by_hand(configuration, est.value), frequencies, rtol=1e-6)
    np.testing.assert_allclose(est.value, values, atol=0.01)  # the last digit that is printed
    compared("stiffnesses identified from frequencies", "paper, two decimals printed", est.value, values)
    assert "nothing tests the fit" in est.verdict


def test_error_bars_are_two_to_six_times_wider_in_the_straight_configuration():
    """As the rms errors of noisy trials are: 2.3/1.2, 7.9/1.2 and 5.9/1.0."""
    bars = [
        identified(poinsot.ModalRun(f, pose(c), deviation="0.5 %")).deviation
        for c, f in ((STRAIGHT, RIGHT), (BENT, PRINTED[BENT]))
    ]
    print("error bars, straight over bent:", bars[0] / bars[1])
    np.testing.assert_allclose(bars[0] / bars[1], np.divide(RMS[STRAIGHT], RMS[BENT]), rtol=0.1)


@pytest.mark.slow
def test_the_misprint_is_a_misfit_for_steps_from_the_start_and_for_both_configurations_together():
    wrong = poinsot.ModalRun(PRINTED[STRAIGHT], pose(STRAIGHT), "straight", deviation="0.5 %")
    alone = identified(wrong, "trust-region")
    assert "The model does not fit" in alone.verdict
    both = [wrong, poinsot.ModalRun(PRINTED[BENT], pose(BENT), "bent", deviation="0.5 %")]
    est = identified(both)
    assert "The model does not fit: residuals are" in est.verdict
    mended = identified(both, processing={"robust": True})
    assert "19.9 Hz ('straight', mode 1;" in mended.verdict and "does not fit" not in mended.verdict
    np.testing.assert_allclose(mended.value, TRUE, rtol=0.01)


@pytest.mark.slow
def test_three_frequencies_have_several_exact_solutions():
    """An independent route: matrices written out, many starts; the misprint is met exactly by other springs too."""
    from scipy.optimize import least_squares

    rng = np.random.default_rng(0)

    def solutions(measured) -> np.ndarray:
        found = []
        for _ in range(40):
            begin = np.log(rng.uniform(3, 40, 3))
            one = least_squares(lambda x: by_hand(STRAIGHT, np.exp(x)) / measured - 1, begin, xtol=1e-14, ftol=1e-14)
            if one.cost < 1e-16 and not any(np.allclose(np.exp(one.x), other, rtol=1e-3) for other in found):
                found.append(np.exp(one.x))
        return np.array(found)

    right, wrong = solutions(RIGHT), solutions(PRINTED[STRAIGHT])
    near = right[np.argmin(np.abs(right / TRUE - [0.952, 1.265, 0.83]).sum(axis=1))]
    np.testing.assert_allclose(near / TRUE, [0.952, 1.265, 0.83], atol=0.025)  # table 3 of the source
    assert len(wrong) and len(right) > 1
    est = identified(poinsot.ModalRun(PRINTED[STRAIGHT], pose(STRAIGHT), deviation="0.5 %"))
    assert np.min(np.abs(wrong / est.value - 1).max(axis=1)) < 1e-3 and "nothing tests the fit" in est.verdict


@pytest.mark.slow
@pytest.mark.parametrize("share", range(4))
@pytest.mark.parametrize("configuration", [STRAIGHT, BENT])
def test_noisy_trials_have_the_rms_errors_of_the_source(configuration, share):
    """50 of 200 trials; rms of 50 has a standard error of 10 %.

    All trials count, by the values at which the search ended: in the straight configuration noise often leaves no
    exact solution, and such trials, which are reported as undetermined, have the larger errors.
    """
    rng = np.random.default_rng(share)
    found, undetermined = [], 0
    for _ in range(50):
        f = by_hand(configuration) * rng.normal(1, 0.005, 3)
        est = identified(poinsot.ModalRun(f, pose(configuration), deviation="0.5 %"), "trust-region")
        found.append(est.found)
        undetermined += bool(est.undetermined)
    rms = np.sqrt(np.mean((np.array(found) / TRUE - 1) ** 2, axis=0))
    print(configuration, share, "rms", (100 * rms).round(2), "%,", undetermined, "undetermined")
    assert (undetermined > 0) == (configuration == STRAIGHT)
    np.testing.assert_allclose(rms, RMS[configuration], rtol=0.35)


@pytest.mark.slow
@pytest.mark.parametrize("share", range(10))
def test_bars_of_95_per_cent_cover_the_springs(share):
    """50 of 500 repetitions of both configurations together."""
    rng, inside = np.random.default_rng(100 + share), []
    for _ in range(50):
        runs = [
            poinsot.ModalRun(by_hand(c) * rng.normal(1, 0.005, 3), pose(c), f"{c}", deviation="0.5 %")
            for c in (STRAIGHT, BENT)
        ]
        est = identified(runs, "levenberg-marquardt")
        inside.append(np.abs(est.value - TRUE) < 1.96 * est.deviation)
    print("share", share, "covered", np.mean(inside, axis=0), np.mean(inside))
    assert np.mean(inside) > 0.87  # 150 numbers: 0.95 with a standard error of 0.02 to 0.03


def test_from_a_shaker_to_the_springs():
    """Excite, measure, responses, LSCF, identify: springs and dampers, with the test's own error bars and shapes."""
    mechanism, rng = damped_three_link(), np.random.default_rng(7)
    t = np.arange(8 * 1024) / 1024.0
    tests = []
    for configuration in (STRAIGHT, BENT):
        bench = Bench.of(mechanism, ("P1", "P2", "P3"), locked="none", pose=pose(configuration))
        forces = [burst(rng, t, 3.0, (2.0, 400.0)) for _ in range(6)]
        noise = {"force": 0.02, "response": 20.0}
        records = [recorded(t, force, bench.response(force, 1024.0, [2]), noise, rng) for force in forces]
        test = poinsot.modal_test(records, input="F1", band=(8.0, 290.0))
        tests.append(poinsot.ModalRun.of(test, pose(configuration), name=f"{configuration}", locked="none"))
    dampers = {"A.damping": 4e-3, "B.damping": 1.2e-3, "C.damping": 1.6e-4}
    unknowns = {**START, **{n: {"start": 2 * d, "bounds": [0, 1]} for n, d in dampers.items()}}
    est = poinsot.identify(mechanism, tests, unknowns)
    truth = np.array([*TRUE, *dampers.values()])
    print(est)
    assert np.all(np.abs(est.value - truth) < 4 * est.deviation)
    assert np.all(est.deviation[:3] < 0.01 * TRUE) and np.all(est.deviation[3:] < 0.2 * truth[3:])
