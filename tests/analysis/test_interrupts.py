"""Ctrl-C ends a simulation soon, and what was found before is kept."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
from dataclasses import replace
from itertools import pairwise

import casadi as ca
import numpy as np
import pytest

import poinsot
from poinsot.engine import Status, integrator, kernel
from poinsot.engine import threads as engine_threads
from poinsot.engine.integration import integrator as integration
from poinsot.engine.integration.integrator import Integrator
from poinsot.errors import Interrupted

# One SIGINT comes a moment after native integration, or the third interval of CVODES, has begun.
SOON = """
import os, signal, sys, threading
import casadi, numpy as np
import poinsot
from poinsot.engine.integration.integrator import Integrator

signal.signal(signal.SIGINT, signal.default_int_handler)  # shells ignore it for what runs in the background

def interrupt():
    if not sent:
        sent.append(signal.SIGINT)
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()

native, cvodes, intervals, sent = Integrator._native, casadi.integrator, [], []

def explicit(*given, **options):
    interrupt()
    return native(*given, **options)

def implicit(*given):
    intervals.append(given)
    if len(intervals) == 3:
        interrupt()
    return cvodes(*given)

Integrator._native, casadi.integrator = explicit, implicit
"""
SIMULATE = """
def simulate(**options):
    try:
        poinsot.simulate(poinsot.load("double_pendulum"), 1e6, max_steps=10**9, **options)
    except KeyboardInterrupt as stop:
        print(stop.partial.t.tolist(), stop.partial.steps, stop.partial.finished, stop.partial.status, sep=";")
        raise
