"""Motions that cannot be followed: joint, time and condition number are named, and what came before is kept."""

from __future__ import annotations

import casadi
import numpy as np
import pytest

import poinsot

FOUR_BAR, FIVE_BAR, SLIDER_CRANK = (poinsot.load(n) for n in ("four_bar", "five_bar", "slider_crank"))
VERBS = {"kinematics": poinsot.kinematics, "inverse": poinsot.inverse_dynamics}


def failure(verb, *arguments, **options) -> poinsot.MotionError:
    with pytest.raises(poinsot.MotionError) as caught:
        verb(*arguments, **options)
    text = str(caught.value)
    assert "\n" not in text and f"{caught.value.t:g} s" in text
    assert "condition number" in text and f"'{caught.value.joint}'" in text
    return caught.value


@pytest.mark.parametrize("formulation", ["joint", "euler", "rotation-matrix", "embedded"])
@pytest.mark.parametrize("verb", VERBS)
def test_a_motion_that_leaves_the_workspace_keeps_all_that_lies_inside(verb, formulation):
    """A five-bar's tool going up between its shoulders: out of reach at √((a + b)² − c²)."""
    t, start = np.linspace(0.0, 1.0, 200), 0.3
    limit = np.sqrt((0.2 + 0.26) ** 2 - 0.075**2) - start
    error = failure(VERBS[verb], FIVE_BAR, {"x": 0.0, "y": lambda t: start + t}, t, formulation=formulation)
    assert "leaves the workspace" in str(error) and error.condition > 20
    assert error.t == t[t > limit][0] and error.partial.t[-1] == t[t <= limit][-1]
    whole = VERBS[verb](FIVE_BAR, {"x": 0.0, "y": lambda t: start + t}, error.partial.t, formulation=formulation)
    for body in FIVE_BAR.bodies:
        np.testing.assert_array_equal(error.partial.position[body], whole.position[body])


def test_a_motion_that_starts_outside_the_workspace_has_nothing_to_keep():
    with pytest.raises(poinsot.MotionError, match=r"at t = 0 s .* cannot be assembled at x = 5 m") as caught:
        poinsot.kinematics(FIVE_BAR, {"x": 5.0, "y": 0.0}, [0.0, 1.0])
    assert caught.value.partial is None and "condition number" in str(caught.value)


@pytest.mark.parametrize("verb", VERBS)
def test_a_motion_that_becomes_no_number_keeps_what_came_before(verb):
    t = np.linspace(0.0, 1.0, 11)
    error = failure(VERBS[verb], FOUR_BAR, {"theta1": lambda t: 1 + casadi.sqrt(0.55 - t)}, t)
    assert "'theta1' is not a finite number" in str(error) and error.t == t[6]
    np.testing.assert_array_equal(error.partial.t, t[:6])


def test_samples_of_a_motion_are_used_up_to_the_first_that_is_no_number():
    t = np.linspace(0.0, 1.0, 50)
    s = 1 + 0.3 * t**2
    s[20] = np.nan
    error = failure(poinsot.kinematics, FOUR_BAR, {"theta1": (t, s)}, t)
    assert error.t == t[20] and len(error.partial.t) == 20
    np.testing.assert_allclose(error.partial.angular_velocity["link1"][:, 2], 0.6 * t[:20], atol=1e-9)
    s[3] = np.nan
    with pytest.raises(poinsot.PoinsotError, match="motion of 'theta1': sample 3"):
        poinsot.kinematics(FOUR_BAR, {"theta1": (t, s)}, t)


def test_actuators_that_lose_hold_of_the_mechanism_are_named_with_the_forces_before():
    """A five-bar's tool passes between its elbows, the forearms in one line: the cranks do not hold it there."""
    t = np.linspace(0.0, 0.2, 41)
    height = 0.2 * np.sqrt(1 - ((0.26 - 0.075) / 0.2) ** 2)
    error = failure(poinsot.inverse_dynamics, FIVE_BAR, {"x": 0.0, "y": lambda t: height + 0.1 - t}, t)
    assert error.condition > 1e4 or "singular" in str(error)
    assert isinstance(error.partial.forces["shoulder1"], np.ndarray) and len(error.partial.t) < len(t)


def test_a_drive_that_touches_a_dead_centre_is_no_motion():
    """The piston goes to the end of its stroke and back: the crank may go on or turn back, so there is no answer."""
    for n in (50, 51, 500):  # past the dead centre, on it, near it
        error = failure(
            poinsot.kinematics, SLIDER_CRANK, {"stroke": lambda t: 0.17 - 0.02 * (t - 0.5) ** 2}, np.linspace(0, 1, n)
        )
        assert 0.48 < error.t < 0.53 and error.condition > 100


def test_a_regular_motion_through_a_pose_where_the_fast_order_fails_is_followed():
    """The tool passes the line of its shoulders, where the cranks are parallel; and few samples are enough."""
    t = np.linspace(0.0, 0.7, 71)
    k = poinsot.kinematics(FIVE_BAR, {"x": 0.0, "y": lambda t: 0.3 - t}, t)
    np.testing.assert_allclose(k.position["forearm1"][:, 0], -k.position["forearm2"][:, 0], atol=1e-9)
    assert poinsot.kinematics(SLIDER_CRANK, {"stroke": lambda t: 0.165 - 0.02 * t}, t).residual < 1e-12


