"""Singular poses and assembly modes: noticed, named, never passed over in silence."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import poinsot
from poinsot.motion.singularity import drive_conditions

from ..model.mechanisms import closed_hinges


def test_a_five_bar_with_stretched_forearms_can_move_with_its_cranks_locked():
    five_bar = poinsot.load("five_bar")
    # Forearms of 0.26 m in one line: elbows 0.52 m apart.
    angle = np.arccos((0.26 - 0.075) / 0.2)
    ordinary = poinsot.singularity(five_bar)
    near = poinsot.singularity(five_bar, {"q1": np.pi - angle - 1e-9, "q2": angle + 1e-9})
    assert ordinary.kinds == () and ordinary.actuators < 10
    assert "direct" in near.kinds
    assert abs(near.free["y"]) > 10 * abs(near.free["x"])  # the tool is free across the line of the forearms


def test_a_crank_at_dead_centre_cannot_move_its_piston():
    slider_crank = poinsot.load("slider_crank")
    assert poinsot.singularity(slider_crank, outputs=["stroke"]).kinds == ()
    dead = poinsot.singularity(slider_crank, {"theta": 1e-6}, outputs=["stroke"])
    assert dead.kinds == ("inverse",)
    moving = poinsot.kinematics(slider_crank, {"theta": lambda t: t}, [0.0, 0.5])
    assert abs(moving.velocity["piston"][0, 0]) < 1e-12 < abs(moving.velocity["piston"][1, 0])


def test_a_hexapod_with_parallel_legs_can_move_with_all_legs_locked():
    """Two equal, even hexagons right above each other: six parallel legs do not hold the platform sideways."""
    ex800 = poinsot.load("ex800")
    even = {"top.radius": 0.27, "base.half_angle": "30 deg", "top.half_angle": "30 deg", "top.turn": "60 deg"}
    assert poinsot.singularity(ex800).kinds == ()
    assert "direct" in poinsot.singularity(ex800.with_parameters(even)).kinds


def test_condition_numbers_of_drives_along_a_motion_are_those_of_its_poses():
    machine, t = poinsot.load("three_rrr"), np.linspace(0, 1, 11)
    motion = {"x": 0.03 * np.sin(2 * t), "y": 0.02 * t, "theta": 0.1 + 0.4 * t}
    moving = poinsot.kinematics(machine, {name: (t, s) for name, s in motion.items()}, t)
    poses = [{name: s[k] for name, s in motion.items()} for k in range(0, 11, 5)]
    expected = [poinsot.singularity(machine, pose).actuators for pose in poses]
    np.testing.assert_allclose(drive_conditions(moving, 5), expected, rtol=1e-5)


def test_condition_numbers_of_too_few_drives_are_none():
    cart = poinsot.load("double_pendulum")
    moving = poinsot.kinematics(cart, {name: 0.1 for name in cart.coordinates}, [0.0, 0.1])
    assert drive_conditions(moving).size == 0


def test_leg_lengths_lead_back_to_the_pose_that_gave_them():
    hexapod = poinsot.load("hexapod")
    pose = {"x": 0.03, "y": -0.02, "z": 0.52, "theta1": 0.1, "theta2": -0.08, "theta3": 0.15}
    there = poinsot.kinematics(hexapod, pose, [0.0])
    legs = {f"leg{i}.length": there.coordinates[f"leg{i}.length"][0] for i in range(1, 7)}
    path = {name: (lambda t, a=0.532, b=length: a + (b - a) * t) for name, length in legs.items()}
    back = poinsot.kinematics(hexapod, path, np.linspace(0, 1, 11))
    np.testing.assert_allclose(back.position["platform"][-1], there.position["platform"][0], atol=1e-10)
    np.testing.assert_allclose(back.rotation["platform"][-1], there.rotation["platform"][0], atol=1e-10)


def test_assembly_modes_are_those_of_the_placement():
    """The same five-bar with its tool below instead of above: the mode stays along a motion."""
    import copy

    document = copy.deepcopy(dict(poinsot.load("five_bar").document))
    document["bodies"]["forearm1"]["placement"] = {"position": [-0.2, 0.15], "rotation": {"angle": "-40 deg"}}
    document["bodies"]["forearm2"]["placement"] = {"position": [0.2, 0.15], "rotation": {"angle": "220 deg"}}
    above, below = poinsot.load("five_bar"), poinsot.build(document)
    motion = {"q1": lambda t: 2.3 + 0.2 * t, "q2": 0.8}
    y = [poinsot.kinematics(m, motion, np.linspace(0, 1, 21)).coordinates["y"] for m in (above, below)]
    assert y[0].min() > 0.15 > y[1].max()


@pytest.mark.parametrize("size", [1e-6, 1e-3, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("turn", [[0.0, 0.0, 0.0], [0.0, np.pi / 2, 0.0], [0.4, -0.7, 0.3]], ids=str)
def test_condition_numbers_depend_neither_on_units_nor_on_the_axes_of_the_world(size, turn):
    rng, R = np.random.default_rng(5), Rotation.from_rotvec(turn).as_matrix()
    points, axes = rng.uniform(-1, 1, (7, 3)), rng.normal(size=(7, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    plain = poinsot.singularity(closed_hinges(points, axes)).constraints
    other = poinsot.singularity(closed_hinges(size * points @ R.T, axes @ R.T)).constraints
    assert other == pytest.approx(plain, rel=1e-8) and plain > 2
