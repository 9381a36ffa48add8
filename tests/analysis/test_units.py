"""The same mechanism in other units: results follow by their dimensions, nothing is decided by metres or newtons."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot

from .sprung import sprung
from .vibrating import FORMULATIONS, hinge, planar, slide

UNITS = [(1e-6, 1.0, 1.0), (1e6, 1.0, 1.0), (1e-4, 1e9, 1e-3), (1e4, 1e-9, 1e3)]  # m, kg, s
KINDS = [(3, True, 0, False), (4, True, 1, True), (5, False, 0, True), (9, False, 1, False), (10, True, 2, False)]


def in_both(seed: int, flat: bool, loops: int, right: bool, units: tuple) -> tuple:
    given = {"planar": flat, "loops": loops, "right": right, "drives": seed % 2 == 0}
    return sprung(seed, **given), sprung(seed, **given, units=units)


def scaled(mechanism: poinsot.Mechanism, values: dict[str, float], L: float) -> list[float]:
    return [x / L if mechanism.coordinates[name].unit == "m" else x for name, x in values.items()]


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_frequencies_equilibria_and_compliances_scale_as_their_dimensions_say(kind, units):
    plain, other = in_both(*kind, units)
    L, m, T = units
    body = list(plain.bodies)[-1]
    for formulation in ("joint", "euler"):
        wish, found = (poinsot.modes(x, formulation=formulation) for x in (plain, other))
        assert_allclose(found.frequencies * T, wish.frequencies, rtol=1e-8)
        assert_allclose(np.sort(found.damping), np.sort(wish.damping), rtol=1e-8, atol=1e-10)
        wish, found = (poinsot.equilibrium(x, formulation=formulation) for x in (plain, other))
        assert found.stable == wish.stable
        wished = scaled(plain, wish.coordinates, 1.0)
        assert_allclose(scaled(other, found.coordinates, L), wished, rtol=1e-8, atol=1e-10)
    move = np.array([L, L, 1]) if plain.planar else np.array([L] * 3 + [1] * 3)
    energy = m * L**2 / T**2
    wish, found = (poinsot.compliance(x, body).matrix for x in (plain, other))
    found = found * energy / np.outer(move, move)
    assert_allclose(found, wish, rtol=1e-8, atol=1e-10 * np.max(np.abs(wish)) + 1e-15)


def leaning(L: float) -> poinsot.Mechanism:
    """A carriage on a spring that its weight stretches, with a pendulum on a spring of its own."""
    g, k = 9.81, 2000.0
    return planar(
        {
            "carriage": {"mass": 2.0, "inertia": 0.1 * L**2, "frames": {"pin": [0.1 * L, 0]}},
            "bob": {"mass": 1.0, "com": [0.2 * L, 0], "inertia": 0.01 * L**2},
        },
        {
            "rail": slide("ground", "carriage", stiffness=k, rest=0.0),
            "pin": hinge("carriage.pin", "bob", stiffness=50.0 * L**2, rest=0.0),
        },
        gravity=[g * L, 0],
        coordinates={"x": {"joint": "rail"}, "phi": {"joint": "pin"}},
    )


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("L", [1e-6, 1e-4, 1.0, 1e4, 1e6])
def test_a_pose_that_is_not_balanced_is_refused_at_any_size(L, formulation):
    mechanism, rest = leaning(L), 3 * 9.81 * L / 2000.0
    found = poinsot.modes(mechanism, {"x": rest, "phi": 0.0}, formulation=formulation).frequencies
    near = poinsot.modes(leaning(1.0), {"x": rest / L, "phi": 0.0}).frequencies
    assert_allclose(found, near, rtol=1e-8)
    for x, phi in ((rest * (1 + 1e-4), 0.0), (rest, 1e-4)):
        with pytest.raises(poinsot.PoinsotError, match="not an equilibrium"):
            poinsot.modes(mechanism, {"x": x, "phi": phi}, formulation=formulation)


@pytest.mark.parametrize("ratio", [1e-9, 1e9])
def test_a_light_pendulum_settles_on_a_heavy_machine_and_a_heavy_one_on_a_light(ratio):
    def turned(m: float) -> float:
        bodies = {
            "arm": {"mass": 1.0, "com": [0.3, -0.1], "inertia": 0.1, "frames": {"tip": [0.5, 0]}},
            "bob": {"mass": m, "com": [0.1, -0.2], "inertia": 0.01 * m},
        }
        joints = {
            "A": hinge("ground", "arm", stiffness=30.0 + 30 * m, rest=0.2),
            "B": hinge("arm.tip", "bob", stiffness=2.0 * m, rest=-0.4),
        }
        given = {"gravity": [0, -9.81], "coordinates": {"a": {"joint": "A"}, "b": {"joint": "B"}}}
        found = poinsot.equilibrium(planar(bodies, joints, **given)).coordinates
        force = 2.0 * (found["b"] + 0.4)
        angle = found["a"] + found["b"]
        weight = -9.81 * (0.1 * np.cos(angle) + 0.2 * np.sin(angle))  # of a unit mass about the pin
        return abs(force - weight) / 9.81

    assert turned(ratio) < 1e-10


@pytest.mark.parametrize("L", [1e-200, 1e155, 1e200])
def test_a_machine_beyond_all_numbers_is_refused_with_a_sentence(L):
    bar = {"mass": 1.0, "com": [L, 0], "inertia": 0.1, "frames": {"tip": [L, 0]}}
    joints = {"A": hinge("ground", "upper", stiffness=2.0), "B": hinge("upper.tip", "lower", stiffness=2.0)}
    with pytest.raises(poinsot.PoinsotError, match="too large or too small to compute with"):
        poinsot.modes(planar({"upper": bar, "lower": bar}, joints))


def test_a_first_order_form_needs_masses():
    points = {"mass": 0, "com": [0, 0], "inertia": 0}
    linear = poinsot.linearise(planar({"a": points}, {"A": hinge("ground", "a", stiffness=2.0)}))
    with pytest.raises(poinsot.PoinsotError, match="has no mass"):
        linear.A  # noqa: B018
