"""A machine that was measured by others: a slide under control."""

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
    assert "numerics sound" in cloe.verdict

    control["drive"]["differences"] = 1  # which are not those of the machine
    wrong = poinsot.identify(emps, rec, names, problem="output", control=control)
    assert abs(wrong["slide.mass"].value - published[0]) > 10 * wrong["slide.mass"].deviation
    assert "The recorded forces contradict these values: along the recorded motion slide.mass = " in wrong.verdict
