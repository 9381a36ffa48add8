"""NaVARo's table 4 as a problem of identification: from the rows that its authors computed, and from those measured.

The text gives masses of joints "about 300 g" and clutches "about 2000 N·m/rad". The computed rows come from masses at
B, C, D, E, two clutches, and a hub on the clutch of link 2 that is rigid over the first centimetres.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tests.papers.test_elastodynamics import POSES

import poinsot
from poinsot.app import reproduce

COMPUTED = {  # table 4, rows "calc."  [Hz]
    1: (19.25, 20.43, 40.25, 43.16, 44.10, 67.94, 68.81, 79.79),
    2: (19.46, 20.49, 41.88, 45.55, 47.05, 56.37, 63.10),
    3: (17.91, 19.71, 20.91, 36.88, 41.86, 45.61, 50.52, 55.45, 61.04, 65.00),
    4: (18.44, 19.26, 21.28, 36.88, 40.60, 46.13, 55.29, 57.81, 62.27),
}
MEASURED = {  # rows "meas.", to a hertz
    1: (22, 24, 32, "-", 42, 50, 52, 62, 66, 77),
    2: (19, 21, "-", 44, 45, 53, 54, 56, 60),
    3: (17, 19, 23, 27, 32, 43, 46, 48, 57, 60, 61, 65),
    4: (18, 20, 22, 33, 43, 44, 50, 56, 58, 66),
}
ROUNDED = 1 / np.sqrt(12)  # standard deviation of what is rounded, in units of its last digit
NAMES = ("mass.B", "mass.C", "mass.D", "mass.E", "clutch1.stiffness", "clutch2.stiffness", "hub")


@cache
def navaro() -> poinsot.Mechanism:
    return poinsot.load(Path(reproduce.__file__).with_name("navaro_hub.toml"))


def identified(rows, digit: float, **processing):
    runs = [poinsot.ModalRun(f, POSES[k], f"pose {k}", deviation=digit * ROUNDED) for k, f in rows.items()]
    known = navaro().parameters
    unknowns = {name: {"bounds": [known[name].lower, known[name].upper]} for name in NAMES}
    method = {"name": "trust-region", "tolerance": 1e-8}
    return poinsot.identify(navaro(), runs, unknowns, method, processing=processing)


def residuals(est) -> np.ndarray:
    left = np.concatenate([(a - b)[:, 0] for a, b in zip(est.fit.measured, est.fit.predicted)])
    return left[np.isfinite(left)]


def test_a_hub_of_no_length_is_the_refined_model():
    thin = poinsot.modes(navaro().with_parameters({"hub": 1e-4}), POSES[1], n=12).frequencies
    plain = poinsot.modes(poinsot.load("navaro_refined"), POSES[1], n=12).frequencies
    np.testing.assert_allclose(thin, plain, rtol=3e-4)


@pytest.mark.slow
def test_the_computed_rows_come_out_but_for_two_numbers_of_pose_3():
    est = identified(COMPUTED, 0.01, robust=True)
    left = residuals(est)
    print(est, f"rms {np.sqrt(np.mean(left**2)):.5f} Hz over {len(left)}")
    assert len(left) == 32 and np.sqrt(np.mean(left**2)) < 0.01
    (said,) = est.numerics
    assert (
        "45.61 Hz ('pose 3', mode 6;" in said and "65 Hz ('pose 3', mode 10;" in said and said.count("; model") == 2
    )
    assert not est.undetermined and np.all(est.deviation < 0.005 * est.value)
    about = np.array([0.3] * 4 + [2000, 2000])
    assert np.all(np.abs(est.value[:6] / about - 1) < 0.4) and 0.01 < est["hub"].value < 0.1


@pytest.mark.slow
def test_the_measured_rows_are_a_misfit_that_supports_few_of_the_unknowns():
    est = identified(MEASURED, 1.0)
    left = residuals(est)
    print(est, *est.steps, f"rms {np.sqrt(np.mean(left**2)):.3f} Hz over {len(left)}", sep="\n")
    assert "The model does not fit" in est.verdict and "The model lacks measured modes" in est.verdict
    assert 1.0 < np.sqrt(np.mean(left**2)) < 4.0
    assert est.undetermined and {"mass.C", "mass.E", "clutch1.stiffness"}.isdisjoint(est.undetermined)
    assert sum("measured and modelled frequencies" in step for step in est.steps) == 4
