"""What a measurement can determine: the EX800's published case, honest verdicts, standard deviations."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.identifiability.linear import linear_parameters
from poinsot.identifiability.model_parameters import linear_slopes

from ..papers.test_ex800 import CIRCLE, WAVES
from .layouts import RIGHT_ANGLES, arm
from .motions import random_motion

ZETA = ["platform.mass", "I_xx", "platform.inertia.zz"]
FORCES, BOTH = ["wrench platform.f?"], ["wrench platform"]
T = np.arange(501) / 100  # 100 Hz for 5 s


def ex800():
    return poinsot.load("ex800").with_shared("I_xx", "platform.inertia.xx", "platform.inertia.yy")


@pytest.mark.parametrize(
    ("motion", "channels", "expected", "open_"),
    [
        (WAVES, FORCES, (219.96, 0, 0), ("I_xx", "platform.inertia.zz")),
        (WAVES, BOTH, (219.96, 64.738, 6.598), ()),
        (CIRCLE, FORCES, (219.58, 0, 0), ("I_xx", "platform.inertia.zz")),
        (CIRCLE, BOTH, (219.58, 0, 0), ("I_xx", "platform.inertia.zz")),
    ],
    ids=["waves, forces", "waves, forces and moments", "circle, forces", "circle, forces and moments"],
)
def test_the_published_platform(motion, channels, expected, open_):
    d = poinsot.determinable(ex800(), motion, T, channels, parameters=ZETA)
    np.testing.assert_allclose(np.linalg.svd(d.matrix, compute_uv=False), expected, rtol=1e-4, atol=1e-10)
    assert d.undetermined == open_
    assert len(d.determined) == 3 - len(open_) and d.gap.clear
    assert d.base.values()[0] == 6.8369 and "platform.mass" in str(d.base)
    for name in open_:
        assert np.isnan(d[name].deviation) and d[name].instead == () and "no effect" in str(d)


def test_columns_of_model_parameters_are_the_derivatives_of_the_forces():
    mechanism, t = poinsot.load("delta"), np.linspace(0, 1, 5)
    names = ["platform.mass", "platform.com.z", "arm.rod.self.mass", "arm.upper.inertia.yy", "arm.self.coulomb"]
    motion = random_motion(mechanism)
    d = poinsot.determinable(mechanism, motion, t, parameters=names)
    s = poinsot.sensitivity(mechanism, motion, t, names)
    expected = np.stack([s.forces[a] for a in mechanism.actuators], axis=1).reshape(-1, len(names))
    np.testing.assert_allclose(d.matrix, expected, atol=1e-11 * np.abs(expected).max())


def test_slopes_of_linear_parameters_are_differences_of_values():
    from poinsot.identifiability.linear import chosen, parameter_values

    mechanism = poinsot.load("five_bar")
    linear, names = chosen(mechanism, None), ("crank1.com.x", "crank1.mass")
    slopes = linear_slopes(mechanism, linear, names)
    for k, name in enumerate(names):
        x = mechanism.parameters[name].value
        ends = [parameter_values(mechanism.with_parameters({name: x + h}), linear) for h in (-1e-6, 1e-6)]
        np.testing.assert_allclose(slopes[:, k], (ends[1] - ends[0]) / 2e-6, atol=1e-8)


def test_a_parameter_of_the_geometry_is_refused():
    with pytest.raises(poinsot.PoinsotError, match="geometry"):
        poinsot.determinable(poinsot.load("delta"), {"x": 0, "y": 0, "z": -0.7}, [0.0], parameters=["arm.length"])


def test_standard_deviations_are_those_of_many_noisy_fits():
    mechanism, rng = poinsot.load("five_bar"), np.random.default_rng(0)
    names = ["forearm1.mx", "forearm1.J", "shoulder1.drive_inertia", "shoulder1.viscous", "shoulder1.coulomb"]
    motion, t, noise = (
        random_motion(mechanism, 3, 0.3),
        np.linspace(0, 2, 80),
        {"shoulder1": 0.02, "shoulder2": 0.005},
    )
    d = poinsot.determinable(mechanism, motion, t, parameters=names, noise=noise)
    W = poinsot.regressor(mechanism, motion, t, parameters=names)
    sigma = np.tile(list(noise.values()), len(t))
    fits = []
    for _ in range(4000):
        y = (W.matrix @ W.parameters + sigma * rng.normal(size=len(sigma))) / sigma
        fits.append(np.linalg.lstsq(W.matrix / sigma[:, None], y, rcond=None)[0])
    expected = np.std(fits, axis=0)
    assert not d.undetermined
    np.testing.assert_allclose([d[n].deviation for n in W.columns], expected, rtol=0.05)


def test_what_is_undetermined_is_given_with_the_combination_that_is_determined():
    rng = np.random.default_rng(4)
    theta1 = poinsot.Fourier(0.8, tuple(rng.normal(size=11) / 15), tuple(rng.normal(size=11) / 15), 1.0)
    d = poinsot.determinable(poinsot.load("four_bar"), {"theta1": theta1}, np.linspace(0, 7.8, 400), noise=1e-3)
    assert "link1.my" not in d.undetermined and d["link1.my"].instead == ()
    assert d["link1.mx"].instead == ("link1.mx − 3.33333 link1.J",)
    assert len(d["link2.J"].instead) == 4 and d["link1.m"].instead == ()
    assert "determined instead: link1.mx − 3.33333 link1.J" in str(d)
    assert d.to_dict()["parameters"][0]["verdict"] == "undetermined"


def test_more_noise_makes_a_parameter_poorly_determined():
    few = [poinsot.determinable(ex800(), WAVES, T, BOTH, parameters=ZETA, noise=s) for s in (1e-3, 3.0)]
    assert few[0].determined == tuple(ZETA) and few[1].poor == tuple(ZETA[1:])
    assert few[1]["I_xx"].relative == pytest.approx(3000 * few[0]["I_xx"].relative)


@pytest.mark.parametrize(
    ("noise", "message"),
    [(0.0, "positive"), ({"A": -1.0}, "positive"), ({"B": 1.0}, "there is no channel 'B'"), ({}, "'A' is missing")],
)
def test_a_noise_that_makes_no_sense_is_refused(noise, message):
    with pytest.raises(poinsot.PoinsotError, match=message):
        poinsot.determinable(poinsot.load("four_bar"), {"theta1": lambda t: t + 1}, [0.0, 0.1], noise=noise)


def test_a_parameter_that_is_zero_is_judged_by_mass_and_size():
    """A deviation of many times mass × size is poor though no relative deviation can be given; a small one is not."""
    few = [poinsot.determinable(poinsot.load("ex800"), WAVES, T[::4], noise=s)["platform.mz"] for s in (1.0, 1e-9)]
    assert few[0].value == few[1].value == 0
    assert few[0].verdict == "poorly determined" and few[1].verdict == "determined"
    assert few[0].relative == pytest.approx(few[0].deviation / (6.8369 * 0.195), rel=0.05)


def test_a_law_whose_constant_is_zero_is_judged_by_what_would_give_all_forces():
    mechanism = poinsot.load("five_bar")
    motion, t = random_motion(mechanism, 3, 0.3), np.linspace(0, 2, 60)
    name = "shoulder1.offset"
    few = [poinsot.determinable(mechanism, motion, t, parameters=["crank1.mx", name], noise=s) for s in (1e-6, 1e3)]
    assert few[0][name].value == 0
    assert [d[name].verdict for d in few] == ["determined", "poorly determined"]


def test_round_off_makes_no_combination():
    """In frames turned by right angles each base parameter of a plane arm keeps to itself."""
    mechanism = arm(turn=RIGHT_ANGLES, seed=3)
    document = mechanism.document | {"coordinates": {"a": {"joint": "shoulder"}, "b": {"joint": "elbow"}}}
    rng = np.random.default_rng(0)
    motion = {n: poinsot.Fourier(2.0, tuple(rng.normal(size=3)), tuple(rng.normal(size=3)), 0.3) for n in "ab"}
    d = poinsot.determinable(poinsot.build(document), motion, np.linspace(0, 3, 60), noise=1e-3)
    assert d.base.rank == 6 and d.gap.clear
    assert {name.split(".")[0] for name in (*d.determined, *d.poor)} == {"upper", "lower"}
    assert sum(len(f.instead) > 0 for f in d.findings) <= 5


def test_a_parameter_that_no_regressor_has_is_named_alone():
    machine = poinsot.load("three_link")
    regressor = [linear for linear in linear_parameters(machine) if linear.owner == "link3"]
    with pytest.raises(poinsot.PoinsotError, match=r"^L1 is a parameter of the geometry, of gravity or of a rest"):
        linear_slopes(machine, regressor, ("link1.mass", "link2.mass", "L1", "A.stiffness"))
    with pytest.raises(poinsot.PoinsotError, match=r"^L1, gravity.y are parameters of the geometry"):
        linear_slopes(machine, regressor, ("L1", "link1.mass", "gravity.y"))
