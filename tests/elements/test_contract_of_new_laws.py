"""New laws keep every contract that those of the registries keep; joints that are wrong abroad break it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poinsot.elements.frame import Frame
from poinsot.elements.joints import Cylindrical, Revolute, Universal
from poinsot.elements.joints.steps import HINGE, POINT, SLIDE, Closing, Step
from poinsot.spatial.pose import Pose
from tests.elements import contract, force_contract
from tests.elements.new_laws import Bushing, Gauge, Hardening, PanTilt, Rise, Rolling, registered
from tests.strategies import frames, poses


def make(law) -> contract.Joint:
    with registered():
        return contract.make(law.kind)


@pytest.mark.parametrize("law", [Rolling, PanTilt])
@given(data=st.data())
def test_a_new_joint_keeps_the_contract(law, data):
    joint = make(law)
    q, v = data.draw(contract.states(joint))
    for demand in contract.OF_A_CARRYING_JOINT:
        demand(joint, q)
    for demand in contract.WITH_SPEEDS:
        demand(joint, q, v)
    for demand in contract.AT_ANY_POSE:
        demand(joint, data.draw(poses()))


def test_a_new_joint_of_the_plane_keeps_its_contract():
    contract.rows_in_the_plane_are_independent_in_it(make(Rolling))
    contract.rows_out_of_the_plane_vanish_in_it(make(Rolling), 0.3, 0.0, 0.5)


@pytest.mark.parametrize("demand", force_contract.CONTRACT, ids=lambda f: f.__name__)
@pytest.mark.parametrize("law", [Hardening, Bushing])
def test_a_new_force_keeps_the_contract(law, demand):
    demand(law)


@given(X=poses(), Y=poses(), a=frames("A"), b=frames("B"))
def test_a_new_coordinate_reads_poses(X, Y, a, b):
    rise = Rise(a, b)
    assert set(rise.bodies({})) == {"A", "B"}
    assert rise.value({"A": X, "B": Y}, {}) == pytest.approx((Y @ b.pose()).p[2] - (X @ a.pose()).p[2], abs=1e-12)


def test_a_new_sensor_names_its_channel():
    assert [c.name for c in Gauge("g", joint="j").channels] == ["g"]
    assert set(Gauge.takes) <= set(Gauge.__dataclass_fields__)


class Welded(Revolute):
    def steps(self, X_FM, planar, whole_balls):
        return []


class Reversed(Universal):
    def steps(self, X_FM, planar, whole_balls):
        return super().steps(X_FM, planar, whole_balls)[::-1]


class WrongLead(Cylindrical):
    def steps(self, X_FM, planar, whole_balls):
        z, angle = self.measure(X_FM)
        return [Step(HINGE, "Z", float(angle), "angle", 1), Step(SLIDE, "Z", float(z), "slide", 0, lead=0.1)]


class CutAtAPoint(Cylindrical):
    def closing(self, planar):
        return Closing(POINT, 0)


class HalfTurned(Revolute):
    def motion(self, q):
        return super().motion(q / 2)

    def twist(self, q, v):
        return super().twist(q, v / 2)

    def measure(self, X_FM: Pose):
        return 2 * super().measure(X_FM)


@pytest.mark.parametrize("law", [Welded, Reversed, WrongLead, CutAtAPoint, HalfTurned], ids=lambda law: law.__name__)
def test_a_joint_that_is_another_one_abroad_or_beyond_a_turn_breaks_the_contract(law):
    joint = law("J", Frame("A", ""), Frame("B", ""))
    q = np.array([0.4, -0.9])[: len(joint.coordinates)]
    new = (contract.exports_are_its_motion_or_refused_by_name, contract.turns_beyond_half_a_turn_are_the_same_joint)
    broken = 0
    for demand in new:
        try:
            demand(joint, q)
        except AssertionError:
            broken += 1
    assert broken
