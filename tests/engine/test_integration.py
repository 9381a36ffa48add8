"""Initial value problems: native loops against SciPy, against exact solutions, and against NumPy's loop."""

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from poinsot.engine import Status, integrator
from poinsot.engine.integration import integrator as integration
from poinsot.errors import PoinsotError

T, Y, P = ca.SX.sym("t"), ca.SX.sym("y", 4), ca.SX.sym("p", 2)
ENGINES = ["native", "vm"]


@pytest.fixture(autouse=True)
def optimised(monkeypatch):
    monkeypatch.setenv("POINSOT_ENGINE_WAIT", "1")


def pendulum():
    y, p = Y[:2], P[0]
    return ca.Function("pendulum", [T, y, p], [ca.vertcat(y[1], -p * ca.sin(y[0]))])


def kepler():
    r3 = ca.sqrt(Y[0] ** 2 + Y[1] ** 2) ** 3
    return ca.Function("kepler", [T, Y, P[:0]], [ca.vertcat(Y[2], Y[3], -Y[0] / r3, -Y[1] / r3)])


def lorenz():
    y = ca.SX.sym("y", 3)
    rate = ca.vertcat(10 * (y[1] - y[0]), y[0] * (P[0] - y[2]) - y[1], y[0] * y[1] - P[1] * y[2])
    return ca.Function("lorenz", [T, y, P], [rate])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_pendulum_agrees_with_scipy(engine):
    times = np.linspace(0, 6, 25)
    found = integrator(pendulum(), engine=engine)(times, [2.5, 0.0], [9.81], rtol=1e-12, atol=1e-13)
    expected = solve_ivp(
        lambda t, y: [y[1], -9.81 * np.sin(y[0])], (0, 6), [2.5, 0.0], "DOP853", times, rtol=1e-13, atol=1e-14
    ).y.T
    assert found.finished and str(found).startswith("1 trajectory")
    np.testing.assert_allclose(found.y[0], expected, atol=3e-10)


@pytest.mark.parametrize("first_step", [1e-3, None])
@pytest.mark.parametrize("speed", [1.2, 0.0])
def test_steps_and_values_are_those_of_scipy(first_step, speed):
    """The step it starts with included, also from rest."""
    end = 10.0 if speed else 1.0
    times, y0 = np.linspace(0, end, 7), [1.0, 0, 0, speed]
    found = integrator(kepler())(times, y0, rtol=1e-8, atol=1e-10, first_step=first_step or 0.0)

    def rate(t, y):
        return [y[2], y[3], *(-y[:2] / np.hypot(*y[:2]) ** 3)]

    options = {"rtol": 1e-8, "atol": 1e-10, "first_step": first_step}
    theirs = solve_ivp(rate, (0, end), y0, "DOP853", times, **options)
    np.testing.assert_allclose(found.y[0], theirs.y.T, rtol=1e-12, atol=1e-12)
    assert found.steps[0] == len(solve_ivp(rate, (0, end), y0, "DOP853", **options).t) - 1


