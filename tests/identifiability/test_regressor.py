"""The regressor times the parameters is what inverse dynamics gives, in every channel of every mechanism."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest

import poinsot
from poinsot.identifiability.linear import linear_parameters

from .motions import random_motion

COMPONENTS = ["fx", "fy", "fz", "tx", "ty", "tz"]
SWINGING = ("crane", "satellite")  # fewer drives than freedoms: no motion can be prescribed
DRIVEN = [n for n in poinsot.library_names() if poinsot.load(n).actuators and n not in SWINGING]
T = np.linspace(0.0, 2.0, 25)
DIGITS = 1e-12  # of the largest force
LOADED = """
format = 1
[bodies.arm]
mass = 1.3
com = [0.2, 0.1, 0.3]
inertia = [0.02, 0.03, 0.04]
frames.tip = [0.4, 0, 0.1]
[joints.J]
type = "revolute"
between = ["ground", "arm"]
axis = [0, 0.6, 0.8]
actuated = true
stiffness = 3.0
rest = 0.2
damping = 0.4
[forces.push]
type = "load"
at = "arm.tip"
force = [1, 2, 3]
moment = [0.1, 0.2, 0.3]
[forces.wire]
type = "spring"
on = { length = ["arm.tip", { body = "ground", position = [1, 1, 1] }] }
stiffness = 7.0
rest = 0.5
[coordinates]
phi = { joint = "J" }
[pose]
phi = 0.3
"""


def assert_same(found, expected, digits=DIGITS):
    assert np.max(np.abs(found - expected)) < digits * np.max(np.abs(expected))


@pytest.mark.parametrize("name", DRIVEN)
def test_regressor_times_parameters_is_inverse_dynamics(name):
    mechanism = poinsot.load(name)
    for seed in (0, 1):
        motion = random_motion(mechanism, seed)
        W, d = poinsot.regressor(mechanism, motion, T), poinsot.inverse_dynamics(mechanism, motion, T)
        assert_same(W.values, np.stack([d.forces[c] for c in W.channels], axis=1))


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "five_bar", "ex800", "delta"])
def test_reactions_body_wrenches_and_power_are_linear_too(name):
    mechanism, t = poinsot.load(name), T[:4]
    motion = random_motion(mechanism)
    joint, body = list(mechanism.joints)[-1], next(iter(mechanism.bodies))
    W = poinsot.regressor(mechanism, motion, t, [f"reaction {joint}", f"wrench {body}", "power"])
    d = poinsot.inverse_dynamics(mechanism, motion, t)
    shown = [0, 1, 5] if mechanism.planar else list(range(6))
    k = len(shown)
    assert [c.rpartition(".")[2] for c in W.channels[:k]] == [COMPONENTS[i] for i in shown]
    assert_same(W.values[:, :k], d.reactions[joint][:, shown], 1e-11)
    assert_same(W.values[:, k : 2 * k - len(shown) // 2], d.body_forces[body][:, [i for i in shown if i < 3]])
    assert_same(W.values[:, -1], sum(d.power.values()), 1e-10)


@pytest.mark.parametrize("name", ["four_bar", "ex800"])
def test_the_ground_bears_what_its_joints_transmit(name):
    """Reactions at the ground, carried to the world's origin, drives and gravity included."""
    mechanism, t = poinsot.load(name), T[:3]
    motion = random_motion(mechanism)
    W, d = poinsot.regressor(mechanism, motion, t, "wrench ground"), poinsot.inverse_dynamics(mechanism, motion, t)
    total = np.zeros((3, 3))
    for joint in mechanism.joints.values():
        if "ground" in (joint.a.body, joint.b.body):
            moving, side = (
                (joint.b.body, joint.frame_on_b()) if joint.a.body == "ground" else ("ground", joint.frame_on_b())
            )
            R = d.kinematics.rotation[moving] if moving != "ground" else np.tile(np.eye(3), (3, 1, 1))
            sign = -1 if moving != "ground" else 1  # the reaction acts on the second body
            total += sign * np.einsum("nij,jk,nk->ni", R, np.asarray(side.R), d.reactions[joint.name][:, :3])
    shown = [COMPONENTS.index(c[-2:]) for c in W.channels if c[-2] == "f"]
    assert_same(W.values[:, : len(shown)], total[:, shown])


