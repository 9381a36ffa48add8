"""The closed loop against simulations with the same laws, and controllers written out in NumPy."""

from __future__ import annotations

from dataclasses import replace

import casadi
import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.errors import PoinsotError
from poinsot.estimate.closed_loop.controllers import PID, Cascade, Control, control_of
from poinsot.estimate.closed_loop.simulation import closed_loop
from poinsot.estimate.study_file import read_study
from poinsot.identifiability.linear import chosen, parameter_values
from tests.estimate.machines import MACHINES, SERIAL, Machine


def followed(machine: Machine, t: np.ndarray, control: Control, steps: int):
    """The closed loop with the machine's own parameters, and the states that it begins with."""
    parameters = chosen(machine.mechanism, None)
    begin = machine.begin_at(t[0])
    theta = parameter_values(machine.mechanism, parameters)
    return closed_loop(begin, parameters, theta, control, machine.told(t), steps), begin


@pytest.mark.parametrize("name", MACHINES)
def test_the_closed_loop_moves_as_a_simulation_with_the_same_laws(name):
    """Native steps of order 4 on linear parameters, against the adaptive integrator of order 8 on the model file."""
    machine, t = MACHINES[name], np.arange(0, 0.5, 0.004)
    found, begin = followed(machine, t, machine.control, 8)

    def law(one, signal):
        def force(time, s, s_dot):
            waves = [(c, k * signal.omega, casadi.sin, casadi.cos, 1) for k, c in enumerate(signal.sines, 1)]
            waves += [(c, k * signal.omega, casadi.cos, casadi.sin, -1) for k, c in enumerate(signal.cosines, 1)]
            r = signal.offset + sum(c * f(w * time) for c, w, f, _, _ in waves)
            r_dot = sum(sign * c * w * g(w * time) for c, w, _, g, sign in waves)
            return one.force(r - s, r_dot, s_dot, 0.0)[0]

        return force

    laws = {drive: law(one, signal) for (drive, one), signal in zip(machine.drives.items(), machine.motion.values())}
    state = poinsot.State(q=begin.q[0], v=begin.v[0])
    run = poinsot.simulate(machine.mechanism, t[-1], t=t, forces=laws, pose=state)
    for ours, theirs in ((found.states.q, run.q), (found.states.v, run.v)):
        assert_allclose(ours, theirs, atol=2e-6 * np.ptp(theirs))


def test_sampled_controllers_hold_saturate_integrate_and_take_differences():
    """Controllers written out in NumPy, and simulations with constant forces from each sample to the next."""
    arm, period, n = SERIAL.mechanism, 0.01, 25
    drives = {
        "shoulder": Cascade(reference="", kp=12.0, kv=60.0, ki=300.0, feedforward=0.5, lower=-30.0, upper=30.0),
        "elbow": PID(reference="", kp=200.0, kd=15.0, ki=400.0, gain=0.5, differences=2),
    }
    t = period * np.arange(n)
    found, begin = followed(SERIAL, t, Control(tuple(drives.items()), 1 / period), 16)
    told, z, u = SERIAL.told(t), np.zeros(2), np.zeros((n, 2))
    q, v = np.empty((n + 1, 2)), np.empty((n + 1, 2))
    q[0], v[0] = begin.q[0], begin.v[0]
    past = [(told.s[0] - q[0] - j * period * (told.s_dot[0] - v[0]))[1] for j in (1, 2)]  # of the elbow's error
    for k in range(n):
        e = told.s[k] - q[k]
        w = 12 * e[0] + 0.5 * told.s_dot[k, 0] - v[k, 0]
        e_dot = (e[1] - past[1]) / (2 * period)
        wanted = np.array([60 * w + 300 * z[0], 0.5 * (200 * e[1] + 15 * e_dot + 400 * z[1])])
        u[k] = np.clip(wanted, [-30, -np.inf], [30, np.inf])
        z += period * np.where(u[k] == wanted, [w, e[1]], 0.0)
        past = [e[1], past[0]]
        forces = dict(zip(("shoulder", "elbow"), u[k].tolist()))
        run = poinsot.simulate(arm, period, t=[0, period], forces=forces, pose=poinsot.State(q=q[k], v=v[k]))
        q[k + 1], v[k + 1] = run.q[-1], run.v[-1]
    assert np.any(np.abs(u[:, 0]) == 30)
    assert not np.all(np.abs(u[:, 0]) == 30)
    assert_allclose(found.states.q, q[:n], atol=1e-6)
    assert_allclose(found.u, u, atol=1e-4 * np.ptp(u))


