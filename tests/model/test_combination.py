"""Coordinates that are weighted sums of joints: motors behind tendons or gears."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot

R = np.array([[2.0, 0.0], [-0.7, 1.5]])  # motors θ = R q
TIMES = [0.0, 0.3, 0.9]
MOTION = {"q1": lambda t: 0.3 + 0.5 * t**2, "q2": lambda t: -0.2 * t + 0.1 * t**3}


def arm(actuators: dict) -> poinsot.Mechanism:
    link = {"mass": 1.2, "com": [0.2, 0.05], "inertia": 0.02, "frames": {"tip": [0.4, 0.0]}}
    joints = {
        "A": {"type": "revolute", "between": ["ground", "link1"], "friction": {"viscous": 0.1}},
        "B": {"type": "revolute", "between": ["link1.tip", "link2"]},
    }
    coordinates = {"q1": {"joint": "A"}, "q2": {"joint": "B"}}
    parts = {"bodies": {"link1": link, "link2": link}, "joints": joints, "coordinates": coordinates}
    return poinsot.build({"format": 1, "planar": True, "actuators": actuators, **parts})


def coupled() -> poinsot.Mechanism:
    return arm({f"m{k + 1}": {"on": {"combination": dict(zip("AB", map(float, row)))}} for k, row in enumerate(R)})


@pytest.mark.parametrize("formulation", ["joint", "embedded", "euler", "rotation-matrix"])
def test_motors_behind_a_coupling_give_the_joints_torques(formulation):
    """By virtual power τ = Rᵀ u."""
    at_joints = arm({k: {"on": {"joint": k}} for k in "AB"})
    tau = poinsot.inverse_dynamics(at_joints, MOTION, TIMES, formulation=formulation).forces
    u = poinsot.inverse_dynamics(coupled(), MOTION, TIMES, formulation=formulation).forces
    joints, motors = (np.stack(list(x.values()), axis=-1) for x in (tau, u))
    assert_allclose(motors @ R, joints, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("weights", "text"), [({}, "weights by joint"), ({"C": 1.0}, "no joint 'C'; there are: A, B")]
)
def test_a_combination_without_weights_or_of_unknown_joints_is_refused(weights, text):
    with pytest.raises(poinsot.PoinsotError, match=text):
        arm({"m": {"on": {"combination": weights}}})
