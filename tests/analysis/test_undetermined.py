"""Reactions that cannot be known are not given as if they were."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot


def test_a_planar_loop_in_space_leaves_its_forces_out_of_the_plane_undetermined():
    four_bar = poinsot.load("four_bar")
    motion = {"theta1": lambda t: 1 + 2 * t}
    flat = poinsot.inverse_dynamics(four_bar, motion, [0.0, 0.1])
    space = poinsot.inverse_dynamics(four_bar.in_space(), motion, [0.0, 0.1])
    for joint in four_bar.joints:
        known = np.isfinite(space.reactions[joint])
        assert known[:, :2].all()  # in the plane
        assert not known[:, 2:5].any()  # force along z, moments about x and y
        np.testing.assert_allclose(space.reactions[joint][:, :2], flat.reactions[joint][:, :2], atol=1e-9)
    np.testing.assert_allclose(space.forces["A"], flat.forces["A"], atol=1e-9)
    found = poinsot.accelerations(four_bar.in_space())
    assert np.isnan(found.reactions["B"][2]) and np.isfinite(found.reactions["B"][:2]).all()


def test_without_redundant_constraints_every_reaction_is_given():
    d = poinsot.inverse_dynamics(poinsot.load("five_bar"), {"q1": 2.2, "q2": 0.9}, [0.0])
    assert all(np.isfinite(w).all() for w in d.reactions.values())


def test_a_joint_whose_rows_all_follow_from_others_bears_what_nobody_knows():
    """A door on two hinges: how they share the load is open, how it moves is not."""

    def at(body, z):
        return {"body": body, "position": [0, 0, z]}

    door = poinsot.build(
        {
            "format": 1,
            "name": "door",
            "gravity": [0, -9.81, 0],
            "bodies": {"d": {"mass": 1.0, "com": [0.4, 0, 0.5], "inertia": [0.1, 0.1, 0.1]}},
            "joints": {
                "h1": {"type": "revolute", "between": [at("ground", 0.0), at("d", 0.0)]},
                "h2": {"type": "revolute", "between": [at("ground", 1.0), at("d", 1.0)], "closing": True},
            },
            "coordinates": {"a": {"joint": "h1"}},
        }
    )
    for formulation in ("joint", "embedded", "euler", "rotation-matrix"):
        found = poinsot.accelerations(door, formulation=formulation)
        assert found["d"][5] == pytest.approx(-9.81 * 0.4 / (0.1 + 0.16), rel=1e-12)
        assert np.isnan(found.reactions["h2"][:2]).all()
    assert np.isnan(poinsot.simulate(door, 0.1).reactions["h2"][:, :2]).all()


def leaning(size):
    """A loop of one slide, one ball and a sliding face; its accelerations are proportional to its size."""

    def at(body, *place):
        return {"body": body, "position": [size * x for x in place]}

    com, inertia = [0.1 * size, 0.2 * size, 0.05 * size], [x * size**2 for x in (0.02, 0.03, 0.04)]
    body = {"mass": 1.0, "com": com, "inertia": inertia, "placement": {"position": [0, 0, 0]}}
    face = {"type": "planar", "between": [at("b", 1, 1, 0.3), at("ground", 1, 1, 0.3)], "axis": [0.2, 0.3, 0.9]}
    joints = {
        "j0": {"type": "cylindrical", "between": [at("ground", 0, 0, 0), at("a", 0, 0, 0)], "axis": [0.6, 0, 0.8]},
        "j1": {"type": "spherical", "between": [at("a", 1, 0, 0), at("b", 1, 0, 0)]},
        "j2": {**face, "closing": True},
    }
    model = {"format": 1, "name": "leaning", "bodies": {"a": body, "b": body}, "joints": joints}
    return poinsot.build({**model, "gravity": [0, 0, -9.81 * size]})


@pytest.mark.parametrize("size", [1e-7, 1.0, 1e6])
@pytest.mark.parametrize("formulation", ["joint", "euler", "rotation-matrix"])
def test_no_constraint_is_taken_for_redundant_because_a_machine_is_large_or_small(size, formulation):
    expected = poinsot.accelerations(leaning(1.0), formulation="embedded")["b"]
    found = poinsot.accelerations(leaning(size), formulation=formulation)["b"]
    np.testing.assert_allclose(np.concatenate([found[:3] / size, found[3:]]), expected, rtol=1e-9)
