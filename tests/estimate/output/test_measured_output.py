"""Machines that were measured by others: a slide under control, a double pendulum that motors move."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import poinsot
from tests.recording.conftest import data as data  # the folder of measured data

MODELS = Path(__file__).parents[1] / "models"


def read(path: Path, columns: str) -> poinsot.Recording:
    return poinsot.read(path, columns=MODELS / f"{columns}_columns.toml")


@pytest.mark.slow
def test_the_slide_by_closed_loop_output_error_agrees_with_instruments(data):
    emps, rec = poinsot.load(MODELS / "emps.toml"), read(data / "emps" / "DATA_EMPS.mat", "emps")
    force = float(rec.constants["gtau"])
    gains = {"kp": rec.constants["kp"], "kv": rec.constants["kv"], "gain": force}
    limits = {"lower": -10 * force, "upper": 10 * force, "differences": 2}
    control = {"rate": 1000.0, "drive": {"type": "cascade", "reference": "reference", **gains, **limits}}
    names = ["slide.mass", "rail.viscous", "rail.coulomb", "rail.offset"]
    cloe = poinsot.identify(emps, rec, names, problem="output", control=control)
    instruments = poinsot.identify(emps, rec, names, "instruments", channels="drive", control=control)
    published = [95.1089, 203.5034, 20.3935, -3.1648]
    assert np.all(np.abs(cloe.value - instruments.value) < np.hypot(cloe.deviation, instruments.deviation))
    assert np.all(np.abs(cloe.value - published) < 2 * cloe.deviation)
    assert cloe["slide.mass"].deviation < 0.3
    assert cloe.fit["drive"].relative < 0.05


@pytest.mark.slow
def test_the_swing_of_the_dfki_pendulum_is_predicted_by_simulation(data):
    """Least squares of torques predicts its held-out run no better than a constant; a simulation of 10 s does."""
    dfki, folder = poinsot.load(MODELS / "dfki.toml"), data / "double-pendulum"
    runs = {name: read(folder / f"run_{name}.csv.gz", "dfki") for name in ("143339", "143524", "143747")}
    places, friction = ("upper.com.x", "lower.com.x"), ("viscous", "coulomb")
    positive = ["upper.inertia", "lower.inertia", "elbow.drive_inertia"]
    positive += [f"{joint}.{part}" for joint in ("shoulder", "elbow") for part in friction]
    unknowns = {name: {} for name in places} | {name: {"bounds": [0, 1]} for name in positive}
    used = [runs["143339"], runs["143524"]]
    est = poinsot.identify(
        dfki, used, unknowns, validate=runs["143747"], problem="output", processing={"inputs": "held"}
    )
    assert est.validation is not None
    assert np.all(est.validation.relative < 0.5), est.validation.relative
    assert np.all(est.fit.relative < 0.3), est.fit.relative
    assert est["upper.com.x"].deviation < 0.05
