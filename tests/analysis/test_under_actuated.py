"""Machines with fewer actuators than freedoms: forces along the motion, and coordinates that are left free."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.errors import MotionError, PoinsotError
from poinsot.model.mechanism import build

TIMES = np.linspace(0.0, 1.0, 81)
SWING = ("hook.angle1", "hook.angle2")


def gantry(**more) -> poinsot.Mechanism:
    """A driven trolley with a load that swings both ways."""
    rail = {"type": "prismatic", "between": ["ground", "trolley"], "axis": [1, 0, 0], "actuated": True}
    hook = {"type": "universal", "between": ["trolley", "load"], "axis": [1, 0, 0], "axis2": [0, 1, 0]}
    bodies = {
        "trolley": {"mass": 5.0, "inertia": [0.1, 0.1, 0.1]},
        "load": {"mass": 2.0, "inertia": [0.02, 0.03, 0.01], "com": [0.0, 0.0, -0.8]},
    }
    joints = {"rail": rail | {"friction": {"viscous": 3.0}}, "hook": hook | {"damping": {"angle1": 0.05}}}
    return build({"format": 1, "name": "gantry", "bodies": bodies, "joints": joints, **more})


MOTION = {"rail": lambda t: 0.3 * t**3 * (1 - t / 4)}
START = {"pose": {"hook.angle1": 0.2}, "velocity": {"hook.angle2": "5 deg/s"}}


def polynomial(t: np.ndarray, f: np.ndarray):
    """Samples as a function of (t, s, ṡ) in plain arithmetic: Clenshaw's sum."""
    series = np.polynomial.chebyshev.Chebyshev.fit(t, f, 40)
    assert np.abs(series(t) - f).max() < 1e-8 * np.abs(f).max()
    middle, half = (t[-1] + t[0]) / 2, (t[-1] - t[0]) / 2

    def law(time, s, s_dot):
        x, b1, b2 = (time - middle) / half, 0.0, 0.0
        for c in series.coef[:0:-1]:
            b1, b2 = c + 2 * x * b1 - b2, b1
        return series.coef[0] + x * b1 - b2

    return law


def test_the_error_says_what_can_be_asked_instead():
    with pytest.raises(PoinsotError, match=r"under-actuated.*--free NAME.*free=….*--drives motion"):
        poinsot.inverse_dynamics(gantry(), {**MOTION, **dict.fromkeys(SWING, 0.1)}, TIMES)


def two_hinges(size: float, **actuators) -> poinsot.Mechanism:
    """An arm with two hinges about a line askew; on the second hinge's line a point `eye`, at a constant distance."""
    axis, solid = [0.3, 0.4, 0.5], {"mass": 1.0, "inertia": [0.1, 0.1, 0.1], "com": [0.1, 0.2, 0.05]}
    bodies = {
        "a": solid | {"frames": {"tip": [size, 0.3 * size, 0.2 * size]}},
        "b": solid | {"frames": {"eye": [0.7 * size * x for x in axis]}},
    }
    joints = {
        "A": {"type": "revolute", "between": ["ground", "a"], "axis": axis},
        "B": {"type": "revolute", "between": ["a.tip", "b"], "axis": axis},
    }
    drives = {name: {"on": on} for name, on in actuators.items()}
    return build({"format": 1, "name": "arm", "bodies": bodies, "joints": joints, "actuators": drives})