def test_kepler_orbits_close_and_keep_energy():
    ecc = np.linspace(0, 0.8, 9)
    y0 = np.stack([1 - ecc, 0 * ecc, 0 * ecc, np.sqrt((1 + ecc) / (1 - ecc))], axis=1)
    found = integrator(kepler())(np.linspace(0, 6 * np.pi, 13), y0, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(found.y[:, [4, 8, 12]], np.repeat(y0[:, None], 3, 1), atol=1e-8)
    r, v2 = np.hypot(found.y[..., 0], found.y[..., 1]), (found.y[..., 2:] ** 2).sum(-1)
    np.testing.assert_allclose(v2 / 2 - 1 / r, -0.5, rtol=1e-10)


def test_native_gives_the_bits_of_the_loop_in_numpy():
    rng = np.random.default_rng(0)
    y0, p = rng.normal(size=(6, 3)), np.array([28.0, 8 / 3]) + 0.1 * rng.normal(size=(6, 2))
    times = np.linspace(0, 5, 11)
    symbols = lorenz().sx_in()
    events = ca.Function("e", symbols, [symbols[1][:2]])
    shrunk = ca.Function("shrunk", symbols, [symbols[1] * (1 - 1e-3 * ca.sin(symbols[0]))])
    cases = [("dop853", events, None), ("dop853", None, None), ("dop853", events, shrunk), ("rk4", None, shrunk)]
    for method, watch, back in cases:
        native, vm = (
            integrator(lorenz(), projection=back, events=watch, method=method, engine=e)(times, y0, p, substeps=40)
            for e in ENGINES
        )
        for field in ("y", "t_reached", "steps", "rejections", "event_times", "event_counts"):
            np.testing.assert_array_equal(getattr(native, field), getattr(vm, field), err_msg=field)


@pytest.mark.parametrize("threads", [1, 2])
def test_no_trajectory_depends_on_its_neighbours(threads):
    rng = np.random.default_rng(1)
    y0, p = rng.normal(size=(11, 2)), rng.uniform(1, 100, (11, 1))
    times = np.linspace(0, 3, 8)
    run = integrator(pendulum())
    together = run(times, y0, p, threads=threads)
    for k in range(11):
        alone = run(times, y0[k], p[k])
        np.testing.assert_array_equal(alone.y[0], together.y[k])
        assert alone.steps[0] == together.steps[k]
    for a, b in zip(run(times, y0[:6], p[:6]).y, together.y):
        np.testing.assert_array_equal(a, b)


def test_dense_output_does_not_change_the_steps_and_is_as_accurate_as_they_are():
    few, many = (integrator(kepler())(np.linspace(0, 12, count), [1.0, 0, 0, 1.2], rtol=1e-9) for count in (2, 1201))
    assert few.steps == many.steps
    np.testing.assert_allclose(few.y[0, -1], many.y[0, -1], rtol=1e-12)
    r, v2 = np.hypot(many.y[0, :, 0], many.y[0, :, 1]), (many.y[0, :, 2:] ** 2).sum(-1)
    np.testing.assert_allclose(v2 / 2 - 1 / r, 0.72 - 1, atol=1e-7)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_event_right_after_the_start_is_seen(engine):
    """Nearer than the small step with which the first step is chosen."""
    y, free = ca.SX.sym("y"), P[:0]
    rate, event = ca.Function("rate", [T, y, free], [1.0 + 0 * y]), ca.Function("event", [T, y, free], [y - 5e-7])
    found = integrator(rate, events=event, engine=engine)([0.0, 1.0], [0.0])
    assert found.event_counts[0, 0] == 1 and found.event_times[0, 0] == pytest.approx(5e-7, abs=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_projection_keeps_the_constraint(engine):
    """A point on the unit circle, driven along it; without projection it drifts off."""
    y, free = ca.SX.sym("y", 2), P[:0]
    rate = ca.Function("rate", [T, y, free], [20 * ca.vertcat(-y[1], y[0])])
    back = ca.Function("back", [T, y, free], [y * (3 - ca.sumsqr(y)) / 2])  # one Newton step
    times, start = np.linspace(0, 8, 9), [1.0, 0.0]
    for method, options in (("dop853", {"rtol": 1e-5, "atol": 1e-6}), ("rk4", {"substeps": 120})):
        drift, kept = (
            np.abs(
                (integrator(rate, projection=g, method=method, engine=engine)(times, start, **options).y ** 2).sum(-1)
                - 1
            ).max()
            for g in (None, back)
        )
        assert kept < 1e-9 < 1e-4 < drift


@pytest.mark.parametrize("engine", ENGINES)
def test_events_are_counted_and_the_first_is_located(engine):
    y, p = ca.SX.sym("y", 2), P[0]
    fall = ca.Function("fall", [T, y, p], [ca.vertcat(y[1], -p)])
    watch = ca.Function("watch", [T, y, p], [ca.vertcat(y[0], y[1], y[0] + 1e6, T - 0.25)])
    found = integrator(fall, events=watch, engine=engine)([0.0, 3.0], [1.0, 2.0], [[10.0], [2.0]], max_step=0.1)
    roots = [(v + np.sqrt(v * v + 2 * g)) / g for v, g in ((2.0, 10.0), (2.0, 2.0))]
    np.testing.assert_allclose(found.event_times[:, 0], roots, rtol=1e-12)
    np.testing.assert_allclose(found.event_times[:, 1], [0.2, 1.0], rtol=1e-9)
    assert np.isnan(found.event_times[:, 2]).all()
    np.testing.assert_allclose(found.event_times[:, 3], 0.25, rtol=1e-12)
    assert found.event_counts.tolist() == [[1, 1, 0, 1]] * 2


def test_the_fixed_step_method_has_order_four():
    exact = integrator(pendulum())([0.0, 2.0], [1.0, 0.0], [5.0], rtol=1e-13, atol=1e-14).y[0, -1]
    errors = [
        np.abs(integrator(pendulum(), method="rk4")([0.0, 2.0], [1.0, 0.0], [5.0], substeps=k).y[0, -1] - exact).max()
        for k in (40, 80, 160)
    ]
    assert 14 < errors[0] / errors[1] < 18 and 14 < errors[1] / errors[2] < 18


@pytest.mark.parametrize("engine", ENGINES)
def test_a_singularity_is_reported_at_its_time(engine):
    y, p = ca.SX.sym("y"), P[0]
    blow_up = ca.Function("f", [T, y, p], [y * y * p])
    found = integrator(blow_up, engine=engine)([0.0, 0.5, 2.0], [[1.0], [0.1]], [1.0])
    assert found.status == (Status.STEP_TOO_SMALL, Status.FINISHED)
    assert found.t_reached[0] == pytest.approx(1.0, abs=1e-6)
    np.testing.assert_allclose(found.y[0, 1], 2.0, rtol=1e-8)
    assert np.isnan(found.y[0, 2]).all()
    assert "singularity" in str(found) and not found.finished
    few = integrator(pendulum(), engine=engine)([0.0, 50.0], [1.0, 0.0], [9.81], max_steps=20)
    assert few.status == (Status.TOO_MANY_STEPS,) and few.t_reached[0] < 50
    nan = integrator(pendulum(), engine=engine)([0.0, 1.0], [np.nan, 0.0], [9.81])
    assert nan.status == (Status.STEP_TOO_SMALL,)


def test_one_time_gives_the_initial_state_and_no_samples_give_none():
    run = integrator(pendulum())
    assert run([3.0], [1.0, 2.0], [9.81]).y.tolist() == [[[1.0, 2.0]]]
    empty = run([0.0, 1.0], np.zeros((0, 2)), [9.81])
    assert empty.y.shape == (0, 2, 2) and empty.status == ()


def test_mistakes_are_said_in_one_sentence():
    run = integrator(pendulum())
    with pytest.raises(PoinsotError, match="each later than the one before"):
        run([0.0, 2.0, 1.0], [1.0, 0.0], [1.0])
    with pytest.raises(PoinsotError, match=r"y0 must have shape \(2,\) or \(N, 2\), not \(3,\)"):
        run([0.0, 1.0], [1.0, 0.0, 0.0], [1.0])
    with pytest.raises(PoinsotError, match="y0 has 2 samples, p has 3"):
        run([0.0, 1.0], np.zeros((2, 2)), np.zeros((3, 1)))
    with pytest.raises(PoinsotError, match="there is no method 'rk5'"):
        integrator(pendulum(), method="rk5")
    with pytest.raises(PoinsotError, match="one vector"):
        integrator(ca.Function("f", [T], [T]))
    with pytest.raises(PoinsotError, match="rhs must give 4 numbers"):
        integrator(ca.Function("f", [T, Y, P], [Y[:2]]))
    with pytest.raises(PoinsotError, match="events are watched"):
        integrator(pendulum(), events=pendulum(), method="rk4")


def test_the_coefficients_are_those_of_scipys_method():
    from scipy.integrate import DOP853

    from poinsot.engine.integration.dop853 import tableau

    def row(entries):
        return tuple((j, float(a)) for j, a in enumerate(entries) if a != 0)

    found = tableau()
    assert found.stages == tuple((float(DOP853.C[s]), row(DOP853.A[s])) for s in range(1, 12))
    assert (found.step, found.error5, found.error3) == (row(DOP853.B), row(DOP853.E5), row(DOP853.E3))
    assert found.extra == tuple((float(c), row(a)) for c, a in zip(DOP853.C_EXTRA, DOP853.A_EXTRA))
    assert found.dense == tuple(row(d) for d in DOP853.D)


def test_functions_that_are_too_long_together_run_on_the_vm(monkeypatch):
    """Each of them could be compiled: two that could not be were an error in the midst of a simulation."""
    t, y, p = ca.SX.sym("t"), ca.SX.sym("y"), ca.SX.sym("p")
    rhs, same = ca.Function("rhs", [t, y, p], [-p * y]), ca.Function("same", [t, y, p], [y])
    monkeypatch.setattr(integration, "MAX_NATIVE_INSTRUCTIONS", 502)
    runs = integrator(rhs, projection=same)
    assert "more than the 502 that are compiled" in runs.info.reason
    assert runs([0.0, 1.0], y0=[1.0], p=[2.0]).y[0, -1, 0] == pytest.approx(np.exp(-2), rel=1e-8)
    with pytest.raises(PoinsotError, match="cannot run as native code"):
        integrator(rhs, projection=same, engine="native")
