"""Modes from responses alone: simulated machines under white forces that the test does not see."""

from __future__ import annotations

import sys
from functools import cache
from importlib.util import find_spec

import numpy as np
import pytest

import poinsot
from poinsot.recording.modal.output_only.subspace import _blocks, correlations, subspace_modes
from poinsot.recording.modal.stabilisation import PoleTrack, frequency_of
from poinsot.recording.recording import Recording
from poinsot.vibration.eigenmodes import reduced
from tests.generated.share import share

from .simulated import Bench, assert_covered, damped_three_link

RATE = 1024.0  # [Hz]
POINTS = ("P1", "P2", "P3")
needs_pyoma = pytest.mark.skipif(
    find_spec("pyoma2") is None, reason="pyoma-2 is not here: pip install 'poinsot[modal]'"
)


@cache
def three_link() -> Bench:
    return Bench.of(damped_three_link(), POINTS, locked="none")


def true_shapes(bench: Bench) -> np.ndarray:
    """Complex shapes (p, k) from the null vectors of K + sD + s²M at the poles; the largest entry is 1."""
    M, D, K = reduced(bench.modes.linear)
    rows = bench.rows @ bench.modes.linear.free
    shapes = [rows @ np.linalg.svd(K + s * D + s**2 * M)[2][-1].conj() for s in bench.poles]
    return np.array([x / x[np.argmax(np.abs(x))] for x in shapes]).T


def shaken(bench: Bench, seed: int, rate: float, length: float, inputs, noise: float = 0.05) -> Recording:
    """Accelerations under white forces, with noise of a part of their size."""
    rng = np.random.default_rng(seed)
    force = rng.standard_normal((int(length * rate), len(inputs)))
    y = bench.response(force, rate, inputs)
    y = y + noise * y.std(axis=0) * rng.standard_normal(y.shape)
    t = np.arange(len(y)) / rate
    names = [f"P{k + 1}" for k in range(y.shape[1])]
    return Recording.of(t, dict(zip(names, y.T)), units=dict.fromkeys(names, "m/s²"))


@cache
def recording() -> Recording:
    return shaken(three_link(), 0, RATE, 60.0, [0, 1, 2])


@needs_pyoma
def test_modes_of_the_three_link_come_out_of_its_responses_alone(capfd):
    before = np.geterr()
    one = poinsot.modal_test(recording(), method="ssi", band=(15.0, 290.0))
    assert capfd.readouterr() == ("", "") and np.geterr() == before
    z = np.stack([one.frequencies - three_link().frequencies, one.damping - three_link().damping], axis=1)
    assert (np.abs(z) < 3 * one.deviations).all(), str(one)
    np.testing.assert_allclose(one.frequencies, three_link().frequencies, rtol=5e-3)
    assert one.shape_deviations is not None
    assert (np.abs(one.shapes - true_shapes(three_link())) < 3 * one.shape_deviations + 1e-12).all()
    assert one.status.value == "" and not one.findings and one.response is None
    assert "under unknown forces" in str(one)
    table = one.compare(damped_three_link(), locked="none")
    assert (np.diag(table.table) > 0.995).all() and not table.unseen and not table.lacking


@needs_pyoma
def test_one_unknown_force_and_two_recordings_do_as_well():
    parts = [shaken(three_link(), seed, RATE, 40.0, [2]) for seed in (1, 2)]
    one = poinsot.modal_test(parts, method="ssi", band=(10.0, 290.0), places={"P1": "-P1"}, references=["P2", "P3"])
    assert one.points[0].sign == -1
    np.testing.assert_allclose(one.frequencies, three_link().frequencies, rtol=5e-3)
    assert (np.abs(one.damping - three_link().damping) < 3 * one.deviations[:, 1]).all()


@needs_pyoma
def test_a_low_band_is_sampled_less_often_and_holds_its_modes():
    one = poinsot.modal_test(recording(), method="ssi", band=(10.0, 120.0))
    assert len(one.poles) == 2
    z = (one.frequencies - three_link().frequencies[:2]) / one.deviations[:, 0]
    assert (np.abs(z) < 3).all()
    by_hand = poinsot.modal_test(recording(), method="ssi", band=(10.0, 120.0), frequencies=[83.0])
    assert len(by_hand.poles) == 1 and abs(by_hand.frequencies[0] - one.frequencies[1]) < one.deviations[1, 0]


@needs_pyoma
@pytest.mark.parametrize("references", [POINTS, ("P1",), ("P3",)], ids=", ".join)
def test_a_narrow_band_of_many_channels_or_few_references_holds_its_modes(references):
    run = recording()
    more = {"P4": run["P1"] - 0.4 * run["P3"], "P5": run["P2"] + 0.3 * run["P3"]}
    all_five = Recording.of(
        run.t, {**{name: run[name] for name in POINTS}, **more}, units=dict.fromkeys([*POINTS, *more], "m/s²")
    )
    every = [*references, *more] if len(references) > 1 else references
    one = poinsot.modal_test(all_five, method="ssi", band=(15.0, 120.0), references=every)
    np.testing.assert_allclose(one.frequencies, three_link().frequencies[:2], rtol=5e-3)
    assert len(poinsot.modal_test(all_five, method="ssi", band=(60.0, 120.0), references=every).poles) == 1


