"""Functions that generated code calls, as LLVM IR for any number of lanes.

Sine and cosine are vectorised: reduction modulo π/2 in three parts after Cody and Waite, then the
polynomials of fdlibm (Sun Microsystems, 1993), below 1 ulp for |x| < 2²⁰ π/2. Larger arguments, infinities
and NaN go lane by lane to the C library, so no lane's result depends on its neighbours. Everything else is a
loop of C library calls over the lanes.
"""

from __future__ import annotations

from poinsot.engine.code.ir import Code
from poinsot.engine.code.operations import LIBM, TWO_ARGUMENTS

# π/2 in pieces of 33 bits: n times a piece is exact for n < 2²⁰.
_PIO2 = (1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624871116645580e-21)
_PIO2_REST = 8.47842766036889956997e-32
_LARGEST = 1647099.0  # 2²⁰ π/2
_ROUND = 6755399441055744.0  # 1.5 · 2⁵²: adding it rounds to the nearest integer

_SIN = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
_COS = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)


def c_functions(called: set[str]) -> list[str]:
    """List the functions of the C library that generated code may call."""
    names = {name.removeprefix("lanes.") for name in called if name.startswith("lanes.")}
    names |= {"sin", "cos"} if "sincos" in names else set()
    names |= {name for name in ("floor", "ceil") if any(f"llvm.{name}." in other for other in called)}
    return sorted(names - {"sincos"})


def definitions(called: set[str], lanes: int) -> str:
    """Define or declare every function that generated code calls."""
    code = Code(lanes)
    texts: list[str] = []
    libm: set[str] = set()
    for name in sorted(called):
        if name == "lanes.sincos":
            texts.append(_sincos(lanes))
            libm |= {"sin", "cos"}
        elif name.startswith("lanes."):
            base = name.removeprefix("lanes.")
            texts.append(_lane_by_lane(base, lanes))
            libm.add(base)
        elif ".reduce." in name:
            texts.append(f"declare i1 @{name}({code.bit})")
        elif name.startswith("llvm."):
            count = 2 if ".copysign." in name else 1
            texts.append(f"declare {code.real} @{name}({', '.join([code.real] * count)})")
    for name in sorted(libm):
        assert name in LIBM.values() or name in ("sin", "cos")
        scalars = "double, double" if name in TWO_ARGUMENTS else "double"
        texts.append(f"declare double @{name}({scalars}) nobuiltin nounwind")
    if "lanes.sincos" in called:
        suffix = "f64" if lanes == 1 else f"v{lanes}f64"
        texts.append(f"declare {code.real} @llvm.fabs.{suffix}({code.real})")
        if lanes > 1:
            texts.append(f"declare i1 @llvm.vector.reduce.and.v{lanes}i1({code.bit})")
    return "\n".join(dict.fromkeys(texts))


def _lane_by_lane(name: str, lanes: int) -> str:
    code = Code(lanes)
    arguments = ["%x", "%y"] if name in TWO_ARGUMENTS else ["%x"]
    result = call_lanes(code, name, arguments)
    heading = ", ".join(f"{code.real} {a}" for a in arguments)
    body = "\n".join(code.lines)
    return (
        f"define internal {code.real} @lanes.{name}({heading}) noinline nounwind {{\n"
        f"{body}\n  ret {code.real} {result}\n}}"
    )


def call_lanes(code: Code, name: str, arguments: list[str]) -> str:
    """Call a C function from doubles to a double in every lane."""
    if code.lanes == 1:
        return code.let(f"call double @{name}({', '.join(f'double {a}' for a in arguments)}) nobuiltin")
    result = "poison"
    for lane in range(code.lanes):
        scalars = [code.let(f"extractelement {code.real} {a}, i64 {lane}") for a in arguments]
        value = code.let(f"call double @{name}({', '.join(f'double {s}' for s in scalars)}) nobuiltin")
        result = code.let(f"insertelement {code.real} {result}, double {value}, i64 {lane}")
    return result


