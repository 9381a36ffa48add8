"""Time steps without interpreted Python: the native integrator against SciPy's DOP853."""

from __future__ import annotations

import casadi as ca
import numpy as np
from scipy.integrate import solve_ivp

from poinsot.engine import integrator, kernel

from .measure import Table, interleave

TIMES = np.linspace(0.0, 10.0, 101)
START = np.array([2.0, 1.0, 0.0, 0.0])


def double_pendulum() -> ca.Function:
    """Two equal rods: (t, y, p) -> y', y = two angles [rad] and their rates [rad/s], p = g/l [1/s²]."""
    t, y, p = ca.SX.sym("t"), ca.SX.sym("y", 4), ca.SX.sym("p")
    a, b, u, v = ca.vertsplit(y)
    d = a - b
    M = ca.blockcat([[2, ca.cos(d)], [ca.cos(d), 1]])
    f = -ca.vertcat(ca.sin(d) * v**2 + 2 * p * ca.sin(a), -ca.sin(d) * u**2 + p * ca.sin(b))
    return ca.Function("double_pendulum", [t, y, p], [ca.vertcat(u, v, ca.solve(M, f))])


def run() -> Table:
    """Integrate one and 64 double pendulums over 10 s at rtol 1e-9."""
    rhs = double_pendulum()
    run_native = integrator(rhs)
    run_native.wait(1)
    run_native.wait(2)
    slope = kernel(rhs)
    many = START + 0.01 * np.random.default_rng(0).normal(size=(64, 4))
    gravity = np.array([9.81])

    def scipy_one():
        def rate(t, y):
            return slope(np.array([t]), y, gravity)[0]

        return solve_ivp(rate, (0, 10), START, "DOP853", TIMES, rtol=1e-9, atol=1e-12)

    times = interleave(
        {
            "SciPy's loop, native slope": scipy_one,
            "native loop, one": lambda: run_native(TIMES, START, gravity),
            "native loop, 64, 1 thread": lambda: run_native(TIMES, many, gravity, threads=1),
            "native loop, 64, 2 threads": lambda: run_native(TIMES, many, gravity, threads=2),
        },
        repeats=5,
    )
    milli = {name: 1e3 * t.best / (64 if "64" in name else 1) for name, t in times.items()}
    ratio = milli["SciPy's loop, native slope"] / milli["native loop, one"]
    return Table(
        "double pendulum over 10 s, ms a trajectory",
        ("loop", "ms", "SciPy / this"),
        tuple((name, value, milli["SciPy's loop, native slope"] / value) for name, value in milli.items()),
        ((f"a native loop at least 10 × SciPy's: {ratio:.0f}", ratio >= 10),),
        milli,
    )
