"""Combinations of joint coordinates: a motor behind a belt or gear that passes other joints."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.elements.coordinates import JointCombination
from poinsot.errors import PoinsotError
from poinsot.model.interchange.mjcf.write import mjcf_text
from poinsot.model.interchange.urdf.write import write_urdf

ALL = ("joint", "embedded", "euler", "rotation-matrix")
T = np.linspace(0.0, 0.6, 7)
MOTION = {"q1": lambda t: 0.4 * np.sin(3 * t), "q2": lambda t: 0.7 * np.cos(2 * t)}


def arm(on=None, **forces):
    """Two links in the plane; with `on` a motor there, else one at each joint."""
    drives = {"M1": {"on": {"joint": "A"}}, "M2": {"on": on or {"joint": "B"}}}
    return poinsot.build(
        {
            "format": 1,
            "planar": True,
            "bodies": {
                "upper": {"mass": 1.2, "com": [0.2, 0.01], "inertia": 0.02, "frames": {"elbow": [0.4, 0.0]}},
                "lower": {"mass": 0.7, "com": [0.15, -0.02], "inertia": 0.01},
            },
            "joints": {
                "A": {"type": "revolute", "between": ["ground", "upper"]},
                "B": {"type": "revolute", "between": ["upper.elbow", "lower"]},
            },
            "actuators": drives,
            "forces": forces,
            "coordinates": {"q1": {"joint": "A"}, "q2": {"joint": "B"}},
            "parameters": {"belt": 0.75},
        }
    )


def laws(on):
    return {
        "spring": {"type": "spring", "on": on, "stiffness": 3.0, "rest": 0.3},
        "rotor": {"type": "drive-inertia", "on": on, "inertia": 0.05},
        "gear": {"type": "friction", "on": on, "viscous": 0.2, "coulomb": 0.1, "smooth": 0.1},
    }


@pytest.mark.parametrize("formulation", ALL)
def test_in_the_plane_the_sum_of_both_angles_is_the_attitude_of_the_second_link(formulation):
    moved = [
        poinsot.simulate(arm(**laws(on)), t_end=0.6, t=T, formulation=formulation, velocity={"q1": 1.0, "q2": -0.5})
        for on in ({"combination": {"A": 1, "B": 1}}, {"angle": "lower"})
    ]
    assert all(motion.finished for motion in moved), moved
    for name in ("q1", "q2"):
        assert_allclose(*(motion.coordinates[name] for motion in moved), atol=1e-8)


def test_a_law_along_a_combination_loads_every_joint_by_its_weight():
    """τ_k = τ_k without it + w_k (k (s − s₀) + I s̈ + f_v ṡ + f_c tanh(ṡ/v_s)), s = Σ w_k q_k, by hand."""
    weights = {"A": "belt", "B": -2.5}
    with_laws = poinsot.inverse_dynamics(arm(**laws({"combination": weights})), MOTION, T).forces
    without = poinsot.inverse_dynamics(arm(), MOTION, T).forces
    q = np.array([0.4 * np.sin(3 * T), 0.7 * np.cos(2 * T)])
    v = np.array([1.2 * np.cos(3 * T), -1.4 * np.sin(2 * T)])
    a = np.array([-3.6 * np.sin(3 * T), -2.8 * np.cos(2 * T)])
    w = np.array([0.75, -2.5])
    s, s_dot, s_ddot = w @ q, w @ v, w @ a
    along = 3.0 * (s - 0.3) + 0.05 * s_ddot + 0.2 * s_dot + 0.1 * np.tanh(s_dot / 0.1)
    for k, name in enumerate(("M1", "M2")):
        assert_allclose(with_laws[name] - without[name], w[k] * along, atol=2e-6)


def test_a_motor_on_a_combination_shares_its_torque_among_the_joints():
    """Virtual work: (τ₁, τ₂) = Rᵀ u with s = R q, R = ((1, 0), (1, 1))."""
    coupled = poinsot.inverse_dynamics(arm({"combination": {"A": 1, "B": 1}}), MOTION, T).forces
    direct = poinsot.inverse_dynamics(arm(), MOTION, T).forces
    assert_allclose(coupled["M2"], direct["M2"], rtol=1e-12)
    assert_allclose(coupled["M1"] + coupled["M2"], direct["M1"], atol=1e-12)


def test_inertia_and_friction_of_a_coupled_motor_are_columns_of_the_regressor():
    machine = arm(**laws({"combination": {"A": 1, "B": 1}}))
    w = poinsot.regressor(machine, MOTION, T)
    assert {"rotor.inertia", "gear.viscous", "gear.coulomb"} <= set(w.columns)
    forces = poinsot.inverse_dynamics(machine, MOTION, T).forces
    assert_allclose(w.values, np.stack([forces["M1"], forces["M2"]], axis=1), atol=1e-9)


def test_an_encoder_reads_a_combination_and_a_motion_may_be_prescribed_by_it():
    machine = arm().with_coordinates({"m2": JointCombination(tuple(arm().coordinates.values()), (1.0, 1.0), "rad")})
    both = {"q1": MOTION["q1"], "m2": lambda t: MOTION["q1"](t) + MOTION["q2"](t)}
    found = poinsot.kinematics(machine, both, T)
    assert_allclose(found.coordinates["q2"], MOTION["q2"](T), atol=1e-9)


def test_a_combination_of_a_turn_and_a_slide_has_the_unit_of_the_first():
    joints = {
        "turn": {"type": "cylindrical", "between": ["ground", "nut"]},
        "slide": {"type": "prismatic", "between": ["nut", "rod"]},
    }
    body = {"mass": 1.0, "inertia": [0.1, 0.1, 0.1]}
    on = {"combination": {"slide": 1, "turn.angle": "5 mm/rev"}}
    screw = poinsot.build(
        {
            "format": 1,
            "bodies": {"nut": body, "rod": body},
            "joints": joints,
            "coordinates": {"s": on},
            "forces": {"spring": {"type": "spring", "on": on, "stiffness": "2 N/mm"}},
        }
    )
    assert screw.coordinates["s"].unit == "m"
    assert_allclose(screw.coordinates["s"].weights, [1.0, 0.005 / (2 * np.pi)])
    assert screw.parameters["spring.stiffness"].value == pytest.approx(2000)


@pytest.mark.parametrize(
    ("on", "words"),
    [
        ({"combination": {}}, "needs weights"),
        ({"combination": {"C": 1}}, "no joint 'C'"),
        ({"combination": {"A.angel": 1}}, "angel"),
        ({"combination": {"A": "2 kg"}}, "expected a quantity"),
        ({"combination": {"A": 1}, "joint": "B"}, "expected one of"),
    ],
)
def test_a_combination_that_cannot_be_is_refused_in_one_sentence(on, words):
    with pytest.raises(PoinsotError, match=words) as refused:
        arm(on)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("formulation", ["euler", "rotation-matrix"])
def test_a_spring_on_a_combination_stops_by_name_where_an_angle_could_not_be_told_from_its_turn(formulation):
    on = {"combination": {"A": 0.5, "B": 0.5}}
    machine = arm(spring={"type": "spring", "on": on, "stiffness": 0.1})
    start = {"velocity": {"q1": 0.0, "q2": 12.0}}
    free = poinsot.simulate(machine, t_end=0.6, t=T, **start)
    assert free.finished and np.abs(free.coordinates["q2"]).max() > np.pi
    stopped = poinsot.simulate(machine, t_end=0.6, t=T, formulation=formulation, **start)
    assert "'spring' is turned by half a turn" in stopped.status


def test_other_programs_say_that_they_have_no_combinations(tmp_path):
    machine = arm({"combination": {"A": 1, "B": 1}}, **laws({"combination": {"A": 1, "B": 1}}))
    _, notes = mjcf_text(machine)
    said = " ".join([*notes, *write_urdf(machine, tmp_path / "arm.urdf").notes])
    assert "kind 'combination'" in said and "drive no joint" in said
