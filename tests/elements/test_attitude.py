"""The quaternion of an attitude in symbols is that in numbers; joints have an axis if none is given."""

import casadi
import numpy as np
from hypothesis import given
from numpy.testing import assert_allclose

from poinsot.elements.frame import Frame
from poinsot.elements.joints import JOINTS
from poinsot.elements.joints.attitude import parts, quaternion_of
from poinsot.spatial.rotation import quaternion_from_matrix
from tests.strategies import rotations


@given(R=rotations())
def test_the_quaternion_of_an_attitude_is_the_same_for_numbers_and_symbols(R):
    q, S = quaternion_of(R), casadi.SX.sym("R", 3, 3)
    symbolic = casadi.Function("q", [S], [casadi.vertcat(*parts(quaternion_of(S)))])
    assert_allclose(q, quaternion_from_matrix(R))
    assert_allclose(np.array(symbolic(R)).ravel(), q, atol=1e-12)
    assert_allclose(parts(q), q)


def test_the_axis_of_a_joint_is_the_third_one_of_its_frames_if_none_is_given():
    hinge = JOINTS["revolute"]("hinge", Frame("ground", ""), Frame("bob", "", (0.1, 0.2, 0.3)))
    assert_allclose(hinge.frame_on_a().R, np.eye(3))
    assert_allclose(hinge.frame_on_b().R, np.eye(3))
    assert_allclose(hinge.frame_on_b().p, [0.1, 0.2, 0.3])
