"""Recordings with more encoders than freedoms, and with angles that were kept within one turn."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.recording.place import placed

BAR, T = poinsot.load("four_bar"), np.arange(0, 5, 0.02)
TRUE = BAR.parameters["link3.mass"].value


def run(motion, seed: int = 0):
    run = poinsot.inverse_dynamics(BAR, {"theta1": motion}, T)
    noise = 0.05 * np.random.default_rng(seed).standard_normal(len(T))
    return run.kinematics.coordinates, run.forces["A"] + noise


@pytest.mark.parametrize("order", [("theta1", "theta3"), ("theta3", "theta1"), ("theta2", "theta3", "theta1")])
def test_of_dependent_encoders_the_one_at_the_drive_prescribes_the_motion(order):
    s, torque = run(poinsot.Fourier(2.5, (0.4, 0.3), (0.1,), 1.2))
    estimate = poinsot.identify(
        BAR, poinsot.Recording.of(T, {n: s[n] for n in order} | {"A.force": torque}), ["link3.mass"]
    )
    alone = poinsot.identify(BAR, poinsot.Recording.of(T, {"theta1": s["theta1"], "A.force": torque}), ["link3.mass"])
    assert estimate["link3.mass"].value == pytest.approx(alone["link3.mass"].value, rel=1e-12)
    (said,) = [step for step in estimate.steps if "left out, as it follows" in step]
    assert "that of theta1;" in said and all(name in said for name in order)


@pytest.mark.parametrize("low", [-np.pi, 0.0, 1.0])
def test_angles_kept_within_a_turn_are_identified_as_if_they_were_not(low):
    s, torque = run(lambda t: 1.5 + 4 * t + 0.4 * np.sin(7 * t))
    wrapped = (s["theta1"] - low) % (2 * np.pi) + low
    within, whole = (poinsot.Recording.of(T, {"theta1": x, "A": torque}) for x in (wrapped, s["theta1"]))
    found = placed(within, BAR)
    (finding,) = [f for f in found.findings if f.code == "wrapped"]
    assert "whole turn 3 times" in finding.message or "whole turn 4 times" in finding.message
    np.testing.assert_allclose(np.diff(found["theta1"]), np.diff(s["theta1"]), atol=1e-12)
    a, b = (poinsot.identify(BAR, one, ["link3.mass"])["link3.mass"] for one in (within, whole))
    assert a.value == pytest.approx(b.value, rel=1e-6) and abs(a.value - TRUE) < 4 * a.deviation


@pytest.mark.parametrize(
    "x",
    [
        np.where(T < 2, 0.1 * T, 0.1 * T + 5.0),  # a jump that is no turn
        2.0 * np.arange(len(T)) % (2 * np.pi),  # too fast to tell
        np.where(T < 2, 4.0 * T, 4.0 * T + 2 * np.pi),  # several turns were counted, one is missing
    ],
)
def test_other_jumps_stay(x):
    recording = placed(poinsot.Recording.of(T, {"theta1": x}), BAR)
    np.testing.assert_array_equal(recording["theta1"], x)
    assert not [f for f in recording.findings if f.code == "wrapped"]