def _sincos(lanes: int) -> str:
    code = Code(lanes)
    suffix = "f64" if lanes == 1 else f"v{lanes}f64"
    size = code.call(f"llvm.fabs.{suffix}", "%x")
    ordinary = code.compare("olt", size, code.number(_LARGEST))  # false for NaN
    sine, cosine = _reduced_sincos(code, "%x", size)
    everywhere = ordinary
    if lanes > 1:
        everywhere = code.let(f"call i1 @llvm.vector.reduce.and.v{lanes}i1({code.bit} {ordinary})")
    code.do(f"br i1 {everywhere}, label %done, label %rare")
    code.lines.append("rare:")
    rare_sine = code.select(ordinary, sine, call_lanes(code, "sin", ["%x"]))
    rare_cosine = code.select(ordinary, cosine, call_lanes(code, "cos", ["%x"]))
    code.do("br label %done")
    code.lines.append("done:")
    s = code.let(f"phi {code.real} [ {sine}, %entry ], [ {rare_sine}, %rare ]")
    c = code.let(f"phi {code.real} [ {cosine}, %entry ], [ {rare_cosine}, %rare ]")
    pair = f"{{ {code.real}, {code.real} }}"
    one = code.let(f"insertvalue {pair} poison, {code.real} {s}, 0")
    two = code.let(f"insertvalue {pair} {one}, {code.real} {c}, 1")
    body = "\n".join(code.lines)
    return (
        f"define internal {pair} @lanes.sincos({code.real} %x) noinline nounwind {{\nentry:\n"
        f"{body}\n  ret {pair} {two}\n}}"
    )


def _reduced_sincos(code: Code, x: str, size: str) -> tuple[str, str]:
    """Evaluate sin x and cos x for |x| < 2²⁰ π/2."""
    quadrant, y0, y1 = _reduce(code, x)
    sine, cosine = _sine_polynomial(code, y0, y1), _cosine_polynomial(code, y0, y1)
    odd = _bit_set(code, quadrant, 1)
    s, c = code.select(odd, cosine, sine), code.select(odd, sine, cosine)
    next_quadrant = code.let(f"add {code.whole} {quadrant}, {code.integer(1)}")
    s = code.select(_bit_set(code, quadrant, 2), code.let(f"fneg {code.real} {s}"), s)
    c = code.select(_bit_set(code, next_quadrant, 2), code.let(f"fneg {code.real} {c}"), c)
    tiny = code.compare("olt", size, code.number(2.0**-27))  # sin x = x there, with the sign of zero
    return code.select(tiny, x, s), c


def _bit_set(code: Code, integer: str, mask: int) -> str:
    masked = code.let(f"and {code.whole} {integer}, {code.integer(mask)}")
    return code.let(f"icmp ne {code.whole} {masked}, {code.integer(0)}")


def _reduce(code: Code, x: str) -> tuple[str, str, str]:
    """Write x = n π/2 + y0 + y1 with |y0| ≤ π/4 and y1 the part that y0 cannot hold; give n mod 4, y0, y1."""
    add, sub, mul = (lambda a, b, how=how: code.arithmetic(how, a, b) for how in ("fadd", "fsub", "fmul"))
    shifted = add(mul(x, code.number(0.63661977236758134308)), code.number(_ROUND))
    quadrant = code.let(f"bitcast {code.real} {shifted} to {code.whole}")
    n = sub(shifted, code.number(_ROUND))
    r1 = sub(x, mul(n, code.number(_PIO2[0])))
    w2 = mul(n, code.number(_PIO2[1]))
    r2 = sub(r1, w2)
    e2 = sub(sub(r1, r2), w2)
    w3 = mul(n, code.number(_PIO2[2]))
    r3 = sub(r2, w3)
    e3 = sub(sub(r2, r3), w3)
    low = sub(add(e2, e3), mul(n, code.number(_PIO2_REST)))
    y0 = add(r3, low)
    return quadrant, y0, add(sub(r3, y0), low)


def _horner(code: Code, z: str, coefficients: tuple[float, ...]) -> str:
    value = code.number(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        value = code.arithmetic("fadd", code.number(c), code.arithmetic("fmul", z, value))
    return value


def _sine_polynomial(code: Code, y0: str, y1: str) -> str:
    sub, mul = (lambda a, b, how=how: code.arithmetic(how, a, b) for how in ("fsub", "fmul"))
    z = mul(y0, y0)
    v = mul(z, y0)
    r = _horner(code, z, _SIN[1:])
    inner = sub(mul(z, sub(mul(code.number(0.5), y1), mul(v, r))), y1)
    return sub(y0, sub(inner, mul(v, code.number(_SIN[0]))))


def _cosine_polynomial(code: Code, y0: str, y1: str) -> str:
    add, sub, mul = (lambda a, b, how=how: code.arithmetic(how, a, b) for how in ("fadd", "fsub", "fmul"))
    z = mul(y0, y0)
    r = mul(z, _horner(code, z, _COS))
    half = mul(code.number(0.5), z)
    w = sub(code.number(1.0), half)
    correction = add(sub(sub(code.number(1.0), w), half), sub(mul(z, r), mul(y0, y1)))
    return add(w, correction)
