"""Rigid end stops about an angle that is read off a pose: found in every formulation, or refused by name."""

import warnings

import numpy as np
import pytest

import poinsot
from poinsot.model.mechanism import build
from tests.analysis.flexible import CLAMPED, RHO, E, beam

ALL = ("joint", "embedded", "euler", "rotation-matrix")


def rotor(limits):
    """An unbalanced rotor about the vertical's normal."""
    return build(
        {
            "format": 1,
            "bodies": {"rotor": {"mass": 1.0, "com": [0.2, 0.0, 0.0], "inertia": [0.1, 0.1, 0.1]}},
            "joints": {"hinge": {"type": "revolute", "between": ["ground", "rotor"], "limits": limits}},
            "gravity": [0.0, -9.81, 0.0],
            "coordinates": {"angle": {"joint": "hinge"}},
            "pose": {"angle": 2.5},
        }
    )


def turned(limits, formulation):
    t = np.linspace(0.0, 1.0, 11)
    return poinsot.simulate(rotor(limits), t_end=1.0, t=t, velocity={"angle": 4.0}, formulation=formulation)


@pytest.mark.parametrize("formulation", ALL)
def test_a_stop_behind_half_a_turn_is_reached_where_it_is(formulation):
    """Limits 2 rad and 4 rad: on the way the angle that is read off the pose jumps from π to −π."""
    motion = turned([2.0, 4.0], formulation)
    assert "the end stop 'hinge.end-stop' was reached" in motion.status
    reached = float(turned([2.0, 4.0], "joint").events["hinge.end-stop"])
    assert reached > 0.2  # the angle is π after 0.14 s at most
    assert float(motion.events["hinge.end-stop"]) == pytest.approx(reached, abs=1e-7)


def test_the_coordinate_and_its_limits_are_named_with_the_time():
    motion = turned([2.0, 4.0], "joint")
    assert motion.status.endswith("the end stop 'hinge.end-stop' was reached (angle from 2 to 4 rad)")
    assert motion.status.startswith(f"stopped at t = {float(motion.events['hinge.end-stop']):.6g} s: ")


def test_limits_further_apart_than_a_turn_are_refused_where_turns_are_not_counted():
    assert "the end stop 'hinge.end-stop' was reached" in turned([-4.0, 4.0], "joint").status
    for formulation in ("euler", "rotation-matrix"):
        assert "'hinge.end-stop' is turned by half a turn" in turned([-4.0, 4.0], formulation).status


@pytest.mark.parametrize("formulation", ALL)
def test_a_start_beyond_a_rigid_stop_is_refused_with_the_coordinate_and_its_limits(formulation):
    said = "the start is beyond the end stop 'hinge.end-stop': hinge = {} rad is not from 2 to 4 rad"
    for angle in (4.5, -2.3, 1.2):  # -2.3 rad is where 3.98 rad is, and not what the stop allows
        with pytest.raises(poinsot.PoinsotError, match=said.format(angle)):
            poinsot.simulate(rotor([2.0, 4.0]), 0.1, pose={"angle": angle}, formulation=formulation)
    for angle in (3.98, 2.0, 4.0):
        assert len(poinsot.simulate(rotor([2.0, 4.0]), 0.1, pose={"angle": angle}, formulation=formulation).t)


@pytest.mark.parametrize("formulation", ALL)
def test_a_body_that_is_placed_between_its_stops_starts_there_whatever_its_pose_shows(formulation):
    """Placed at 3.9 rad, which a pose shows as -2.38 rad."""
    document = {key: table for key, table in rotor([2.0, 4.0]).document.items() if key != "pose"}
    placement = {"position": [0, 0, 0], "rotation": {"sequence": "XYZ", "angles": [0, 0, 3.9]}}
    bodies = {"rotor": document["bodies"]["rotor"] | {"placement": placement}}
    motion = poinsot.simulate(build({**document, "bodies": bodies}), 0.01, formulation=formulation)
    assert motion.finished and motion.coordinates["angle"][0] == pytest.approx(3.9)


