"""Poses beyond half a turn of machines in which whole turns count: screws, gears, racks."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot

LINK = {"mass": 1.0, "inertia": 0.01}


def pair(weights, kind="revolute", **pose):
    """A shaft and a follower, kept in step by Σ w q = 0."""
    joints = {"a": {"type": "revolute", "between": ["ground", "shaft"]}}
    joints["b"] = {"type": kind, "between": ["ground.side", "follower"]}
    bodies = {"shaft": LINK, "follower": LINK, "ground": {"frames": {"side": [0.3, 0.1]}}}
    document = {"format": 1, "planar": True, "bodies": bodies, "joints": joints}
    document["couplings"] = {"gear": {"on": {"combination": weights}}}
    document["coordinates"] = {"in": {"joint": "a"}, "out": {"joint": "b"}}
    return poinsot.build(document | ({"pose": pose} if pose else {}))


def out(mechanism, pose=None):
    poses = poinsot.assemble(mechanism, pose).poses
    return float(mechanism.coordinates["out"].value(poses, mechanism.joints))


@pytest.mark.parametrize("turned", [2.0, 4.0, -5.0, 12.0])
@pytest.mark.parametrize("ratio", [3.0, 2.5, -4.0, 7 / 3])
def test_a_gear_is_turned_as_far_as_the_pose_says(ratio, turned):
    expected = np.exp(1j * turned / ratio)
    gear = pair({"b": ratio, "a": -1.0})
    assert np.exp(1j * out(gear, {"in": turned})) == pytest.approx(expected, abs=1e-9)
    assert np.exp(1j * out(gear, {"in": turned, "out": turned / ratio})) == pytest.approx(expected, abs=1e-9)
    at_home = pair({"b": ratio, "a": -1.0}, **{"in": turned})
    assert np.exp(1j * out(at_home)) == pytest.approx(expected, abs=1e-9)
    assert np.exp(1j * out(at_home, {"in": turned + 0.1})) == pytest.approx(expected * np.exp(0.1j / ratio), abs=1e-9)


def test_what_is_not_given_keeps_the_turns_of_the_file_s_pose():
    """A shaft beside the gear that the file turns by 5 rad stays there."""
    gear = pair({"b": 3.0, "a": -1.0}).document
    idle = {"type": "revolute", "between": ["ground", "idle"]}
    document = gear | {"bodies": gear["bodies"] | {"idle": LINK}, "joints": gear["joints"] | {"c": idle}}
    document |= {"coordinates": gear["coordinates"] | {"free": {"joint": "c"}}, "pose": {"free": 5.0, "in": 4.0}}
    mechanism = poinsot.build(document)
    found = poinsot.assemble(mechanism, {"in": 7.0})
    values = {name: found.value(c, mechanism.joints) for name, c in mechanism.coordinates.items()}
    assert values == pytest.approx({"in": 7.0, "out": 7.0 / 3, "free": 5.0}, abs=1e-9)


def test_a_rack_goes_as_far_as_its_pinion_turns():
    rack = pair({"a": 1.0, "b": "-25 rad/m"}, "prismatic")
    assert out(rack, {"in": 5.0}) == pytest.approx(0.2) and out(rack, {"in": -20.0}) == pytest.approx(-0.8)


def test_a_screw_advances_by_all_of_its_turns():
    table = poinsot.load("tilting_table")
    tilts = [poinsot.kinematics(table, {"screw": x}, [0.0, 0.1]).coordinates["tilt"][0] for x in (1.0, 5.0, 62.0)]
    ramp = poinsot.kinematics(table, {"screw": lambda t: 62.0 * t}, np.linspace(0.0, 1.0, 200))
    assert tilts[1] == pytest.approx(5 * tilts[0], rel=1e-2)
    assert tilts[2] == pytest.approx(ramp.coordinates["tilt"][-1], rel=1e-9)


def test_a_ratio_of_no_teeth_is_refused_beyond_half_a_turn():
    gear = pair({"b": np.pi, "a": -1.0})
    assert out(gear, {"in": 3.0}) == pytest.approx(3.0 / np.pi)
    with pytest.raises(poinsot.PoinsotError, match=r"coupling 'gear'.*4 rad is beyond half a turn"):
        poinsot.assemble(gear, {"in": 4.0})


@pytest.mark.parametrize("formulation", ["joint", "embedded", "euler", "rotation-matrix"])
@pytest.mark.parametrize("ratio", [2.5, 1 / 3])
def test_ratios_of_teeth_are_kept_over_turns_in_every_formulation(ratio, formulation):
    found = poinsot.simulate(pair({"b": ratio, "a": -1.0}), 4.0, velocity={"in": 3.0}, formulation=formulation)
    assert not found.status
    np.testing.assert_allclose(found.coordinates["in"], 3.0 * found.t, atol=1e-8)
    np.testing.assert_allclose(found.coordinates["out"], 3.0 * found.t / ratio, atol=1e-7)
