"""All 24 Euler and Tait–Bryan sequences against SciPy and against differentiation of R(t)."""

import casadi
import numpy as np
import pytest
from hypothesis import assume, given, settings
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from poinsot.errors import PoinsotError
from poinsot.spatial.rotation import (
    SEQUENCES,
    SingularAttitudeError,
    axis_rotation,
    convert_angles,
    euler_acceleration,
    euler_angles,
    euler_determinant,
    euler_matrix,
    euler_rate_bias,
    euler_rate_matrix,
    euler_rates,
)
from tests.strategies import angular_acceleration, angular_velocity, rotations, vectors

REGULAR = {True: (0.6, 1.1, -0.4), False: (0.6, 0.7, -0.4)}  # Euler, Tait–Bryan: away from singular attitudes


def is_euler(sequence: str) -> bool:
    return sequence[0] == sequence[2]


def singular_angles(sequence: str) -> np.ndarray:
    return np.array([0.3, 0.0 if is_euler(sequence) else np.pi / 2, -0.8])


def test_there_are_twenty_four_sequences_and_scipy_knows_them_all():
    assert len(set(SEQUENCES)) == 24
    for sequence in SEQUENCES:
        Rotation.from_euler(sequence, [0.1, 0.2, 0.3])


@pytest.mark.parametrize("axis", "XYZ")
def test_an_axis_rotation_is_that_of_scipy(axis):
    angles = np.linspace(-4, 4, 9)
    assert_allclose(axis_rotation(axis, angles), Rotation.from_euler(axis, angles[:, None]).as_matrix(), atol=1e-14)


@pytest.mark.parametrize("sequence", SEQUENCES)
@settings(max_examples=8)
@given(angles=vectors(3, 7.0))
def test_the_matrix_of_every_sequence_is_that_of_scipy(sequence, angles):
    assert_allclose(
        euler_matrix(sequence, angles), Rotation.from_euler(sequence, angles).as_matrix(), atol=4e-15, rtol=0
    )


@pytest.mark.parametrize("sequence", SEQUENCES)
@settings(max_examples=8)
@given(R=rotations())
def test_angles_of_any_attitude_give_the_attitude_back(sequence, R):
    assert_allclose(euler_matrix(sequence, euler_angles(sequence, R)), R, atol=2e-7, rtol=0)


@pytest.mark.filterwarnings("ignore:Gimbal lock")
@pytest.mark.parametrize("sequence", SEQUENCES)
@settings(max_examples=8)
@given(R=rotations())
def test_regular_angles_are_those_of_scipy_up_to_the_other_solution(sequence, R):
    theirs = Rotation.from_matrix(R).as_euler(sequence)
    assume(abs(euler_determinant(sequence, theirs)) > 1e-3)
    ours = euler_angles(sequence, R, near=theirs)
    assert_allclose(ours, theirs, atol=1e-11, rtol=0)


@pytest.mark.parametrize("sequence", SEQUENCES)
@settings(max_examples=8)
@given(angles=vectors(3, 9.0), nudge=vectors(3, 0.2))
def test_near_finds_the_solution_closest_to_the_given_angles(sequence, angles, nudge):
    assume(abs(euler_determinant(sequence, angles)) > 0.3)
    found = euler_angles(sequence, Rotation.from_euler(sequence, angles).as_matrix(), near=angles + nudge)
    assert_allclose(found, angles, atol=1e-11, rtol=0)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_a_singular_attitude_has_angles_and_keeps_the_first_one_that_is_near(sequence):
    angles = singular_angles(sequence)
    R = Rotation.from_euler(sequence, angles).as_matrix()
    found = euler_angles(sequence, R, near=angles + np.array([0.05, 0.0, 0.0]))
    assert_allclose(Rotation.from_euler(sequence, found).as_matrix(), R, atol=1e-7)
    assert np.max(np.abs(found - angles)) < 0.11


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_batches_are_the_same_as_one_by_one(sequence):
    rng = np.random.default_rng(3)
    angles, rates = rng.uniform(-1, 1, (4, 5, 3)) + np.array([0, 0.7, 0]), rng.normal(size=(4, 5, 3))
    R, E = euler_matrix(sequence, angles), euler_rate_matrix(sequence, angles)
    bias, back = euler_rate_bias(sequence, angles, rates), euler_angles(sequence, R)
    for i, j in np.ndindex(4, 5):
        assert_allclose(R[i, j], euler_matrix(sequence, angles[i, j]), atol=1e-15)
        assert_allclose(E[i, j], euler_rate_matrix(sequence, angles[i, j]), atol=1e-15)
        assert_allclose(bias[i, j], euler_rate_bias(sequence, angles[i, j], rates[i, j]), atol=1e-14)
        assert_allclose(back[i, j], euler_angles(sequence, R[i, j]), atol=1e-14)