def test_elastic_stops_may_be_passed_at_the_start_and_those_of_a_batch_count_each():
    soft = rotor([2.0, 4.0]).document | {
        "joints": {"hinge": {"type": "revolute", "between": ["ground", "rotor"]}},
        "forces": {
            "stop": {"type": "end-stop", "on": {"joint": "hinge"}, "lower": 2, "upper": 2.4, "stiffness": 1e4}
        },
    }
    assert poinsot.simulate(build(soft), 0.01).finished
    batch = {"hinge.upper": [4.0, 2.4]}
    with pytest.raises(poinsot.PoinsotError, match=r"hinge = 2.5 rad is not from 2 to 2.4 rad"):
        poinsot.simulate(rotor([2.0, 4.0]), 0.1, parameters=batch)


@pytest.mark.parametrize("formulation", ALL)
def test_no_machine_rests_beyond_a_rigid_stop(formulation):
    """The rotor hangs at −90°, that is 270°."""
    beyond = r"beyond the end stop 'hinge.end-stop': hinge = .* rad is not from 2 to 4 rad"
    with pytest.raises(poinsot.PoinsotError, match=beyond):
        poinsot.equilibrium(rotor([2.0, 4.0]), formulation=formulation)
    with pytest.raises(poinsot.PoinsotError, match=beyond):
        poinsot.modes(rotor([2.0, 4.0]), formulation=formulation)
    assert poinsot.equilibrium(rotor([2.0, 5.0]), formulation=formulation).stable
    assert poinsot.modes(rotor([2.0, 5.0]), formulation=formulation).frequencies > 0


@pytest.mark.parametrize("formulation", ALL)
def test_a_given_pose_beyond_a_rigid_stop_has_no_modes(formulation):
    """Hanging is −90°, beyond 2 rad and 5 rad, or 270°, between them."""
    down, options = -np.pi / 2, {"formulation": formulation}
    beyond = r"the given pose is beyond the end stop 'hinge.end-stop': hinge = -1.5708 rad is not from 2 to 5 rad"
    for ask in (poinsot.modes, poinsot.linearise):
        with pytest.raises(poinsot.PoinsotError, match=beyond):
            ask(rotor([2.0, 5.0]), pose={"angle": down}, **options)
        assert ask(rotor([2.0, 5.0]), pose={"angle": down + 2 * np.pi}, **options)
        assert ask(rotor([-2.0, 5.0]), pose={"angle": down}, **options)
    with pytest.raises(poinsot.PoinsotError, match=beyond):
        poinsot.compliance(rotor([2.0, 5.0]), "rotor", pose={"angle": down}, **options)


@pytest.mark.parametrize("formulation", ALL)
def test_a_prescribed_motion_beyond_a_rigid_stop_is_told_with_the_time(formulation):
    """From 2.5 rad at 4 rad/s: 4 rad is passed after 0.375 s, behind the half turn of a pose."""
    t, motion = np.linspace(0.0, 1.0, 11), {"angle": lambda t: 2.5 + 4.0 * t}
    told = r"from t = 0.4 s on the motion is beyond the end stop 'hinge.end-stop': hinge = 4.1 rad is not from 2 to 4"
    with pytest.warns(UserWarning, match=told):
        poinsot.kinematics(rotor([2.0, 4.0]), motion, t, formulation=formulation)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        poinsot.kinematics(rotor([2.0, 4.0]), motion, t[:4], formulation=formulation)


def test_forces_and_regressors_beyond_a_rigid_stop_are_told_too():
    driven = build({**rotor([2.0, 4.0]).document, "actuators": {"motor": {"on": {"joint": "hinge"}}}})
    motion = {"angle": lambda t: 3.8 + 10 * t**2}
    for ask in (poinsot.inverse_dynamics, poinsot.regressor, poinsot.determinable):
        with pytest.warns(UserWarning, match=r"from t = 0.2 s on .* hinge = 4.2 rad"):
            ask(driven, motion, [0.0, 0.1, 0.2, 0.3])
    with pytest.warns(UserWarning, match=r"hinge = 4.5 rad"):
        poinsot.hold(driven, {"angle": 4.5})


