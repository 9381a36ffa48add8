"""Flexible links in mechanisms of all kinds: open, closed, parallel, mixed with rigid ones."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh, null_space

import poinsot
from poinsot.vibration.linear_model.model import linear_model


def flexible(name: str, stiffer: float = 1.0, gravity=None) -> poinsot.Mechanism:
    """A library mechanism with a beam from the origin of every body to each of its frames."""
    library = poinsot.load(name)
    document = json.loads(json.dumps(dict(library.document), default=str))
    document["materials"] = {"alloy": {"E": 70e9 * stiffer, "G": 27e9 * stiffer, "density": 1000.0}}
    document["sections"] = {"tube": {"area": 2e-4, "Iy": 2e-8, "Iz": 3e-8, "torsion": 4e-8}}
    document["gravity"] = gravity or [0.0] * (2 if library.planar else 3)
    for group in (document, *document.get("components", {}).values()):
        for key, body in group.get("bodies", {}).items():
            if key != "ground" and body.get("frames"):
                tube = {"material": "alloy", "section": "tube"}
                body["beams"] = {f"to_{f}": {"between": [key, f"{key}.{f}"], **tube} for f in body["frames"]}
    return poinsot.build(document)


@pytest.mark.parametrize("name", ["five_bar", "four_bar", "slider_crank", "three_link", "delta"])
@pytest.mark.parametrize("locked", ["all", "none"])
def test_chains_leave_the_motions_that_the_constraints_leave(name, locked):
    small = linear_model(flexible(name), None, locked=locked)
    direct = null_space(small.C)
    assert small.basis.shape == direct.shape and np.max(np.abs(small.C @ small.basis)) < 1e-10
    one, other = (eigh(B.T @ small.K @ B, B.T @ small.M @ B, eigvals_only=True) for B in (small.basis, direct))
    assert_allclose(one, other, rtol=1e-8, atol=1e-11 * other[-1])


def test_stiff_links_with_springs_move_as_rigid_ones():
    stiff = flexible("three_link", 1e4)
    pose = {"phi1": 0.6, "phi2": -0.7, "phi3": 0.5}
    bent, rigid = (poinsot.modes(stiff, pose=pose, formulation=f, n=3).frequencies for f in ("elastic", "joint"))
    assert_allclose(bent, rigid, rtol=1e-5)
    soft = poinsot.modes(flexible("three_link"), pose=pose, n=3).frequencies
    assert np.all(soft < 0.99999 * rigid)


def test_free_actuators_leave_rigid_body_motions():
    found = poinsot.modes(flexible("five_bar"), locked="none")
    assert found.labels[:2] == ("rigid-body",) * 2 and found.frequencies[2] > 1
    locked = poinsot.modes(flexible("five_bar"), locked="all")
    assert len(locked.values) == len(found.values) - 2 and locked.frequencies[0] > 1


def test_a_stiff_closed_loop_held_against_gravity_has_the_stiffness_of_its_joint_forces():
    stiff = flexible("four_bar", 1e3, gravity=[0.0, -9.81])
    rest = poinsot.equilibrium(stiff, pose={"theta1": -1.0})
    pose = {"theta1": rest.coordinates["theta1"]}
    bent = poinsot.modes(stiff, pose=pose, locked="none", n=1)
    rigid = poinsot.modes(stiff, pose=pose, locked="none", formulation="joint")
    assert_allclose(bent.frequencies[0], rigid.frequencies[0], rtol=1e-3)


def test_the_energies_of_a_mode_are_shared_out_completely():
    found = poinsot.modes(flexible("five_bar"), n=4)
    kinetic = sum(found.kinetic_energy.values())
    assert_allclose(kinetic, 1.0, rtol=1e-9)
    assert_allclose(sum(found.strain_energy.values()), 1.0, rtol=1e-12)


def test_a_joint_may_be_written_from_either_side():
    document = json.loads(json.dumps(dict(flexible("three_link").document), default=str))
    arms = [{"body": "link1", "position": ["l1 + L1 + l2/2", 0.012]}, {"body": "link2", "position": [0.0, 0.01]}]
    joints = document["joints"]
    forwards, backwards = (
        poinsot.build({**document, "joints": {**joints, "B": {**joints["B"], "between": places}}})
        for places in (arms, arms[::-1])
    )
    poses = {"phi1": [0.1, 0.6], "phi2": [0.3, -0.7], "phi3": [-0.2, 0.5]}
    one, other = (poinsot.frequency_map(m, poses).frequencies for m in (forwards, backwards))
    assert_allclose(one, other, rtol=1e-8)
    for k in range(2):
        single = poinsot.modes(backwards, pose={name: values[k] for name, values in poses.items()}).frequencies
        assert_allclose(other[k], single, rtol=1e-8)


@pytest.mark.parametrize("elements", [3, 60])
def test_a_rigid_loop_beside_a_flexible_arm_does_not_hinder_small_or_large_meshes(elements):
    document = json.loads(json.dumps(dict(poinsot.load("four_bar").document), default=str))
    document["gravity"] = [0.0, 0.0]
    document["materials"] = {"alloy": {"E": 70e9, "G": 27e9, "density": 2700.0}}
    document["sections"] = {"tube": {"area": 2e-4, "Iy": 2e-8, "Iz": 3e-8, "torsion": 4e-8}}
    arm = {"between": ["arm", "arm.tip"], "material": "alloy", "section": "tube", "elements": elements}
    document["bodies"]["arm"] = {"frames": {"tip": [0.8, 0.0]}, "beams": {"rod": arm}}
    document["joints"]["weld"] = {"type": "fixed", "between": ["link1", "arm"]}
    found = poinsot.modes(poinsot.build(document), locked="all", n=2)
    exact = sorted(1.8751040687**2 * np.sqrt(70e9 * I / (2700 * 2e-4 * 0.8**4)) / (2 * np.pi) for I in (2e-8, 3e-8))
    assert_allclose(found.frequencies, exact, rtol=2e-3)  # rotary inertia


def test_copies_that_no_longer_share_a_parameter_are_another_model():
    robot, pose = poinsot.load("navaro_refined"), {"x": 0, "y": 0, "theta": 0}
    shared = poinsot.modes(robot, pose=pose, n=3).frequencies
    apart = robot.with_separate("leg.link1.com.y", "leg.link1.inertia")
    assert_allclose(poinsot.modes(apart, pose=pose, n=3).frequencies, shared, rtol=1e-12)
    heavy = poinsot.modes(apart.with_parameters({"leg2.link1.inertia": 0.05}), pose=pose, n=3).frequencies
    assert np.any(heavy < 0.999 * shared)


def test_a_map_sees_a_light_preload_between_stiff_links():
    document = json.loads(json.dumps(dict(flexible("three_link", 10.0).document), default=str))
    for joint in "ABC":
        document["joints"][joint]["stiffness"] = 0.02
    pull = {"type": "spring", "on": {"length": ["ground", "link3"]}, "stiffness": 1e-3, "rest": 30.0}
    loaded, pose = poinsot.build({**document, "forces": {"pull": pull}}), {"phi1": 0.1, "phi2": 0.8, "phi3": 1.2}
    found = poinsot.frequency_map(loaded, pose, n=3).frequencies
    assert_allclose(found, poinsot.modes(loaded, pose=pose, n=3).frequencies, rtol=1e-8)
    assert not np.allclose(found, poinsot.modes(poinsot.build(document), pose=pose, n=3).frequencies, rtol=1e-3)
