"""Wrong answers that were given without a word: each has its smallest case here."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

import poinsot
from poinsot.errors import PoinsotError
from poinsot.estimate.methods.registry import method_of
from poinsot.estimate.results.folder import signals
from poinsot.estimate.rows.channel_terms import terms_of, with_terms
from poinsot.estimate.study import Role
from tests.estimate.machines import ARM
from tests.estimate.runs import five_bar_run, problem_of, with_forces
from tests.estimate.runs import noise as coloured

PENDULUM = """
format = 1
name = "pendulum"
planar = true
gravity = [0, "-9.81 m/s²"]
[bodies.bob]
mass = "{mass} kg"
com = ["{com} m", 0]
inertia = "{inertia} kg·m²"
[joints.hinge]
type = "revolute"
between = ["ground", "bob"]
actuated = true
friction = {{ viscous = "0.1 N·m·s/rad" }}
[coordinates]
phi = {{ joint = "hinge" }}
[pose]
phi = 0
"""
SWING = poinsot.Fourier(2 * np.pi / 2.5, (0.4, 0.3, 0.2), (0.3, 0.2, -0.1), 0.3)
LINEAR, TRUTH = ["bob.mx", "bob.my", "bob.J", "hinge.viscous"], np.array([0.25, 0.0, 0.0825, 0.1])


def pendulum(mass: float = 1.0, com: float = 0.25, inertia: float = 0.02, more: str = "") -> poinsot.Mechanism:
    return poinsot.loads(PENDULUM.format(mass=mass, com=com, inertia=inertia) + more, "pendulum")


def swing(mechanism: poinsot.Mechanism, seconds: float = 10.0, sigma: float = 0.01, seed: int = 0, late: float = 0.0):
    """A recording of the hinge's angle and torque, which may be late."""
    t, rng = np.arange(0, seconds, 0.01), np.random.default_rng(seed)
    angle = poinsot.kinematics(mechanism, {"phi": SWING}, t).coordinates["phi"]
    torque = poinsot.inverse_dynamics(mechanism, {"phi": SWING}, t + 2.5 - late).forces["hinge"]  # a period is 2.5 s
    return poinsot.Recording.of(t, {"phi": angle, "hinge": torque + sigma * rng.standard_normal(len(t))})


def off(est: poinsot.Estimate, truth) -> float:
    """The largest error in standard errors."""
    return float(np.nanmax(np.abs(est.value - truth) / est.deviation))


def test_combinations_of_products_are_found_where_a_factor_is_eliminated():
    est = poinsot.identify(pendulum(), swing(pendulum(mass=1.1)), ["bob.mass", "bob.com.x", "bob.inertia"])
    assert not est.numerics
    assert est.combinations[0].text == "bob.com.x + 0.25 bob.mass"
    assert est.combinations[0].value == pytest.approx(0.525, abs=4 * est.combinations[0].deviation)


def test_a_gain_beside_unknown_parameters_settles():
    run = swing(pendulum())
    est = poinsot.identify(
        pendulum(), run.with_channels({"hinge": 1.2 * run["hinge"]}, run.channels), [*LINEAR, "gain hinge"]
    )
    assert not est.numerics
    found = next(c for c in est.combinations if c.text.startswith("gain"))
    assert found.value == pytest.approx(1.2, abs=4 * found.deviation)


