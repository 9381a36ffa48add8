"""Reactions and motions do not depend on the formulation, on round-off, or on which rows are redundant."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.model.assembly.mobility import redundancy, row_combinations
from poinsot.system.system import system

RIGID = ("joint", "euler", "rotation-matrix", "embedded")


def crane(seed: int, gauge: float = 1.0):
    """A mast on a springy hinge with a jib that a rope holds; `gauge` scales all lengths."""
    rng = np.random.default_rng(seed)
    foot, top, tip = (
        rng.uniform([0, 0.3], [0.1, 0.8]),
        rng.uniform([0, 1.8], [0.3, 2.4]),
        rng.uniform([1.5, -0.1], [2.4, 0.3]),
    )
    length = float(np.linalg.norm(foot + tip - top))
    bodies = {
        "mast": {
            "mass": 50,
            "com": [0, gauge],
            "inertia": 20 * gauge**2,
            "frames": {"top": (gauge * top).tolist(), "foot": (gauge * foot).tolist()},
        },
        "jib": {"mass": 30, "com": [gauge, 0], "inertia": 10 * gauge**2, "frames": {"tip": (gauge * tip).tolist()}},
    }
    joints = {
        "base": {"type": "revolute", "between": ["ground", "mast"], "stiffness": 1e4 * gauge},
        "heel": {"type": "revolute", "between": ["mast.foot", "jib"]},
        "rope": {"type": "distance", "between": ["mast.top", "jib.tip"], "length": gauge * length, "closing": True},
    }
    coordinates = {"phi": {"joint": "base"}}
    return poinsot.build(
        {"format": 1, "planar": True, "bodies": bodies, "joints": joints, "coordinates": coordinates}
    )


@pytest.mark.parametrize("seed", range(6))
def test_a_rope_that_holds_a_jib_bears_the_same_in_all_formulations(seed):
    gauge = 10.0 ** (seed - 3)
    state = poinsot.State(pose={"phi": -0.2}, velocity={"phi": 0.3})
    found = {f: poinsot.accelerations(crane(seed, gauge), state, formulation=f) for f in RIGID}
    largest = np.abs(found["euler"].reactions["rope"]).max()
    for joint, force in found["euler"].reactions.items():
        for f in RIGID:
            off = np.abs(found[f].reactions[joint] - force) / np.repeat([1.0, gauge], 3)
            assert off.max() < 1e-10 * largest, (f, joint)


def locomotive(angle: float = np.pi / 2, size: float = 1.0, begin: float = 0.0):
    """Two wheels coupled by two rods whose pins are an angle apart: each holds at the dead centre of the other."""
    at = {"A": begin, "B": begin + angle}
    pins = {pin: [float(0.2 * size * np.cos(x)), float(0.2 * size * np.sin(x))] for pin, x in at.items()}
    wheel = {"mass": 3.0, "inertia": 0.1, "frames": pins}
    bodies = {"front": wheel, "back": wheel}
    joints = {
        "front_axle": {"type": "revolute", "between": ["ground", "front"]},
        "back_axle": {"type": "revolute", "between": [{"body": "ground", "position": [size, 0.0]}, "back"]},
    }
    for name, pin in pins.items():
        bodies[f"rod_{name}"] = {
            "mass": 1.0,
            "com": [0.5 * size, 0.0],
            "inertia": 0.1,
            "frames": {"end": [size, 0.0]},
            "placement": {"position": pin},
        }
        joints[f"front_{name}"] = {"type": "revolute", "between": [f"front.{name}", f"rod_{name}"]}
        joints[f"back_{name}"] = {"type": "revolute", "between": [f"back.{name}", f"rod_{name}.end"]}
    coordinates = {"phi": {"joint": "front_axle"}}
    return poinsot.build(
        {"format": 1, "planar": True, "bodies": bodies, "joints": joints, "coordinates": coordinates}
    )


@pytest.mark.parametrize("formulation", RIGID)
def test_coupled_wheels_turn_through_the_dead_centres_of_either_rod(formulation):
    r = poinsot.simulate(locomotive(), 2.0, velocity={"phi": 8.0}, formulation=formulation)
    assert r.finished
    assert r.drift < 1e-12
    assert r.energy_error < 1e-8 * np.abs(r.energy).max()
    assert r.coordinates["phi"][-1] > 12.0
    turned = r.rotation["back"] - r.rotation["front"]
    assert np.abs(turned).max() < 1e-9


@pytest.mark.parametrize(("formulation", "begin"), [("joint", 0.7), ("joint", 1.1), ("embedded", 0.7)])
def test_momentum_carries_coupled_wheels_through_a_dead_centre_that_both_rods_have_together(formulation, begin):
    """On the way to it combinations are chosen anew, the last time so near that the step over it begins before."""
    r = poinsot.simulate(locomotive(np.pi, begin=begin), 1.0, velocity={"phi": 8.0}, formulation=formulation)
    assert r.finished, r.status
    assert r.drift < 1e-12 and r.energy_error < 1e-8 * np.abs(r.energy).max()
    np.testing.assert_allclose(r.coordinates["phi"], 8.0 * r.t, atol=1e-8)
    np.testing.assert_allclose(r.rotation["back"], r.rotation["front"], atol=1e-9)


@pytest.mark.parametrize("size", [1.0, 50.0])
def test_kept_combinations_are_as_independent_as_all_rows(size):
    wheels = locomotive(size=size)
    compiled = system(wheels)
    (group,) = compiled.outline.redundancy.groups
    assert len(group.rows) - group.rank == 1
    assert compiled.outline.mobility == 1
    assert compiled.reading.chart(compiled.home.poses)[-1] == 0  # the limit, before a simulation sets it
    assert len(compiled.outline.all_rows) == len(compiled.outline.rows) + 1
    S = row_combinations(wheels.elements, compiled.outline.redundancy, compiled.home.poses, compiled.home.size)
    S = S.reshape(group.rank, len(group.rows)) * np.array(
        [compiled.home.size if row.is_length else 1.0 for row in group.rows]
    )
    np.testing.assert_allclose(S @ S.T, np.eye(group.rank), atol=1e-14)


def test_groups_that_share_nothing_are_kept_apart():
    """Two locomotives side by side; their rows depend on each other within each of them only."""
    one = dict(locomotive().document)
    bodies, joints = {}, {}
    for side in ("left", "right"):
        bodies |= {f"{side}_{name}": body for name, body in one["bodies"].items()}
        for name, joint in one["joints"].items():
            ends = [{"body": end} if isinstance(end, str) else end for end in joint["between"]]
            ends = [e if e["body"] == "ground" else e | {"body": f"{side}_{e['body']}"} for e in ends]
            joints[f"{side}_{name}"] = joint | {"between": [e if len(e) > 1 else e["body"] for e in ends]}
    both = poinsot.build({"format": 1, "planar": True, "bodies": bodies, "joints": joints})
    groups = system(both).outline.redundancy.groups
    assert [len(group.rows) - group.rank for group in groups] == [1, 1]
    for group, side in zip(groups, ("left", "right")):
        assert all(joint.startswith(side) for joint in group.joints)
    assert system(both).outline.redundancy.chart_numbers == 1 + sum(g.rank * len(g.rows) for g in groups)


def test_independent_rows_form_no_group():
    four_bar = poinsot.load("four_bar")
    compiled = system(four_bar)
    assert redundancy(four_bar.elements, compiled.home, ["D"]).groups == ()
    assert compiled.outline.redundancy.chart_numbers == 0


def test_check_names_every_joint_that_shares_what_is_not_determined():
    text = str(poinsot.check(locomotive()))
    assert "share what is not determined" in text
    for joint in ("front_A", "back_A", "front_B", "back_B"):
        assert joint in text
