"""Unknowns without effect on modes, with a model's value of 0: their columns are round-off, at whatever start."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.estimate.problems.space import space_of
from poinsot.estimate.study import Unknown

STRIPS = """
format = 1
name = "strips"
planar = true
gravity = [0, 0]
[materials]
steel = { E = "208 GPa", G = "80 GPa", density = "7800 kg/m^3" }
[sections]
strip = { area = "120 mm^2", Iy = "360 mm^4", Iz = "4000 mm^4", torsion = "1250 mm^4" }
thin = { area = "60 mm^2", Iy = "500 mm^4", Iz = "180 mm^4", torsion = "500 mm^4" }
[bodies.ground]
frames.D = ["450 mm", 0]
[bodies.crank]
frames.B = ["200 mm", 0]
beams.web = { between = ["crank", "crank.B"], material = "steel", section = "strip", elements = 2 }
[bodies.coupler]
frames.C = ["500 mm", 0]
beams.web = { between = ["coupler", "coupler.C"], material = "steel", section = "thin", elements = 2 }
mass = "300 g"
com = ["500 mm", 0]
inertia = "50000 g·mm^2"
placement = { at = "crank.B", along = ["crank.B", "rocker.C"] }
[bodies.rocker]
frames.C = ["350 mm", 0]
beams.web = { between = ["rocker", "rocker.C"], material = "steel", section = "strip", elements = 2 }
placement = { position = ["450 mm", 0], rotation = { angle = "80 deg" } }
[joints.A]
type = "revolute"
between = ["ground", "crank"]
actuated = true
[joints.B]
type = "revolute"
between = ["crank.B", "coupler"]
[joints.D]
type = "revolute"
between = ["ground.D", "rocker"]
stiffness = "0 N·m/rad"
[joints.C]
type = "revolute"
between = ["coupler.C", "rocker.C"]
closing = true
[coordinates]
phi = { joint = "A" }
[pose]
phi = "70 deg"
"""
POSES = np.radians([30.0, 60.0, 90.0, 120.0])
LUMP = "rocker.mass"  # at a hinge that stands still


@pytest.fixture(scope="module")
def strips() -> poinsot.Mechanism:
    return poinsot.loads(STRIPS)


def frequencies(model: poinsot.Mechanism, phi: float) -> np.ndarray:
    found = np.asarray(poinsot.modes(model, {"phi": phi}, n=7).frequencies)
    return found[found > 1.0]


@pytest.fixture(scope="module")
def runs(strips) -> list[poinsot.ModalRun]:
    rng = np.random.default_rng(3)
    true = strips.with_parameters({"steel.E": 2.0e11})
    every = [(phi, frequencies(true, phi)) for phi in POSES]
    return [
        poinsot.ModalRun(f * rng.normal(1, 0.003, len(f)), {"phi": phi}, f"{phi:.2f}", deviation="0.3 %")
        for phi, f in every
    ]


@pytest.mark.parametrize("method", ["trust-region", "levenberg-marquardt"])
@pytest.mark.parametrize("how", [{}, {"start": 0.1}, {"bounds": [0.0, 3.0]}])
def test_a_lump_on_a_fixed_hinge_is_undetermined_wherever_its_search_begins(strips, runs, how, method):
    for phi in POSES:  # by the modes alone
        same = frequencies(strips.with_parameters({LUMP: 2.0}), phi)
        np.testing.assert_allclose(same, frequencies(strips, phi), rtol=1e-9)
    est = poinsot.identify(strips, runs, {"steel.E": {}, LUMP: how}, method)
    assert est.undetermined == (LUMP,) and np.isnan(est[LUMP].value)
    assert len(est.combinations) == 1 and est.mechanism.parameters[LUMP].value == 0.0
    assert est[LUMP].remark == "no effect on what was measured" and "bound" not in est.verdict
    assert abs(est["steel.E"].value - 2.0e11) < 4 * est["steel.E"].deviation


def test_a_lump_that_moves_is_found_from_a_value_of_0(strips, runs):
    est = poinsot.identify(strips, runs, ["steel.E", "rocker.inertia"])
    assert est.undetermined == () and abs(est["rocker.inertia"].value) < 4 * est["rocker.inertia"].deviation


def test_an_error_beyond_all_that_a_machine_tells_leaves_an_unknown_without_a_value_undetermined(strips):
    _, space, _ = space_of(strips, [Unknown(name) for name in (LUMP, "coupler.com.y", "D.stiffness", "steel.E")])
    mass, length = 1.0488, 0.5  # of all strips with the tip, and of the longest
    assert space.too_wide(0, 2 * mass, 0.0) and not space.too_wide(0, 0.5 * mass, 0.0)
    assert not space.too_wide(0, 2 * mass, 40 * mass)  # a value by itself
    assert space.too_wide(1, 3 * length, 0.0) and not space.too_wide(1, 0.1 * length, 0.0)
    assert space.too_wide(2, 1e12, 1e3) and not space.too_wide(2, 1e5, 0.0)  # times are rough
    assert space.too_wide(3, 3e11, 0.0) and not space.too_wide(3, 1e11, 0.0)  # its value in the model
