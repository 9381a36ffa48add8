"""LSCF, stabilisation, choice and the most likely poles, on responses whose modes are known."""

from __future__ import annotations

import contextlib
import io
from dataclasses import replace

import numpy as np
import pytest

import poinsot
from poinsot.recording.modal.checks import checked
from poinsot.recording.modal.lscf import lscf
from poinsot.recording.modal.partial_fractions import Lines, fitted, most_likely
from poinsot.recording.modal.points import MeasurementPoint
from poinsot.recording.modal.response import FrequencyResponse, Taper
from poinsot.recording.modal.shapes import complexity
from poinsot.recording.modal.stabilisation import (
    chosen_tracks,
    stabilisation,
)

F = np.arange(0.1, 300.0, 0.1)  # [Hz]
RNG = np.random.default_rng(11)
PSI, L = RNG.standard_normal((4, 3)), RNG.standard_normal((2, 3))


def poles(frequencies, ratios) -> np.ndarray:
    f, z = np.asarray(frequencies, float), np.asarray(ratios, float)
    return 2 * np.pi * f * (-z + 1j * np.sqrt(1 - z**2))


THREE = poles([17.0, 83.0, 229.0], [0.01, 0.02, 0.01])


def accelerance(p: np.ndarray, psi: np.ndarray, participation: np.ndarray, residual: float = 0.0) -> np.ndarray:
    """Responses (n, o, i) of modes with real shapes, with what a mode far above would add."""
    s = 2j * np.pi * F[:, None]
    H = np.einsum("nk,ok,ik->noi", s**2 / ((s - p) * (s - p.conj())), psi, participation)
    return H + residual * (2j * np.pi * F[:, None, None] / 1000) ** 2