@pytest.mark.parametrize("name", ["weighted", "likelihood"])
def test_error_bars_do_not_shrink_by_samples_that_are_masked(name):
    perfect = problem_of(pendulum(), swing(pendulum(), sigma=0.0), LINEAR)
    shape, rng, inside = perfect.runs[0].y.shape, np.random.default_rng(5), []
    hidden = np.zeros(shape, bool)
    hidden[shape[0] // 4 :] = True
    for _ in range(30):
        found = method_of(name).solve(
            with_forces(perfect, np.where(hidden, np.nan, 0.1 * rng.standard_normal(shape))).rows
        )
        inside.append(np.abs(found.d) < 1.96 * np.sqrt(np.diagonal(found.covariance)))
    assert np.mean(inside) > 0.86  # 0.6 before


def test_a_short_run_does_not_hide_the_colour_of_a_long_one():
    from poinsot.estimate.residuals import colour_of

    rng = np.random.default_rng(1)
    parts = [coloured(rng, (1000, 1), 0.95), coloured(rng, (3, 1), 0.95)]
    a = colour_of(parts).a[0]
    assert 0.9 < -a[1] < 1.0 and np.isclose(1 / a.sum(), 20, rtol=0.5)  # the gain at rest of noise of colour 0.95


ARMS = poinsot.loads(ARM, "arm")
ASKED = ["lower.mx", "lower.my", "lower.J", "elbow.viscous"]


def arm_run(order: tuple[str, str], seed: int, late: float = 0.0) -> poinsot.Recording:
    """An arm, its torques recorded in an order, that of the elbow late."""
    t, rng = np.arange(0, 8, 0.01), np.random.default_rng(seed)
    motion = {
        "q1": poinsot.Fourier(np.pi / 2, (0.4, 0.2), (0.3, -0.2), 0.3),
        "q2": poinsot.Fourier(np.pi / 2, (0.3, -0.2), (0.2, 0.3), 0.7),
    }
    run = poinsot.inverse_dynamics(ARMS, motion, t)
    torque = {"shoulder": run.forces["shoulder"], "elbow": np.interp(t - late, t, run.forces["elbow"])}
    angles = {name: run.kinematics.coordinates[name] for name in motion}
    noisy = {name: torque[name] + 0.01 * rng.standard_normal(len(t)) for name in order}
    return poinsot.Recording.of(t, angles | noisy)


def test_channels_of_runs_are_matched_by_name_and_not_by_order():
    held = arm_run(("elbow", "shoulder"), 2)
    wrong = held.with_channels({"elbow": 1.5 * held["elbow"]}, held.channels)
    est = poinsot.identify(ARMS, arm_run(("shoulder", "elbow"), 1), ASKED, validate=wrong)
    assert est.validation is not None
    assert est.validation["elbow"].relative > 0.1 > est.validation["shoulder"].relative
    with pytest.raises(PoinsotError, match="the same channels"):
        poinsot.identify(ARMS, held, ASKED, validate=wrong.only(["q1", "q2", "elbow"]))


def test_a_delay_is_that_of_the_channel_that_was_named():
    runs = (
        poinsot.Run("held", arm_run(("elbow", "shoulder"), 2), Role.VALIDATE),
        poinsot.Run("first", arm_run(("shoulder", "elbow"), 1, late=0.02)),
    )
    unknowns = tuple(poinsot.Unknown(name) for name in (*ASKED, "delay elbow"))
    assert poinsot.identify(poinsot.Study(ARMS, runs, unknowns))["delay elbow"].value == pytest.approx(0.02, abs=5e-4)


def test_the_column_of_a_delay_is_the_derivative_of_the_delayed_channel():
    run = problem_of(pendulum(), swing(pendulum(), sigma=0.0), LINEAR).runs[0]
    (term,) = terms_of([poinsot.Unknown("delay hinge")], ["hinge"], ["N·m"])

    def model(tau: float) -> tuple[np.ndarray, np.ndarray]:
        rows = with_terms(run, [term], np.array([tau]), TRUTH)
        assert rows.extra is not None
        return (rows.W @ TRUTH + rows.known)[:, 0], rows.extra[:, 0, 0]

    inside, h = slice(20, -20), 1e-4
    for tau in (0.0, 0.0137):
        differences = (model(tau + h)[0] - model(tau - h)[0]) / (2 * h)
        np.testing.assert_allclose(model(tau)[1][inside], differences[inside], atol=1e-5 * np.abs(differences).max())


def test_two_channels_of_one_coordinate_are_refused():
    run = swing(pendulum())
    both = poinsot.Recording.of(
        run.t, {**run.values, "other": 1.1 * run["phi"]}, places={"other": "phi"}, kinds={"other": "position"}
    )
    with pytest.raises(PoinsotError, match="both hold the position of 'phi'"):
        poinsot.identify(pendulum(), both, LINEAR)


def test_a_delay_that_the_model_file_knows_is_taken_off():
    cell = '\n[sensors.cell]\ntype = "drive-force"\nactuator = "hinge"\ndelay = "30 ms"\n'
    run = swing(pendulum(), late=0.03).renamed({"hinge": "cell"})
    est = poinsot.identify(pendulum(more=cell), run, LINEAR)
    assert off(est, TRUTH) < 4, str(est)


def test_a_prior_counts_where_shrinkage_is_told():
    prior = {**{name: {} for name in LINEAR}, "bob.mx": {"prior": 0.25, "deviation": 1e-3}, "gain hinge": {}}
    assert not any(p.remark for p in poinsot.identify(pendulum(), swing(pendulum()), prior).parameters)


def test_a_run_with_a_payload_needs_an_unknown_for_it():
    runs = (poinsot.Run("bare", swing(pendulum())), poinsot.Run("loaded", swing(pendulum(mass=1.5)), Role.PAYLOAD))
    with pytest.raises(PoinsotError, match="no unknown is what it adds"):
        poinsot.identify(poinsot.Study(pendulum(), runs, tuple(map(poinsot.Unknown, LINEAR))))


def test_nothing_that_is_given_beside_a_study_is_ignored():
    study = poinsot.Study(pendulum(), (poinsot.Run("a", swing(pendulum())),), tuple(map(poinsot.Unknown, LINEAR)))
    with pytest.raises(PoinsotError, match="a study says all"):
        poinsot.identify(study, method="robust")


def test_a_table_of_signals_can_be_read_whatever_runs_are_called():
    est = poinsot.identify(pendulum(), {'a, "b"': swing(pendulum())}, LINEAR)
    rows = list(csv.reader(io.StringIO(signals(est.fit))))
    assert {len(row) for row in rows} == {4}
    assert rows[1][0] == 'a, "b"'


def test_what_is_said_of_one_parameter_counts_before_a_pattern():
    given = {"bob.m*": {}, "bob.mx": {"prior": 5.0, "deviation": 1e-6}}
    assert poinsot.identify(pendulum(), swing(pendulum()), given)["bob.mx"].value == pytest.approx(5.0, abs=1e-3)


def test_drives_that_share_forces_in_another_way_are_a_doubt_where_only_some_are_measured():
    text = poinsot.dumps(poinsot.load("four_bar"))
    here = text.index("[joints.D]")
    driven = text[:here] + text[here:].replace('type = "revolute"', 'type = "revolute"\nactuated = true', 1)
    bar, t = poinsot.loads(driven, "four_bar"), np.arange(0, 10, 0.02)
    crank = {"theta1": poinsot.Fourier(2 * np.pi / 2.5, (0.4, 0.3), (0.1, 0.05), 1.2)}
    run = poinsot.inverse_dynamics(bar, crank, t, weights={"D": 3.0})
    rec = poinsot.Recording.of(t, {"theta1": run.kinematics.coordinates["theta1"], **run.forces})
    some = poinsot.identify(bar, rec, ["link2.mass", "link3.mass"], channels="A")
    assert "2 drives hold 1 freedom" in some.verdict
    est = poinsot.identify(bar, rec, ["link2.mass", "link3.mass"])
    assert "drives hold" not in est.verdict
    np.testing.assert_allclose(est.value, [2.3, 2.1], rtol=1e-3)


def test_a_value_beyond_its_bounds_is_marked():
    est = poinsot.identify(pendulum(), swing(pendulum()), {"bob.mass": {"bounds": [0.1, 0.5]}})
    assert "beyond its bounds" in est["bob.mass"].remark


def test_the_mechanism_has_the_combinations_of_parameters_of_its_file():
    names, truth = ["bob.mass", "bob.com.x", "bob.inertia"], pendulum(mass=1.1)
    found = poinsot.identify(pendulum(), swing(truth), names).mechanism
    base = poinsot.base_parameters(pendulum(), parameters=["bob.mx", "bob.my", "bob.J"])
    np.testing.assert_allclose(base.values(found), base.values(truth), atol=1e-3)


def test_samples_that_a_delay_leaves_open_are_not_used():
    est = poinsot.identify(pendulum(), swing(pendulum(), 5.0, 0.001, late=0.1), [*LINEAR, "delay hinge"])
    assert est["delay hinge"].value == pytest.approx(0.1, abs=1e-3)
    assert off(est, [*TRUTH, 0.1]) < 5


def test_parameters_without_effect_at_the_start_are_found():
    est = poinsot.identify(
        pendulum(com=0.0, inertia=0.12), swing(pendulum(mass=1.6, inertia=0.12)), ["bob.mass", "bob.com.x"]
    )
    np.testing.assert_allclose(est.value, [1.6, 0.25], rtol=0.01)


@pytest.mark.parametrize("how", ["masked", "gap"])
def test_where_the_motion_is_missing_no_sample_is_used(how):
    run, lost = swing(pendulum()), np.zeros(1000, bool)
    lost[300:380] = True
    part = run.masked(lost, "encoder", "phi") if how == "masked" else run.rows(~lost, "a gap")
    whole, est = poinsot.identify(pendulum(), run, LINEAR), poinsot.identify(pendulum(), part, LINEAR)
    assert off(est, TRUTH) < 4
    assert np.all(est.deviation < 3 * whole.deviation)


def test_a_prior_counts_by_its_deviation_in_ordinary_least_squares():
    tiny = pendulum(1e-3, 0.025, 2e-7)
    given = {"bob.mx": {"prior": 3e-5, "deviation": 1e-5}, "bob.my": {}, "bob.J": {}}
    est = poinsot.identify(tiny, swing(tiny, sigma=1e-6), given, "ordinary")
    assert est["bob.mx"].deviation < 1e-7


def test_parameters_of_sensors_are_refused_by_name():
    cell = '\n[sensors.cell]\ntype = "drive-force"\nactuator = "hinge"\ngain = 2.0\n'
    run = swing(pendulum()).renamed({"hinge": "cell"})
    with pytest.raises(PoinsotError, match="parameter of a sensor"):
        poinsot.identify(pendulum(more=cell), run, ["bob.mass", "cell.gain"])


def test_the_mass_of_a_body_without_one_is_found():
    truth = pendulum(mass=0.8, com=0.25, inertia=0.0)
    est = poinsot.identify(pendulum(mass=0.0, inertia=0.0), swing(truth), ["bob.mass"])
    assert est["bob.mass"].value == pytest.approx(0.8, abs=5 * est["bob.mass"].deviation)


def test_no_run_counts_twice():
    run = swing(pendulum())
    with pytest.raises(PoinsotError, match="the same samples twice"):
        poinsot.identify(pendulum(), [run, run], LINEAR)


@pytest.mark.parametrize("first", [False, True])
def test_the_channel_and_the_run_that_lack_it_are_named(first):
    whole, other = five_bar_run(1.0), five_bar_run(1.2)
    misspelt = poinsot.Recording.of(other.t, {n.replace("shoulder2", "sholder2"): other[n] for n in other.channels})
    runs = {"wrong": misspelt, "right": whole}
    with pytest.raises(
        PoinsotError, match=r"'wrong' has no 'shoulder2' .did you mean 'sholder2'.*, run 'right' has;"
    ):
        poinsot.identify(poinsot.load("five_bar"), runs if first else dict(reversed(runs.items())))


def test_one_value_is_not_given_to_parameters_of_several_units():
    with pytest.raises(PoinsotError, match="several units"):
        poinsot.identify(pendulum(), swing(pendulum()), {"bob.*": {"prior": "1 kg", "deviation": "1 g"}})


def test_a_channel_that_reads_nothing_is_named():
    run = swing(pendulum())
    est = poinsot.identify(pendulum(), run.with_channels({"hinge": 0 * run["hinge"]}, run.channels), LINEAR)
    assert "no better than a constant: hinge" in est.verdict


def test_a_prior_of_a_parameter_without_effect_is_its_value():
    given = {"bob.m": {"prior": "1.2 kg", "deviation": "10 g"}, **{name: {} for name in LINEAR}}
    est = poinsot.identify(pendulum(), swing(pendulum()), given)
    assert est["bob.m"].value == pytest.approx(1.2)
    assert est["bob.m"].deviation == pytest.approx(0.01)


@pytest.mark.parametrize("about", [{"kinds": {"elbow": "moment"}}, {"places": {"elbow": "elbow.force"}}])
def test_no_recorded_force_is_left_out(about):
    run = arm_run(("shoulder", "elbow"), 1)
    est = poinsot.identify(ARMS, poinsot.Recording.of(run.t, dict(run.values), **about), ASKED)
    assert [c.channel for c in est.fit.channels] == ["shoulder", "elbow"]


def test_two_channels_of_one_drive_are_refused():
    run = arm_run(("shoulder", "elbow"), 1)
    both = poinsot.Recording.of(run.t, {**run.values, "elbow.force": 3 * run["elbow"]})
    with pytest.raises(PoinsotError, match="both measure 'elbow'"):
        poinsot.identify(ARMS, both, ASKED)


def test_a_channel_beside_the_force_of_its_name_is_the_position_that_no_other_tells():
    run = arm_run(("shoulder", "elbow"), 1)
    named = {"q1": run["q1"], "elbow": run["q2"], "shoulder": run["shoulder"], "elbow.force": run["elbow"]}
    est, other = (poinsot.identify(ARMS, rec, ASKED) for rec in (poinsot.Recording.of(run.t, named), run))
    np.testing.assert_allclose(est.value, other.value, rtol=1e-6)


@pytest.mark.parametrize("processing", [{"cutoff": 1e3}, {"cutoff": {"q1": 1e3}}, {"force_cutoff": 1e3}])
def test_a_cutoff_above_half_the_sampling_rate_is_refused(processing):
    with pytest.raises(
        PoinsotError, match=r"1000 Hz, is above half the sampling rate of .* Hz: it can be .* Hz at most"
    ):
        poinsot.identify(ARMS, arm_run(("shoulder", "elbow"), 1), ASKED, processing=processing)


def test_a_cutoff_of_no_channel_is_refused_and_others_are_chosen():
    run = arm_run(("shoulder", "elbow"), 1)
    with pytest.raises(PoinsotError, match="q3"):
        poinsot.identify(ARMS, run, ASKED, processing={"cutoff": {"q3": 5.0}})
    steps = [poinsot.identify(ARMS, run, ASKED, processing=p).steps[1] for p in (None, {"cutoff": {"q1": 5.0}})]
    assert steps[0] == steps[1]


def test_a_fit_that_is_worthless_is_in_doubt_although_the_held_out_run_is_good():
    good, still = swing(pendulum()), swing(pendulum())
    still = still.with_channels({"phi": np.full(len(still), 0.3)}, still.channels)
    est = poinsot.identify(pendulum(), still, ["bob.mx"], validate=good)
    assert est.validation is not None and not est.validation["hinge"].constant
    assert any(doubt == "no better than a constant: hinge" for doubt in est.doubts), est.verdict


def test_a_channel_is_in_doubt_that_is_hardly_explained_and_not_for_noise():
    late = [swing(pendulum(), seed=seed, late=0.15) for seed in (0, 1)]
    est = poinsot.identify(pendulum(), late[0], ["bob.mx"], validate=late[1])
    assert any("hardly explained, and not for noise: hinge" in doubt for doubt in est.doubts), est.verdict
    noisy = [swing(pendulum(), sigma=20.0, seed=seed) for seed in (0, 1)]
    est = poinsot.identify(pendulum(), noisy[0], ["bob.mx"], validate=noisy[1])
    assert est.fit["hinge"].relative > 0.7 and not any("hardly" in doubt for doubt in est.doubts), est.verdict


@pytest.mark.parametrize(
    ("samples", "how", "said"),
    [
        (600, {"cutoff": 0.01}, "lasts 5.99 s, too short for the cut-off of the motion, 0.01 Hz.* more than 1 Hz"),
        (600, {"cutoff": {"phi": 0.1}}, "cut-off of 'phi', 0.1 Hz"),
        (600, {"force_cutoff": 0.1}, "cut-off of the forces, 0.1 Hz"),
        (600, {"rate": 0.1}, "rows at a rate of 0.1 Hz"),
        (12, {}, "12 samples are too few"),
        (8, {}, "8 samples are too few"),
    ],
)
def test_runs_that_are_too_short_for_their_filters_are_refused_by_name(samples, how, said):
    run = swing(pendulum()).rows(slice(0, samples), "the beginning")
    with pytest.raises(PoinsotError, match=f"run 'run': .*{said}"):
        poinsot.identify(pendulum(), {"run": run}, ["bob.mx"], processing=poinsot.Processing(**how))


def test_a_run_in_which_nothing_changes_is_refused_and_one_at_rest_is_a_doubt():
    t, torque = np.arange(0, 2, 0.01), np.full(200, 5.0)
    rest = {"hinge": torque, "angle": np.full(200, 0.2)}
    model = pendulum()
    angle = next(iter(swing(model).only(list(model.coordinates)).channels))
    rest[angle] = rest.pop("angle")
    with pytest.raises(PoinsotError, match="nothing changes in run1"):
        poinsot.identify(model, poinsot.Recording.of(t, rest), ["bob.mass"])
    noisy = rest | {"hinge": torque + 0.1 * np.random.default_rng(0).standard_normal(200)}
    est = poinsot.identify(model, poinsot.Recording.of(t, noisy), ["bob.mass"])
    assert "Nothing moves in run1" in est.verdict
    assert "numerics sound" not in est.verdict
    assert "Nothing moves" not in poinsot.identify(model, swing(model), LINEAR).verdict