@pytest.mark.parametrize(
    ("verb", "name", "motion", "message"),
    [
        ("kinematics", "four_bar", {}, "prescribes 0 coordinates.*joint 'A' is left free, condition number inf"),
        ("kinematics", "four_bar", {"theta1": 1.0, "theta2": 0.5}, "coordinate 'theta2' depends.*number inf"),
        ("kinematics", "five_bar", {"q1": 2.0}, r"mobility 2 and.*\(q1\).*joint '(shoulder2|elbow2)' is left free"),
        ("inverse", "three_link", None, "three_link has mobility 3 and 0 actuators.*joint '.+' can still move"),
    ],
)
def test_too_many_or_too_few_drives_are_named(verb, name, motion, message):
    mechanism = poinsot.load(name)
    with pytest.raises(poinsot.PoinsotError, match=message):
        VERBS[verb](mechanism, mechanism.elements.pose if motion is None else motion, [0.0])


def change_point():
    """A four-bar that can be stretched out along its ground link: there its joints do not tell how to go on."""
    stretched = np.hypot(0.7, 1.1) + 1.3 - 0.3
    return FOUR_BAR.with_parameters({"ground.length": stretched})


@pytest.mark.parametrize("formulation", ["joint", "euler", "rotation-matrix", "embedded"])
def test_momentum_carries_a_simulation_through_a_change_point(formulation):
    r = poinsot.simulate(change_point(), 0.1, velocity={"theta1": 30.0}, formulation=formulation, max_steps=20_000)
    assert r.finished and any("singular pose" in text for text in r.changes)
    assert r.drift < 1e-9 and r.energy_error < 1e-7 * np.abs(r.energy).max()
    assert r.coordinates["theta1"][-1] > np.pi + 0.3 and np.all(np.diff(r.coordinates["theta1"]) > 0)


def test_outputs_within_the_step_over_a_singular_pose_are_on_the_way():
    """However near to the pose the last of them is before it."""
    run = {"velocity": {"theta1": 30.0}, "max_steps": 20_000}
    text = poinsot.simulate(change_point(), 0.1, **run).changes[-1]
    behind = float(text.partition("t = ")[2].partition(" s ")[0])
    t = np.unique([0.0, *(behind + np.linspace(-1e-3, 1e-3, 401)), 0.1])
    r = poinsot.simulate(change_point(), 0.1, t=t, **run)
    assert r.finished and len(r.t) == len(t) and "singular pose" in r.changes[-1]
    steps = np.diff(r.coordinates["theta1"][1:-1])
    np.testing.assert_allclose(steps, steps.mean(), rtol=0.05)
    assert r.drift < 1e-6


@pytest.fixture
def undecided(monkeypatch):
    """Momentum does not tell how a motion goes on behind a singular pose."""
    monkeypatch.setattr("poinsot.simulation.chart_switching.across", lambda *given: None)


@pytest.mark.parametrize("formulation", ["joint", "euler", "rotation-matrix", "embedded"])
def test_a_simulation_ends_at_a_singular_pose_and_names_it(formulation, undecided):
    r = poinsot.simulate(change_point(), 1.0, velocity={"theta1": 30.0}, formulation=formulation, max_steps=20_000)
    assert not r.finished and "stopped at t = 0.06" in r.status and "singular pose" in r.status
    assert "joint '" in r.status and "condition number" in r.status
    np.testing.assert_allclose(r.coordinates["theta1"][-1], np.pi, atol=0.3)  # stretched out there
    assert r.energy_error < 1e-5  # what is kept is right


@pytest.mark.parametrize("formulation", ["joint", "euler", "rotation-matrix", "embedded"])
def test_a_motion_may_end_just_after_an_output(formulation, undecided):
    """Outputs crowd together where the motion ends, down to neighbouring numbers: what ended it is still found."""
    spring = {"A": lambda t, s, v: 1 / (1 - t) ** 2}  # no step passes t = 1
    t = np.unique([0.0, *(1 - 0.5 ** np.arange(1, 54)), 1.0, *(1 + 0.5 ** np.arange(52, 0, -1)), 2.0])
    r = poinsot.simulate(FOUR_BAR, 2.0, t=t, forces=spring, formulation=formulation, max_steps=3000)
    assert not r.finished and "stopped at t = " in r.status and r.t[-1] <= 1.0
    t = np.linspace(0.0, 1.0, 11)
    for _ in range(5):
        options = {"velocity": {"theta1": 30.0}, "formulation": formulation, "max_steps": 4000}
        r = poinsot.simulate(change_point(), 1.0, t=t, **options)
        after = t[np.searchsorted(t, r.t[-1], "right")]
        t = np.unique([0.0, *np.linspace(r.t[-1], after, 200), 1.0])
        assert not r.finished and "singular pose" in r.status


def test_a_time_too_short_to_be_divided_is_named():
    with pytest.raises(poinsot.PoinsotError, match="is too short for 101 output times"):
        poinsot.simulate(FOUR_BAR, 1e-322)


def test_a_force_that_grows_without_bound_is_not_blamed_on_a_pose():
    r = poinsot.simulate(FOUR_BAR, 2.0, forces={"A": lambda t, s, v: 1 / (1 - t) ** 2}, max_steps=5000)
    assert (
        not r.finished
        and "no singular pose is near (worst-conditioned constraint: joint" in r.status
        and "condition number" in r.status
    )
    assert r.t[-1] < 1.0 and len(r.t) > 40


def test_the_implicit_method_notices_end_stops_too():
    import copy

    document = copy.deepcopy(dict(poinsot.load("pendulum").document))
    document["joints"]["hinge"]["limits"] = ["-60 deg", "20 deg"]
    pendulum = poinsot.build(document)
    ends = [poinsot.simulate(pendulum, 2.0, pose={"phi": -0.8}, method=m) for m in ("explicit", "implicit")]
    assert all("the end stop 'hinge.end-stop' was reached" in r.status for r in ends)
    times = [r.events["hinge.end-stop"] for r in ends]
    assert times[0] == pytest.approx(times[1], abs=1e-3) and len(ends[0].t) == len(ends[1].t)
