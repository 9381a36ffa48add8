"""The number of samples in a vector is a setting: every one gives the same bits, on every processor."""

import casadi as ca
import numpy as np
import pytest

from poinsot.engine import doctor, integrator, kernel
from poinsot.engine.build import build as build_module
from poinsot.engine.build.native import host_target
from poinsot.engine.build.request import Request
from poinsot.engine.code.formula import formula
from poinsot.engine.kernels import BATCH
from poinsot.errors import PoinsotError

LANES = (1, 2, 4, 8)


@pytest.fixture(autouse=True)
def forget_loaded_code(monkeypatch):
    monkeypatch.setattr(build_module, "_builds", {})


def triples():
    x = ca.SX.sym("x", 3)
    return ca.Function("triples", [x], [ca.sin(x) * ca.cos(x[::-1]) + ca.exp(-x), ca.floor(x), ca.sqrt(x * x + 1)])


def swing():
    """A pendulum of varying length with events and a projection, of (t, y, p)."""
    t, y, p = ca.SX.sym("t"), ca.SX.sym("y", 2), ca.SX.sym("p")
    rate = ca.vertcat(y[1], -p * ca.sin(y[0]) / (1 + 0.1 * ca.sin(t)))
    parts = {"projection": y * (1 - 1e-4 * ca.cos(t)), "events": ca.vertcat(y[0], y[1] - 0.1)}
    functions = {name: ca.Function(name, [t, y, p], [value]) for name, value in parts.items()}
    return integrator(ca.Function("rate", [t, y, p], [rate]), **functions)


@pytest.mark.parametrize("lanes", LANES)
def test_kernels_and_integrators_take_the_lanes_that_are_asked_for(lanes, monkeypatch):
    rng = np.random.default_rng(0)
    x, y0, p = rng.normal(0, 10, (21, 3)), rng.normal(size=(13, 2)), rng.uniform(1, 100, (13, 1))
    t = np.linspace(0, 3, 17)
    alone = kernel(triples(), lanes=1)(x)
    monkeypatch.setenv("POINSOT_LANES", str(lanes))
    run, motion = kernel(triples()), swing()
    for a, b in zip(run(x), alone):
        np.testing.assert_array_equal(a, b)
    found = motion(t, y0, p)
    assert (run.info.lanes, motion.info.lanes) == (lanes, lanes)
    for k in range(len(y0)):
        single = motion(t, y0[k], p[k])  # its code has one lane
        for field in ("y", "t_reached", "steps", "rejections", "event_times", "event_counts"):
            np.testing.assert_array_equal(getattr(single, field)[0], getattr(found, field)[k], err_msg=field)
    assert doctor().lanes == lanes and f": {lanes} samples in a vector" in str(doctor())


def test_code_of_other_lanes_has_another_name(monkeypatch):
    keys, given = set(), {"function": formula(triples())}
    for lanes in LANES:
        monkeypatch.setenv("POINSOT_LANES", str(lanes))
        keys.add(Request(BATCH, given, {"lanes": kernel(triples()).info.lanes}).key(repr(host_target())))
    assert len(keys) == len(LANES)


@pytest.mark.parametrize("text", ["3", "0", "16", "-4", "four", "4.0", "\u0664"])
def test_other_numbers_of_lanes_are_refused_with_those_that_exist(text, monkeypatch):
    monkeypatch.setenv("POINSOT_LANES", text)
    for ask in (lambda: kernel(triples()), doctor, lambda: swing()([0.0, 1.0], np.zeros((2, 2)), [1.0])):
        with pytest.raises(
            PoinsotError, match=f"POINSOT_LANES must be 1, 2, 4 or 8 samples in a vector, not '{text}'"
        ):
            ask()


def test_without_the_setting_the_processor_decides(monkeypatch):
    for text in (None, "", " "):
        monkeypatch.delenv("POINSOT_LANES", raising=False)
        if text is not None:
            monkeypatch.setenv("POINSOT_LANES", text)
        assert kernel(triples()).info.lanes == host_target().lanes == doctor().register_lanes
        assert "POINSOT_LANES" not in str(doctor())
