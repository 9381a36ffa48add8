"""How much work an assembly is: trials that stall end early, and singular values are left to dependent rows."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from poinsot.model.assembly import assembly
from poinsot.model.assembly.assembly import attempt_assembly
from poinsot.model.assembly.constraints import Constraints
from poinsot.model.mechanism import build

AXES = ([1, 0, 0], [0, 1, 0], [0, 0, 1])


def leg(links: int, loops: int, rod: float) -> dict:
    """A chain of hinges with rods across it; rods that are too long cannot be put in."""
    rng = np.random.default_rng(links)
    bodies, joints = {}, {}
    for k in range(links):
        side = [0.1 * float(rng.normal()), 0.05, 0.0]
        bodies[f"b{k}"] = {"mass": 1.0, "frames": {"tip": [0.05, 0.01 * k, -0.2], "side": side}}
        place = "ground" if k == 0 else f"b{k - 1}.tip"
        joints[f"j{k}"] = {"type": "revolute", "between": [place, f"b{k}"], "axis": AXES[k % 3]}
    span = links // loops
    for i in range(loops):
        first, last = i * span, (i + 1) * span - 1
        bodies[f"rod{i}"] = {"mass": 0.5, "frames": {"end": [0, 0, -rod * (last - first)]}}
        joints[f"u{i}"] = {"type": "universal", "between": [f"b{first}.side", f"rod{i}"]}
        joints[f"s{i}"] = {"type": "spherical", "between": [f"rod{i}.end", f"b{last}.side"], "closing": True}
    return {"format": 1, "bodies": bodies, "joints": joints}


@pytest.fixture
def evaluations(monkeypatch):
    """Notes every evaluation of the constraints."""
    found, evaluate = [], Constraints.evaluate
    monkeypatch.setattr(Constraints, "evaluate", lambda self, poses: (found.append(1), evaluate(self, poses))[1])
    return found


def test_a_leg_that_cannot_be_closed_is_given_up_early(evaluations, caplog):
    with caplog.at_level(logging.INFO, "poinsot.progress"):
        outcome = attempt_assembly(build(leg(22, 4, rod=1.0)))
    assert not outcome.converged and "stays open by" in str(outcome)
    assert len(evaluations) < 700
    assert "guess 12 of 12" in caplog.text  # for whoever wants to know how far it is


def test_a_leg_that_can_be_closed_needs_no_singular_values(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("singular values")

    monkeypatch.setattr(np.linalg, "lstsq", refuse)
    outcome = attempt_assembly(build(leg(22, 4, rod=0.2)))
    assert outcome.converged and not outcome.flipped


def test_both_ways_give_the_same_step():
    rng = np.random.default_rng(0)
    for rows, columns in ((5, 5), (7, 12), (30, 31)):
        J, e = rng.normal(size=(rows, columns)), rng.normal(size=rows)
        expected = np.linalg.lstsq(J, -e, rcond=1e-9)[0]
        np.testing.assert_allclose(assembly._shortest_step(J, e), expected, rtol=1e-9)
        dependent = np.vstack([J, J[0] - 2 * J[1]])
        expected = np.linalg.lstsq(dependent, -np.append(e, 1.0), rcond=1e-9)[0]
        np.testing.assert_allclose(assembly._shortest_step(dependent, np.append(e, 1.0)), expected, rtol=1e-9)


@pytest.mark.parametrize("condition", [1e6, 1e8, 1e10, 1e14])
def test_nearly_dependent_rows_are_left_to_singular_values(condition):
    rng = np.random.default_rng(1)
    U, V = (np.linalg.qr(rng.normal(size=(n, 8)))[0] for n in (8, 11))
    J = U * np.geomspace(1.0, 1 / condition, 8) @ V.T
    e = J @ rng.normal(size=11)
    step, expected = assembly._shortest_step(J, e), np.linalg.lstsq(J, -e, rcond=1e-9)[0]
    assert np.linalg.norm(step - expected) <= 1e-9 * np.linalg.norm(expected)