def test_the_rate_of_controllers_is_a_text_with_a_unit_too():
    drive = {"type": "pid", "reference": "q", "kp": 1.0}
    assert control_of({"rate": "1 kHz", "drive": drive}) == control_of({"rate": 1000.0, "drive": drive})
    with pytest.raises(
        PoinsotError, match="the sampling rate of a controller: expected a quantity in Hz, got '1 ms'"
    ):
        control_of({"rate": "1 ms", "drive": drive})


def test_limits_of_a_drive_are_texts_with_units_too():
    drive = {"type": "pid", "reference": "q", "kp": 1.0, "lower": -20.0}
    plain, told = (control_of({"elbow": drive | {"upper": x}}, SERIAL.mechanism) for x in (30.0, "3000 Ncm"))
    assert plain == told
    with pytest.raises(PoinsotError, match="the controller of 'elbow': upper: expected a quantity in N·m, got '3 m'"):
        control_of({"elbow": drive | {"upper": "3 m"}}, SERIAL.mechanism)
    with pytest.raises(PoinsotError, match="'elbow': lower: expected a quantity in N·m, got '-10 N'"):
        control_of({"elbow": drive | {"lower": "-10 N"}}, SERIAL.mechanism)


def test_limits_in_a_study_file_take_units(tmp_path):
    text = """
    format = 1
    model = "model.toml"
    unknowns = ["*.viscous"]
    [recordings.run]
    file = "run.csv"
    [control.elbow]
    type = "pid"
    reference = "q2.wanted"
    kp = 200.0
    lower = "-30 N·m"
    upper = 30
    """
    (tmp_path / "study.toml").write_text(text)
    (tmp_path / "model.toml").write_text(poinsot.dumps(SERIAL.mechanism))
    t = np.arange(100) / 100
    rows = "".join(f"{x},{np.sin(x)},0\n" for x in t)
    (tmp_path / "run.csv").write_text(f"t,q2.wanted,elbow\n{rows}")
    ((_, found),) = read_study(tmp_path / "study.toml").control.drives
    assert (found.lower, found.upper) == (-30.0, 30.0)


def test_a_slower_controller_acts_at_its_own_samples():
    t = 0.002 * np.arange(100)
    found, _ = followed(SERIAL, t, replace(SERIAL.control, rate=100.0), 1)
    changes = np.flatnonzero(np.any(np.diff(found.u, axis=0) != 0, axis=1)) + 1
    assert changes.tolist() == list(range(5, 100, 5))


def test_an_integral_takes_the_error_of_a_load_away():
    """An arm that is held against gravity: a proportional controller leaves an error, an integral none."""
    t, left = np.arange(0, 6.0, 0.004), {}
    still = replace(SERIAL, motion={"q1": poinsot.Fourier(1.0, offset=0.3), "q2": poinsot.Fourier(1.0, offset=0.7)})
    for ki in (0.0, 800.0):
        drives = tuple((name, PID(reference="", kp=400.0, kd=40.0, ki=ki)) for name in SERIAL.drives)
        left[ki] = followed(still, t, Control(drives), 2)[0].states.q[-1] - [0.3, 0.7]
    there = dict(zip(("q1", "q2"), (left[0.0] + [0.3, 0.7]).tolist()))
    weight = poinsot.inverse_dynamics(SERIAL.mechanism, there, [0.0]).forces
    assert_allclose(left[0.0], [-weight[name][0] / 400 for name in SERIAL.drives], rtol=1e-6)
    assert_allclose(left[800.0], 0, atol=1e-3 * np.abs(left[0.0]).max())