@pytest.mark.parametrize("sequence", SEQUENCES)
@settings(max_examples=8)
@given(angles=vectors(3, 3.0), rates=vectors(), accelerations=vectors())
def test_rates_and_accelerations_are_derivatives_of_the_attitude(sequence, angles, rates, accelerations):
    def R(t):
        return Rotation.from_euler(sequence, angles + rates * t + accelerations * t**2 / 2).as_matrix()

    E = euler_rate_matrix(sequence, angles)
    bias = euler_rate_bias(sequence, angles, rates)
    assert_allclose(E @ rates, angular_velocity(R, 0.0), atol=1e-10)
    assert_allclose(E @ accelerations + bias, angular_acceleration(R, 0.0), atol=1e-8)


@pytest.mark.parametrize("sequence", SEQUENCES)
@settings(max_examples=8)
@given(rates=vectors(), accelerations=vectors(), nudge=vectors(3, 0.3))
def test_angle_rates_invert_angular_velocity_and_acceleration(sequence, rates, accelerations, nudge):
    angles = np.array(REGULAR[is_euler(sequence)]) + nudge
    E = euler_rate_matrix(sequence, angles)
    alpha = E @ accelerations + euler_rate_bias(sequence, angles, rates)
    assert_allclose(euler_rates(sequence, angles, E @ rates), rates, atol=1e-12)
    assert_allclose(euler_acceleration(sequence, angles, rates, alpha), accelerations, atol=1e-11)


@pytest.mark.parametrize("sequence", SEQUENCES)
@settings(max_examples=8)
@given(angles=vectors(3, 7.0))
def test_the_determinant_is_the_sine_or_cosine_of_the_second_angle(sequence, angles):
    expected = np.sin(angles[1]) if is_euler(sequence) else np.cos(angles[1])
    assert_allclose(abs(euler_determinant(sequence, angles)), abs(expected), atol=1e-14)
    assert_allclose(
        euler_determinant(sequence, angles), np.linalg.det(euler_rate_matrix(sequence, angles)), atol=1e-14
    )


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_rates_at_a_singular_attitude_are_refused_by_name_and_sample(sequence):
    angles = np.tile(REGULAR[is_euler(sequence)], (5, 1))
    angles[3] = singular_angles(sequence)
    with pytest.raises(SingularAttitudeError, match=rf"the {sequence} angles are singular in sample 3 "):
        euler_rates(sequence, angles, np.ones((5, 3)))
    with pytest.raises(SingularAttitudeError, match=rf"the {sequence} angles are singular in sample 3 "):
        euler_acceleration(sequence, angles, np.ones((5, 3)), np.ones((5, 3)))
    with pytest.raises(SingularAttitudeError, match=rf"the {sequence} angles are singular \("):
        euler_rates(sequence, angles[3], np.ones(3))


def test_a_singular_attitude_is_a_poinsot_error_so_that_a_program_can_go_on():
    assert issubclass(SingularAttitudeError, PoinsotError)


def test_a_batch_with_two_axes_names_the_sample_by_both():
    angles = np.tile([0.1, 0.9, 0.2], (2, 3, 1))
    angles[1, 2, 1] = 0.0
    with pytest.raises(SingularAttitudeError, match=r"in sample \(.*1.*2.*\)"):
        euler_rates("ZXZ", angles, np.ones(3))


@pytest.mark.parametrize("wrong", ["", "ZZX", "XXX", "ZX", "ZXYZ", "zXz", "ABC"])
def test_an_unknown_sequence_is_an_error_that_lists_the_known(wrong):
    with pytest.raises(PoinsotError, match=r"not a rotation sequence.*ZXZ.*zyx"):
        euler_matrix(wrong, [0.0, 0.0, 0.0])


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_symbols_and_numbers_agree(sequence):
    q, v, a = (casadi.SX.sym(name, 3) for name in "qva")
    R, E = euler_matrix(sequence, q), euler_rate_matrix(sequence, q)
    symbolic = casadi.Function(
        "f",
        [q, v, a],
        [
            R,
            E,
            euler_rate_bias(sequence, q, v),
            euler_angles(sequence, R),
            euler_rates(sequence, q, E @ v),
            euler_acceleration(sequence, q, v, a),
            euler_determinant(sequence, q),
        ],
    )
    rng = np.random.default_rng(5)
    for _ in range(5):
        θ = np.array(REGULAR[is_euler(sequence)]) + rng.uniform(-0.3, 0.3, 3)
        ν, α = rng.normal(size=3), rng.normal(size=3)
        got = [np.squeeze(np.array(x)) for x in symbolic(θ, ν, α)]
        bias = euler_rate_bias(sequence, θ, ν)
        expected = [euler_matrix(sequence, θ), euler_rate_matrix(sequence, θ), bias, θ, ν]
        expected += [euler_acceleration(sequence, θ, ν, α), euler_determinant(sequence, θ)]
        for one, other in zip(got, expected):
            assert_allclose(one, other, atol=1e-12)


@pytest.mark.parametrize("source", SEQUENCES)
@settings(max_examples=8)
@given(angles=vectors(3, 3.0))
def test_conversion_keeps_the_attitude(source, angles):
    for target in ("ZXZ", "XYZ", "zyx"):
        converted = convert_angles(source, target, angles)
        expected = Rotation.from_euler(source, angles).as_matrix()
        assert_allclose(Rotation.from_euler(target, converted).as_matrix(), expected, atol=2e-7)
