"""Measured shapes as residuals: exact derivatives, error bars, what they tell that frequencies do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.vibration import sprung_five_bar

import poinsot
from poinsot.estimate.problems.frequencies.measurement import measured_modes
from poinsot.estimate.problems.frequencies.residuals import FrequencyResiduals
from poinsot.estimate.study import Study, Unknown
from poinsot.estimate.study_file import read_study
from poinsot.recording.modal.points import MeasurementPoint, point_rows
from poinsot.vibration.eigenmodes import eigenmodes
from poinsot.vibration.linear_model.model import linear_model
from poinsot.vibration.mode_derivatives import eigenvalue_derivatives
from poinsot.vibration.pole_derivatives import pole_derivatives, swinging_poles
from poinsot.vibration.shape_derivatives import distinct, shape_derivatives
from tests.analysis.vibrating import FORMULATIONS, column, document, masses
from tests.estimate.frequencies.test_residuals import BENT, by_differences
from tests.generated.share import share
from tests.recording.modal.simulated import damped_three_link


def measured_run(mechanism, places, rng, pose=None, noise=0.02, locked=None, n=None, **more) -> poinsot.ModalRun:
    """Frequencies and shapes of a mechanism with noise, shapes of any scale."""
    linear = linear_model(mechanism, pose, locked=locked)
    poles = swinging_poles(linear) if more.get("damping") else None
    found = poinsot.modes(mechanism, pose, locked=locked, n=n)
    points = [MeasurementPoint(place) for place in places]
    psi = point_rows(linear, points) @ (found.shapes if poles is None else poles.shapes)
    f = found.frequencies if poles is None else poles.frequencies
    turn = 1 if poles is None else np.exp(2j * np.pi * rng.random(psi.shape[1]))
    psi = psi / np.max(np.abs(psi), axis=0) * rng.uniform(0.5, 2, psi.shape[1]) * turn
    sigma = noise * np.max(np.abs(psi), axis=0)
    psi = psi + sigma * (rng.normal(size=psi.shape) + (0 if poles is None else 1j * rng.normal(size=psi.shape)))
    ratios = {}
    if poles is not None:
        zeta = poles.ratios
        ratios = {"damping": zeta * rng.normal(1, 0.02, len(zeta)), "damping_deviation": 0.02 * zeta}
    f = f * rng.normal(1, 0.002, len(f))
    shapes = {"shapes": psi, "points": tuple(places), "shape_deviation": sigma}
    return poinsot.ModalRun(f, pose, "run", deviation="0.2 %", locked=locked, **shapes, **ratios)


def problem(mechanism, names, run) -> FrequencyResiduals:
    return measured_modes(Study(mechanism, (), tuple(Unknown(name) for name in names), modal=(run,)))[0].problem


def with_modal_point() -> poinsot.Mechanism:
    changed = document("three_link")
    changed["sensors"] = {"pickup": {"type": "modal-point", "at": "link3", "direction": [0.6, 0.8, 0.0]}}
    return poinsot.build(changed, "three_link")


MACHINES = {
    "springs, masses and lengths": (
        with_modal_point,
        ["A.stiffness", "link2.mass", "L1", "link3.inertia"],
        lambda m, rng: measured_run(m, ("link3 x", "pickup", "link1 rz", "link2 y"), rng, BENT),
    ),
    "a loop in the field of gravity": (
        sprung_five_bar,
        ["shoulder1.stiffness", "crank1.mass", "crank1.elbow.x"],
        lambda m, rng: measured_run(m, ("forearm1 x", "forearm2 y", "crank1 rz", "x"), rng, {"x": 0.05, "y": 0.3}),
    ),
    "dampers": (
        damped_three_link,
        ["A.stiffness", "A.damping", "C.damping", "link1.mass", "L2"],
        lambda m, rng: measured_run(m, ("link3 y", "link2 y", "link1 y"), rng, BENT, locked="none", damping=True),
    ),
    "an equilibrium that moves": (
        lambda: poinsot.load("double_pendulum"),
        ["gravity.y", "upper.mass"],
        lambda m, rng: measured_run(m, ("upper x", "lower x", "lower rz"), rng),
    ),
}


@pytest.mark.parametrize("name", MACHINES)
def test_derivatives_meet_differences(name):
    make, names, measure = MACHINES[name]
    machine = make()
    of = problem(machine, names, measure(machine, np.random.default_rng(1)))
    p = of.space.start * 1.02
    exact, expected = of.jacobian(p), by_differences(of, p, 1e-3)
    shapes = np.zeros(len(exact), bool)
    shapes[-sum(of.shape_rows(run) for run in of.runs) :] = True
    for part in (shapes, ~shapes):
        scale = np.maximum(np.max(np.abs(expected[part]), axis=0), 1e-3 / np.abs(p))
        np.testing.assert_allclose(exact[part] / scale, expected[part] / scale, atol=5e-6)
    assert np.max(np.abs(exact[shapes])) > 0


@pytest.mark.slow
def test_derivatives_of_a_flexible_robot_meet_differences():
    navaro = poinsot.load("navaro_refined")
    places = ("platform x", "platform rz", "leg1.link4.E y", "leg2.link1.D x", "leg3.link2 y", "theta")
    run = measured_run(navaro, places, np.random.default_rng(0), {"x": 0.1, "y": 0.05, "theta": -1.0}, n=4)
    of = problem(navaro, ["joint.mass", "clutch.stiffness", "bar"], run)
    p = of.space.start * 1.01
    exact, expected = of.jacobian(p), by_differences(of, p, 1e-3)
    scale = np.max(np.abs(expected), axis=0)
    np.testing.assert_allclose(exact / scale, expected / scale, atol=1e-5)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_all_formulations_give_one_derivative_of_a_shape_and_that_of_its_eigenvalue(formulation):
    names, places = ("A.stiffness", "L1", "link2.mass"), ("link3 x", "link3 y", "link2 y", "link1 rz")

    def shown(chosen):
        linear = linear_model(poinsot.load("three_link"), BENT, formulation=chosen)
        found, change = eigenmodes(linear, None), linear.derivatives(names, places)
        d_shapes, d_values = shape_derivatives(linear, found, change, np.arange(3))
        np.testing.assert_allclose(d_values, eigenvalue_derivatives(linear, found, names), rtol=1e-9)
        P = point_rows(linear, [MeasurementPoint(place) for place in places])
        u, du = P @ found.shapes, np.einsum("jon,nk->koj", change.dP, found.shapes) + P @ d_shapes
        return [d - np.outer(x, x @ d) / (x @ x) for x, d in zip(u.T, du)]  # across the shape: no scale in it

    ours = shown(formulation)
    for one, other in zip(ours, shown("joint")):
        size = np.max(np.abs(other), axis=0)
        np.testing.assert_allclose(one / size, other / size, rtol=0, atol=1e-9)


def test_rows_of_places_in_space_change_as_differences_do():
    """Turns about axes of the world, points and coordinates of the EX800, off its symmetric pose."""
    pose = {"x": 0.02, "y": -0.01, "z": 0.31, "rz": 1.1, "rx": 0.1, "ry": 0.15}
    places = ("leg1.rod rx", "leg2.cylinder ry", "leg3.rod rz", "leg4.rod y", "leg5.length", "platform rx")
    machine, names = poinsot.load("ex800"), ("leg.foot.z", "leg.head.z")

    def linear(**changes: float):
        values = {name: machine.parameters[name].value + x for name, x in changes.items()}
        return linear_model(machine.with_parameters(values), pose, free=names, locked="none")

    def rows(name: str, change: float):
        return point_rows(linear(**{name: change}), [MeasurementPoint(place) for place in places])

    exact = linear().derivatives(names, places).dP
    for name, found in zip(names, exact):
        one, two = ((rows(name, f * 1e-4) - rows(name, -f * 1e-4)) / (2e-4 * f) for f in (1, 2))
        np.testing.assert_allclose(found, (4 * one - two) / 3, rtol=0, atol=1e-7 * np.max(np.abs(found)))
        assert np.max(np.abs(found[:3])) > 0.01 * np.max(np.abs(found))


def test_poles_with_a_force_that_follows_agree_with_left_vectors():
    ziegler = dict(column(6.0, 3.0).document)
    ziegler["joints"] = {n: {**j, "damping": d} for (n, j), d in zip(ziegler["joints"].items(), (0.02, 0.05))}
    linear = linear_model(poinsot.build(ziegler, "column"), None)
    found, names = swinging_poles(linear), ("A.stiffness", "B.damping", "upper.mass")
    both = shape_derivatives(linear, found, linear.derivatives(names), np.arange(len(found.values)))
    np.testing.assert_allclose(both[1], pole_derivatives(found, names), rtol=1e-9)


def symmetric(m=(1.0, 1.0)) -> poinsot.Mechanism:
    """Two masses between three springs: the same seen from either end."""
    changed = dict(masses(200.0, 150.0, m=m).document)
    changed["forces"] = {"s3": {"type": "spring", "on": {"position": "m2", "axis": "x"}, "stiffness": 200.0}}
    return poinsot.build(changed, "symmetric")


def test_shapes_tell_how_mass_is_distributed_in_a_symmetric_machine_and_frequencies_do_not():
    machine, names = symmetric(), ["m1.mass", "m2.mass"]
    run = measured_run(machine, ("m1 x", "m2 x"), np.random.default_rng(0), noise=0.01)
    blind = poinsot.ModalRun(run.frequencies, deviation=run.deviation, shapes=run.shapes, points=run.points)
    by_frequencies = poinsot.identify(machine, blind, names)
    assert set(by_frequencies.undetermined) == set(names)
    est = poinsot.identify(machine, run, names)
    assert est.undetermined == () and np.all(np.abs(est.value - 1) < 4 * est.deviation)
    assert np.all(est.deviation < 0.05)


def test_error_bars_are_those_of_scales_as_unknowns_besides():
    """The block of the parameters in the inverse of the whole, each scale being an unknown of its own."""
    machine, names = masses(200.0, 150.0, 120.0, m=(1.0, 1.5, 0.7)), ("m2.mass", "s3.stiffness")
    run = measured_run(machine, ("m1 x", "m2 x", "m3 x"), np.random.default_rng(3), noise=1e-3)
    est = poinsot.identify(machine, run, list(names))

    def stacked(x):
        k, m = np.array([200.0, 150.0, x[1]]), np.array([1.0, x[0], 0.7])
        K = np.diag(k + np.append(k[1:], 0)) - np.diag(k[1:], 1) - np.diag(k[1:], -1)
        values, vectors = np.linalg.eigh(K / np.sqrt(np.outer(m, m)))
        shapes = vectors / np.sqrt(m)[:, None]
        shapes = shapes / shapes[0] * x[2:]
        f = np.sqrt(values) / (2 * np.pi)
        return np.concatenate([(f / run.deviation), (shapes / run.shape_deviation).ravel()])

    at = np.array([*est.value, *(run.shapes[0].real)])
    step = 1e-5 * np.abs(at)
    J = np.array([(stacked(at + d) - stacked(at - d)) / (2 * s) for d, s in zip(np.diag(step), step)]).T
    np.testing.assert_allclose(est.covariance, np.linalg.inv(J.T @ J)[:2, :2], rtol=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("damped", share([True, False]))
def test_error_bars_hold_what_they_promise(damped):
    rng, z, misfits = np.random.default_rng(5), [], 0
    machine = damped_three_link() if damped else poinsot.load("three_link")
    names = ["A.stiffness", "B.stiffness", "C.stiffness", "link2.mass", "link3.mass"]
    true = np.array([machine.parameters[name].value for name in names])
    for _ in range(60):
        more = {"locked": "none", "damping": True} if damped else {}
        run = measured_run(machine, ("link1 y", "link2 x", "link2 y", "link3 y"), rng, BENT, noise=0.002, **more)
        est = poinsot.identify(machine, run, names)
        z.append(np.abs(est.value - true) / est.deviation)
        misfits += "does not fit" in est.verdict
    shares = [np.mean(np.array(z) < k) for k in (1, 1.96)]
    np.testing.assert_allclose(shares, [0.683, 0.95], atol=0.06)
    assert misfits <= 1


def test_a_shape_that_does_not_fit_is_named_and_left_out_when_asked():
    machine, names = masses(200.0, 150.0, 120.0, m=(1.0, 1.5, 0.7)), ["m2.mass", "s3.stiffness"]
    good = measured_run(machine, ("m1 x", "m2 x", "m3 x"), np.random.default_rng(3), noise=0.01)
    wrong = good.shapes.copy()
    wrong[0, 1] *= 1.5  # a point whose sensitivity is wrong, in one mode
    run = replace(good, shapes=wrong)
    named, left_out = (poinsot.identify(machine, run, names, processing={"robust": r}) for r in (False, True))
    assert "the shape at" in " ".join(named.numerics) and "mode 2; MAC" in " ".join(named.numerics)
    assert left_out.numerics == (left_out.numerics[0],) and "Left out" in left_out.numerics[0]
    assert left_out.numerics[0].count("the shape at") == 1 and np.isfinite(left_out.fit.measured[0][:, 0]).all()
    assert np.all(np.abs(left_out.value - [1.5, 120.0]) < 4 * left_out.deviation)
    assert not poinsot.identify(machine, good, names).numerics


def test_shapes_of_repeated_frequencies_are_left_out_and_that_is_said():
    pair = masses(100.0, 0.0, m=(1.0,))
    changed = dict(pair.document)
    changed["bodies"]["m2"] = {"mass": 1.0, "inertia": 0.1}
    changed["joints"]["s2"] = {"type": "prismatic", "between": ["ground", "m2"], "axis": [0, 1], "stiffness": "k"}
    changed["joints"]["s1"]["stiffness"] = "k"
    changed["parameters"] = {"k": 100.0}
    two = poinsot.build(changed, "two")
    f = np.sqrt(110.0) / (2 * np.pi)
    shapes = np.array([[1.0, 1.0], [1.0, -1.0]])
    run = poinsot.ModalRun(
        [f, f], deviation="0.1 %", shapes=shapes, points=("m1 x", "m2 y"), shape_deviation="1 %", name="both"
    )
    assert not distinct(eigenmodes(linear_model(two, None), None)).any()
    est = poinsot.identify(two, run, ["k"])
    assert est["k"].value == pytest.approx(110.0) and not est.numerics
    assert any("shapes say nothing where frequencies of the model repeat" in step for step in est.steps)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"shape_deviation": 0.1}, "none were given"),
        ({"shapes": [[1.0]], "points": ("x",), "shape_deviation": -0.1}, "positive"),
        ({"shapes": [[1.0]], "points": ("x",), "shape_deviation": [0.1, 0.2]}, "2 values of shape_deviation"),
        ({"shapes": [[1.0]], "points": ("x",), "shape_deviation": [[0.1, 0.2]]}, "positive numbers, one, k or"),
        ({"shapes": [[1.0]], "points": ("x",), "shape_deviation": "0.1 kg"}, "kg"),
    ],
)
def test_deviations_of_shapes_say_what_is_wrong_with_them(fields, sentence):
    with pytest.raises(poinsot.PoinsotError, match=sentence):
        poinsot.ModalRun([3.0], **fields)


def test_deviations_of_shapes_are_numbers_or_parts_of_the_largest_motion():
    shapes, points = [[1.0, -4.0], [0.5, 2.0]], ("a", "b")
    relative = poinsot.ModalRun([3.0, 5.0], shapes=shapes, points=points, shape_deviation="2 %")
    np.testing.assert_allclose(relative.shape_deviation, [[0.02, 0.08], [0.02, 0.08]])
    table = poinsot.ModalRun([3.0, 5.0], shapes=shapes, points=points, shape_deviation=[[0.1, 0.2], [0.3, 0.4]])
    assert table.shape_deviation[1, 0] == 0.3 and table.without_shapes([0]).weighed.tolist() == [1]
    with pytest.raises(poinsot.PoinsotError, match="give standard deviations of all"):
        poinsot.identify(masses(100.0, 100.0), table, ["m1.mass"])


def test_a_study_file_gives_deviations_of_shapes(tmp_path):
    lines = [
        "format = 1",
        'model = "three_link"',
        'unknowns = ["A.stiffness"]',
        "[modal.bent]",
        "frequencies = [21, 61]",
    ]
    lines += ['points = ["link3 y", "link2 y"]', "shapes = [[1.0, 2.0], [0.5, -1.0]]", 'shape_deviation = "5 %"']
    (tmp_path / "study.toml").write_text("\n".join(lines))
    run = read_study(tmp_path / "study.toml").modal[0]
    np.testing.assert_allclose(run.shape_deviation, [[0.05, 0.1], [0.05, 0.1]])