@pytest.mark.parametrize("formulation", ["joint", "embedded", "euler", "rotation-matrix"])
@pytest.mark.parametrize("size", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("second", [{"joint": "A"}, {"length": ["a", "b.eye"]}], ids=["twice the same", "round-off"])
def test_drives_that_engage_a_freedom_not_at_all_or_by_round_off_do_not_hold_it(second, size, formulation):
    arm, motion = two_hinges(size, m1={"joint": "A"}, m2=second), {"A": lambda t: 0.3 + 0.2 * t, "B": 0.4}
    with pytest.raises(
        PoinsotError, match=r"the actuators \(m1, m2\) do not hold the mechanism.*condition number inf"
    ):
        poinsot.inverse_dynamics(arm, motion, TIMES, formulation=formulation)
    with pytest.raises(PoinsotError, match="do not hold the mechanism"):
        poinsot.regressor(arm, motion, TIMES)


def test_a_drive_without_a_rate_at_home_does_not_hide_that_something_is_loose():
    motion = {"A": lambda t: 0.3 + 0.2 * t, "B": 0.4}
    with pytest.raises(PoinsotError, match="do not hold the mechanism"):
        poinsot.inverse_dynamics(two_hinges(1.0, m1={"joint": "A"}, m2={"length": ["ground", "a"]}), motion, TIMES)


def rssp(thick=0.01, end=None, driven=True) -> poinsot.Mechanism:
    """A crank, a rod between two balls or one other joint, with an inertia about its axis [kg·m²], and a slider."""
    solid = {"mass": 1.0, "inertia": [0.01, 0.01, 0.01]}
    rod = {"mass": 1.0, "inertia": [0.01, 0.01, thick], "com": [0.0, 0.0, 0.15]}
    joints = {
        "R": {"type": "revolute", "between": ["ground", "crank"], "actuated": driven},
        "S1": {"between": [{"body": "crank", "position": [0.1, 0, 0]}, "rod"], **(end or {"type": "spherical"})},
        "S2": {
            "type": "spherical",
            "between": [{"body": "rod", "position": [0, 0, 0.3]}, "slider"],
            "closing": True,
        },
        "P": {"type": "prismatic", "between": [{"body": "ground", "position": [0.1, 0, 0]}, "slider"]},
    }
    bodies = {
        "crank": {**solid, "com": [0.05, 0.0, 0.0]},
        "rod": {**rod, "placement": {"position": [0.1, 0.0, 0.0]}},
        "slider": {**solid, "placement": {"position": [0.1, 0.0, 0.3]}},
    }
    return build({"format": 1, "name": "RSSP", "bodies": bodies, "joints": joints})


TURN = {"R": lambda t: 0.3 * t}
IDLE = "spins by itself and moves nothing else: 'rod' in S1, S2; a universal joint at one end prevents it"


def test_the_idle_spin_of_a_rod_between_two_balls_is_named_and_may_be_left_free():
    """A four-bar whose coupler turns about its own axis: no other joint can move with the crank locked."""
    with pytest.raises(PoinsotError, match=r"joint 'S[12]' can still move.*free=….*here S[12].rz") as raised:
        poinsot.inverse_dynamics(rssp(driven=False), TURN, TIMES[:3])
    assert IDLE in str(raised.value)
    still = poinsot.inverse_dynamics(rssp(), TURN, TIMES[:3])
    assert "kept from spinning" in str(still) and np.isfinite(still.forces["R"]).all()
    assert np.isfinite(poinsot.inverse_dynamics(rssp(), TURN, TIMES[:3], free=["S1.rz"]).forces["R"]).all()
    universal = rssp(end={"type": "universal", "axis": [1, 0, 0], "axis2": [0, 1, 0]})
    assert np.isfinite(poinsot.inverse_dynamics(universal, TURN, TIMES[:3]).forces["R"]).all()


def test_a_rod_without_inertia_about_its_axis_is_no_example_of_what_may_be_free():
    with pytest.raises(PoinsotError) as raised:
        poinsot.inverse_dynamics(rssp(thick=0.0, driven=False), TURN, TIMES[:3])
    said = str(raised.value)
    assert IDLE in said and "left free it needs an inertia about its axis: rod" in said and "S1.rz" not in said


def test_a_load_that_swings_is_no_idle_spin():
    with pytest.raises(PoinsotError) as raised:
        poinsot.inverse_dynamics(gantry(), {**MOTION, **dict.fromkeys(SWING, 0.1)}, TIMES)
    assert "spins" not in str(raised.value)


def test_forces_along_the_motion_are_those_of_freedoms_and_of_a_machine_with_such_drives():
    motion = {**MOTION, "hook.angle1": lambda t: 0.1 * t, "hook.angle2": lambda t: 0.2 * t**2}
    found = poinsot.inverse_dynamics(gantry(), motion, TIMES, drives="motion")
    drives = {name: {"on": {"joint": "hook", "coordinate": name[5:]}} for name in SWING}
    driven = poinsot.inverse_dynamics(gantry(actuators=drives), motion, TIMES)
    rows = poinsot.regressor(gantry(), motion, TIMES)
    for k, name in enumerate(("rail", *SWING)):
        assert_allclose(found.forces[name], driven.forces[name], atol=1e-10)
        assert_allclose(found.forces[name], rows.values[:, k], atol=1e-9)
    assert set(found.power) == set(motion)


OTHERS = [pytest.param(name, marks=pytest.mark.slow) for name in ("euler", "rotation-matrix")]


@pytest.mark.parametrize("formulation", ["joint", *OTHERS])
def test_a_simulation_with_the_forces_found_repeats_the_motion(formulation):
    found = poinsot.inverse_dynamics(gantry(), MOTION, TIMES, free=SWING, **START, formulation=formulation)
    assert list(found.forces) == ["rail"]
    law = polynomial(TIMES, found.forces["rail"])
    pose = {"rail": 0.0, "hook.angle1": 0.2, "hook.angle2": 0.0}
    rates = {"rail": 0.0, "hook.angle1": 0.0, "hook.angle2": np.radians(5)}
    run = poinsot.simulate(gantry(), 1.0, t=TIMES, forces={"rail": law}, pose=pose, velocity=rates)
    for name in ("rail", *SWING):
        assert_allclose(run.coordinates[name], found.kinematics.coordinates[name], atol=1e-8)
        assert_allclose(run.rates[name], found.kinematics.rates[name], atol=1e-7)
    assert_allclose(run.reactions["hook"], found.reactions["hook"], atol=1e-6)


@pytest.mark.slow
def test_a_closed_loop_with_a_passive_pendulum_repeats_its_motion():
    """The crank of a four-bar is driven, what hangs on its coupler swings as it likes."""
    document = dict(poinsot.load("four_bar").document)
    bob = {"mass": 0.3, "inertia": 0.001, "com": [0.1, 0.0]}
    pin = {"type": "revolute", "between": ["link2", "bob"]}
    machine = build(
        document | {"bodies": document["bodies"] | {"bob": bob}, "joints": document["joints"] | {"pin": pin}}
    )
    motion = {"theta1": lambda t: 1.0 + t**2}
    found = poinsot.inverse_dynamics(machine, motion, TIMES, free="pin", pose={"pin": -1.0})
    law = polynomial(TIMES, found.forces["A"])
    pose, rates = {"theta1": 1.0, "pin": -1.0}, {"theta1": 0.0, "pin": 0.0}
    run = poinsot.simulate(machine, 1.0, t=TIMES, forces={"A": law}, pose=pose, velocity=rates)
    assert_allclose(run.coordinates["pin"], found.kinematics.coordinates["pin"], atol=1e-6)
    assert_allclose(run.coordinates["theta1"], 1.0 + TIMES**2, atol=1e-6)


def test_what_cannot_be_asked_is_said():
    machine = gantry()
    with pytest.raises(PoinsotError, match="'rail' cannot be both prescribed and free"):
        poinsot.inverse_dynamics(machine, MOTION, TIMES, free=["rail", *SWING])
    with pytest.raises(PoinsotError, match="mobility 3 and the motion prescribes 2 coordinates"):
        poinsot.inverse_dynamics(machine, MOTION, TIMES, free="hook.angle1")
    with pytest.raises(PoinsotError, match="as many as actuators are needed"):
        poinsot.inverse_dynamics(machine, {**MOTION, "hook.angle1": 0.0}, TIMES, free="hook.angle2")
    with pytest.raises(MotionError, match="the actuators do not act along the prescribed coordinates"):
        poinsot.inverse_dynamics(flywheel(), {"bob": lambda t: 0.1 * t**2}, TIMES, free="rotor")
    with pytest.raises(PoinsotError, match="name these as free"):
        poinsot.inverse_dynamics(machine, MOTION, TIMES, pose={"hook.angle1": 0.1})
    with pytest.raises(PoinsotError, match="there are: actuators, motion"):
        poinsot.inverse_dynamics(machine, MOTION, TIMES, drives="all")


def flywheel() -> poinsot.Mechanism:
    """Two bodies side by side, the one driven; nothing connects it to the other."""
    hinge = {"type": "revolute", "axis": [0, 1, 0]}
    bodies = {name: {"mass": 1.0, "inertia": [0.1, 0.1, 0.1]} for name in ("a", "b")}
    joints = {
        "rotor": hinge | {"between": ["ground", "a"], "actuated": True},
        "bob": hinge | {"between": ["ground", "b"]},
    }
    return build({"format": 1, "bodies": bodies, "joints": joints})


def cart(length: float) -> poinsot.Mechanism:
    """A free cart with a driven pendulum, all joints in one place; gravity and masses keep the times."""
    bodies = {
        "cart": {"mass": 2.0, "inertia": 2 * length**2},
        "bob": {"mass": 0.5, "com": [0.0, -length], "inertia": 0.1 * length**2},
    }
    joints = {
        "rail": {"type": "prismatic", "between": ["ground", "cart"], "axis": [1, 0]},
        "pin": {"type": "revolute", "between": ["cart", "bob"], "actuated": True},
    }
    model = {"format": 1, "planar": True, "gravity": [0, -9.81 * length], "bodies": bodies, "joints": joints}
    return build(model | {"name": "cart"})


@pytest.mark.parametrize("length", [1.0, 1e-6, 1e3])
def test_a_free_slide_moves_by_the_balance_of_momentum_at_every_size(length):
    t = np.linspace(0.0, 2.0, 41)
    found = poinsot.inverse_dynamics(cart(length), {"pin": poinsot.Fourier(3.0, (0.5,))}, t, free=["rail"])
    # 2.5 ẋ + 0.5 L cos θ θ̇ keeps what it is at rest of the rail: x = (0.75 t − 0.5 sin θ) L / 2.5
    moved = (0.75 * t - 0.5 * np.sin(0.5 * np.sin(3 * t))) / 2.5
    assert_allclose(found.kinematics.coordinates["rail"] / length, moved, atol=1e-9)


def test_forces_that_a_drive_cannot_give_are_told():
    arm = poinsot.loads("""
format = 1
planar = true
gravity = [0, -10]
bodies.bob = { mass = 2, com = [0.5, 0], inertia = 0.01 }
joints.h = { type = "revolute", between = ["ground", "bob"] }
coordinates.q = { joint = "h" }
actuators.m = { on = { joint = "h" }, limits = [-11, 9] }
""")
    said = "more than the drive can give, -11 … 9 N·m"
    along = {q: poinsot.inverse_dynamics(arm, {"q": lambda t, q=q: q + 0 * t}, [0.0, 1.0]) for q in (0.0, np.pi)}
    assert said in str(along[0.0]) and said not in str(along[np.pi])
    assert said in str(poinsot.hold(arm, {"q": 0.0})) and said not in str(poinsot.hold(arm, {"q": 1.0}))
    with pytest.warns(UserWarning, match=f"the force of 'm', 50 N·m, is {said}: it is simulated as given"):
        poinsot.simulate(arm, 0.01, forces={"m": "50 N·m"})
