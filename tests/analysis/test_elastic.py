"""Flexible links against the theory of beams: frequencies, convergence, buckling, weight, limits."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

import poinsot
from tests.analysis.flexible import CLAMPED, RHO, SLENDER, E, G, beam, bending, hinge

CLAMPED_FREE = [brentq(lambda x: np.cos(x) * np.cosh(x) + 1, a, b) for a, b in ((1, 3), (4, 5), (7, 8))]
FREE_FREE = [brentq(lambda x: np.cos(x) * np.cosh(x) - 1, a, b) for a, b in ((4, 5.5), (7, 8.5))]
CLAMPED_PINNED = [brentq(lambda x: np.tan(x) - np.tanh(x), a, b) for a, b in ((3.5, 4.5), (6.8, 7.5))]


def in_plane(mechanism, count: int = 1) -> np.ndarray:
    """Frequencies of bending in the plane x y."""
    found = poinsot.modes(mechanism)
    share = [np.abs(found.shapes[1::6, k]).max() / np.abs(found.shapes[:, k]).max() for k in range(len(found.values))]
    swings = [f for f, s in zip(found.frequencies, share) if s > 0.1 and f > 1e-6]
    return np.array(swings[:count])


CASES = {
    "cantilever": (CLAMPED, CLAMPED_FREE),
    "clamped-pinned": (
        CLAMPED | {"pin": {"type": "point-on-line", "between": ["ground", "link.tip"], "axis": [1, 0, 0]}},
        CLAMPED_PINNED,
    ),
    "free-free": ({"none": {"type": "free", "between": ["ground", "link"]}}, FREE_FREE),
}


@pytest.mark.parametrize("name", CASES)
def test_frequencies_converge_to_those_of_the_beam_with_the_fourth_power_of_the_mesh(name):
    joints, roots = CASES[name]
    exact = bending(roots[0], SLENDER["Iz"])
    errors = np.array([in_plane(beam(joints, elements=n))[0] / exact - 1 for n in (4, 8, 16)])
    assert np.all(errors > 0)  # from above, as Rayleigh says
    orders = np.log2(errors[:-1] / errors[1:])
    assert np.all(orders > 3.7) and np.all(orders < 4.3), orders
    assert errors[-1] < 1e-5


def test_a_free_beam_has_six_rigid_body_modes_and_they_are_labelled():
    found = poinsot.modes(beam(CASES["free-free"][0], elements=3))
    assert found.labels[:6] == ("rigid-body",) * 6 and found.labels[6] == ""
    assert np.all(found.frequencies[:6] == 0.0)


def test_a_large_mesh_is_solved_by_sparse_matrices_and_meets_the_theory():
    found = poinsot.modes(beam(CLAMPED, elements=110), n=4)
    exact = [
        bending(root, SLENDER[I])
        for root, I in zip((*CLAMPED_FREE[:1] * 2, *CLAMPED_FREE[1:2] * 2), ("Iz", "Iy") * 2)
    ]
    assert_allclose(found.frequencies, sorted(exact), rtol=1e-6)


def test_stretching_and_twisting_have_the_speeds_of_sound():
    stub = {"area": 1e-4, "Iy": 1e-9, "Iz": 1e-9, "torsion": 1.5e-9}
    found = poinsot.modes(beam(CLAMPED, elements=12, section=stub))
    axial, torsion = np.sqrt(E / RHO) / 4, np.sqrt(G * 1.5e-9 / (RHO * 2e-9)) / 4
    for exact in (axial, torsion):
        assert np.min(np.abs(found.frequencies / exact - 1)) < 1e-3


def timoshenko(k: int, A: float, I: float, kappa: float) -> float:
    """Frequency k of a simply supported Timoshenko beam of length 1 m with rotary inertia, in closed form  [Hz]."""
    b = k * np.pi
    c, s = E * I / (RHO * A), E * I / (kappa * G * A)
    r = I / A
    # r s/c ω⁴ − (1 + b² (r + s)) ω² + c b⁴ = 0
    w2 = np.roots([r * s / c, -(1 + b**2 * (r + s)), c * b**4])
    return np.sqrt(np.min(w2.real)) / (2 * np.pi)


def test_a_thick_beam_needs_shear_and_rotary_inertia():
    thick = {
        "area": 0.01,
        "Iy": 0.1**4 / 12,
        "Iz": 0.1**4 / 12,
        "torsion": 1.4e-5,
        "shear_y": 5 / 6,
        "shear_z": 5 / 6,
    }
    pins = hinge("left", "link", 0.0) | {
        "right": {"type": "point-on-line", "between": ["ground", "link.tip"], "axis": [1, 0, 0]}
    }
    exact = np.array([timoshenko(k, 0.01, 0.1**4 / 12, 5 / 6) for k in (1, 2)])
    errors = []
    for elements in (12, 24):
        found = poinsot.modes(beam(pins, elements=elements, section=thick)).frequencies
        errors.append([np.min(np.abs(found / f - 1)) for f in exact])
    assert np.all(np.divide(*errors) > 3.8) and np.max(errors[1]) < 1e-3  # second order, to the closed form
    plain = {key: value for key, value in thick.items() if "shear" not in key}
    assert (
        bending(np.pi, 0.1**4 / 12, area=0.01)
        > poinsot.modes(beam(pins, elements=24, section=plain), n=1).frequencies[0]
        > exact[0]
    )


COLUMN = {"area": 1e-4, "Iy": 4e-10, "Iz": 1e-10, "torsion": 1e-10}
PINNED = hinge("left", "link", 0.0) | {
    "right": {"type": "point-on-line", "between": ["ground", "link.tip"], "axis": [1, 0, 0]}
}


@pytest.mark.parametrize("part", [-2.0, 0.5, 0.9, 1.1])
def test_a_column_under_load_swings_more_slowly_until_it_buckles(part):
    critical = np.pi**2 * E * COLUMN["Iz"]
    push = {"forces": {"push": {"type": "load", "at": "link.tip", "force": [-part * critical, 0, 0]}}}
    free = in_plane(beam(PINNED, elements=12, section=COLUMN))[0]
    found = poinsot.modes(beam(PINNED, elements=12, section=COLUMN, **push), n=1)
    assert_allclose(found.frequencies[0], np.sign(1 - part) * free * np.sqrt(abs(1 - part)), rtol=3e-3)
    assert ("unstable" in found.labels[0]) == (part > 1)


def test_weight_bends_a_cantilever_as_the_textbook_says():
    light = {"area": 1e-4, "Iy": 1e-9, "Iz": 1e-9, "torsion": 1e-9}
    heavy = beam(CLAMPED, elements=3, section=light, gravity=[0, -9.81, 0])
    at_rest = poinsot.modes(heavy, n=1).linear
    sag = RHO * 1e-4 * 9.81 / (8 * E * 1e-9)
    assert_allclose(at_rest.places["link.tip"].p[1], -sag, rtol=1e-3)
    assert np.max(np.abs(at_rest.free.T @ at_rest.force)) < 1e-9 * RHO * 1e-4 * 9.81


def test_a_stiff_beam_on_a_hinge_is_the_compound_pendulum():
    stiff = {"area": 4e-4, "Iy": 1.3e-8, "Iz": 1.3e-8, "torsion": 2e-8}
    swing = beam(hinge("pin", "link", 0.0), section=stiff, elements=2, gravity=[9.81, 0, 0])
    m, J = RHO * 4e-4, RHO * (4e-4 / 3 + 1.3e-8)
    assert_allclose(poinsot.modes(swing).frequencies[0], np.sqrt(m * 9.81 * 0.5 / J) / (2 * np.pi), rtol=1e-4)
    rigid = poinsot.modes(swing, formulation="joint").frequencies
    assert_allclose(rigid, np.sqrt(m * 9.81 * 0.5 / J) / (2 * np.pi), rtol=1e-12)


def test_a_joint_along_a_beam_cuts_it_there():
    prop = {
        "prop": {
            "type": "spherical",
            "between": [{"body": "ground", "position": [0.3, 0, 0]}, {"body": "link", "position": [0.3, 0, 0]}],
        }
    }
    one = poinsot.modes(beam(CLAMPED | prop, section=COLUMN))
    document = dict(beam(CLAMPED | prop, section=COLUMN).document)
    link = {"frames": {"mid": [0.3, 0, 0], "tip": [1.0, 0, 0]}, "beams": {}}
    for key, ends in (("first", ["link", "link.mid"]), ("second", ["link.mid", "link.tip"])):
        link["beams"][key] = {"between": ends, "material": "steel", "section": "bar"}
    two = poinsot.modes(poinsot.build({**document, "bodies": {"link": link}}))
    assert_allclose(one.frequencies, two.frequencies, rtol=1e-9)


def test_derivatives_follow_the_equilibrium_of_loaded_and_bent_beams():
    force = [-0.4 * np.pi**2 * E * COLUMN["Iz"], 0.15, 0.1]
    column = beam(
        CLAMPED,
        elements=4,
        section={**COLUMN, "Iz": 2e-10},
        forces={"push": {"type": "load", "at": "link.tip", "force": [force[0] / 8, force[1], force[2]]}},
        gravity=[0.0, -9.81, 0.0],
    )
    names = ("steel.E", "steel.density", "bar.Iz", "link.tip.x", "push.force.x", "push.force.y", "gravity.y")
    at_rest = poinsot.modes(column, n=3)
    assert abs(at_rest.linear.places["link.tip"].p[1]) > 0.02  # well bent
    found = at_rest.derivatives(names)
    for k, name in enumerate(names):
        value = column.parameters[name].value

        def slope(h: float, name=name, value=value) -> np.ndarray:
            ahead, behind = (
                poinsot.modes(column.with_parameters({name: value * (1 + s * h)}), n=3).frequencies for s in (1, -1)
            )
            return (ahead - behind) / (2 * h * value)

        h = 0.03 if name.startswith(("push", "gravity")) else 1e-3  # forces change frequencies little
        expected = (4 * slope(h) - slope(2 * h)) / 3
        assert_allclose(
            found[:, k], expected, rtol=1e-4 if h > 0.01 else 1e-5, atol=1e-7 * np.max(np.abs(expected)), err_msg=name
        )
