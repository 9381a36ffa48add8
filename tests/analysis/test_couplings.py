"""Couplings between coordinates: gears, racks and trains of them, against closed forms and in all formulations."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.errors import PoinsotError

FORMULATIONS = ["joint", "embedded", "euler", "rotation-matrix"]
J_A, J_B = 0.02, 0.05  # moments of inertia about the axes  [kg·m²]


def wheels(weights, value=0.0, *, kind="revolute", turns=(0.0, 0.0, 1.0), **more):
    """A driven wheel `a` and a wheel or carriage `b` beside it, coupled."""
    joints = {
        "qa": {"type": "revolute", "between": ["ground", "a"], "axis": [0, 0, 1], "actuated": True},
        "qb": {"type": kind, "between": [{"body": "ground", "position": [0.3, 0, 0]}, "b"], "axis": list(turns)},
    }
    bodies = {
        "a": {"mass": 1.0, "inertia": [0.01, 0.01, J_A]},
        "b": {"mass": 1.5, "inertia": [J_B, J_B, J_B]},
    }
    couplings = {"train": {"on": {"combination": weights}, "value": value}}
    document = {"format": 1, "gravity": [0, 0, 0], "bodies": bodies, "joints": joints, "couplings": couplings}
    return poinsot.build({**document, "coordinates": {n: {"joint": n} for n in joints}, **more})


def arm():
    """A spatial arm of three hinges whose second follows the first and whose slide follows the second."""
    link = {"mass": 1.2, "com": [0.1, 0.02, 0.03], "inertia": [0.01, 0.02, 0.03, 0.001, 0.002, -0.001]}
    joints = {
        "q1": {"type": "revolute", "between": ["ground", "l1"], "axis": [0, 0, 1], "actuated": True},
        "q2": {"type": "revolute", "between": [[0.3, 0, 0.1], "l2"], "axis": [0, 1, 0]},
        "q3": {"type": "prismatic", "between": [[0.2, 0.1, 0], "l3"], "axis": [1, 1, 0]},
        "q4": {"type": "revolute", "between": [[0.1, 0, 0], "l4"], "axis": [1, 0, 0], "actuated": True},
    }
    for k, name in enumerate(("q2", "q3", "q4"), 1):
        place, child = joints[name]["between"]
        joints[name]["between"] = [{"body": f"l{k}", "position": place}, child]
    couplings = {
        "belt": {"on": {"combination": {"q2": 1, "q1": 0.7}}, "value": 0.2},
        "rack": {"on": {"combination": {"q3": 1, "q2": -0.08}}, "value": "5 mm"},
    }
    document = {"format": 1, "bodies": {f"l{k}": link for k in (1, 2, 3, 4)}, "joints": joints}
    return poinsot.build({**document, "couplings": couplings, "coordinates": {n: {"joint": n} for n in joints}})


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("ratio", [1.0, -2.5, 0.1])
def test_a_geared_wheel_adds_its_inertia_times_the_ratio_squared(ratio, formulation):
    mechanism = wheels({"qb": 1, "qa": -ratio}, 0.3)
    inertia = J_A + ratio**2 * J_B
    found = poinsot.accelerations(mechanism, poinsot.State(forces={"qa": 3.0}), formulation=formulation)
    np.testing.assert_allclose([found["a"][5], found["b"][5]], [3 / inertia, ratio * 3 / inertia], rtol=1e-12)
    run = poinsot.simulate(mechanism, 0.4, forces={"qa": 0.5}, formulation=formulation)
    way = run.coordinates["qa"] - run.coordinates["qa"][0]
    np.testing.assert_allclose(way, run.t**2 * 0.25 / inertia, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(run.coordinates["qb"] - ratio * run.coordinates["qa"], 0.3, atol=1e-11)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_rack_adds_its_mass_times_the_radius_squared(formulation):
    radius = -0.04
    mechanism = wheels({"qb": 1, "qa": f"{-radius} m/rad"}, "10 mm", kind="prismatic", turns=(1.0, 0.0, 0.0))
    inertia = J_A + 1.5 * radius**2
    found = poinsot.accelerations(mechanism, poinsot.State(forces={"qa": 2.0}), formulation=formulation)
    np.testing.assert_allclose(found["b"][0], radius * 2.0 / inertia, rtol=1e-12)
    places = poinsot.assemble(mechanism, {"qa": 0.5}).poses
    np.testing.assert_allclose(places["b"].p[0] - 0.3, 0.01 + radius * 0.5, atol=1e-13)


def test_the_torque_of_a_train_is_that_of_its_equivalent_inertia():
    mechanism = wheels({"qb": 1, "qa": 2.5})
    run = poinsot.inverse_dynamics(mechanism, {"qa": lambda t: 4 * t**2}, np.linspace(0, 2, 9))
    np.testing.assert_allclose(run.forces["qa"], 8 * (J_A + 2.5**2 * J_B), rtol=1e-10)
    np.testing.assert_allclose(run.kinematics.coordinates["qb"], -2.5 * run.kinematics.coordinates["qa"], atol=1e-10)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_whole_ratios_hold_over_many_turns(formulation):
    mechanism = wheels({"qb": 1, "qa": -3})
    run = poinsot.simulate(mechanism, 2.0, velocity={"qa": 20.0}, formulation=formulation)
    np.testing.assert_allclose(run.coordinates["qa"][-1], 40.0, rtol=1e-9)
    np.testing.assert_allclose(run.coordinates["qb"] - 3 * run.coordinates["qa"], 0.0, atol=1e-8)


def test_other_ratios_hold_over_many_turns_in_joint_coordinates_and_stop_elsewhere():
    ratio = 0.1 * np.pi
    mechanism = wheels({"qb": 1, "qa": -ratio})
    run = poinsot.simulate(mechanism, 2.0, velocity={"qa": 20.0})
    np.testing.assert_allclose(run.coordinates["qb"], ratio * run.coordinates["qa"], atol=1e-9)
    stopped = poinsot.simulate(mechanism, 2.0, velocity={"qa": 20.0}, formulation="euler")
    assert "coupling train (angle) does not hold any more" in stopped.status and stopped.t[-1] < 1.0


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_spring_behind_a_gear_swings_with_the_equivalent_inertia(formulation):
    springs = {"spring": {"type": "spring", "on": {"joint": "qb"}, "stiffness": 7.0}}
    mechanism = wheels({"qb": 1, "qa": -0.5}, forces=springs, actuators={})
    found = poinsot.modes(mechanism, formulation=formulation, locked=[])
    expected = np.sqrt(0.25 * 7.0 / (J_A + 0.25 * J_B)) / (2 * np.pi)
    np.testing.assert_allclose(found.frequencies, [expected], rtol=1e-9)


def test_every_formulation_gives_the_same_accelerations_and_reactions():
    mechanism = arm()
    state = poinsot.State(
        pose={"q1": 0.4, "q4": -0.3}, velocity={"q1": 1.3, "q4": -0.8}, forces={"q1": 2.0, "q4": 0.4}
    )
    found = {f: poinsot.accelerations(mechanism, state, formulation=f) for f in FORMULATIONS}
    for formulation in FORMULATIONS[1:]:
        for body in mechanism.bodies:
            np.testing.assert_allclose(found[formulation][body], found["joint"][body], rtol=1e-10, atol=1e-10)
        for joint in mechanism.joints:
            here, there = found[formulation].reactions[joint], found["joint"].reactions[joint]
            np.testing.assert_allclose(here, there, rtol=1e-9, atol=1e-9, err_msg=joint)


def test_lagranges_equation_in_the_free_coordinates_gives_the_same_torques():
    """T(q, q̇) and V(q) of the bodies, differentiated by central differences in q1 and q4 alone."""
    mechanism = arm()
    t, h = np.array([0.3]), 1e-4
    path = {"q1": lambda t: 0.4 + 0.8 * t**2, "q4": lambda t: 0.9 * t - 0.5 * t**2}
    run = poinsot.inverse_dynamics(mechanism, path, t)
    g = np.array(mechanism.gravity)

    def poses(q):
        return poinsot.assemble(mechanism, {"q1": float(q[0]), "q4": float(q[1])}).poses

    def lagrangian(q, v):
        before, here, after = (poses(q + k * h * v) for k in (-1, 0, 1))
        total = 0.0
        for name, body in mechanism.bodies.items():
            com = np.array(body.com)
            speed = (after[name].point(com) - before[name].point(com)) / (2 * h)
            R_dot = (after[name].R - before[name].R) / (2 * h)
            W = here[name].R.T @ R_dot
            w = np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]]) / 2
            total += body.mass * (speed @ speed / 2 + g @ here[name].point(com))
            total += w @ body.inertia_about_centre() @ w / 2
        return total

    q, v, a = np.array([0.4 + 0.8 * 0.09, 0.27 - 0.045]), np.array([0.48, 0.6]), np.array([1.6, -1.0])
    e, d = np.eye(2), 2e-3
    p_of = lambda q, v: np.array([lagrangian(q, v + d * x) - lagrangian(q, v - d * x) for x in e]) / (2 * d)  # noqa: E731
    p_dot = (p_of(q + d * v, v + d * a) - p_of(q - d * v, v - d * a)) / (2 * d)
    slope = np.array([lagrangian(q + d * x, v) - lagrangian(q - d * x, v) for x in e]) / (2 * d)
    found = [run.forces["q1"][0], run.forces["q4"][0]]
    np.testing.assert_allclose(found, p_dot - slope, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("joint", ["A", "B", "C", "D"])
def test_joints_that_close_loops_are_coupled_alike(joint):
    document = dict(poinsot.load("four_bar").document)
    document["bodies"] = {**document["bodies"], "wheel": {"mass": 0.3, "com": [0.05, 0.02], "inertia": 0.004}}
    hinge = {"type": "revolute", "between": [{"body": "ground", "position": [0.1, -0.4]}, "wheel"]}
    document["joints"] = {**document["joints"], "W": hinge}
    document["couplings"] = {"train": {"on": {"combination": {"W": 1, joint: -2}}, "value": 0.4}}
    mechanism = poinsot.build(document)
    state = poinsot.State(pose={"theta1": 1.1}, velocity={"theta1": 2.0}, forces={"A": 1.5})
    found = {f: poinsot.accelerations(mechanism, state, formulation=f) for f in FORMULATIONS}
    for formulation in FORMULATIONS[1:]:
        for body in mechanism.bodies:
            np.testing.assert_allclose(found[formulation][body], found["joint"][body], rtol=1e-9, atol=1e-9)
        for name in mechanism.joints:
            here, there = found[formulation].reactions[name], found["joint"].reactions[name]
            np.testing.assert_allclose(here, there, rtol=1e-8, atol=1e-8, err_msg=name)
    run = poinsot.simulate(mechanism, 0.3, velocity={"theta1": 2.0})
    assert run.energy_error < 1e-8


def test_a_ring_of_gears_is_redundant_and_moves_all_the_same():
    link = {"mass": 1.0, "inertia": [0.01, 0.01, 0.02]}
    joints = {f"q{k}": {"type": "revolute", "between": ["ground", f"w{k}"], "axis": [0, 0, 1]} for k in (1, 2, 3)}
    joints["q1"]["actuated"] = True
    pairs = {f"g{a}{b}": {"on": {"combination": {f"q{a}": 1, f"q{b}": -1}}} for a, b in ((1, 2), (2, 3), (3, 1))}
    mechanism = poinsot.build(
        {"format": 1, "bodies": {f"w{k}": link for k in (1, 2, 3)}, "joints": joints, "couplings": pairs}
    )
    report = poinsot.check(mechanism)
    assert (report.mobility, len(report.couplings), len(report.redundant)) == (1, 3, 1)
    assert "coupling g31: angle" in str(report)
    for formulation in FORMULATIONS:
        found = poinsot.accelerations(mechanism, poinsot.State(forces={"q1": 0.6}), formulation=formulation)
        np.testing.assert_allclose([found[w][5] for w in mechanism.bodies], 10.0, rtol=1e-10)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_coupled_angles_keep_the_turns_of_a_given_one(formulation):
    """in = 12 turns out to 4, in every call; and a rack tells how often its pinion has turned."""
    train = wheels({"qb": 3, "qa": -1})
    for angle in (12.0, 12.3, -4.5):
        run = poinsot.simulate(train, 0.1, pose={"qa": angle}, formulation=formulation)
        np.testing.assert_allclose([run.coordinates[n][0] for n in ("qa", "qb")], [angle, angle / 3], atol=1e-9)
        k = poinsot.kinematics(train, {"qa": angle}, [0.0, 0.1], formulation=formulation)
        np.testing.assert_allclose(k.coordinates["qb"][0], angle / 3, atol=1e-9)
    rack = wheels({"qb": 1, "qa": "-0.04 m/rad"}, kind="prismatic", turns=(1.0, 0.0, 0.0))
    run = poinsot.simulate(rack, 0.1, pose={"qb": 0.2}, formulation=formulation)
    np.testing.assert_allclose(run.coordinates["qa"][0], 5.0, atol=1e-9)


def test_couplings_are_printed_with_their_equations():
    mechanism = wheels({"qb": 1, "qa": "-0.04 m/rad"}, "10 mm", kind="prismatic", turns=(1.0, 0.0, 0.0))
    equation = "train: qb − 0.04 m/rad · qa = 0.01 m"
    assert str(mechanism).splitlines()[1:] == [f"  {equation}"] and "1 coupling, " in str(mechanism)
    assert "\n" not in repr(mechanism)
    report = poinsot.check(mechanism)
    assert f"    {equation}" in str(report).splitlines()
    assert report.to_dict()["couplings"] == {"train": "qb − 0.04 m/rad · qa = 0.01 m"}


def test_what_contradicts_a_coupling_names_it_with_its_equation():
    mechanism = wheels({"qb": 3, "qa": -1})
    named, given = r"coupling 'train' \(3 qb − qa = 0\)", {"qa": 0.5, "qb": 0.5}
    with pytest.raises(PoinsotError, match=f"{named} cannot be kept with the given coordinates"):
        poinsot.assemble(mechanism, given)
    with pytest.raises(PoinsotError, match=f"cannot be assembled: {named} cannot be kept"):
        poinsot.assemble(wheels({"qb": 3, "qa": -1}, pose=given))
    with pytest.raises(PoinsotError, match=f"contradict the joints and {named}"):
        poinsot.simulate(mechanism, 0.1, velocity=given)
    with pytest.raises(PoinsotError, match=f"'qb' depends on the joints, {named} and the others"):
        poinsot.kinematics(mechanism, {name: lambda t: t for name in given}, [0.0, 0.1])
    held = {"train": {"on": {"combination": {"qb": 3, "qa": -1}}}} | {
        name: {"on": {"joint": name}, "value": 0.5} for name in given
    }
    with pytest.raises(PoinsotError, match=r"couplings 'train' \(.*\), 'qa' \(qa = 0.5 rad\), .* cannot be kept"):
        poinsot.assemble(wheels({}, couplings=held))


def test_a_coupling_holds_any_coordinate():
    mechanism = wheels({"qb": 1, "qa": -1}, couplings={"held": {"on": {"joint": "qb"}, "value": "30 deg"}})
    assert poinsot.check(mechanism).mobility == 1
    assert mechanism.parameters["held.value"].unit == "rad"
    R = poinsot.assemble(mechanism).poses["b"].R
    np.testing.assert_allclose(np.arctan2(R[1, 0], R[0, 0]), np.pi / 6, atol=1e-12)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_length_that_is_kept_is_a_rod(formulation):
    """A spatial arm whose tip hangs on a rod: a distance joint, and a coupling, whose row is not linear in q."""
    document = {key: x for key, x in arm().document.items() if key != "couplings"}
    ends, length = [{"body": "ground", "position": [0.2, 0.9, 0.7]}, {"body": "l4", "position": [0.1, 0, 0.2]}], 1.1
    rod = {"type": "distance", "between": ends, "length": length}
    held = {"rod": {"on": {"length": ends}, "value": length}}
    jointed = poinsot.build({**document, "joints": {**document["joints"], "rod": rod}})
    coupled = poinsot.build({**document, "couplings": held})
    moving = {"velocity": {"q1": 1.3, "q2": -0.7, "q4": 0.9}, "forces": {"q1": 2.0, "q4": 0.4}}
    pose = {"q1": 0.3, "q2": 0.2, "q4": -0.3}
    there, here = (
        poinsot.accelerations(m, poinsot.State(pose=pose, **moving), formulation=formulation)
        for m in (jointed, coupled)
    )
    for body in coupled.bodies:
        np.testing.assert_allclose(here[body], there[body], rtol=1e-9, atol=1e-9)
    for joint in coupled.joints:
        np.testing.assert_allclose(here.reactions[joint], there.reactions[joint], rtol=1e-8, atol=1e-8)


def test_geared_inertias_are_one_base_parameter():
    base = poinsot.base_parameters(wheels({"qb": 1, "qa": -2}))
    assert len(base.independent) == 1
    worth = np.abs(base.values()[0]) / (J_A + 4 * J_B)
    assert min(abs(worth - 1), abs(4 * worth - 1)) < 1e-10, "I_a + 4 I_b, or I_b + I_a / 4"


def test_a_flexible_arm_behind_a_gear_swings_as_its_rigid_one_when_it_is_stiff():
    def machine(stiffness):
        beam = {"between": ["b.root", "b.tip"], "material": "steel", "section": "square"}
        more = {
            "materials": {"steel": {"E": stiffness, "G": stiffness / 2.6, "density": 7800.0}},
            "sections": {"square": {"area": 1e-4, "Iy": 8e-10, "Iz": 8e-10, "torsion": 1.4e-9}},
            "forces": {"spring": {"type": "spring", "on": {"joint": "qa"}, "stiffness": 7.0}},
            "actuators": {},
        }
        more["bodies"] = {
            "a": {"mass": 1.0, "inertia": [0.01, 0.01, J_A]},
            "b": {"frames": {"root": [0.0, 0.0, 0.0], "tip": [0.2, 0.0, 0.0]}, "beams": {"beam": beam}},
        }
        return wheels({"qb": 1, "qa": 3}, **more)

    stiff, inertia = machine(2e15), 7800 * (1e-4 * 0.2**3 / 3 + 8e-10 * 0.2)
    expected = np.sqrt(7.0 / (J_A + 9 * inertia)) / (2 * np.pi)
    np.testing.assert_allclose(poinsot.modes(stiff, locked=[]).frequencies[0], expected, rtol=1e-7)
    assert poinsot.modes(machine(2e9), locked=[]).frequencies[0] < 0.999 * expected


def test_what_couplings_name_must_exist():
    with pytest.raises(PoinsotError, match=r"couplings.train.on.combination.qc: there is no joint 'qc'"):
        wheels({"qb": 1, "qc": 1})
    with pytest.raises(PoinsotError, match=r"couplings.train.value"):
        wheels({"qb": 1, "qa": 1}, "3 kg")
