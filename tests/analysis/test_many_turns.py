"""Drives that turn many times, behind screws and gears: maps, designs, calibration, output error, poses of screws."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.app.tables import pose_line
from poinsot.elements.forces import FORCES, Force
from poinsot.experiment.excitation.machine import DrivenMachine
from poinsot.experiment.excitation.task import ExcitationTask
from poinsot.experiment.limits import limits_of
from poinsot.experiment.poses.space import PoseSpace
from poinsot.recording.fusion.pose_measurement import PoseMeasurement
from poinsot.system.system import system
from poinsot.vibration.rigid_batch import BatchMatrices

LEAD = 5e-3 / (2 * np.pi)  # of the screws  [m/rad]
LIFT = """
format = 1
name = "lift"
planar = true
[bodies.screw]
mass = 1
inertia = "2e-5 kg·m²"
[bodies.foot]
mass = "5 kg"
inertia = 1e-3
[bodies.arm]
mass = "4 kg"
com = ["0.4 m", 0]
inertia = "0.2 kg·m²"
frames.end = ["0.8 m", 0]
placement = { position = ["0.69 m", 0], rotation = { angle = "150 deg" } }
[bodies.shoe]
mass = "10 kg"
inertia = 1e-3
placement = { position = [0, "0.4 m"] }
[joints.motor]
type = "revolute"
between = ["ground", "screw"]
actuated = true
[joints.rail]
type = "prismatic"
between = ["ground", "foot"]
axis = [1, 0]
friction = { viscous = "100 N·s/m" }
[joints.right]
type = "revolute"
between = ["foot", "arm"]
[joints.top]
type = "revolute"
between = ["arm.end", "shoe"]
[joints.post]
type = "prismatic"
between = ["ground", "shoe"]
axis = [0, 1]
closing = true
[couplings.nut]
on = { combination = { rail = 1, motor = "-5 mm/rev" } }
value = "690 mm"
[coordinates]
screw = { joint = "motor" }
x = { joint = "rail" }
height = { joint = "post" }
[pose]
x = "690 mm"
[sensors.encoder]
type = "encoder"
on = { joint = "motor" }
noise = "5 mrad"
[sensors.torque]
type = "drive-force"
actuator = "motor"
gain = 2
"""
GEARED = """
format = 1
name = "geared crank"
planar = true
[bodies.ground]
frames.D = ["1 m", 0]
[bodies.rotor]
mass = 1
inertia = "1e-3 kg·m²"
[bodies.crank]
mass = 2
com = ["0.1 m", "0.02 m"]
inertia = 0.02
frames.B = ["0.3 m", 0]
[bodies.rod]
mass = 3
com = ["0.4 m", 0]
inertia = 0.1
frames.C = ["0.9 m", 0]
[bodies.rocker]
mass = 2
com = ["0.3 m", 0]
inertia = 0.05
frames.C = ["0.6 m", 0]
placement = { position = ["1 m", 0], rotation = { angle = "100 deg" } }
[joints.motor]
type = "revolute"
between = ["ground", "rotor"]
actuated = true
[joints.A]
type = "revolute"
between = ["ground", "crank"]
[joints.B]
type = "revolute"
between = ["crank.B", "rod"]
[joints.D]
type = "revolute"
between = ["ground.D", "rocker"]
[joints.C]
type = "revolute"
between = ["rod.C", "rocker.C"]
closing = true
[couplings.gear]
on = { combination = { motor = 1, A = RATIO } }
[coordinates]
crank = { joint = "A" }
motor = { joint = "motor" }
rocker = { joint = "D" }
[pose]
crank = "60 deg"
"""
SPINDLE = """
format = 1
name = "spindle"
[bodies.screw]
mass = "1 kg"
inertia = [1e-4, 1e-4, 2e-5]
[bodies.car]
mass = "20 kg"
inertia = [0.1, 0.1, 0.1]
placement = { position = [0, 0, "300 mm"] }
[joints.motor]
type = "revolute"
between = ["ground", "screw"]
actuated = true
[joints.nut]
type = "helical"
lead = "5 mm/rev"
between = ["screw", "car"]
closing = true
[joints.rail]
type = "prismatic"
between = ["ground", "car"]
[coordinates]
screw = { joint = "motor" }
z = { joint = "rail" }
[pose]
z = "300 mm"
"""
QUICK = ExcitationTask(duration=5.0, harmonics=2, rate=50.0, starts=4, polish=1, iterations=20)


@pytest.fixture(scope="module")
def lift():
    return poinsot.loads(LIFT)


def test_maps_over_a_screw_are_the_modes_of_its_poses(lift):
    turns = np.array([-300.0, -150.0, -4.0, 40.0])
    found = poinsot.frequency_map(lift, {"screw": turns})
    one = [poinsot.modes(lift, {"screw": x}).frequencies for x in turns]
    assert_allclose(found.frequencies, one, rtol=1e-8)
    assert_allclose(poinsot.frequency_map(lift, {"x": 0.69 + LEAD * turns}).frequencies, one, rtol=1e-6)


@dataclass(frozen=True)
class Hardening(Force):
    """V = ¼ c s⁴."""

    cubic: float  # c

    kind = "hardening"
    parameters = {"cubic": "f/u^3"}

    def potential(self, s):
        return self.cubic * s**4 / 4


def test_springs_see_the_turns_that_a_map_asks_for(monkeypatch):
    monkeypatch.setitem(FORCES, "hardening", Hardening)
    document = dict(poinsot.load("pendulum").document)
    document["forces"] = {"band": {"type": "hardening", "on": {"joint": "hinge"}, "cubic": "5 N*m/rad^3"}}
    document["actuators"] = {"motor": {"on": {"joint": "hinge"}}}
    machine = poinsot.build(document)
    (name,) = machine.elements.pose or list(machine.coordinates)[:1]
    angles = np.array([0.3, 0.3 + 2 * np.pi, 0.3 - 4 * np.pi])
    found = poinsot.frequency_map(machine, {name: angles}).frequencies[:, 0]
    assert_allclose(found, [poinsot.modes(machine, {name: x}).frequencies[0] for x in angles], rtol=1e-8)
    assert found[1] > 2 * found[0]


@pytest.mark.parametrize("ratio", [5, -7, 100])
def test_designs_along_a_geared_motor_move_the_machine_as_they_say(ratio):
    machine = poinsot.loads(GEARED.replace("RATIO", str(ratio)))
    limits = {"crank": ["20 deg", "100 deg"], "crank.rate": 3.0}
    for names in (("motor",), ("crank",)):
        task = ExcitationTask(**{**vars(QUICK), "coordinates": names})
        found = poinsot.design(machine, task, unknowns=["rod.mass", "rocker.mass"], limits=limits, noise=0.05)
        moved = poinsot.kinematics(machine, found.motion, np.linspace(0, found.duration, 1001)).coordinates["crank"]
        told = next(one for one in found.limits if one.name == "crank")
        assert_allclose([told.least, told.greatest], [moved.min(), moved.max()], atol=2e-3)
        assert moved.min() > np.radians(20) - 2e-3 and moved.max() < np.radians(100) + 2e-3


def test_designs_of_a_screw_drive_tell_where_the_machine_goes(lift):
    task = ExcitationTask(**{**vars(QUICK), "coordinates": ("x",)})
    limits = {"x": ["350 mm", "740 mm"], "x.rate": "300 mm/s", "height": ["300 mm", "750 mm"]}
    found = poinsot.design(lift, task, unknowns=["shoe.mass", "rail.viscous"], limits=limits, noise=0.01)
    moved = poinsot.kinematics(lift, found.motion, np.linspace(0, found.duration, 1001)).coordinates["height"]
    told = next(one for one in found.limits if one.name == "height")
    assert np.ptp(moved) > 0.02
    assert_allclose([told.least, told.greatest], [moved.min(), moved.max()], atol=2e-3 * np.ptp(moved))


def test_an_arm_is_calibrated_from_the_turns_of_its_screw(lift):
    rng, x = np.random.default_rng(1), np.linspace(0.4, 0.7, 25)
    height = np.sqrt(0.803**2 - x**2) + 20e-6 * rng.standard_normal(25)
    poses = poinsot.Recording.of(np.arange(25.0), {"encoder": (x - 0.69) / LEAD, "height": height})
    noise = {"encoder": 1e-3, "height": 20e-6}
    found = poinsot.identify(lift, poses, ["arm.end.x"], problem="geometry", noise=noise)
    assert abs(found["arm.end.x"].value - 0.803) < 4 * found["arm.end.x"].deviation < 4e-5


@pytest.fixture(scope="module")
def fallen(lift):
    """The lift with a heavier shoe, sinking against 0.01 N·m, as its encoder and its torque sensor read it."""
    heavy = lift.with_parameters({"shoe.mass": 12.0})
    run = poinsot.simulate(heavy, 0.8, t=np.arange(0, 0.8, 0.005), pose={"x": 0.5}, forces={"motor": 0.01})
    noise = 5e-3 * np.random.default_rng(3).standard_normal(len(run.t))
    channels = {"encoder": run.coordinates["screw"] + noise, "torque": np.full(len(run.t), 0.02)}
    return poinsot.Recording.of(run.t, channels)


def test_output_error_counts_turns_and_takes_forces_from_sensors_of_drives(lift, fallen):
    options = {"problem": "output", "noise": {"encoder": 5e-3}}
    found = poinsot.identify(lift, fallen, ["shoe.mass"], **options)
    assert abs(found["shoe.mass"].value - 12.0) < 4 * found["shoe.mass"].deviation < 0.4
    assert "0 is assumed" not in str(found)
    silent = poinsot.identify(lift, fallen.only("encoder"), ["shoe.mass"], **options)
    assert "no force of motor was recorded: 0 is assumed" in str(silent)
    assert abs(silent["shoe.mass"].value - 12.0) > 4 * found["shoe.mass"].deviation


def test_the_gain_of_a_sensor_whose_forces_drive_a_simulation_is_refused(lift, fallen):
    with pytest.raises(poinsot.PoinsotError, match=r"gain of 'torque' cannot be found from simulated outputs"):
        poinsot.identify(lift, fallen, ["torque.gain"], problem="output", noise={"encoder": 5e-3})


def test_limits_of_poses_count_the_turns_of_a_screw(lift):
    limits = limits_of({"screw": [-350.0, 60.0]}, lift)
    space, matrices = PoseSpace.of(lift, limits, ("screw",)), BatchMatrices(lift, ("screw",), (), None)
    s = np.array([[-340.0], [-100.0], [50.0]])
    q, reached, _ = matrices.place(s, np.zeros((1, 0)))
    assert reached.all()
    assert_allclose(space.values(matrices.compiled, q, matrices.p, np.zeros((3, 0))), s, rtol=1e-9)


def test_poses_for_calibration_use_all_turns_within_their_limits(lift):
    task = {"task": "calibration", "poses": 8, "candidates": 500}
    noise = {"encoder": 1e-3, "height": 20e-6}
    found = poinsot.design(lift, task, unknowns=["arm.end.x"], limits={"screw": [-350.0, 60.0]}, noise=noise)
    told = next(one for one in found.limits if one.name == "screw")
    assert 0 < told.least < told.greatest <= 60  # where the height changes most with the length


def test_fused_encoders_of_coupled_motors_are_read_with_their_turns(lift):
    compiled = system(lift)
    measured = PoseMeasurement(compiled, "shoe", ("encoder",), compiled.parameters(lift), 0.8)
    assert not measured.turning.any()
    free = poinsot.loads(LIFT[: LIFT.index("[couplings.nut]")] + LIFT[LIFT.index("[coordinates]") :])
    compiled = system(free)
    assert PoseMeasurement(compiled, "shoe", ("encoder",), compiled.parameters(free), 0.8).turning.all()


def test_a_motion_that_cannot_be_followed_between_samples_is_refused(lift, monkeypatch):
    along = DrivenMachine.along

    def broken(machine, s, known=None):
        found = along(machine, s, known)
        late = np.arange(len(found.reached)) == len(found.reached) // 2
        return replace(found, reached=found.reached & ~late) if s.shape[1] > 300 else found

    task = ExcitationTask(**{**vars(QUICK), "coordinates": ("x",)})
    study = {"unknowns": ["shoe.mass"], "limits": {"x": [0.5, 0.7], "x.rate": 0.2}, "noise": 0.01}
    monkeypatch.setattr(DrivenMachine, "along", broken)
    with pytest.raises(poinsot.PoinsotError, match=r"cannot be followed at t = [\d.]+ s, between its samples"):
        poinsot.design(lift, task, **study)


@pytest.mark.parametrize("formulation", ["joint", "embedded", "euler", "rotation-matrix"])
def test_a_spindle_has_turned_as_far_as_its_nut_went(formulation):
    spindle = poinsot.loads(SPINDLE)
    z = np.array([0.3, 0.32, 0.7, 0.1234])
    values = [poinsot.assemble(spindle, {"z": x}).value(spindle.coordinates["screw"], spindle.joints) for x in z]
    assert_allclose(values, (0.3 - z) / LEAD, atol=1e-8)
    t = np.linspace(0, 1, 401)
    moved = poinsot.kinematics(spindle, {"z": lambda t: 0.35 + 0.1 * t}, t, formulation=formulation)
    assert_allclose(moved.coordinates["screw"], (0.3 - moved.coordinates["z"]) / LEAD, atol=1e-8)
    back = poinsot.kinematics(spindle, {"screw": (t, moved.coordinates["screw"])}, t, formulation=formulation)
    assert_allclose(back.coordinates["z"], moved.coordinates["z"], atol=1e-12)
    fallen = poinsot.simulate(spindle, 0.2, pose={"z": 0.35}, formulation=formulation)
    assert_allclose(fallen.coordinates["screw"], (0.3 - fallen.coordinates["z"]) / LEAD, atol=1e-6)


def test_modes_tell_the_turns_of_their_pose(lift):
    at_rest = poinsot.modes(lift, {"screw": -300.0}).linear
    assert "screw = -300 rad" in pose_line(lift, at_rest.poses, at_rest.angles)


FINE = """
format = 1
name = "fine feed"
gravity = [0, 0, "-9.81 m/s²"]
[bodies.motor]
inertia = ["1e-4 kg·m²", "1e-4 kg·m²", "2e-4 kg·m²"]
[bodies.screw]
inertia = ["1e-4 kg·m²", "1e-4 kg·m²", "3e-4 kg·m²"]
[bodies.table]
mass = "12 kg"
inertia = ["0.1 kg·m²", "0.1 kg·m²", "0.1 kg·m²"]
[joints.rotor]
type = "revolute"
between = ["ground", "motor"]
actuated = true
friction = { viscous = "1e-3 N·m·s/rad" }
[joints.spindle]
type = "revolute"
between = ["ground", "screw"]
[joints.slide]
type = "prismatic"
between = ["ground", "table"]
closing = true
[couplings.gear]
on = { combination = { rotor = 1, spindle = -20 } }
[coordinates]
phi = { joint = "rotor" }
x = { joint = "slide" }
"""
NUT = '[couplings.nut]\non = { combination = { slide = 1, spindle = "-2 mm/rev" } }\n'
THREAD = '[joints.thread]\ntype = "helical"\nbetween = ["table", "screw"]\nlead = "-2 mm/rev"\n'
FEED = 2e-3 / (2 * np.pi)  # of its screw  [m/rad]


def fine_feed(screw: str) -> poinsot.Mechanism:
    return poinsot.loads(FINE + (NUT if screw == "coupling" else THREAD))


@pytest.mark.parametrize("driven, formulation", [("x", "joint"), ("x", "embedded"), ("x", "euler"), ("phi", "euler")])
@pytest.mark.parametrize("screw", ["coupling", "joint"])
def test_the_torque_behind_a_gear_and_a_fine_screw_is_the_balance_of_power_to_round_off(screw, driven, formulation):
    t, ratio, size = np.linspace(0, 2, 41), 20 / FEED, 2e-3  # radians of the motor for a metre
    motion = poinsot.Fourier(np.pi, (size if driven == "x" else size * ratio,))
    torque = poinsot.inverse_dynamics(fine_feed(screw), {driven: motion}, t, formulation=formulation).forces["rotor"]
    speed, rate = size * np.pi * np.cos(np.pi * t), -size * np.pi**2 * np.sin(np.pi * t)
    turning = (2e-4 + 3e-4 / 20**2) * ratio * rate + 1e-3 * ratio * speed
    assert_allclose(torque, turning + 12 * (rate + 9.81) / ratio, rtol=0, atol=1e-11 * np.max(np.abs(torque)))


@pytest.mark.parametrize("screw", ["coupling", "joint"])
def test_a_design_along_a_table_behind_a_gear_and_a_fine_screw_moves_it_as_far_as_its_limits(screw, tmp_path):
    (tmp_path / "feed.toml").write_text(FINE + (NUT if screw == "coupling" else THREAD))
    study = tmp_path / "design.toml"
    study.write_text(
        'model = "feed.toml"\nunknowns = ["table.mass", "rotor.viscous"]\n'
        '[design]\ntask = "excitation"\ncoordinates = ["x"]\nduration = "4 s"\nharmonics = 2\n'
        'rate = "20 Hz"\nstarts = 8\n'
        '[limits]\nx = "20 mm"\n"x.rate" = "50 mm/s"\n[noise]\nrotor = "0.01 N·m"\n'
    )
    found = poinsot.design(study)
    x, rate, _ = found.motion["x"].at(np.linspace(0, 4, 400))
    assert 10e-3 < np.ptp(x) < 40e-3
    assert 0.8 * 50e-3 < np.max(np.abs(rate)) < 1.001 * 50e-3