def test_linear_parameters_are_about_the_bodys_origin_and_named_as_in_the_file():
    five_bar = poinsot.load("five_bar")
    names = [p.name for p in linear_parameters(five_bar) if p.declared]
    assert names[:4] == ["crank1.m", "crank1.mx", "crank1.my", "crank1.J"]
    assert names[-3:] == ["shoulder2.drive_inertia", "shoulder2.viscous", "shoulder2.coulomb"]
    W = poinsot.regressor(five_bar, five_bar.elements.pose, [0.0])
    numbers = dict(zip(W.columns, W.parameters))
    assert numbers["crank1.mx"] == pytest.approx(0.31 * 0.095)
    assert numbers["crank1.J"] == pytest.approx(1.3e-3 + 0.31 * (0.095**2 + 0.002**2))
    assert dict(zip(W.columns, W.units))["shoulder1.viscous"] == "N·m·s/rad"


def test_parameters_that_are_not_columns_go_to_the_known_side():
    mechanism = poinsot.load("five_bar")
    motion = random_motion(mechanism)
    W = poinsot.regressor(mechanism, motion, T, parameters=["crank*", "*.coulomb"])
    assert W.columns[-1] == "shoulder2.coulomb" and len(W.columns) == 10
    assert np.max(np.abs(W.rhs)) > 1e-3
    assert_same(W.values, poinsot.regressor(mechanism, motion, T).values)


def test_what_the_file_leaves_out_takes_part_when_it_is_named():
    slider = poinsot.load("slider_crank")
    W = poinsot.regressor(slider, random_motion(slider), T, parameters="*")
    assert (
        "bore.offset" in W.columns and "bore.offset" not in poinsot.regressor(slider, {"theta": 1.0}, [0.0]).columns
    )
    changed = W.matrix @ np.where(np.array(W.columns) == "bore.offset", 2.5, W.parameters)
    text = poinsot.dumps(slider).replace('coulomb = "4 N"', 'coulomb = "4 N", offset = "2.5 N"')
    other = poinsot.build(tomllib.loads(text))
    assert_same(changed, poinsot.inverse_dynamics(other, random_motion(slider), T).forces["main"])


@pytest.mark.parametrize("follows", [False, True])
def test_springs_dampers_and_loads_have_columns(follows):
    document = tomllib.loads(LOADED)
    document["forces"]["push"]["follows"] = follows
    mechanism = poinsot.build(document)
    motion = {"phi": poinsot.Fourier(3.0, (0.5, 0.2), (0.3,), 0.3)}
    W, d = poinsot.regressor(mechanism, motion, T), poinsot.inverse_dynamics(mechanism, motion, T)
    assert {"J.stiffness", "J.damping", "wire.stiffness", "push.force.y", "push.moment.z"} <= set(W.columns)
    assert_same(W.values[:, 0], d.forces["J"])
    R = poinsot.regressor(mechanism, motion, T, "reaction J")
    assert_same(R.values, d.reactions["J"])


def test_more_actuators_than_freedoms_share_by_their_weights():
    navaro = poinsot.load("navaro")
    motion, weights = random_motion(navaro), {"leg1.A1": 5.0, "leg3.A2": 0.2}
    W = poinsot.regressor(navaro, motion, T, weights=weights)
    d = poinsot.inverse_dynamics(navaro, motion, T, weights=weights)
    assert_same(W.values, np.stack([d.forces[c] for c in W.channels], axis=1))


