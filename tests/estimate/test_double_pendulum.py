"""The measured double pendulum of DFKI: what its torques say, and how far least squares is off.

Drives pulled weakly or not at all, so that the motion tells the forces rather than the other way round: rows are near
to 0 = X d + e, and all that the columns hold of errors shrinks d. Neither reference nor controller was recorded; the
recorded motion, smoothed, stands for the reference of a stiff controller, which makes instruments better than columns
but not free of their errors.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.signal import butter, sosfiltfilt

import poinsot
from tests.estimate.test_measured_machines import MODELS, read
from tests.recording.conftest import data as data  # the folder of measured data

SMOOTH = 12.0  # cut-off of what stands for references  [Hz]
CONTROL = {
    "shoulder_motor": {"type": "pid", "reference": "q1.wanted", "kp": 200.0, "kd": 20.0},
    "elbow_motor": {"type": "pid", "reference": "q2.wanted", "kp": 100.0, "kd": 10.0},
}
UNKNOWNS = ["upper.mx", "upper.J", "lower.*", "*.viscous", "*.coulomb", "elbow.drive_inertia"]


def followed(rec: poinsot.Recording) -> poinsot.Recording:
    """The recording with its smoothed motion as references."""
    even, found = np.linspace(rec.t[0], rec.t[-1], len(rec)), {}
    low_pass = butter(4, SMOOTH, fs=rec.rate, output="sos")
    for name in ("q1", "q2"):
        smooth = sosfiltfilt(low_pass, np.interp(even, rec.t, rec[name]))
        found[f"{name}.wanted"] = np.interp(rec.t, even, smooth)
    about = {name: replace(rec.channels["q1"], name=name, kind="", place="") for name in found}
    return rec.with_channels(found, about)


def published(folder) -> np.ndarray:
    """upper.mx + 0.2 lower.m and lower.mx (3, 2) of the three published sets  [kg·m]."""
    rows = []
    for path in sorted(folder.glob("published_model_*.yml")):
        lines = (line.split(":") for line in path.read_text().splitlines())
        p = {name.strip(): float(value) for name, value in (pair for pair in lines if len(pair) == 2)}
        rows.append([p["m1"] * p["r1"] + p["l1"] * p["m2"], p["m2"] * p["r2"]])
    return np.array(rows)


@pytest.mark.slow
def test_instruments_are_nearer_to_what_was_published_than_least_squares(data):
    folder, dfki = data / "double-pendulum", poinsot.load(MODELS / "dfki.toml")
    runs = [followed(read(folder / f"run_{name}.csv.gz", "dfki")) for name in ("143339", "143524")]
    found = {}
    for method in ("weighted", "instruments"):
        est = poinsot.identify(dfki, runs, UNKNOWNS, method, control=CONTROL)
        assert "least squares is biased here" in est.verdict
        assert {"upper.mx", "upper.J", "lower.m"} <= set(est.undetermined)  # masses alone: m₂ = 0.63, 0.34 or 0.22
        values = {c.text: c.value for c in est.combinations}
        found[method] = np.array([values["upper.mx + 0.2 lower.m"], values["lower.mx"]])
    least = published(folder).min(axis=0)
    assert np.ptp(published(folder)[:, 0]) < 0.05 * least[0]  # in which all published sets agree
    off = {method: np.abs(values / least - 1) for method, values in found.items()}
    assert off["instruments"][0] < 0.6 < 0.9 < off["weighted"][0], off  # half of it, against nothing at all
    assert off["instruments"][1] < 0.5 * off["weighted"][1], off
