"""Poses in which a mechanism can go on in several ways: it stays on its branch, or the status says why not.

The N-four-bar mechanism (IFToMM benchmark A02): rods on the ground joined by couplers of the same length. Whenever
all of them lie on one line, every window can go on as a parallelogram or as a kite that is folded together.
"""

from __future__ import annotations

import numpy as np
import pytest

import poinsot


def windows(n):
    """n windows: n + 1 rods of 1 m and 1 kg upright on the ground, n couplers like them."""
    rod = {"mass": 1.0, "com": [0.5, 0.0], "inertia": 1 / 12, "frames": {"end": [1.0, 0.0]}}
    bodies = {"ground": {"frames": {f"G{k}": [float(k), 0.0] for k in range(n + 1)}}}
    joints, coordinates, pose = {}, {}, {}
    for k in range(n + 1):
        bodies[f"rod{k}"] = rod
        joints[f"A{k}"] = {"type": "revolute", "between": [f"ground.G{k}", f"rod{k}"]}
        coordinates[f"theta{k}"], pose[f"theta{k}"] = {"angle": f"rod{k}"}, np.pi / 2
    for k in range(1, n + 1):
        bodies[f"coupler{k}"] = rod
        joints[f"B{k}"] = {"type": "revolute", "between": [f"rod{k - 1}.end", f"coupler{k}"]}
        joints[f"C{k}"] = {"type": "revolute", "between": [f"coupler{k}.end", f"rod{k}.end"], "closing": True}
        coordinates[f"phi{k}"], pose[f"phi{k}"] = {"angle": f"coupler{k}"}, 0.0
    document = {"format": 1, "name": f"windows{n}", "planar": True, "gravity": [0, -9.81], "bodies": bodies}
    return poinsot.build(document | {"joints": joints, "coordinates": coordinates, "pose": pose})


def turned(r, n):
    """How far couplers have turned from parallel to the ground  [rad]."""
    return max(np.abs(r.coordinates[f"phi{k}"]).max() for k in range(1, n + 1))


@pytest.mark.parametrize(
    ("formulation", "method"),
    [
        ("joint", "explicit"),
        ("embedded", "explicit"),
        ("joint", "implicit"),
        ("embedded", "implicit"),
        ("euler", "implicit"),
    ],
)
@pytest.mark.parametrize("outputs", [2, 41])
def test_no_motion_leaves_its_branch_without_a_word(formulation, method, outputs):
    """The energy balance sees it, also over one long interval of outputs; what is kept is right."""
    for n in (1, 2):
        given = {"velocity": {"theta0": -1.0}, "formulation": formulation, "method": method, "max_steps": 5000}
        r = poinsot.simulate(windows(n), 1.0, t=np.linspace(0, 1, outputs), **given)
        assert turned(r, n) < 1e-6 and (r.finished or "stopped at t = " in r.status)
        assert r.drift < 1e-9 and r.energy_error < 1e-6 * np.abs(r.energy).max()


def test_a_long_regular_motion_is_not_taken_for_a_loss():
    """Errors of many steps add up between two outputs; the implicit method tells its steps."""
    pendulum = poinsot.load("double_pendulum")
    for method, rtol in (("explicit", 1e-10), ("implicit", 1e-8), ("implicit", 1e-6)):
        r = poinsot.simulate(pendulum, 20.0, t=[0.0, 20.0], method=method, rtol=rtol, atol=rtol / 100)
        assert r.finished and r.steps > 100