def noisy(H: np.ndarray, sigma: float, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return H + sigma * (rng.standard_normal(H.shape) + 1j * rng.standard_normal(H.shape)) / np.sqrt(2)


def response(H: np.ndarray, **more) -> FrequencyResponse:
    outputs, inputs = ([MeasurementPoint(f"{name}{k}") for k in range(n)] for name, n in zip("oi", H.shape[1:]))
    return FrequencyResponse(F, H, tuple(outputs), tuple(inputs), taper=Taper.NONE, **more)


@pytest.mark.parametrize("references", [1, 2])
def test_lscf_finds_the_poles_of_exact_responses(references):
    H = accelerance(THREE, PSI, L[:references])
    found = lscf(F, H, [12])[0]
    for k, p in enumerate(THREE):
        at = int(np.argmin(np.abs(found.poles - p)))
        assert abs(found.poles[at] - p) < 1e-3 * abs(p.real)
        assert poinsot.mac(found.shapes[:, [at]], PSI[:, [k]])[0, 0] > 0.9999
        assert poinsot.mac(found.participation[:, [at]], L[:references, [k]])[0, 0] > 0.9999


def test_two_modes_of_one_frequency_need_two_references():
    double = poles([60.0, 60.0, 150.0], [0.01, 0.01, 0.01])
    two = poinsot.modal_test(response(noisy(accelerance(double, PSI, L), 1e-2)))
    np.testing.assert_allclose(two.frequencies, [60.0, 60.0, 150.0], rtol=1e-4)
    span = np.linalg.qr(PSI[:, :2])[0]
    inside = np.linalg.norm(span.T @ two.psi[:, :2], axis=0) / np.linalg.norm(two.psi[:, :2], axis=0)
    assert (inside > 0.999).all()
    assert len(poinsot.modal_test(response(noisy(accelerance(double, PSI, L), 1e-2)[:, :, :1])).poles) == 2


def test_the_chart_marks_what_is_stable_and_its_tracks_are_the_modes():
    orders = range(2, 31)
    chart = stabilisation(lscf(F, noisy(accelerance(THREE, PSI, L[:1]), 0.5), orders))
    tracks = chosen_tracks(chart, len(orders))
    assert len(tracks) == 3 and all(len(t.poles) > 15 for t in tracks)
    np.testing.assert_allclose([t.pole.imag for t in tracks], THREE.imag, rtol=2e-3)
    near = np.min(np.abs(np.subtract.outer(chart.frequency, np.abs(THREE) / 2 / np.pi)), axis=1) < 0.5
    assert chart.stable[near].mean() > 0.6 and chart.stable[~near].mean() < 0.3
    assert str(chart).count("Hz") == len(chart.tracks)


def test_sdypy_finds_the_same_poles_less_well():
    ema = pytest.importorskip("sdypy.EMA")
    H = noisy(accelerance(THREE, PSI, L[:1]), 0.05)
    with contextlib.redirect_stderr(io.StringIO()):
        model = ema.Model(H[:, :, 0].T, F, lower=5, upper=299, pol_order_high=30)
        model.get_poles(show_progress=False)
    last = np.asarray(model.all_poles[-1])
    theirs = np.array([last[np.argmin(np.abs(last - p))] for p in THREE])
    ours = poinsot.modal_test(response(H)).poles
    assert (np.abs(ours - theirs) < 0.1 * np.abs(THREE.real)).all()
    assert (np.abs(ours - THREE) < np.abs(theirs - THREE)).all()


def test_the_most_likely_poles_of_exact_responses_are_exact_with_residuals():
    H = accelerance(THREE, PSI, L, residual=0.3)
    lines = Lines(2j * np.pi * F, H, np.ones(H.shape), 2)
    fit = most_likely(fitted(lines, THREE * (1 + 2e-3), L * (1 + 0.05j)))
    np.testing.assert_allclose(fit.poles, THREE, rtol=1e-8)
    assert np.max(np.abs(fit.error)) < 1e-6 * np.max(np.abs(H))


def test_the_covariance_of_the_poles_is_their_scatter():
    H, sigma = accelerance(THREE, PSI, L), 2.0
    found, said = [], []
    for seed in range(40):
        lines = Lines(2j * np.pi * F, noisy(H, sigma, seed), np.full(H.shape, sigma), 2)
        fit = most_likely(fitted(lines, THREE, L))
        found.append(fit.poles.view(float))
        said.append(np.diag(fit.covariance()))
    np.testing.assert_allclose(np.std(found, axis=0), np.sqrt(np.mean(said, axis=0)), rtol=0.35)
    z = (np.array(found) - THREE.view(float)) / np.sqrt(said)
    assert 0.85 < np.sqrt(np.mean(z**2)) < 1.15


def test_unknown_noise_is_estimated_from_what_the_fit_leaves():
    H = accelerance(THREE, PSI, L[:1])
    known = poinsot.modal_test(response(noisy(H, 0.5), variance=np.full(H.shape, 0.25)))
    unknown = poinsot.modal_test(response(noisy(H, 0.5)))
    np.testing.assert_allclose(unknown.evidence["noise"], known.evidence["noise"], rtol=0.05)
    np.testing.assert_allclose(unknown.frequencies, known.frequencies, rtol=1e-5)


def test_poles_are_chosen_by_hand_or_by_number():
    one = response(noisy(accelerance(THREE, PSI, L[:1]), 0.5))
    np.testing.assert_allclose(poinsot.modal_test(one, frequencies=[84.0]).frequencies, [83.0], rtol=1e-2)
    assert len(poinsot.modal_test(one, n=2).poles) == 2
    with pytest.raises(poinsot.PoinsotError, match="no stable pole lies near 140 Hz"):
        poinsot.modal_test(one, frequencies=[140.0])


def test_peaks_give_well_separated_modes():
    one = poinsot.modal_test(response(noisy(accelerance(THREE, PSI, L[:1]), 0.05)), method="peaks", n=3)
    assert (np.abs(one.poles - THREE) < 0.25 * np.abs(THREE.real)).all()  # an eighth of their half-power bands
    assert (np.diag(poinsot.mac(one.psi, PSI)) > 0.98).all()


def test_repeated_tests_tell_their_scatter():
    H = accelerance(THREE, PSI, L[:1])
    repeats = [response(noisy(H, 0.5, seed)) for seed in range(8)]
    one = poinsot.modal_test(repeats)
    ratio = one.evidence["repeats"] / one.evidence["noise"]
    assert np.exp(np.mean(np.log(ratio))) == pytest.approx(1.0, abs=0.4)


def test_narrow_peaks_are_called_unresolved_where_a_taper_could_have_broadened_them():
    sharp = poles([17.0, 83.0, 229.0], [0.01, 0.002, 0.01])  # 3.3 lines in the second half-power band
    exact = response(noisy(accelerance(sharp, PSI, L[:1]), 0.1))
    assert poinsot.modal_test(exact).resolved.all()
    tapered = poinsot.modal_test(replace(exact, taper=Taper.UNKNOWN))
    assert tapered.resolved.tolist() == [False, False, True] and "at the resolution limit" in str(tapered)


def test_a_roving_hammer_has_its_points_where_it_hits():
    H = noisy(accelerance(THREE, PSI, L[:1]), 0.1)
    roving = poinsot.modal_test(response(np.swapaxes(H, 1, 2)))
    assert [p.name for p in roving.points] == ["i0", "i1", "i2", "i3"]
    assert (np.diag(poinsot.mac(roving.psi, PSI)) > 0.999).all()


def test_a_drift_between_points_is_found():
    H = accelerance(THREE, RNG.standard_normal((8, 3)), L[:1])
    stretched = np.stack([np.interp(F * (1 + 2e-4 * o), F, H[:, o, 0]) for o in range(8)], axis=1)[:, :, None]
    found = poinsot.modal_test(response(noisy(stretched, 0.02)))
    assert "points disagree" in [f.code for f in found.findings]
    assert "points disagree" not in [f.code for f in poinsot.modal_test(response(noisy(H, 0.02))).findings]


def test_reciprocity_and_driving_points_are_checked():
    square = accelerance(THREE, PSI[:2], PSI[:2])
    good = response(noisy(square, 0.05))
    same = replace(
        good,
        inputs=(MeasurementPoint("a", "A"), MeasurementPoint("b", "B")),
        outputs=(MeasurementPoint("c", "A"), MeasurementPoint("d", "B")),
    )
    assert not poinsot.modal_test(same).findings
    turned = replace(same, H=same.H * np.array([1.0, -1.0])[:, None])
    codes = {f.code: f for f in poinsot.modal_test(turned).findings}
    assert set(codes) == {"not reciprocal", "sign of driving point"}
    assert codes["not reciprocal"].advice == "one of the signs is wrong"
    assert "'d': '-B'" in codes["sign of driving point"].advice
    mended = turned.placed({"d": "-B"})
    assert not poinsot.modal_test(mended).findings


def test_a_point_that_does_not_respond_is_named():
    H = accelerance(THREE, RNG.standard_normal((4, 3)), L[:1])
    dead = H * np.array([1.0, 1.0, 0.0, 1.0])[:, None]
    (found,) = (f for f in checked(response(dead)) if f.code == "no response")
    assert found.channel == response(dead).outputs[2].name
    assert not checked(response(H))


def test_complexity_is_zero_for_shapes_in_phase_and_one_for_a_running_wave():
    assert complexity(PSI * np.exp(0.7j)) == pytest.approx(0, abs=1e-12)
    assert complexity(np.exp(0.5j * np.pi * np.arange(8))[:, None]) == pytest.approx(1)


def test_noise_alone_has_no_modes():
    nothing = poinsot.modal_test(response(noisy(np.zeros((len(F), 3, 1)), 1.0)))
    assert len(nothing.poles) == 0 and "No stable poles" in str(nothing)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "guess"}, "there is no method 'guess'"),
        ({"band": (400.0, 500.0)}, "fewer than four lines lie between 400 and 500 Hz"),
        ({"n": 0}, "n must be a whole number of at least 1"),
    ],
)
def test_what_cannot_be_is_refused_by_one_sentence(options, message):
    with pytest.raises(poinsot.PoinsotError, match=message):
        poinsot.modal_test(response(accelerance(THREE, PSI, L)), **options)
    with pytest.raises(poinsot.PoinsotError, match="takes responses or recordings"):
        poinsot.modal_test([1.0])
