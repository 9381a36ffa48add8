"""The beam element against the printed matrices of its paper, quadrature, and the theory of beams."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.polynomial.polynomial import polyder, polyfit, polyint, polymul, polyval
from numpy.testing import assert_allclose

from poinsot.elements.bodies.beam import Beam, elastic_energy, field, mass_matrix, weight_energy
from poinsot.elements.frame import Frame
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import rotation_exponential, rotation_logarithm

E, G, RHO, A, IY, IZ, J, L = 74e9, 27.82e9, 2800.0, 2.4e-4, 1.152e-8, 2.0e-9, 5.902e-9, 0.21


def beam(length: float = L, **more) -> Beam:
    ends = Frame("link", ""), Frame("link", "tip", (length, 0.0, 0.0))
    return Beam("link.beam", *ends, E, G, RHO, A, IY, IZ, J, up=(0.0, 0.0, 1.0), **more)


def moved(d: np.ndarray, length: float = L) -> Pose:
    """Pose of end B seen from A for elastic coordinates d."""
    return Pose(rotation_exponential(d[3:]), np.array([length, 0, 0]) + d[:3])


def hessian(function, size: float) -> np.ndarray:
    """Second differences, extrapolated."""

    def at(h: float) -> np.ndarray:
        e = np.eye(6) * h
        return np.array(
            [
                [
                    (function(e[i] + e[j]) - function(e[i] - e[j]) - function(e[j] - e[i]) + function(-e[i] - e[j]))
                    / (4 * h * h)
                    for j in range(6)
                ]
                for i in range(6)
            ]
        )

    return (4 * at(size / 2) - at(size)) / 3


def printed_stiffness() -> np.ndarray:
    """Eq. 23 of the paper."""
    l = L
    K = np.diag([E * A * l**2, 12 * E * IZ, 12 * E * IY, J * G * l**2, 4 * E * IY * l**2, 4 * E * IZ * l**2])
    K[1, 5] = K[5, 1] = -6 * E * IZ * l
    K[2, 4] = K[4, 2] = 6 * E * IY * l
    return K / l**3


def printed_mass(sign: float = -1.0) -> np.ndarray:
    """Eqs 24 to 27 of the paper, in (twist of A, elastic coordinates); entry (2, 6) of eq. 26 with a sign."""
    m, l = RHO * A * L, L
    M = np.zeros((12, 12))
    M[:3, :3] = m * np.eye(3)
    c = np.array([[0, 0, 0], [0, 0, -l / 2], [0, l / 2, 0]])
    M[:3, 3:6], M[3:6, :3] = -m * c, m * c
    M[3:6, 3:6] = np.diag([RHO * l * (IY + IZ), m * l**2 / 3 + RHO * l * IY, m * l**2 / 3 + RHO * l * IZ])
    cross = np.diag([m / 2, m / 2, m / 2, RHO * l * (IY + IZ) / 2, -m * l**2 / 20, -m * l**2 / 20])
    cross[1, 5], cross[2, 4] = sign * m * l / 12, m * l / 12
    cross[4, 2], cross[5, 1] = -RHO * IY - 7 * m * l / 20, RHO * IZ + 7 * m * l / 20
    M[:6, 6:], M[6:, :6] = cross, cross.T
    own = np.diag(
        [
            m / 3,
            13 * m / 35 + 6 * RHO * IZ / (5 * l),
            13 * m / 35 + 6 * RHO * IY / (5 * l),
            RHO * l * (IY + IZ) / 3,
            (m * l**2 + 14 * RHO * IY * l) / 105,
            (m * l**2 + 14 * RHO * IZ * l) / 105,
        ]
    )
    own[1, 5] = own[5, 1] = -(11 * m * l + 21 * RHO * IZ) / 210
    own[2, 4] = own[4, 2] = (11 * m * l + 21 * RHO * IY) / 210
    M[6:, 6:] = own
    return M


def by_elastic_coordinates() -> np.ndarray:
    """Twists of both ends for (twist of A, elastic coordinates)."""
    T = np.eye(12)
    T[6:, :6] = np.eye(6)
    T[6:9, 3:6] = -np.array([[0, 0, 0], [0, 0, -L], [0, L, 0]])
    return T


def test_the_energy_has_the_printed_stiffness():
    span = beam().span(L)
    K = hessian(lambda d: float(elastic_energy(span, moved(d))), 1e-4)
    scale = np.sqrt(np.outer(np.diag(printed_stiffness()), np.diag(printed_stiffness())))
    assert_allclose(K / scale, printed_stiffness() / scale, atol=1e-6)


def test_the_mass_matrix_is_the_printed_one_with_the_sign_of_entry_2_6_turned():
    T = by_elastic_coordinates()
    M = T.T @ mass_matrix(beam().span(L)) @ T
    assert_allclose(M, printed_mass(-1.0), atol=1e-14 * RHO * A * L)
    assert np.linalg.eigvalsh(printed_mass(-1.0))[0] > 0
    assert np.linalg.eigvalsh(printed_mass(+1.0))[0] < 0  # as printed no beam can have it


@pytest.mark.parametrize("shear", [{}, {"shear_y": 5 / 6, "shear_z": 0.8}])
def test_the_mass_matrix_is_the_integral_over_the_beam(shear):
    span = beam(**shear).span(L)
    x, w = np.polynomial.legendre.leggauss(12)
    M = np.zeros((12, 12))
    for s, weight in zip((x + 1) / 2, w / 2):
        N, H = field(span, s)
        M += weight * L * (RHO * A * N.T @ N + H.T @ np.diag([RHO * (IY + IZ), RHO * IY, RHO * IZ]) @ H)
    assert_allclose(mass_matrix(span), M, atol=1e-15)


def test_sections_move_with_their_ends_and_stay_square_without_shear():
    span, h = beam().span(L), 1e-6
    N, H = field(span, 0.37)
    slope = (np.asarray(field(span, 0.37 + h)[0]) - np.asarray(field(span, 0.37 - h)[0])) / (2 * h * L)
    assert_allclose(H[2], slope[1], atol=1e-8)
    assert_allclose(H[1], -slope[2], atol=1e-8)
    rigid = by_elastic_coordinates()[:, :6]
    assert_allclose(
        np.asarray(N) @ rigid,
        np.hstack([np.eye(3), -np.array([[0, 0, 0], [0, 0, -0.37 * L], [0, 0.37 * L, 0]])]),
        atol=1e-15,
    )
    assert_allclose(np.asarray(H) @ rigid, np.hstack([np.zeros((3, 3)), np.eye(3)]), atol=1e-14)


@pytest.mark.parametrize(("across", "about", "sign", "inertia", "part"), [(1, 2, 1, IZ, 5 / 6), (2, 1, -1, IY, 0.8)])
def test_sections_that_shear_are_in_balance_between_their_ends(across, about, sign, inertia, part):
    short, x = 0.02, np.linspace(0.0, 1.0, 5)
    span = beam(short, shear_y=5 / 6, shear_z=0.8).span(short)
    N, H = (np.array([field(span, s)[k] for s in x]) for k in (0, 1))
    for found, first in ((N[0], 0), (H[0], 3), (N[-1], 6), (H[-1], 9)):
        assert_allclose(found, np.eye(12)[first : first + 3], atol=1e-14)
    w, turned = (polyfit(x * short, values, 3) for values in (N[:, across], sign * H[:, about]))
    force = part * G * A * (polyder(w) - turned[:3])  # of shear, along the beam
    assert_allclose(force[1:] * [[short], [short**2]], 0.0, atol=1e-9 * np.abs(force).max())
    assert_allclose(E * inertia * polyder(turned, 2)[0], -force[0], atol=1e-9 * np.abs(force).max())


@pytest.mark.parametrize(("across", "about"), [(1, 2), (2, 1)])
def test_a_beam_that_bends_and_shears_shortens_by_the_slope_of_its_axis(across, about):
    short, h, d, x = 0.02, 1e-4, np.zeros(6), np.linspace(0.0, 1.0, 5)
    d[across], d[3 + about] = 1e-3, 0.04
    span = beam(short, shear_y=5 / 6, shear_z=0.8).span(short)
    stretched, shrunk = (elastic_energy(span, moved(d + np.eye(6)[0] * u, short)) for u in (h, -h))
    axis = np.array([field(span, s)[0] for s in x])[:, across, 6:] @ d
    slope = polyder(polyfit(x * short, axis, 3))
    expected = polyval(short, polyint(polymul(slope, slope))) / 2
    assert_allclose((stretched - shrunk) / (2 * h) * short / (E * A), expected, rtol=1e-9)


@pytest.mark.parametrize(("kappa", "along", "about", "inertia"), [("shear_y", 1, 5, IZ), ("shear_z", 2, 4, IY)])
def test_a_short_cantilever_gives_way_in_shear(kappa, along, about, inertia):
    short = 0.02
    span = beam(short, **{kappa: 0.8}).span(short)
    K = hessian(lambda d: float(elastic_energy(span, moved(d, short))), 1e-5)
    force = np.zeros(6)
    force[along] = 1.0
    tip = np.linalg.solve(K, force)
    assert_allclose(tip[along], short**3 / (3 * E * inertia) + short / (0.8 * G * A), rtol=1e-5)
    assert_allclose(abs(tip[about]), short**2 / (2 * E * inertia), rtol=1e-5)


def test_tension_stiffens_by_the_matrix_of_the_textbooks():
    span, N = beam().span(L), 300.0
    stretched = N * L / (E * A)

    def energy(d: np.ndarray) -> float:
        return float(elastic_energy(span, moved(d + np.array([stretched, 0, 0, 0, 0, 0])))) - N * d[0]

    added = hessian(energy, 2e-4) - hessian(lambda d: float(elastic_energy(span, moved(d))), 2e-4)
    assert_allclose(added[1, 1], N * 6 / (5 * L), rtol=1e-4)
    assert_allclose(added[1, 5], -N / 10, rtol=1e-4)
    assert_allclose(added[5, 5], N * 2 * L / 15, rtol=1e-4)
    assert_allclose(added[2, 4], N / 10, rtol=1e-4)


def test_the_undeformed_beam_is_the_rigid_body():
    one = beam()
    M = by_elastic_coordinates()[:, :6].T @ mass_matrix(one.span(L)) @ by_elastic_coordinates()[:, :6]
    inertia = one.spatial_inertia()
    assert_allclose(inertia.m, M[0, 0])
    assert_allclose(inertia.h, [M[1, 5], 0, 0])
    assert_allclose(inertia.I, M[3:, 3:], atol=1e-16)


def test_a_section_is_turned_about_the_beam_by_the_direction_of_its_z_axis():
    ends = Frame("link", ""), Frame("link", "tip", (0.0, 0.0, 2.0))
    upright = Beam("link.beam", *ends, E, G, RHO, A, IY, IZ, J, up=(1.0, 0.0, 0.0))
    assert_allclose(upright.axes(), np.array([[0, 0, 1], [0, -1, 0], [1, 0, 0]]), atol=1e-15)


def test_without_a_direction_for_its_z_axis_it_is_the_third_one_of_the_body():
    ends = Frame("link", "foot", (0.1, 0.2, 0.3)), Frame("link", "tip", (0.4, 0.6, 0.3))
    slanted = Beam("link.beam", *ends, E, G, RHO, A, IY, IZ, J)
    assert_allclose(slanted.axes(), np.array([[0.6, -0.8, 0], [0.8, 0.6, 0], [0, 0, 1]]), atol=1e-15)
    assert_allclose(slanted.length(), 0.5)
    assert_allclose(slanted.spatial_inertia().h, RHO * A * 0.5 * np.array([0.25, 0.4, 0.3]))
    assert slanted.elements == 1
    assert slanted.body == "link"


def test_a_twisted_beam_stores_energy_by_its_angle_to_the_order_of_the_series():
    span, angle = beam().span(L), 0.28  # tan² of half of it is 0.02
    energy = elastic_energy(span, Pose(rotation_exponential([angle, 0, 0]), np.array([L, 0.0, 0.0])))
    assert_allclose(energy, G * J / L * angle**2 / 2, rtol=1.6e-11)


def test_the_weight_of_a_beam_is_that_of_its_sections():
    span = beam(shear_y=5 / 6, shear_z=0.8).span(L)
    X_A = Pose(rotation_exponential([0.3, -0.8, 0.5]), np.array([0.4, -0.2, 0.7]))
    X_AB = moved(np.array([0.001, 0.02, -0.01, 0.05, 0.03, -0.04]))
    gravity = np.array([1.0, -2.0, -9.0])
    d = np.concatenate([np.zeros(6), X_AB.p - [L, 0, 0], rotation_logarithm(X_AB.R)])
    x, w = np.polynomial.legendre.leggauss(12)
    places = [X_A.point(np.asarray(field(span, s)[0]) @ d + [s * L, 0, 0]) for s in (x + 1) / 2]
    expected = -RHO * A * L * sum(weight / 2 * gravity @ place for weight, place in zip(w, places))
    assert_allclose(weight_energy(span, X_A, X_A @ X_AB, gravity), expected, rtol=1e-10)