@needs_pyoma
def test_a_short_recording_of_one_channel_has_the_lags_that_it_allows():
    run = recording()
    short = Recording.of(run.t[:4000], {"P1": run["P1"][:4000]}, units={"P1": "m/s²"})
    one = poinsot.modal_test(short, method="ssi", band=(40.0, 290.0))
    assert len(one.poles)
    for f, deviation in zip(one.frequencies, one.deviations[:, 0]):
        assert np.abs(three_link().frequencies - f).min() < 4 * deviation


def test_lags_are_raised_for_few_references_as_far_as_the_recording_goes():
    blocks = [_blocks([n], 1, 1, 25.0) for n in (1000, 2700, 4000, 4900, 9000)]
    assert blocks == [13, 13, 19, 24, 24]  # 13: half a period, which shorter ones are refused for


@needs_pyoma
def test_noise_without_modes_has_none():
    rng = np.random.default_rng(0)
    noise = Recording.of(np.arange(20000) / 100, {"a": rng.standard_normal(20000), "b": rng.standard_normal(20000)})
    one = poinsot.modal_test(noise, method="ssi", band=(2.0, 40.0), order=10)
    assert not len(one.poles) and one.status is type(one.status).NOTHING and "0 modes" in str(one)


@needs_pyoma
def test_errors_by_differences_agree_with_the_derivatives_of_pyoma():
    """Formulas for frequency and damping at one order; those for shapes are wrong in pyOMA2 1.4.3 (decision 11)."""
    import pyoma2.functions.ssi as ssi

    y = recording().table(POINTS)
    given = correlations([y], RATE, (15.0, 290.0), range(3))
    H, T = ssi.build_hank((y - y.mean(axis=0)).T, (y - y.mean(axis=0)).T, given.rows, "cov", True, 50)
    np.testing.assert_allclose(given.hankel, H, atol=1e-3 * np.abs(H).max())
    observed, A, C, _ = ssi.SSI_fast(H, given.rows, 6)
    F, _, _, poles, dF, dZ, _ = ssi.SSI_poles(observed, A, C, 6, 1 / RATE, xi_max=0.3, calc_unc=True, H=H, T=T)
    for f in three_link().frequencies:
        k = int(np.nanargmin(np.abs(F[:, 6] - f)))
        pole = poles[k, 6].real + 1j * abs(poles[k, 6].imag)
        track = PoleTrack(np.array([pole]), np.array([6]), np.ones(3), np.ones(1))
        ours = subspace_modes(given, [track])
        assert frequency_of(ours.poles)[0] == pytest.approx(F[k, 6], rel=1e-4)
        np.testing.assert_allclose(ours.deviations[0], [dF[k, 6], dZ[k, 6]], rtol=0.1)


@needs_pyoma
@pytest.mark.slow
def test_bars_of_95_per_cent_cover_the_truth():
    errors, shapes = [], []
    for seed in share(range(60)):
        run = shaken(three_link(), seed, RATE, 60.0, [0, 1, 2])
        one = poinsot.modal_test(run, method="ssi", band=(15.0, 290.0), order=20)
        assert len(one.poles) == 3, str(one)
        error = np.stack([one.frequencies - three_link().frequencies, one.damping - three_link().damping], axis=1)
        errors.append(error / one.deviations)
        away, bars = np.abs(one.shapes - true_shapes(three_link())), one.shape_deviations
        shapes.append(away[bars > 1e-9] / bars[bars > 1e-9])
    assert_covered("responses alone", np.array(errors))
    assert 0.7 < np.sqrt(np.mean(np.square(shapes))) < 1.3


def test_a_missing_extra_is_named_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyoma2", None)
    monkeypatch.setitem(sys.modules, "pyoma2.functions.ssi", None)
    with pytest.raises(
        poinsot.PoinsotError, match=r"'pyoma-2', which is not installed: pip install 'poinsot\[modal\]'"
    ):
        poinsot.modal_test(recording(), method="ssi", band=(15.0, 290.0))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"band": (5.0, 600.0)}, "half the sampling rate, 512 Hz"),
        ({"band": (0.01, 100.0), "outputs": ["P1"]}, "too short for modes above 0.01 Hz"),
        ({"references": ["P9"]}, "no reference 'P9'"),
        ({"input": "F1"}, "no argument of an output-only test 'input'"),
        ({"outputs": ["P9"]}, "no channel 'P9'"),
    ],
)
def test_what_cannot_be_is_refused_by_one_sentence(options, said):
    with pytest.raises(poinsot.PoinsotError, match=said):
        poinsot.modal_test(recording(), method="ssi", **options)


def test_responses_of_several_quantities_are_refused():
    t = np.arange(4000) / 100
    mixed = Recording.of(t, {"a": np.sin(t), "x": np.cos(t)}, units={"a": "m/s²", "x": "m"})
    with pytest.raises(poinsot.PoinsotError, match=r"of one quantity, not a \[m/s²\], x \[m\]"):
        poinsot.modal_test(mixed, method="ssi")
