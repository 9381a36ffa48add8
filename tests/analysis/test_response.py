"""Frequency responses, compliance and stiffness."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sparse
from numpy.testing import assert_allclose

import poinsot
from poinsot.vibration import response
from poinsot.vibration.eigenmodes import eigenmodes
from poinsot.vibration.linear_model.model import linear_model

from .vibrating import column, document, masses, oscillator, sprung_five_bar

F = np.linspace(0.5, 40.0, 23)


def test_an_oscillator_answers_as_in_the_textbook():
    k, d, m = 200.0, 6.0, 2.0
    w = 2 * np.pi * F
    found = poinsot.frf(oscillator(k, d, m), "x", "mass x", F)
    assert_allclose(found.H[:, 0, 0], 1 / (k + 1j * w * d - w**2 * m), rtol=1e-12)
    for quantity, factor in (("mobility", 1j * w), ("accelerance", -(w**2))):
        other = poinsot.frf(oscillator(k, d, m), "x", "mass x", F, quantity=quantity)
        assert_allclose(other.between("mass x", "x"), factor * found.H[:, 0, 0], rtol=1e-12)
    structural = poinsot.frf(oscillator(k, 0.0, m), "x", "x", F, loss_factor=0.05)
    assert_allclose(structural.H[:, 0, 0], 1 / (k * (1 + 0.05j) - w**2 * m), rtol=1e-12)
    modal = poinsot.frf(oscillator(k, 0.0, m), "x", "x", F, damping=d / (2 * np.sqrt(k * m)))
    assert_allclose(modal.H, found.H, rtol=1e-12)
    assert_allclose(found.harmonic({"x": 3j})["mass x"], 3j * found.H[:, 0, 0])
    assert "mass x ← x: largest" in str(found)


@pytest.mark.parametrize("mechanism", [sprung_five_bar(), column(3.0)], ids=["five_bar", "column"])
def test_the_sum_of_all_modes_is_the_direct_solution(mechanism):
    places = ["forearm1.tool x", "crank2 rz"] if "forearm1" in mechanism.bodies else ["upper.tip y", "lower rz"]
    direct = poinsot.frf(mechanism, places, places, F, loss_factor=0.03)
    modal = poinsot.frf(mechanism, places, places, F, loss_factor=0.03, n=2)
    assert_allclose(modal.H, direct.H, rtol=1e-9)
    fewer = poinsot.frf(mechanism, places, places, F, loss_factor=0.03, n=1)
    assert np.max(np.abs(fewer.H - direct.H)) > 1e-3 * np.max(np.abs(direct.H))


def test_responses_of_a_conservative_machine_are_reciprocal_and_start_at_its_compliance():
    five_bar = sprung_five_bar()
    places = ["forearm1.tool x", "forearm1.tool y", "forearm1.tool rz"]
    found = poinsot.frf(five_bar, places, places, [0.0, 3.0, 30.0])
    assert_allclose(found.H, found.H.transpose(0, 2, 1), rtol=1e-9)
    assert_allclose(found.H[0].real, poinsot.compliance(five_bar, "forearm1.tool"), rtol=1e-9)


def test_what_cannot_be_answered_says_why():
    two = masses(100.0, 200.0)
    with pytest.raises(poinsot.PoinsotError, match="'m1' is no place: write a body or frame and one of x, y, z"):
        poinsot.frf(two, "m1", "m1 x", F)
    with pytest.raises(poinsot.PoinsotError, match=r"there is no place 'm3'.*m1, m2"):
        poinsot.frf(two, "m3 x", "m1 x", F)
    with pytest.raises(poinsot.PoinsotError, match="3 damping ratios were given for 2 modes"):
        poinsot.frf(two, "m1 x", "m1 x", F, damping=[0.1, 0.1, 0.1])
    with pytest.raises(poinsot.PoinsotError, match="there is no quantity 'velocity'"):
        poinsot.frf(two, "m1 x", "m1 x", F, quantity="velocity")
    with pytest.raises(poinsot.PoinsotError, match="the response at 0 Hz is infinite"):
        poinsot.frf(masses(0, 100.0), "m1 x", "m1 x", [0.0])
    with pytest.raises(poinsot.PoinsotError, match="can move without resistance here"):
        poinsot.compliance(masses(0, 100.0), "m1")
    with pytest.raises(poinsot.PoinsotError, match="its stiffness is infinite in some"):
        poinsot.stiffness(two, "m1")
    with pytest.raises(poinsot.PoinsotError, match="there is no input 'm9 x'"):
        poinsot.frf(two, "m1 x", "m1 x", F, loss_factor=0.1).harmonic({"m9 x": 1.0})


def on_springs(k: float) -> poinsot.Mechanism:
    """The hexapod with springs along its legs, weightless."""
    changed = document("hexapod")
    changed["components"]["leg"]["forces"] = {
        "drive": {
            "type": "spring",
            "on": {"joint": "slide", "coordinate": "displacement"},
            "stiffness": k,
            "rest": "pose",
        }
    }
    return poinsot.build({**changed, "gravity": [0, 0, 0]}, "hexapod")


@pytest.mark.parametrize("formulation", ["joint", "euler"])
def test_a_stewart_platform_yields_as_its_jacobian_says(formulation):
    k = 3e5
    place = {"x": 0.02, "y": -0.01, "z": 0.5, "theta1": 0.1, "theta2": -0.05, "theta3": 0.2}
    feet, heads = np.radians([45, 135, 165, 255, 285, 15]), np.radians([72, 108, 192, 228, 312, 348])

    def about(axis, angle):
        c, s, i, j = np.cos(angle), np.sin(angle), (axis + 1) % 3, (axis + 2) % 3
        R = np.eye(3)
        R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
        return R

    R = about(0, 0.1) @ about(1, -0.05) @ about(2, 0.2)
    rows = []
    for foot, head in zip(feet, heads):
        arm = R @ [0.35 * np.cos(head), 0.35 * np.sin(head), 0]
        leg = np.array([0.02, -0.01, 0.5]) + arm - [0.40 * np.cos(foot), 0.40 * np.sin(foot), 0]
        along = leg / np.linalg.norm(leg)
        rows.append(np.concatenate([along, np.cross(arm, along)]))
    J = np.linalg.inv(np.array(rows))  # platform twist per leg rate
    mechanism = on_springs(k)
    found = poinsot.compliance(mechanism, "platform", place, formulation=formulation)
    assert_allclose(found, J @ J.T / k, rtol=1e-9, atol=1e-12 * np.max(np.abs(found)))
    assert_allclose(poinsot.stiffness(mechanism, "platform", place).matrix @ found, np.eye(6), atol=1e-8)
    batch = poinsot.compliance_map(mechanism, "platform", {**place, "x": [0.02, 0.03]})
    assert_allclose(batch.compliance[0], found, rtol=1e-9, atol=1e-12 * np.max(np.abs(found)))
    assert_allclose(batch.stiffness[0] @ found, np.eye(6), atol=1e-8)


def test_many_displacements_are_solved_by_sparse_matrices():
    n, k, m = 600, 1e6, 0.1
    K = sparse.diags([np.full(n - 1, -k), np.full(n, 2 * k), np.full(n - 1, -k)], [-1, 0, 1], format="csr")
    M, C = sparse.eye(n, format="csr") * m, sparse.csr_matrix(([1.0, 1.0], ([0, 1], [0, n - 1])), shape=(2, n))
    names = tuple(f"x{i}" for i in range(n))
    base = linear_model(masses(1.0, 1.0), None)
    other = {"names": names, "M": M, "D": 0.0 * M, "K": K, "C": C, "force": np.zeros(n), "parts": ()}
    wide = replace(base, **other, momentum=None, summed=None)
    found = eigenmodes(wide, 8)
    exact = 4 * k / m * np.sin(np.arange(1, 9) * np.pi / (2 * (n - 1))) ** 2  # between two masses that stand still
    assert_allclose(found.values, exact, rtol=1e-10)
    assert_allclose(found.shapes.T @ (M @ found.shapes), np.eye(8), atol=1e-9)
    assert_allclose(C @ found.shapes, 0, atol=1e-9)
    free = eigenmodes(replace(wide, K=K - sparse.csr_matrix(([k, k], ([0, n - 1], [0, n - 1])), shape=(n, n)),
                              C=sparse.csr_matrix((0, n))), 3)  # fmt: skip
    assert free.values[0] == 0.0
    assert_allclose(free.values[1:], 4 * k / m * np.sin(np.arange(1, 3) * np.pi / (2 * n)) ** 2, rtol=1e-9)
    S = np.eye(n)[[5, 300]]
    w = 2 * np.pi * np.array([1.0, 7.0])
    by_basis = response._direct(replace(wide, basis=np.eye(n)[:, 1:-1]), S, S, w, 0.01)
    assert_allclose(response._direct(wide, S, S, w, 0.01), by_basis, rtol=1e-8)
