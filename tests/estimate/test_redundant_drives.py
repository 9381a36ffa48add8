"""More drives than freedoms: they may work against each other with any force, and the values do not feel it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from tests.estimate.runs import noise

T = np.arange(0, 8, 0.02)
MOTION = {
    "x": poinsot.Fourier(2.0, (0.03, 0.01), (0.02,), 0.0),
    "y": poinsot.Fourier(2.0, (-0.02, 0.02), (0.0, 0.01), 0.0),
    "theta": poinsot.Fourier(2.0, (0.15,), (0.1, -0.1), 0.1),
}
DRIVES = [f"leg{k}.{joint}" for k in (1, 2, 3) for joint in "AB"]
UNKNOWNS = ["platform.mass", "platform.inertia"]


def table() -> poinsot.Mechanism:
    """The 3-RRR table with motors at its elbows too: six drives, three freedoms."""
    text = poinsot.dumps(poinsot.load("three_rrr"))
    elbow = 'between = ["crank.B", "forearm"]'
    assert elbow in text
    return poinsot.loads(text.replace(elbow, f"{elbow}, actuated = true"), "three_rrr")


def rates_of_drives(machine: poinsot.Mechanism) -> np.ndarray:
    """J (n, 6, 3) by differences: rates of the drives' angles for unit speeds of the platform."""
    found, step = [], 1e-6
    for name, signal in MOTION.items():
        ends = []
        for sign in (1, -1):
            moved = {**MOTION, name: replace(signal, offset=signal.offset + sign * step)}
            k = poinsot.kinematics(machine, moved, T)
            ends.append(np.stack([_angle(k.rotation, drive) for drive in DRIVES], axis=1))
        found.append((ends[0] - ends[1]) / (2 * step))
    return np.stack(found, axis=2)


def _angle(rotation: dict[str, np.ndarray], drive: str) -> np.ndarray:
    leg, joint = drive.split(".")
    turn = {b: np.unwrap(np.arctan2(R[:, 1, 0], R[:, 0, 0])) for b, R in rotation.items()}
    return turn[f"{leg}.crank"] if joint == "A" else turn[f"{leg}.forearm"] - turn[f"{leg}.crank"]


def recorded(machine: poinsot.Mechanism, preload: float, sigma: float = 0.0) -> poinsot.Recording:
    """The motion with six torques that hold it, internal forces of some size among them, and noise  [N·m]."""
    rng, run = np.random.default_rng(0), poinsot.inverse_dynamics(machine, MOTION, T)
    u = np.stack([run.forces[drive] for drive in DRIVES], axis=1)
    left = np.linalg.svd(np.swapaxes(rates_of_drives(machine), 1, 2))[2][:, 3:]  # null(Jᵀ)  (n, 3, 6)
    inner = preload * noise(rng, (len(T), 6), 0.98)  # projected, since a basis may jump from pose to pose
    u = u + np.einsum("nki,nkj,nj->ni", left, left, inner) + sigma * rng.standard_normal(u.shape)
    places = {name: run.kinematics.coordinates[name] for name in MOTION}
    units = {"x": "m", "y": "m", "theta": "rad", **{drive: "N·m" for drive in DRIVES}}
    return poinsot.Recording.of(T, {**places, **dict(zip(DRIVES, u.T))}, units=units)


@pytest.fixture(scope="module")
def machine() -> poinsot.Mechanism:
    return table()


def test_internal_forces_change_nothing(machine):
    calm, tense = (poinsot.identify(machine, recorded(machine, preload), UNKNOWNS) for preload in (0.0, 2.0))
    truth = [machine.parameters[name].value for name in UNKNOWNS]
    assert_allclose(tense.value, truth, rtol=1e-3)
    assert_allclose(tense.value, calm.value, rtol=1e-6)
    assert "numerics sound" in tense.verdict and len(tense.fit.channels) == 3
    assert any("however they share" in step for step in tense.steps)


def test_error_bars_hold_with_noise_on_all_drives(machine):
    est = poinsot.identify(machine, recorded(machine, 2.0, 0.002), UNKNOWNS)
    off = [(est[name].value - machine.parameters[name].value) / est[name].deviation for name in UNKNOWNS]
    assert np.max(np.abs(off)) < 4 and np.all(est.deviation < 0.05 * est.value)


def test_drives_that_are_not_all_measured_are_biased_by_internal_forces(machine):
    est = poinsot.identify(machine, recorded(machine, 2.0), UNKNOWNS, channels="leg*.A")
    truth = np.array([machine.parameters[name].value for name in UNKNOWNS])
    assert "6 drives hold 3 freedoms" in est.verdict
    assert np.max(np.abs(est.value / truth - 1)) > 0.05