def test_names_that_do_not_exist_and_forces_that_are_not_determined_are_refused():
    four_bar = poinsot.load("four_bar")
    with pytest.raises(poinsot.PoinsotError, match=r"there is no channel 'reaction Q'.*reaction A"):
        poinsot.regressor(four_bar, {"theta1": 1.0}, [0.0], "reaction Q")
    with pytest.raises(poinsot.PoinsotError, match=r"there is no linear parameter 'link1\.mass'.*link1\.m"):
        poinsot.regressor(four_bar, {"theta1": 1.0}, [0.0], parameters="link1.mass")
    with pytest.raises(poinsot.PoinsotError, match="redundant constraints leave it open"):
        poinsot.regressor(four_bar.in_space(), {"theta1": 1.0}, [0.0], "reaction D.fz")
    three_link = poinsot.load("three_link")
    with pytest.raises(poinsot.PoinsotError, match="under-actuated"):
        poinsot.regressor(three_link, dict.fromkeys(three_link.elements.pose, 0.0), [0.0], "reaction A")


SENSING = """
[sensors.motor]
type = "drive-force"
actuator = "J"
gain = 1.5
noise = 0.02
[sensors.cell]
type = "reaction"
joint = "J"
side = "a"
noise = 0.1
"""


def test_force_sensors_of_the_model_file_are_channels_with_their_gain_axes_and_noise():
    document = tomllib.loads(LOADED + SENSING)
    mechanism = poinsot.build(document)
    motion = {"phi": poinsot.Fourier(3.0, (0.5, 0.2), (0.3,), 0.3)}
    W = poinsot.regressor(mechanism, motion, T, ["sensor motor", "sensor cell"])
    d = poinsot.inverse_dynamics(mechanism, motion, T)
    assert W.channels[:2] == ("sensor motor", "sensor cell.fx") and W.noise == (0.02, *[0.1] * 6)
    assert_same(W.values[:, 0], 1.5 * d.forces["J"])
    joint, wrench = mechanism.joints["J"], d.reactions["J"]
    R_WF = np.asarray(joint.frame_on_a().R)
    R_FM = np.einsum("ji,njk,kl->nil", R_WF, d.kinematics.rotation["arm"], np.asarray(joint.frame_on_b().R))
    assert_same(W.values[:, 1:4], np.einsum("nij,nj->ni", R_FM, wrench[:, :3]))
    assert_same(W.values[:, 4:7], np.einsum("nij,nj->ni", R_FM, wrench[:, 3:]))
    found = poinsot.determinable(mechanism, motion, T, "sensor motor", parameters=["J.damping", "J.stiffness"])
    assert np.isfinite(found["J.damping"].deviation)
    with pytest.raises(poinsot.PoinsotError, match="there is no channel 'sensor gauge'"):
        poinsot.regressor(mechanism, motion, T, "sensor gauge")


def test_force_sensors_are_channels_by_their_names_alone_unless_a_drive_is_called_so():
    mechanism = poinsot.build(tomllib.loads(LOADED + SENSING))
    motion = {"phi": poinsot.Fourier(3.0, (0.5, 0.2), (0.3,), 0.3)}
    W = poinsot.regressor(mechanism, motion, T, ["motor", "cell"])
    assert W.channels == poinsot.regressor(mechanism, motion, T, ["sensor motor", "sensor cell"]).channels
    assert poinsot.regressor(mechanism, motion, T, "cell.fx").channels == ("sensor cell.fx",)
    with pytest.raises(
        poinsot.PoinsotError, match=r"channel 'sell' \(did you mean 'cell'\?\); there .* sensor cell, "
    ):
        poinsot.regressor(mechanism, motion, T, "sell")
    twin = poinsot.build(tomllib.loads((LOADED + SENSING).replace("[sensors.motor]", "[sensors.J]")))
    assert poinsot.regressor(twin, motion, T, "J").channels == ("J",)


def test_a_motion_brings_its_times_along():
    four_bar = poinsot.load("four_bar")
    series = {"theta1": poinsot.Fourier(2.0, (0.3, 0.1), (0.2,), 1.0)}
    found = poinsot.regressor(four_bar, series)
    np.testing.assert_array_equal(found.t, np.linspace(0, np.pi, 100, endpoint=False))
    times = np.linspace(0, 1, 25)
    samples = {"theta1": poinsot.Samples(times, 1 + times**2)}
    np.testing.assert_array_equal(poinsot.regressor(four_bar, samples).t, times)
    with pytest.raises(poinsot.PoinsotError, match="needs the times t"):
        poinsot.regressor(four_bar, {"theta1": lambda t: t})
