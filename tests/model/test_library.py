"""Every mechanism of the library loads, assembles, and has the mobility that it should."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.elements.joints import JOINTS
from poinsot.model.assembly.topology import topology

MOBILITY = {
    "air_bearing_stage": 4,
    "crane": 7,
    "delta": 3,
    "double_hexapod": 6,
    "double_pendulum": 2,
    "ex800": 6,
    "ex800_drives": 6,
    "five_bar": 2,
    "four_bar": 1,
    "hexapod": 6,
    "hexapod_printed": 6,
    "navaro": 3,
    "navaro_refined": 3,
    "pendulum": 1,
    "satellite": 9,
    "shaper": 1,
    "six_bar": 1,
    "slider_crank": 1,
    "stacked_hexapod": 12,
    "stewart": 6,
    "three_link": 3,
    "three_rrr": 3,
    "tilting_table": 1,
}


def test_the_library_holds_what_it_promises():
    assert set(poinsot.library_names()) == set(MOBILITY)


@pytest.mark.parametrize("name", poinsot.library_names())
def test_a_library_mechanism_is_sound(name):
    report = poinsot.check(poinsot.load(name))
    assert report.ok and report.mobility == report.mobility_given == report.mobility_counted == MOBILITY[name]
    assert not report.redundant and report.residual < 1e-12


@pytest.mark.parametrize("name", poinsot.library_names())
def test_a_library_mechanism_assembles_with_every_joint_the_right_way_round(name):
    mechanism = poinsot.load(name)
    assembly = poinsot.assemble(mechanism).require()
    for joint in mechanism.joints.values():
        if joint.carries:
            X_FM = joint.relative(assembly.poses[joint.a.body], assembly.poses[joint.b.body])
            again = joint.motion(joint.measure(X_FM))
            np.testing.assert_allclose(again.R, X_FM.R, atol=1e-9)
            np.testing.assert_allclose(again.p, X_FM.p, atol=1e-9)


@pytest.mark.parametrize("name", [n for n in MOBILITY if poinsot.load(n).planar and MOBILITY[n]])
def test_a_planar_mechanism_moves_the_same_in_space(name):
    mechanism = poinsot.load(name)
    closing = [mechanism.joints[joint] for joint in topology(mechanism.elements).closing]
    report = poinsot.check(mechanism.in_space())
    assert report.mobility == MOBILITY[name]
    too_many = [len(joint.rows) - len(joint.in_plane) for joint in closing]  # 3 of a hinge, 1 of a pin in a slot
    assert len(report.redundant) == sum(too_many)


def test_every_kind_of_joint_is_in_the_library():
    kinds = {joint.kind for name in MOBILITY for joint in poinsot.load(name).joints.values()}
    assert kinds | {"fixed"} == set(JOINTS)


def test_counts_of_the_published_stewart_platforms():
    for name in ("ex800", "hexapod"):
        report = poinsot.check(poinsot.load(name))
        assert (report.bodies, report.constraints) == (13, 72)


def test_rods_are_one_unknown_or_six():
    ex800 = poinsot.load("ex800")
    assert "rods.mass" in ex800.parameters
    six = ex800.with_separate("rods.mass")
    assert [n for n in six.parameters if n.endswith("rod.mass")] == [f"leg{i}.rod.mass" for i in range(1, 7)]
    changed = six.with_parameters({"leg3.rod.mass": 0.2})
    assert changed.bodies["leg3.rod"].mass == 0.2 and changed.bodies["leg2.rod"].mass == 0.1229
    assert all(b.mass == 0.3 for n, b in ex800.with_parameters({"rods.mass": 0.3}).bodies.items() if "rod" in n)
