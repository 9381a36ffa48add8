"""Momentum of a mechanism in flight: nothing outside acts on it but its weight, whatever its joints and drives do."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot

FORMULATIONS = ["joint", "euler", "rotation-matrix", "embedded"]


def in_flight(gravity):
    """Two bodies with skew inertias and a driven cross between them: a double pendulum that floats in space."""
    return poinsot.build(
        {
            "format": 1,
            "gravity": gravity,
            "bodies": {
                "a": {
                    "mass": 1.3,
                    "com": [0.1, -0.05, 0.2],
                    "inertia": [0.11, 0.2, 0.25, 0.02, -0.01, 0.03],
                    "frames": {"hip": [0.3, 0.1, -0.2]},
                },
                "b": {
                    "mass": 2.1,
                    "com": [0.0, 0.2, 0.1],
                    "inertia": [0.3, 0.2, 0.27, 0.01, 0.03, -0.02],
                    "placement": {"position": [0.3, 0.1, -0.2]},
                },
            },
            "joints": {
                "float": {"type": "free", "between": ["ground", "a"]},
                "cross": {"type": "universal", "between": ["a.hip", "b"]},
            },
            "actuators": {f"torque{i}": {"on": {"joint": "cross", "coordinate": f"angle{i}"}} for i in (1, 2)},
            "coordinates": {
                **{axis: {"position": "a", "axis": axis} for axis in "xyz"},
                **{n: {"angle": "a", "sequence": "XYZ", "index": k} for k, n in enumerate(("rx", "ry", "rz"), 1)},
                **{f"angle{i}": {"joint": "cross", "coordinate": f"angle{i}"} for i in (1, 2)},
            },
        }
    )


def momentum(mechanism, r, i):
    """Linear and angular momentum about the world's origin at output i, from poses alone: rates by differences."""
    total, h = np.zeros(6), r.t[1] - r.t[0]
    weights = np.array([1, -8, 0, 8, -1]) / (12 * h)
    window = slice(i - 2, i + 3)
    for name, body in mechanism.bodies.items():
        R = r.rotation[name][window]
        centre = r.position[name][window] + R @ np.array(body.com, float)
        velocity = weights @ centre
        S = np.tensordot(weights, R, 1) @ R[2].T
        w = np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]]) / 2
        J = R[2] @ np.asarray(body.inertia_about_centre(), float) @ R[2].T
        total += np.concatenate([body.mass * velocity, J @ w + np.cross(centre[2], body.mass * velocity)])
    return total


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("gravity", [[0, 0, 0], [0.5, -1.0, -9.81]])
def test_the_momentum_of_a_double_pendulum_in_flight_changes_with_its_weight_alone(formulation, gravity):
    mechanism = in_flight(gravity)
    t = np.linspace(0.0, 2.0, 2001)
    r = poinsot.simulate(
        mechanism,
        2.0,
        t=t,
        velocity={"x": 0.3, "z": 2.0, "rx": 6.0, "ry": -1.0, "rz": 2.0, "angle1": 2.0, "angle2": -1.0},
        forces={"torque1": lambda t, s, v: 0.4 * np.sin(3 * t) - 0.3 * s, "torque2": 0.2},
        formulation=formulation,
    )
    assert r.finished and len(r.changes) == (2 if formulation == "euler" else 0)  # angles are centred anew in flight
    mass, g = 3.4, np.array(gravity, float)
    first, *others = (momentum(mechanism, r, i) for i in (2, 700, 1400, 1998))
    for i, found in zip((700, 1400, 1998), others):
        span = t[i] - t[2]
        lever = _moment_of_weight(mechanism, r, 2, i, g)
        np.testing.assert_allclose(found[:3] - first[:3], mass * g * span, atol=1e-7)
        np.testing.assert_allclose(found[3:] - first[3:], lever, atol=1e-7)
    assert np.linalg.norm(first[3:]) > 0.5
    relative = np.swapaxes(r.rotation["a"], 1, 2) @ r.rotation["b"]
    assert np.abs(relative[0] - relative[-1]).max() > 0.3  # the bodies do move in each other


def _moment_of_weight(mechanism, r, i, j, gravity):
    """∫ Σ c × m g dt between two outputs, by Simpson's rule."""
    from scipy.integrate import simpson

    moment = sum(
        np.cross(r.position[n][i : j + 1] + r.rotation[n][i : j + 1] @ np.array(b.com, float), b.mass * gravity)
        for n, b in mechanism.bodies.items()
    )
    return simpson(moment, x=r.t[i : j + 1], axis=0)
