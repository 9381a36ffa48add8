"""Every operation of CasADi's SX, native against the VM, on ordinary and on special values."""

import casadi as ca
import numpy as np
import pytest

from poinsot.engine import kernel
from poinsot.engine.code.operations import LIBM, OPERATIONS, UNSUPPORTED
from poinsot.engine.code.tape import operation_names

_LIMITS = (0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 2.3e-308, 1e-300, 1.7e308, -1.7e308)
_PLAIN = (0.5, -0.5, 1.0, -1.0, 1.5, 2.0, -2.0, 3.0, np.pi, -np.pi / 2, 1e-9, 1e5, 1647098.9, 1647099.1, 1e22)
SPECIAL = np.array([*_LIMITS, *_PLAIN])
ORDINARY = np.concatenate([np.linspace(-1, 1, 101), np.random.default_rng(3).normal(0, 50, 300)])
BINARY = {"add", "sub", "mul", "div", "pow", "constpow", "lt", "le", "eq", "ne", "and", "or", "fmod"} | {
    "copysign", "if_else_zero", "fmin", "fmax", "atan2", "hypot", "remainder", "lift"
}  # fmt: skip
CODES = {name: code for code, name in operation_names().items()}
SCALAR = [name for name in [*OPERATIONS, "sin", "cos"] if name != "lift"]


def both_engines(op, x, y):
    a, b = ca.SX.sym("a"), ca.SX.sym("b")
    value = ca.SX.binary(CODES[op], a, b) if op in BINARY else ca.SX.unary(CODES[op], a)
    function = ca.Function(op, [a, b], [value])
    native, vm = kernel(function, engine="native"), kernel(function, engine="vm")
    assert native.info.tier == "optimised"
    return native(x, y)[0], vm(x, y)[0]


def assert_same_bits_up_to_nan(native, vm):
    """Equal numbers, equal signs of zero, NaN where the VM has NaN."""
    np.testing.assert_array_equal(native, vm)
    zero = vm == 0
    np.testing.assert_array_equal(np.signbit(native[zero]), np.signbit(vm[zero]))


@pytest.mark.parametrize("op", SCALAR)
def test_native_agrees_with_the_vm(op):
    x, y = (g.reshape(-1, 1) for g in np.meshgrid(SPECIAL, SPECIAL))
    ordinary = ORDINARY[:, None]
    x, y = np.concatenate([x, ordinary, ordinary]), np.concatenate([y, ordinary[::-1], ordinary])
    native, vm = both_engines(op, x, y)
    if op in ("sin", "cos"):
        np.testing.assert_array_equal(np.isnan(native), np.isnan(vm))
        np.testing.assert_allclose(native, vm, rtol=2.3e-16, atol=0)
    elif op in ("fmin", "fmax"):
        np.testing.assert_array_equal(native, vm)  # C leaves the sign of fmin(0, −0) open
    else:
        assert_same_bits_up_to_nan(native, vm)


def test_every_operation_of_sx_is_known():
    """A new operation in CasADi must be given a native form or a reason why it has none."""
    between = {name for name, code in CODES.items() if CODES["find"] <= code <= CODES["horzrepsum"]}
    matrix_only = between | {
        "einstein", "bspline", "convexify", "sparsity_cast", "logsumexp", "dump", "kron", "kron_contract",
    }  # fmt: skip
    known = {*OPERATIONS, *LIBM, *UNSUPPORTED, "sin", "cos", "assign", "const", "input", "output"}
    assert set(CODES) - known - matrix_only == set()


@pytest.mark.parametrize("op", ["erfinv", "printme"])
def test_an_operation_without_native_form_runs_on_the_vm(op):
    x = ca.SX.sym("x")
    value = ca.erfinv(x) if op == "erfinv" else x.printme(7)
    runs = kernel(ca.Function("f", [x], [value]))
    assert runs.info.tier == "vm"
    assert "no native form" in runs.info.reason


def test_sine_and_cosine_are_accurate_to_one_ulp_up_to_the_switch_and_beyond():
    mpmath = pytest.importorskip("mpmath")
    rng = np.random.default_rng(5)
    near = np.arange(1, 2000) * np.pi / 2  # where the reduction loses most
    x = np.concatenate([rng.uniform(-1e6, 1e6, 3000), rng.normal(0, 3, 3000), near, [1647098.99, 1e15, 1e300]])
    s = ca.SX.sym("s")
    sine, cosine = kernel(ca.Function("sc", [s], [ca.sin(s), ca.cos(s)]))(x[:, None])
    with mpmath.workprec(1200):
        for values, exact in ((sine, mpmath.sin), (cosine, mpmath.cos)):
            wrong = [
                abs((mpmath.mpf(float(v)) - exact(mpmath.mpf(a))) / mpmath.mpf(np.spacing(abs(v))))
                for a, v in zip(x.tolist(), values[:, 0])
            ]
            assert max(wrong) < 1.0


def test_if_else_does_not_let_nan_through_from_the_branch_not_taken():
    x = ca.SX.sym("x")
    f = ca.Function("f", [x], [ca.if_else(x > 0, ca.sqrt(x), 0.0)])
    assert kernel(f)(np.array([[-1.0], [4.0]]))[0].ravel().tolist() == [0.0, 2.0]
