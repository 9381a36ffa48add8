"""Which functions can run as native code here, and if not, why not."""

from __future__ import annotations

from functools import cache

from poinsot.engine.build.native import host_target
from poinsot.engine.build.settings import MAX_NATIVE_INSTRUCTIONS
from poinsot.engine.code.operations import OPERATIONS, UNSUPPORTED
from poinsot.engine.code.tape import operation_names
from poinsot.lazy import casadi

_PLAIN = frozenset((*OPERATIONS, "sin", "cos", "input", "output", "const", "assign"))


@cache
def llvm_obstacle() -> str:
    """Say why this machine cannot make native code; empty if it can."""
    try:
        host_target()
    except ImportError as error:
        return f"llvmlite cannot be imported ({error})"
    except (OSError, RuntimeError) as error:
        return f"llvmlite does not work here ({error})"
    return ""


def portable_form(function: casadi.Function) -> tuple[casadi.Function, str]:
    """Give the function as SX instructions, and why no machine can run them as native code; empty if one can."""
    symbolic = function
    if not function.is_a("SXFunction"):
        try:
            symbolic = function.expand()
        except RuntimeError:
            return (function, f"it is a {function.class_name()} that CasADi cannot expand into scalar operations")
    if symbolic.has_free():
        return symbolic, f"it has free symbols ({', '.join(map(str, symbolic.get_free()))})"
    count = symbolic.n_instructions()
    if count > MAX_NATIVE_INSTRUCTIONS:
        return (symbolic, f"it has {count} instructions, more than the {MAX_NATIVE_INSTRUCTIONS} that are compiled")
    names = operation_names()
    for code in {symbolic.instruction_id(i) for i in range(count)}:
        name = names.get(code, f"number {code}")
        if name not in _PLAIN:
            return symbolic, f"it uses {UNSUPPORTED.get(name, name)}, which has no native form"
    return symbolic, ""
