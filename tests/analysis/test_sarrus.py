"""Sarrus' linkage falls through its singular poses: folded flat, and stretched out below.

With legs of length L at an angle θ above the horizon the plate is at z = 2 L sin θ: one freedom, whose equation is
written here from energies. The hinges are lines of rank 5 in general, of rank 3 where the plate lies in the plane of
the feet (the legs may spin idly), of rank 4 where the legs are stretched (one chain may turn back alone). The motion
that comes with θ̇ ≠ 0 goes on with it.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import poinsot
from poinsot.engine.integration.integrator import Integrator
from tests.generated.share import share

X, Z = 0.35, 0.25  # half a leg's chain at home  [m]
L, FOOT, G = np.hypot(X, Z), 0.2, 9.81
PLATE, LOW, UP = 2.0, 0.5, 0.4  # masses  [kg]
J_LOW, J_UP = 0.0078125, 0.00625  # about the hinges' axes  [kg m²]
SLOW = [pytest.param(f, marks=pytest.mark.slow) for f in share(("euler", "rotation-matrix"))]


def leg(mass: float, side: int, J: float, chain: int) -> dict:
    """A link whose end is at (± X, 0, Z) of its frame, in the plane of its chain."""
    c, other = [side * X / 2, 0.0, Z / 2], -side * 0.46 * J
    small, large = 0.3555 * J, 0.6712 * J
    if chain == 1:
        return {"mass": mass, "com": c, "inertia": [small, J, large, 0.0, other, 0.0]}
    return {"mass": mass, "com": [0.0, c[0], c[2]], "inertia": [J, small, large, 0.0, 0.0, other]}


def sarrus():
    bodies = {"plate": {"mass": PLATE, "inertia": [0.02, 0.02, 0.04], "placement": {"position": [0.0, 0.0, 2 * Z]}}}
    joints = {}
    for k, axis in ((1, [0.0, 1.0, 0.0]), (2, [-1.0, 0.0, 0.0])):

        def along(x: float, z: float, k: int = k) -> list[float]:
            return [x, 0.0, z] if k == 1 else [0.0, x, z]

        bodies[f"low{k}"] = leg(LOW, 1, J_LOW, k) | {"placement": {"position": along(FOOT, 0.0)}}
        bodies[f"up{k}"] = leg(UP, -1, J_UP, k) | {"placement": {"position": along(FOOT + X, Z)}}
        ends = {
            "A": (("ground", along(FOOT, 0.0)), (f"low{k}", along(0.0, 0.0))),
            "B": ((f"low{k}", along(X, Z)), (f"up{k}", along(0.0, 0.0))),
            "C": ((f"up{k}", along(-X, Z)), ("plate", along(FOOT, 0.0))),
        }
        for name, pair in ends.items():
            between = [{"body": body, "position": place} for body, place in pair]
            joints[f"{name}{k}"] = {"type": "revolute", "between": between, "axis": axis}
    document = {"format": 1, "name": "sarrus", "gravity": [0, 0, -G], "bodies": bodies, "joints": joints}
    coordinates = {"z": {"position": "plate", "axis": "z"}, "q": {"joint": "A1"}}
    return poinsot.build(document | {"coordinates": coordinates})


def falling(t):
    """z of the plate, from M(θ) θ̈ + ½ M' θ̇² + V' = 0 of two chains and the plate."""
    turning = 2 * (J_LOW + LOW * L**2 / 4 + J_UP)
    swinging, lifted = 2 * UP * L**2 / 4, 4 * PLATE * L**2 + 2 * UP * 9 * L**2 / 4  # times sin² θ, cos² θ
    weight = G * L * (2 * PLATE + LOW + 3 * UP)

    def rates(_, y):
        s, c = np.sin(y[0]), np.cos(y[0])
        M, slope = turning + swinging * s**2 + lifted * c**2, 2 * (swinging - lifted) * s * c
        return [y[1], -(slope * y[1] ** 2 / 2 + weight * c) / M]

    start = [np.arctan2(Z, X), 0.0]
    return 2 * L * np.sin(solve_ivp(rates, (0, t[-1]), start, "DOP853", t, rtol=1e-12, atol=1e-13).y[0])


def rank(theta: float) -> int:
    """Rank of the six hinges as lines, direction and moment."""
    lines = []
    for turn in (np.eye(3), np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])):
        for x, z in ((FOOT, 0.0), (FOOT + L * np.cos(theta), L * np.sin(theta)), (FOOT, 2 * L * np.sin(theta))):
            axis, point = turn @ [0, 1.0, 0], turn @ [x, 0, z]
            lines.append(np.concatenate([axis, np.cross(point, axis)]))
    return int(np.linalg.matrix_rank(np.array(lines), tol=1e-9))


def test_the_poses_that_it_falls_through_are_singular():
    assert [rank(theta) for theta in (0.6, 0.0, -0.7, -np.pi / 2, -2.0, -np.pi)] == [5, 3, 5, 4, 5, 3]


@pytest.mark.parametrize("formulation", ["joint", "embedded", *SLOW])
def test_momentum_carries_it_through_all_its_singular_poses(formulation):
    """Down past the flat pose, through the stretched one, up again with its knees inside, and back."""
    t = np.linspace(0.0, 2.0, 101)
    r = poinsot.simulate(sarrus(), 2.0, t=t, formulation=formulation)
    assert r.finished, r.status
    assert sum("singular pose" in text for text in r.changes) == 6
    assert r.drift < 1e-9
    assert r.energy_error < 1e-8 * np.ptp(np.append(r.energy, r.energy - PLATE * G * 2 * L))
    np.testing.assert_allclose(r.coordinates["z"], falling(t), atol=1e-8)
    assert np.abs(r.position["plate"][:, :2]).max() < 1e-9


@pytest.mark.parametrize("formulation", ["joint", "embedded", *SLOW])
@pytest.mark.parametrize("samples", [17, 121])
def test_a_leg_is_driven_round(formulation, samples):
    """Over four singular poses, upwards and downwards: the plate moves straight and never turns."""
    machine, home, t = sarrus(), np.arctan2(Z, X), np.linspace(0.0, 1.0, samples)
    for rate in (2 * np.pi, -2 * np.pi):
        motion = {"q": lambda t, rate=rate: -rate * t}  # legs go up where the hinge turns back
        k = poinsot.kinematics(machine, motion, t, formulation=formulation)
        theta = home + rate * t
        assert k.residual < 1e-9
        assert (
            np.abs(k.position["plate"][:, :2]).max() < 1e-10 and np.abs(k.rotation["plate"] - np.eye(3)).max() < 1e-10
        )
        np.testing.assert_allclose(k.coordinates["z"], 2 * L * np.sin(theta), atol=1e-10)
        np.testing.assert_allclose(k.velocity["plate"][:, 2], 2 * L * rate * np.cos(theta), atol=1e-9)
        np.testing.assert_allclose(k.acceleration["plate"][:, 2], -2 * L * rate**2 * np.sin(theta), atol=1e-7)


def test_the_search_for_singular_poses_does_not_creep(monkeypatch):
    """Next to such a pose steps become ever smaller and never end; none of that is needed."""
    steps, call = [], Integrator.__call__

    def counted(self, *args, **options):
        found = call(self, *args, **options)
        steps.append(int(np.sum(found.steps + found.rejections)))
        return found

    monkeypatch.setattr(Integrator, "__call__", counted)
    assert poinsot.simulate(sarrus(), 0.4).finished
    assert max(steps) < 1000, steps


def test_the_height_does_not_depend_on_the_outputs():
    few, many = (poinsot.simulate(sarrus(), 1.0, t=np.linspace(0, 1, n)) for n in (2, 1001))
    assert few.finished and many.finished, (few.status, many.status)
    assert abs(few.coordinates["z"][-1] - many.coordinates["z"][-1]) < 1e-7
