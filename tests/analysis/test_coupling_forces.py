"""What a gear exerts on its wheels: by hand, in every formulation."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.model.mechanism import build

ALL = ("joint", "embedded", "euler", "rotation-matrix")
RATIO, J_IN, J_OUT, B = 3.0, 0.02, 0.5, 0.4  # in = 3 out; inertias about the axes [kg·m²]; damper at the output


def geared(**more):
    """A motor's wheel that turns a heavier one three times slower."""

    def wheel(J):
        return {"mass": 1.0, "inertia": [J, J, J]}

    def hinge(name, x):
        return {"type": "revolute", "between": [{"body": "ground", "position": [x, 0, 0]}, name]}

    return build(
        {
            "format": 1,
            "gravity": [0.0, 0.0, 0.0],
            "bodies": {"a": wheel(J_IN), "b": wheel(J_OUT)},
            "joints": {"in": {**hinge("a", 0.0), "actuated": True}, "out": {**hinge("b", 1.0), "damping": B}},
            "couplings": {"gear": {"on": {"combination": {"out": RATIO, "in": -1}}}},
            "coordinates": {"in": {"joint": "in"}, "out": {"joint": "out"}},
            **more,
        }
    )


@pytest.mark.parametrize("formulation", ALL)
def test_a_gear_turns_the_output_by_its_inertia_and_holds_the_input_back_by_the_ratio(formulation):
    """Output: torque J α + b ω of the gear; input: that over the ratio, against it."""
    t = np.linspace(0.0, 0.4, 5)
    run = poinsot.inverse_dynamics(geared(), {"in": lambda t: 3.0 * t**2}, t, formulation=formulation)
    alpha, omega = 6.0 / RATIO, 6.0 * t / RATIO
    load = J_OUT * alpha + B * omega
    assert_allclose(run.coupling_forces["gear.out"], load, rtol=1e-10)
    assert_allclose(run.coupling_forces["gear.in"], -load / RATIO, rtol=1e-10)
    assert_allclose(run.forces["in"], J_IN * 6.0 + load / RATIO, rtol=1e-10)
    assert run.to_columns()["gear.out.force"][1] == "N·m"


@pytest.mark.parametrize("formulation", ALL)
def test_a_simulation_tells_the_same(formulation):
    """2 N·m at the input: out accelerates by n τ / (J_out + n² J_in), less the damper."""
    run = poinsot.simulate(geared(), 0.5, t=[0.0, 0.25, 0.5], forces={"in": 2.0}, formulation=formulation)
    omega = run.rates["out"]
    alpha = (RATIO * 2.0 - B * omega) / (J_OUT + RATIO**2 * J_IN)
    assert_allclose(run.coupling_forces["gear.out"], J_OUT * alpha + B * omega, rtol=1e-8)
    assert_allclose(run.coupling_forces["gear.in"], -run.coupling_forces["gear.out"] / RATIO, rtol=1e-12)


def test_forces_of_couplings_that_say_the_same_are_not_determined():
    again = {"on": {"combination": {"out": 2 * RATIO, "in": -2}}}
    twice = geared(couplings={"gear": {"on": {"combination": {"out": RATIO, "in": -1}}}, "twin": again})
    run = poinsot.inverse_dynamics(twice, {"in": lambda t: 3.0 * t**2}, [0.0, 0.1])
    assert np.isnan(run.coupling_forces["gear.out"]).all() and np.isnan(run.coupling_forces["twin.in"]).all()
    assert_allclose(run.forces["in"][0], J_IN * 6.0 + J_OUT * 2.0 / RATIO)


RADIUS, M_RACK = 0.2, 4.0  # of the pinion on the output [m], and mass of the rack [kg]


def racked(size=1.0, **couplings):
    """The same with a rack on the output, lengths times a size, and more couplings."""
    document = geared().document
    rack = {"type": "prismatic", "between": [{"body": "ground", "position": [0, size, 0]}, "r"], "axis": [2, 0, 1]}
    bodies = {**document["bodies"], "r": {"mass": M_RACK / size**2, "inertia": [1.0, 1.0, 1.0]}}
    joints = {**document["joints"], "slide": rack}
    joints["out"] = joints["out"] | {"between": [{"body": "ground", "position": [size, 0, 0]}, "b"]}
    rolls = {"on": {"combination": {"slide": 1.0, "out": -RADIUS * size}}}
    own = {**document["couplings"], "rack": rolls, **couplings}
    return build({**document, "bodies": bodies, "joints": joints, "couplings": own})


def driven(machine):
    return poinsot.inverse_dynamics(machine, {"in": lambda t: 3.0 * t**2}, [0.0, 0.1])


def test_a_rack_pushes_its_slide_by_a_force_and_its_pinion_by_a_torque():
    run = driven(racked())
    alpha = 6.0 / RATIO
    assert_allclose(run.coupling_forces["rack.slide"], M_RACK * RADIUS * alpha, rtol=1e-10)
    assert_allclose(run.coupling_forces["rack.out"], -M_RACK * RADIUS**2 * alpha, rtol=1e-10)
    columns = run.to_columns()
    assert columns["rack.slide.force"][1] == "N" and columns["rack.out.force"][1] == "N·m"


@pytest.mark.parametrize("factor", [1e-9, 1.0, 1e6])
def test_only_couplings_that_share_a_stress_are_open_however_they_are_written(factor):
    twin = {"on": {"combination": {"out": factor * RATIO, "in": -factor}}}
    run = driven(racked(twin=twin))
    told = {name for name, force in run.coupling_forces.items() if np.isfinite(force).all()}
    assert told == {"rack.slide", "rack.out"}
    assert_allclose(run.coupling_forces["rack.slide"], M_RACK * RADIUS * 6.0 / RATIO, rtol=1e-10)


@pytest.mark.parametrize("size", [1e-8, 1.0, 1e8])
def test_what_is_open_does_not_depend_on_the_size_of_the_machine(size):
    """Two racks of one pinion, and two hinges of its shaft: each pair shares a stress, the gear has none."""
    machine = racked(size, second={"on": {"combination": {"slide": -2.0, "out": 2 * RADIUS * size}}})
    ends = [{"body": body, "position": [x, 0.0, size]} for body, x in (("ground", size), ("b", 0.0))]
    joints = {**machine.document["joints"], "bearing": {"type": "revolute", "between": ends, "closing": True}}
    run = driven(build({**machine.document, "joints": joints}))
    open_ = {name for name, force in run.coupling_forces.items() if np.isnan(force).any()}
    assert open_ == {"rack.slide", "rack.out", "second.slide", "second.out"}
    for joint in ("out", "bearing"):
        assert np.isnan(run.reactions[joint][0]).tolist() == [True] * 5 + [False]
    assert np.isfinite(run.reactions["slide"]).all()
