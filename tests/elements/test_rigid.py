"""A rigid body's inertia about its centre, about its origin, and back."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from numpy.testing import assert_allclose

from poinsot.elements.bodies import RigidBody
from poinsot.elements.frame import Frame
from tests.strategies import numbers, vectors


@given(m=numbers(0.1, 5.0), com=vectors(), a=vectors(), b=vectors(), d=vectors())
def test_inertia_about_the_origin_is_that_of_the_points_that_make_the_body(m, com, a, b, d):
    offsets = np.array([a, -a, b, -b, d, -d])  # six equal points around the centre
    J = sum(m / 6 * (r @ r * np.eye(3) - np.outer(r, r)) for r in offsets)
    about_origin = sum(m / 6 * (p @ p * np.eye(3) - np.outer(p, p)) for p in com + offsets)
    six = (J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2])
    body = RigidBody("b", m, tuple(com), six, (Frame("b", "tip"),))
    inertia = body.spatial_inertia()
    assert_allclose(body.inertia_about_centre(), J, atol=1e-14)
    assert inertia.m == m
    assert_allclose(inertia.h, m * com, atol=1e-14)
    assert_allclose(inertia.I, about_origin, atol=1e-12)
    i = [about_origin[0, 0], about_origin[0, 1], about_origin[0, 2], *about_origin[1, 1:], about_origin[2, 2]]
    assert_allclose(body.inertial_parameters(), [m, *(m * com), *i], atol=1e-12)
    again = RigidBody("b", 1.0, (0.0,) * 3, (0.0,) * 6, body.frames).with_inertia(inertia)
    assert again.name == "b" and again.frames == body.frames
    assert_allclose([again.mass, *again.com, *again.inertia], [m, *com, *six], atol=1e-12)