"""


def interrupted(code):
    """Run a program until SIGINT ends it; gives the process and what it printed."""
    program = SOON + SIMULATE + textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100, check=False)
    return done, done.stdout.strip().split(";")


@pytest.mark.parametrize(
    "options",
    [
        "t=np.linspace(0, 1e6, 10_001)",  # half an hour of steps
        "t=np.linspace(0, 1e6, 10_001), formulation='embedded'",
        "t=[0.0, 0.5, 1.0, 1e6], method='implicit'",
    ],
)
def test_an_interrupt_ends_a_simulation_with_what_it_has(options):
    done, (t, steps, finished, status) = interrupted(f"simulate({options})")
    assert done.returncode in (-signal.SIGINT, 130) and "KeyboardInterrupt" in done.stderr
    t = json.loads(t)
    assert t[0] == 0.0 and t[-1] < 0.5e6 and int(steps) > 0
    assert finished == "False" and "it was interrupted" in status
    assert ("implicit" not in options) or t == [0.0, 0.5, 1.0]


def test_an_interrupt_ends_all_threads_of_a_batch():
    done, (t, _, _, status) = interrupted("simulate(parameters={'upper.mass': np.linspace(1, 2, 40)}, threads=2)")
    assert done.returncode in (-signal.SIGINT, 130) and "it was interrupted" in status
    assert json.loads(t)[0] == 0.0


def test_the_command_line_writes_what_was_simulated_and_exits_with_130(tmp_path):
    files = {name: str(tmp_path / f"motion.{name}") for name in ("csv", "json")}
    arguments = ["poinsot", "simulate", "double_pendulum", "--t-end", "1e5", "--rate", "10"]
    arguments += [part for name, file in files.items() for part in (f"--{name}", file)]
    done, _ = interrupted(f"""
        from functools import partial
        from poinsot.app.cli import main
        poinsot.simulate = partial(poinsot.simulate, max_steps=10**9)  # it does not end by itself
        sys.argv = {arguments!r}
        main()
    """)
    assert done.returncode == 130 and "it was interrupted" in done.stdout
    with open(files["csv"], newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows and float(rows[0]["t [s]"]) == 0.0 and float(rows[-1]["t [s]"]) < 1e5
    with open(files["json"]) as file:
        assert "it was interrupted" in json.load(file)["status"]


def test_a_motion_that_changed_its_coordinates_before_keeps_them(monkeypatch):
    """The interrupt comes in the second stretch, after half of its outputs."""
    four_bar, native, stretches = poinsot.load("four_bar"), Integrator.__call__, []
    options = {"velocity": {"theta1": 8.0}, "formulation": "embedded", "independent": ["theta2"]}
    whole = poinsot.simulate(four_bar, 1.0, **options)
    assert len(whole.changes) > 0

    def broken(self, t, *given, **more):
        run = native(self, t, *given, **more)
        stretches.append(t)
        if len(stretches) < 3 or len(t) < 4:  # the second call gives the state from which to go on
            return run
        run.y[:, len(t) // 2 :] = np.nan
        reached = np.full_like(run.t_reached, t[len(t) // 2 - 1])
        raise Interrupted("", partial=replace(run, status=(Status.INTERRUPTED,), t_reached=reached))

    monkeypatch.setattr(Integrator, "__call__", broken)
    with pytest.raises(KeyboardInterrupt) as stop:
        poinsot.simulate(four_bar, 1.0, **options)
    kept = stop.value.partial
    assert kept.changes == whole.changes[:1] and 1 < len(kept.t) < len(whole.t)
    assert kept.status == f"stopped at t = {kept.t[-1]:.6g} s: it was interrupted"
    np.testing.assert_array_equal(kept.q, whole.q[: len(kept.t)])


@pytest.mark.parametrize("method", ["dop853", "rk4"])
def test_native_code_that_comes_back_after_every_step_gives_the_same_bits(method, monkeypatch):
    t, y, p = ca.SX.sym("t"), ca.SX.sym("y", 2), ca.SX.sym("p")
    functions = {"projection": ca.Function("back", [t, y, p], [y * (1 - 1e-4 * ca.cos(t))])}
    if method == "dop853":
        functions["events"] = ca.Function("events", [t, y, p], [ca.vertcat(y[0], y[1] - 0.1)])
    run = integrator(
        ca.Function("swing", [t, y, p], [ca.vertcat(y[1], -p * ca.sin(y[0]))]), **functions, method=method
    )
    rng = np.random.default_rng(0)
    given = (np.linspace(0, 2, 9), rng.normal(size=(11, 2)), rng.uniform(1, 50, (11, 1)))
    expected = run(*given, substeps=7)
    monkeypatch.setattr(integration, "BRIEF_INSTRUCTIONS", 0.0)
    for workers in (1, 2):
        found = run(*given, substeps=7, threads=workers)
        assert found.finished
        for field in ("y", "t_reached", "steps", "rejections", "event_times", "event_counts"):
            np.testing.assert_array_equal(getattr(found, field), getattr(expected, field), err_msg=field)


def test_large_batches_are_evaluated_in_pieces_with_the_same_bits(monkeypatch):
    x = ca.SX.sym("x", 2)
    run = kernel(ca.Function("f", [x], [ca.sin(x) * ca.exp(x[0])]))
    samples = np.random.default_rng(0).normal(size=(101, 2))
    expected, pieces, chunk = run(samples)[0], [], engine_threads._drain
    monkeypatch.setattr(engine_threads, "BRIEF_INSTRUCTIONS", 100.0)
    monkeypatch.setattr(
        engine_threads, "_drain", lambda chunks, call: chunk(chunks, lambda a, b: (pieces.append((a, b)), call(a, b)))
    )
    np.testing.assert_array_equal(run(samples, threads=1)[0], expected)
    assert len(pieces) > 5 and pieces[0][0] == 0 and pieces[-1][1] == 101
    assert all(a[1] == b[0] for a, b in pairwise(pieces))


@pytest.mark.parametrize("engine", ["native", "vm"])
def test_the_integrator_tells_where_it_was_interrupted(engine, monkeypatch):
    """The signal is taken as soon as Python has its turn."""
    monkeypatch.setenv("POINSOT_ENGINE_WAIT", "1")
    t, y, p = ca.SX.sym("t"), ca.SX.sym("y", 2), ca.SX.sym("p")
    run = integrator(ca.Function("swing", [t, y, p], [ca.vertcat(y[1], -p * ca.sin(y[0]))]), engine=engine)
    run([0.0, 1.0], [1.0, 0.0], [2.0])
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        with pytest.raises(Interrupted) as stop:
            run([0.0, 1e-3, 1e9], [1.0, 0.0], [2.0], max_steps=10**9)
    finally:
        signal.signal(signal.SIGINT, before)
    found = stop.value.partial
    assert found.status == (Status.INTERRUPTED,) and not found.finished and "interrupted" in str(found)
    assert 0 < found.t_reached[0] < 1e9 and np.isnan(found.y[0, -1]).all() and np.isfinite(found.y[0, 0]).all()
