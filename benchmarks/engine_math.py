"""Elementary functions in native code: vectorised sine and cosine, the rest lane by lane in the C library."""

from __future__ import annotations

import casadi as ca
import numpy as np

from poinsot.engine import kernel

from .measure import Table, interleave

COUNT, EACH = 20_000, 32
FUNCTIONS = {"sin": ca.sin, "sqrt": ca.sqrt, "exp": ca.exp, "tanh": ca.tanh, "atan": ca.atan, "log": ca.log}


def run() -> Table:
    """Time 32 evaluations a sample of each function, and of sine and cosine together."""
    x = ca.SX.sym("x", EACH)
    samples = np.random.default_rng(0).uniform(0.1, 3.0, (COUNT, EACH))
    cases = {name: ca.Function(name, [x], [f(x)]) for name, f in FUNCTIONS.items()}
    cases["sin and cos"] = ca.Function("both", [x], [ca.sin(x) + ca.cos(x)])
    cases["copy"] = ca.Function("copy", [x], [x])
    kernels = {name: kernel(function) for name, function in cases.items()}
    calls = {name: (lambda k=k: k(samples, threads=1)) for name, k in kernels.items()}
    calls["NumPy sin"] = lambda: np.sin(samples)
    nano = {name: 1e9 * t.best / samples.size for name, t in interleave(calls, repeats=9).items()}
    ratio = nano["NumPy sin"] / nano["sin"]
    return Table(
        "elementary functions, ns each on one thread (packing included: see copy)",
        ("function", "ns"),
        tuple(nano.items()),
        ((f"vector sine not slower than NumPy's: {ratio:.1f} ×", ratio >= 1.0),),
        nano,
    )
