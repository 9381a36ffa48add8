"""Frequency responses from recordings: estimators, variance, hits, windows, quantities, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.recording.modal.points import MeasurementPoint
from poinsot.recording.modal.response import FrequencyResponse, combined
from poinsot.recording.modal.spectra import Spectra
from poinsot.recording.recording import Axis, Recording

from .simulated import Bench, damped_three_link, pulse, recorded

RATE = 512.0  # [Hz]
BENCH = Bench.of(damped_three_link(), ("P1", "P2", "P3"), locked="none")
UNITS = {"F1": "N", "y": "m/s²"}


def noisy_gain(seed: int, on_input: float, on_output: float, n: int = 65536) -> Recording:
    """A gain of 2 with noise on both sides."""
    rng = np.random.default_rng(seed)
    force, m, e = rng.standard_normal((3, n))
    return Recording.of(
        np.arange(n) / RATE, {"F1": force + on_input * m, "y": 2 * force + on_output * e}, units=UNITS
    )


@pytest.mark.parametrize(
    ("estimator", "on_input", "on_output", "bias"),
    [("H1", 0, 1, 1), ("H2", 0.5, 0, 1), ("H1", 0.5, 0, 1 / 1.25), ("H2", 0, 1, 1.25), ("Hv", 0.5, 1, 1)],
)
def test_estimators_are_biased_by_noise_on_the_other_side(estimator, on_input, on_output, bias):
    record = noisy_gain(0, on_input, on_output)
    found = poinsot.frequency_response(record, "F1", estimator=estimator, segment=0.5)
    assert np.mean(found.H.real) == pytest.approx(2 * bias, rel=0.01)
    expected = 1 / (1 + on_input**2) / (1 + on_output**2 / 4)
    assert found.coherence is not None
    assert np.mean(found.coherence) == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("options", [{"window": "boxcar"}, {}, {"window": "hann", "overlap": 0.75}])
def test_the_variance_of_a_line_is_what_repetitions_scatter_by(options):
    found = [poinsot.frequency_response(noisy_gain(k, 0, 1, 8192), "F1", segment=0.5, **options) for k in range(60)]
    scatter = np.mean(np.var([one.H for one in found], axis=0))
    said = np.mean([one.variance for one in found])
    assert said == pytest.approx(scatter, rel=0.1)


def test_two_inputs_are_told_apart():
    rng = np.random.default_rng(1)
    force, e = rng.standard_normal((40000, 2)), rng.standard_normal((40000, 2))
    gains = np.array([[1.0, -2.0], [0.5, 3.0]])
    record = recorded(np.arange(40000) / RATE, force, force @ gains.T + 0.3 * e, {"force": 0, "response": 0}, rng)
    found = poinsot.frequency_response(record, ["F1", "F2"], segment=0.5)
    np.testing.assert_allclose(found.H.mean(axis=0).real, gains, atol=0.01)
    with pytest.raises(poinsot.PoinsotError, match="H2 is for one input"):
        poinsot.frequency_response(record, ["F1", "F2"], segment=0.5, estimator="H2")


def blows(double: bool = False, overload: bool = False) -> Recording:
    """Three hits in one recording of 13 s."""
    t = np.arange(int(13 * RATE)) / RATE
    force = sum(pulse(t, at, 0.012, peak) for at, peak in ((0.5, 10.0), (4.6, 8.0), (8.7, 12.0)))
    if double:
        force = force + pulse(t, 4.65, 0.012, 3.0)
    y = BENCH.response(force[:, None], RATE, [2])
    record = recorded(t, force[:, None], y, {"force": 0.01, "response": 0.2}, np.random.default_rng(0))
    if overload:
        low, high = np.quantile(y[:, 2], (0.002, 0.998))
        clipped = np.where(t < 4, np.clip(record["P3"], low, high), record["P3"])
        record = record.with_channels({"P3": clipped}, {"P3": record.channels["P3"]})
    return record


def test_hits_are_separated_and_average_to_the_response_of_the_machine():
    found = poinsot.frequency_response(blows(), "F1", hits=True, segment=4.0)
    assert found.averages == 3 and found.shift > 0 and not found.findings
    near = found.between(12.0, 100.0)
    s = near.s / (2j * np.pi)  # the machine on the shifted line
    exact = BENCH.accelerance(s, [2])
    assert np.linalg.norm(near.H - exact) < 0.01 * np.linalg.norm(exact)


def test_a_double_hit_is_named_and_left_out():
    found = poinsot.frequency_response(blows(double=True), "F1", hits=True, segment=4.0)
    assert [f.code for f in found.findings] == ["double hit"] and found.findings[0].mended
    assert "4.6" in found.findings[0].where and found.averages == 2


def test_an_overload_is_named_and_left_out():
    found = poinsot.frequency_response(blows(overload=True), "F1", hits=True, segment=4.0)
    assert [(f.code, f.channel) for f in found.findings] == [("overload", "P3")] and found.averages == 2


def test_a_response_that_is_cut_off_is_named_if_the_window_does_not_hide_it():
    found = poinsot.frequency_response(blows(), "F1", hits=True, segment=0.8, decay=0.0)
    assert "not decayed" in [f.code for f in found.findings]


@pytest.mark.parametrize("decay", [0.5, 3.0])
def test_the_damping_of_an_exponential_window_is_taken_off(decay):
    response = poinsot.frequency_response(blows(), "F1", hits=True, segment=4.0, decay=decay)
    one = poinsot.modal_test(response, band=(8.0, 120.0), n=2)
    np.testing.assert_allclose(one.damping, BENCH.damping[:2], rtol=0.03)
    kept = poinsot.modal_test(
        FrequencyResponse(response.frequency, response.H, response.outputs, response.inputs), band=(8.0, 120.0), n=2
    )
    assert kept.damping[0] - one.damping[0] == pytest.approx(decay / np.abs(BENCH.poles[0]), rel=0.1)


def test_quantities_turn_into_each_other():
    found = poinsot.frequency_response(blows(), "F1", hits=True, segment=4.0)
    receptance = found.as_quantity("receptance")
    assert (found.quantity, found.unit, receptance.unit) == ("accelerance", "m/s²/N", "m/N")
    np.testing.assert_allclose(receptance.H * receptance.s[:, None, None] ** 2, found.H)
    again = receptance.as_quantity("mobility").as_quantity("accelerance")
    np.testing.assert_allclose(again.H, found.H)
    np.testing.assert_allclose(again.variance, found.variance)


def test_responses_of_a_file_become_points_and_references():
    f = np.arange(1.0, 5.0)
    record = Recording.of(
        f, {"a": f + 1j, "b": 2 * f + 0j}, units={"a": "m/s²/N", "b": "m/s²/N"}, axis=Axis.FREQUENCY
    )
    found = FrequencyResponse.of(
        record, quantity="accelerance", references={"a": "hammer", "b": "hammer"}, places={"b": "-link3 y"}
    )
    assert found.H.shape == (4, 2, 1) and found.outputs[1] == MeasurementPoint("b", "link3 y", -1.0)
    with pytest.raises(poinsot.PoinsotError, match="nothing says which input belongs to a, b"):
        FrequencyResponse.of(record, quantity="accelerance")


def test_tests_of_a_roving_hammer_are_put_side_by_side():
    one = poinsot.frequency_response(blows(), "F1", hits=True, segment=4.0)
    both = combined([one, one])
    assert both.H.shape == (*one.H.shape[:2], 2) and len(both.inputs) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"input": "F9"}, "there is no channel 'F9'"),
        ({"estimator": "H3"}, "there is no estimator 'H3'"),
        ({"segment": 99.0}, "a segment of 50688 samples does not fit"),
        ({"window": "square"}, "knows no window 'square'"),
        ({"overlap": 1.0, "segment": 1.0}, "the overlap must be from 0 to less than 0.95"),
        ({"decay": -1.0}, "must be finite and not negative"),
        ({"quantity": "inertance"}, "there is no quantity 'inertance'"),
        ({"places": {"Q": "link1 y"}}, "there is no point 'Q'"),
    ],
)
def test_what_cannot_be_is_refused_by_one_sentence(options, message):
    with pytest.raises(poinsot.PoinsotError, match=message):
        poinsot.frequency_response(blows(), **{"input": "F1", "segment": 2.0, **options})


def test_gaps_and_uneven_clocks_are_refused():
    record = blows()
    with pytest.raises(poinsot.PoinsotError, match="some of 'P1' are masked"):
        poinsot.frequency_response(record.masked(record.t < 1, "lost", "P1"), "F1", segment=1.0)
    with pytest.raises(poinsot.PoinsotError, match="even clock"):
        poinsot.frequency_response(record.rows(record.t**2 % 0.3 > 0.1, "thinned"), "F1", segment=1.0)


@pytest.mark.parametrize("force_noise", [0.0, 0.01, 0.1])
def test_noise_of_a_force_is_told_from_that_of_two_points_also_where_one_hardly_responds(force_noise):
    """Near an antiresonance of one point, what both have in common tells little about the other one."""
    rng = np.random.default_rng(4)
    b, n = 6, 640
    f = np.arange(1, n + 1) / n
    h = np.stack([1 / (0.4**2 - f**2 + 0.016j * f), 5 * (f - 0.42) / 0.1], axis=1)
    X, M, *N = (rng.standard_normal((4, b, n, 2)) @ [1, 1j]) / np.sqrt(2)
    Y = X[:, :, None] * h + 0.05 * np.stack(N, axis=2)
    spectra = Spectra(f, (X + force_noise * M)[:, :, None], Y, b)
    noise = spectra.noise(np.ones(2 * n), np.ones(2 * n))
    assert noise is not None
    ratio = (noise.output + np.abs(h) ** 2 * noise.input) / (0.05**2 + np.abs(h) ** 2 * force_noise**2)
    assert ratio.min() > 0.4 and ratio.max() < 2.2  # of 60 degrees of freedom, a deviation of 0.13
    assert np.mean(np.log(ratio)) == pytest.approx(0, abs=0.05)
    if force_noise:
        at = np.abs(f - 0.4) < 0.02
        assert np.mean(noise.input[at]) == pytest.approx(force_noise**2, rel=0.3)
