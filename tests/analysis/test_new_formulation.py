"""A formulation of one's own: coordinates defined here, registered in one line, asked what others are asked."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.errors import PoinsotError
from poinsot.formulations.redundant_coordinates import PLACE, Chart, chart_reading, redundant_equations
from poinsot.formulations.registry import FORMULATIONS, Formulation
from poinsot.lazy import casadi
from poinsot.spatial.algebra import skew
from poinsot.spatial.motion import Twist
from poinsot.spatial.pose import Pose


class GibbsChart(Chart):
    """Position and Gibbs vector g = n tan(φ/2) of one body, which is singular at half a turn.

    R = 1 + 2 (g̃ + g̃²) / (1 + g²),        ω_B = 2 (ġ − g × ġ) / (1 + g²)
    """

    names = (*PLACE, ("g1", "-"), ("g2", "-"), ("g3", "-"))

    def pose(self, q):
        S = skew(q[3:])
        return Pose(casadi.SX.eye(3) + 2 * (S + S @ S) / (1 + casadi.sumsqr(q[3:])), q[:3])

    def twist(self, q, v):
        g, rate = q[3:], v[3:]
        return Twist(self.pose(q).R.T @ v[:3], 2 * (rate - casadi.cross(g, rate)) / (1 + casadi.sumsqr(g)))

    def own(self, q):
        return q[:0]

    def coordinates(self, X_WB, chart):
        R = np.asarray(X_WB.R, float)
        axis = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
        return np.concatenate([np.asarray(X_WB.p, float), axis / (1 + np.trace(R))])


def charts(elements):
    return dict.fromkeys(elements.bodies, GibbsChart(6, ()))


@pytest.fixture(autouse=True)
def gibbs(monkeypatch):
    own = Formulation(
        lambda s: redundant_equations("gibbs", s, charts(s.elements)), lambda e: chart_reading(charts(e))
    )
    monkeypatch.setitem(FORMULATIONS, "gibbs", own)  # the one line


@pytest.fixture(scope="module")
def crane():
    return poinsot.load("crane")


def test_a_simulation_agrees_with_joint_coordinates(crane):
    a, b = (poinsot.simulate(crane, 0.5, formulation=f) for f in ("joint", "gibbs"))
    assert b.formulation == "gibbs" and max(np.ptp(R, axis=0).max() for R in a.rotation.values()) > 0.05
    for body in crane.bodies:
        assert_allclose(b.position[body], a.position[body], rtol=0, atol=1e-10)
        assert_allclose(b.rotation[body], a.rotation[body], rtol=0, atol=1e-10)


def test_accelerations_and_reactions_agree_to_round_off(crane):
    a, b = (poinsot.accelerations(crane, formulation=f) for f in ("joint", "gibbs"))
    for found, expected in ((b.bodies, a.bodies), (b.reactions, a.reactions)):
        largest = max(np.max(np.abs(six)) for six in expected.values())
        for name, six in expected.items():
            assert_allclose(found[name], six, rtol=0, atol=1e-12 * largest, err_msg=name)


def test_modes_agree(crane):
    a, b = (poinsot.modes(crane, formulation=f).frequencies for f in ("joint", "gibbs"))
    assert_allclose(b, a, rtol=1e-8)


def test_its_functions_are_not_kept_on_disk_because_its_code_may_change():
    assert FORMULATIONS["joint"].ours and not FORMULATIONS["gibbs"].ours


def test_a_formulation_that_nobody_registered_is_refused_by_name(crane):
    with pytest.raises(PoinsotError, match=r"formulation 'cayley'.*joint, euler, rotation-matrix, embedded, gibbs"):
        poinsot.simulate(crane, 0.1, formulation="cayley")
