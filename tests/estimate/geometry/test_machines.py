"""Calibration of other machines: by encoders alone, of a serial arm, of gears."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import least_squares

import poinsot
from poinsot.estimate.problems.geometry.calibration import calibration
from poinsot.estimate.search.determined import WIDER
from poinsot.estimate.study import study_of
from poinsot.model.mechanism import build
from tests.estimate.geometry.machines import (
    ARM,
    BARS,
    SELF,
    ZEROS,
    arm,
    arm_names,
    elbows,
    five_bar,
    five_bar_poses,
    generated_links,
    noisy,
    off_nominal,
    reach,
    require_exact,
)
from tests.generated.share import share

DRAWN = dict.fromkeys(BARS, 1e-3) | dict.fromkeys(ZEROS, 1e-2)  # [m], [rad]
MADE = {name: 1e-3 if name.endswith((".x", ".z")) else 2e-3 for name in ARM}  # [m], [rad]
SPREAD = {"j*": 2e-5, "[xyz]": 3e-5}  # [rad], [m]


def truth(mechanism, names):
    return np.array([mechanism.parameters[name].value for name in names])


def in_closed_form(y, residuals, start, unknowns):
    """Values and standard errors of the first unknowns, all poses being unknowns besides, by SciPy."""
    found = least_squares(residuals, start, x_scale="jac", jac="3-point", xtol=1e-14, ftol=1e-14)
    covariance = np.linalg.pinv(found.jac.T @ found.jac, rcond=1e-16)[:unknowns, :unknowns]
    return found, np.sqrt(np.diagonal(covariance))


def bars_free_and_held(found):
    """Standard errors with everything free that data tells at all, and with what it hardly tells held."""
    problem = found.measured.problem
    size = problem.space.size
    S, V = np.linalg.svd(problem.jacobian(found.found) * size, full_matrices=False)[1:]
    told = (np.sum(1e-13 * S[0] < S), np.sum(S > 1.0))
    return (np.linalg.norm(V[:n] / S[:n, None], axis=0) * size for n in told)


def test_a_five_bar_calibrates_itself_by_encoders_on_its_passive_joints():
    model = five_bar()
    built = off_nominal(model, DRAWN, np.random.default_rng(1))
    run = five_bar_poses(built, 40, np.random.default_rng(2))
    found = poinsot.identify(model, run, SELF, problem="geometry")
    assert found.undetermined == ()
    assert np.all(np.abs(found.value - truth(built, SELF)) < 4 * found.deviation)

    y = run.table()

    def residuals(x):
        q1, q2 = x[8:].reshape(2, -1)
        return ((y - (np.stack([q1, q2, *elbows(x[:4], q1, q2)], 1) + x[4:8])) / 2e-5).ravel()

    whole, deviation = in_closed_form(y, residuals, np.append(truth(model, SELF), y[:, :2].T.ravel()), 8)
    np.testing.assert_allclose(found.value, whole.x[:8], rtol=0, atol=1e-3 * deviation.min())
    np.testing.assert_allclose(found.deviation, deviation, rtol=1e-3)


def test_angles_alone_do_not_tell_the_size_of_a_machine():
    model = five_bar()
    run = five_bar_poses(off_nominal(model, DRAWN, np.random.default_rng(1)), 40, np.random.default_rng(2))
    found = poinsot.identify(model, run, ["ground.right.x", *SELF], problem="geometry")
    assert found.open == ("ground.right.x",)
    assert set(found.undetermined) == {"ground.right.x", *BARS}
    plain = poinsot.identify(model, run, SELF, problem="geometry")
    for name in BARS:
        assert found.mechanism.parameters[name].value == pytest.approx(plain[name].value, abs=1e-8)


@pytest.mark.slow
def test_error_bars_of_a_self_calibration_hold_what_they_promise():
    model, rng = five_bar(), np.random.default_rng(3)
    built, z = off_nominal(model, DRAWN, rng), []
    for _ in range(150):
        found = poinsot.identify(model, five_bar_poses(built, 40, rng), SELF, problem="geometry")
        z.append(np.abs(found.value - truth(built, SELF)) / found.deviation)
    shares = [np.mean(np.array(z) < k) for k in (1, 1.96)]
    np.testing.assert_allclose(shares, [0.683, 0.95], atol=0.06)


def test_unknown_noise_is_told_by_what_is_left():
    model = five_bar()
    doc = {**dict(model.document)}
    doc["sensors"] = {n: {k: v for k, v in s.items() if k != "noise"} for n, s in doc["sensors"].items()}
    run = five_bar_poses(off_nominal(model, DRAWN, np.random.default_rng(1)), 60, np.random.default_rng(2))
    told, known = (poinsot.identify(m, run, SELF, problem="geometry") for m in (build(doc), model))
    np.testing.assert_allclose(told.value, known.value, rtol=0, atol=1e-3 * known.deviation.min())
    spare = 60 * 2 - 8  # four readings a pose, of which its two freedoms take up two
    np.testing.assert_allclose(told.deviation / known.deviation, 1, atol=3 / np.sqrt(2 * spare))


def arm_poses(built, n, rng, axes=6):
    q, parameters = rng.uniform(-1.2, 1.2, (n, axes)), truth(built, arm_names(axes))
    values = {f"j{k + 1}": x for k, x in enumerate((q + parameters[3 * axes :]).T)}
    return noisy(values | dict(zip("xyz", reach(parameters, q).T)), SPREAD, rng)


def test_a_serial_arm_agrees_with_products_of_matrices():
    """Offsets along nearly parallel axes are told together, a twist of the last link not at all."""
    model, n = arm(), 25
    built = off_nominal(model, MADE, np.random.default_rng(1))
    run = arm_poses(built, n, np.random.default_rng(2))
    found = poinsot.identify(model, run, ARM, noise=SPREAD, problem="geometry")
    assert found.open == ("link2.next.z",)
    free, held = bars_free_and_held(found)
    hang = {name for name, a, b in zip(ARM, free, held) if a > np.hypot(1, WIDER) * b}  # on the shift along the axes
    assert set(found.undetermined) == {"link2.next.z", "link3.next.z", "link6.next.angle1"} | hang
    assert {"j2.offset", "j3.offset"} <= hang
    assert found["link6.next.angle1"].remark == "no effect on what was measured"

    sigma, y = np.repeat([2e-5, 3e-5], [6, 3]), run.table()
    left = [k for k, name in enumerate(ARM) if name not in ("link2.next.z", "link6.next.angle1")]

    def residuals(x):
        parameters, q = truth(model, ARM), x[22:].reshape(n, 6)
        parameters[left] = x[:22]
        return ((y - np.column_stack([q + parameters[18:], reach(parameters, q)])) / sigma).ravel()

    start = np.append(truth(model, ARM)[left], y[:, :6].ravel())
    whole, deviation = in_closed_form(y, residuals, start, 22)
    np.testing.assert_allclose(found.found[left], whole.x[:22], rtol=0, atol=1e-3 * deviation.min())
    ours = [c.deviation for c in found.combinations]
    np.testing.assert_allclose(ours, deviation, rtol=1e-3)


QUICK = (18, 27, 51)  # arms with axes that are parallel, coincident, and both
OTHERS = [seed for seed in range(60) if seed not in QUICK]


@pytest.mark.parametrize("seed", [*QUICK, *(pytest.param(s, marks=pytest.mark.slow) for s in share(OTHERS))])
def test_what_an_arm_leaves_open_follows_from_its_axes(seed):
    """Shifts along parallel axes, angles about coincident ones, the twist of the last link; what hangs on these."""
    rng = np.random.default_rng(seed)
    links = generated_links(rng)
    names, model = arm_names(len(links)), arm(links)
    built = off_nominal(model, {n: 1e-3 if n.endswith((".x", ".z")) else 2e-3 for n in names}, rng)
    run = arm_poses(built, 40, rng, len(links))
    found = poinsot.identify(model, run, names, noise=SPREAD, problem="geometry")
    may, last = set(), f"link{len(links)}.next.angle1"
    for k, (a, _, twist) in enumerate(links[:-1], 1):
        if twist == 0:
            may |= {f"link{k}.next.z", f"link{k + 1}.next.z"}
            may |= {f"j{k}.offset", f"j{k + 1}.offset"} if a == 0 else set()
    free, held = bars_free_and_held(found)
    hang = {name for name, a, b in zip(names, free, held) if a > 2 * b}
    assert {last} <= set(found.undetermined) <= may | hang | {last}
    assert not [name for name, a, p in zip(names, free, found.parameters) if a > 3 * p.deviation]
    away = np.abs(found.value - truth(built, names)) / found.deviation
    assert np.nanmax(away) < 5


def test_a_calibrated_arm_goes_where_it_is_told():
    model = arm()
    built = off_nominal(model, MADE, np.random.default_rng(1))
    found = poinsot.identify(
        model, arm_poses(built, 40, np.random.default_rng(2)), ARM, noise=SPREAD, problem="geometry"
    )
    fresh = arm_poses(built, 100, np.random.default_rng(3))
    read, tool = fresh.table([f"j{k}" for k in range(1, 7)]), fresh.table(["x", "y", "z"])
    after, before = (
        np.sqrt(np.mean((reach(p, read - p[18:]) - tool) ** 2))
        for p in (truth(found.mechanism, ARM), truth(model, ARM))
    )
    assert after < 4e-5  # noise of the tool, and of joints 0.5 m from it  [m]
    assert before > 1e-3


@pytest.mark.slow
def test_error_bars_of_an_arm_hold_what_they_promise():
    model, rng, z = arm(), np.random.default_rng(4), []
    built = off_nominal(model, MADE, rng)
    for _ in range(30):
        found = poinsot.identify(model, arm_poses(built, 40, rng), ARM, noise=SPREAD, problem="geometry")
        z.append(np.abs(found.value - truth(built, ARM)) / found.deviation)
    z = np.array(z)
    shares = [np.mean(z[np.isfinite(z)] < k) for k in (1, 1.96)]
    np.testing.assert_allclose(shares, [0.683, 0.95], atol=0.06)


def test_derivatives_hold_with_gaps_offsets_and_gains():
    model = five_bar()
    run = five_bar_poses(off_nominal(model, DRAWN, np.random.default_rng(1)), 12, np.random.default_rng(2))
    gaps = run.masked(np.array([3, 7]), "lost", ["e2"]).masked(np.array([5]), "lost", ["e1", "e4"])
    names = [*BARS, "offset e1", "offset e3", "gain e2"]
    measured, _ = calibration(study_of(model, gaps, names, None, problem="geometry"))
    require_exact(measured.problem, range(7))
    assert measured.problem.absorbed(measured.problem.space.start) == 4 + 12 * 2


def test_offsets_of_channels_are_those_of_encoders():
    model = five_bar()
    run = five_bar_poses(off_nominal(model, DRAWN, np.random.default_rng(1)), 40, np.random.default_rng(2))
    ours = poinsot.identify(model, run, [*BARS, "offset e*"], problem="geometry")
    files = poinsot.identify(model, run, SELF, problem="geometry")
    np.testing.assert_allclose(ours.value, files.value, rtol=0, atol=1e-4 * files.deviation.min())
    alone = poinsot.identify(files.mechanism, run, ["offset e*"], problem="geometry")
    assert np.all(np.abs(alone.value) < 1e-3 * files.deviation[4:])


def test_a_gear_ratio_is_found_over_many_turns_of_the_motor():
    document = {
        "format": 1,
        "planar": True,
        "parameters": {"ratio": 100.0},
        "bodies": {"arm": {"mass": 1, "inertia": 1, "frames": {"tip": [0.5, 0]}}},
        "joints": {"J": {"type": "revolute", "between": ["ground", "arm"]}},
        "coordinates": {
            "motor": {"combination": {"J": "ratio"}},
            "x": {"position": "arm.tip", "axis": "x"},
            "y": {"position": "arm.tip", "axis": "y"},
        },
    }
    rng = np.random.default_rng(0)
    angle = rng.uniform(-3, 3, 30)
    values = {"motor": 101.3 * angle, "x": 0.502 * np.cos(angle), "y": 0.502 * np.sin(angle)}
    noise = {"motor": 1e-3, "[xy]": 1e-5}
    run = noisy(values, noise, rng)
    found = poinsot.identify(build(document), run, ["ratio", "arm.tip.x"], noise=noise, problem="geometry")
    assert np.all(np.abs(found.value - [101.3, 0.502]) < 4 * found.deviation)
    assert found["ratio"].deviation < 1e-3