@pytest.mark.parametrize("lower, inside", [(-1.1, True), (-0.9, False)])
def test_a_flexible_link_that_sinks_beyond_a_rigid_stop_has_no_equilibrium(lower, inside):
    """A cantilever of length l = 1 m under its own weight per length ρAg sinks by ρAg l⁴ / 8 EI."""
    section = {"area": 1e-4, "Iy": 1e-9, "Iz": 1e-9, "torsion": 2e-9}
    sag = RHO * section["area"] * 9.81 / (8 * E * section["Iz"])  # 4.6 mm
    height = {"position": "link.tip", "axis": "y"}
    stop = {"type": "end-stop", "on": height, "lower": lower * sag, "upper": 1.0}
    more = {"gravity": [0, -9.81, 0], "coordinates": {"height": height}, "forces": {"table": stop}}
    hanging = beam(CLAMPED, section=section, elements=4, **more)
    if inside:
        assert poinsot.modes(hanging, n=1).frequencies[0] > 0
        return
    told = r"the equilibrium of the flexible links is beyond the end stop 'table': height = -0.00458.* m is not from"
    with pytest.raises(poinsot.PoinsotError, match=told):
        poinsot.modes(hanging, n=1)


@pytest.mark.parametrize("formulation", ALL)
def test_a_motion_that_begins_behind_half_a_turn_has_the_turns_that_it_was_given(formulation):
    """From 3.5 rad, which a pose shows as -2.78 rad, to 3.9 rad or, a turn less, to -2.38 rad."""
    t = np.linspace(0.0, 1.0, 5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        poinsot.kinematics(rotor([2.0, 4.0]), {"angle": lambda t: 3.5 + 0.4 * t}, t, formulation=formulation)
    with pytest.warns(UserWarning, match="from t = 0 s on .* hinge = -2.78319 rad is not from 2 to 4"):
        motion = {"angle": lambda t: 3.5 - 2 * np.pi + 0.4 * t}
        poinsot.kinematics(rotor([2.0, 4.0]), motion, t, formulation=formulation)


@pytest.mark.parametrize("formulation", ALL)
def test_turns_of_a_stop_whose_angle_has_no_name_are_followed_to_rest(formulation):
    """From 2.5 rad, where the rotor is placed, it sinks to 270°, which a pose shows as -90°."""
    placement = {"position": [0, 0, 0], "rotation": {"sequence": "XYZ", "angles": [0, 0, 2.5]}}
    attitude = {"angle": "rotor", "sequence": "ZXY", "index": 1}

    def placed(lower, upper):
        document = {k: v for k, v in rotor([-9.0, 9.0]).document.items() if k not in ("pose", "coordinates")}
        stop = {"type": "end-stop", "on": attitude, "lower": lower, "upper": upper}
        bodies = {"rotor": document["bodies"]["rotor"] | {"placement": placement}}
        return build({**document, "bodies": bodies, "forces": {"cam": stop}})

    assert poinsot.equilibrium(placed(-1.0, 6.5), formulation=formulation).stable
    with pytest.raises(poinsot.PoinsotError, match=r"'cam': .* = 4.71239 rad is not from -2 to 4 rad"):
        poinsot.equilibrium(placed(-2.0, 4.0), formulation=formulation)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e4])  # [m], of a stage without any other length
def test_a_stop_passed_by_a_thousandth_is_told_at_any_size(scale):
    limits = [-0.1 * scale, 0.3 * scale]
    joint = {"type": "prismatic", "between": ["ground", "b"], "axis": [1, 2, 2], "limits": limits}
    bodies = {"b": {"mass": 1.0, "inertia": [0.1, 0.1, 0.1]}}
    stage = build({"format": 1, "bodies": bodies, "joints": {"x": joint}, "coordinates": {"x": {"joint": "x"}}})
    with pytest.warns(UserWarning, match="from t = 1 s on the motion is beyond the end stop 'x.end-stop'"):
        poinsot.kinematics(stage, {"x": lambda t: (0.3 + 3e-4 * t) * scale}, [0.0, 1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        poinsot.kinematics(stage, {"x": lambda t: (0.3 - 3e-4 * t) * scale}, [0.0, 1.0])
