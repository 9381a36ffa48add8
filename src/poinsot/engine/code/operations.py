"""Every operation of CasADi's SX as LLVM IR, with CasADi's own meaning for ±0, inf and NaN.

Nothing here allows LLVM to contract or reorder, so +, −, ×, ÷ and √ give the VM's bits.
"""

from __future__ import annotations

from collections.abc import Callable

from poinsot.engine.code.ir import Code

Emit = Callable[..., str]

# Called lane by lane in the C library that CasADi's VM calls too: the same bits.
_ONE_ARGUMENT = ("tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh")
_ONE_ARGUMENT += ("exp", "log", "erf", "log1p", "expm1")
TWO_ARGUMENTS = ("pow", "fmod", "atan2", "hypot", "remainder")
LIBM: dict[str, str] = {name: name for name in (*_ONE_ARGUMENT, *TWO_ARGUMENTS)} | {"constpow": "pow"}

# No native form: a function with one of these runs on the VM.
UNSUPPORTED: dict[str, str] = {
    "erfinv": "the inverse error function",
    "printme": "printing of intermediate values",
    "call": "a call of another function",
    "parameter": "a free symbol",
}


def _binary(how: str) -> Emit:
    return lambda code, x, y: code.arithmetic(how, x, y)


def _comparison(how: str) -> Emit:
    return lambda code, x, y: _truth(code, code.compare(how, x, y))


def _library(name: str) -> Emit:
    return lambda code, *args: code.call(f"lanes.{name}", *args)


def _intrinsic(name: str) -> Emit:
    def emit(code: Code, *args: str) -> str:
        suffix = "f64" if code.lanes == 1 else f"v{code.lanes}f64"
        return code.call(f"llvm.{name}.{suffix}", *args)

    return emit


def _truth(code: Code, condition: str) -> str:
    return code.select(condition, code.number(1.0), code.number(0.0))


def _is_true(code: Code, x: str) -> str:
    return code.compare("une", x, code.number(0.0))  # NaN counts as true, as in C


def _both(how: str) -> Emit:
    def emit(code: Code, x: str, y: str) -> str:
        either = code.let(f"{how} {code.bit} {_is_true(code, x)}, {_is_true(code, y)}")
        return _truth(code, either)

    return emit


def _sign(code: Code, x: str) -> str:
    zero = code.number(0.0)
    positive = code.select(code.compare("ogt", x, zero), code.number(1.0), x)
    return code.select(code.compare("olt", x, zero), code.number(-1.0), positive)


def _extreme(how: str) -> Emit:
    """Choose fmin or fmax: a NaN loses against a number."""

    def emit(code: Code, x: str, y: str) -> str:
        chosen = code.select(code.compare(how, x, y), x, y)
        return code.select(code.compare("uno", y, y), x, chosen)

    return emit


OPERATIONS: dict[str, Emit] = {
    "add": _binary("fadd"),
    "sub": _binary("fsub"),
    "mul": _binary("fmul"),
    "div": _binary("fdiv"),
    "neg": lambda code, x: code.let(f"fneg {code.real} {x}"),
    "sq": lambda code, x: code.arithmetic("fmul", x, x),
    "twice": lambda code, x: code.arithmetic("fadd", x, x),
    "inv": lambda code, x: code.arithmetic("fdiv", code.number(1.0), x),
    "sqrt": _intrinsic("sqrt"),
    "fabs": _intrinsic("fabs"),
    "floor": _intrinsic("floor"),
    "ceil": _intrinsic("ceil"),
    "copysign": _intrinsic("copysign"),
    "lt": _comparison("olt"),
    "le": _comparison("ole"),
    "eq": _comparison("oeq"),
    "ne": _comparison("une"),
    "not": lambda code, x: _truth(code, code.compare("oeq", x, code.number(0.0))),
    "and": _both("and"),
    "or": _both("or"),
    "if_else_zero": lambda code, x, y: code.select(_is_true(code, x), y, code.number(0.0)),
    "sign": _sign,
    "fmin": _extreme("olt"),
    "fmax": _extreme("ogt"),
    "lift": lambda code, x, y: x,  # a hint to solvers; the value is the first argument
    **{op: _library(name) for op, name in LIBM.items()},
}
