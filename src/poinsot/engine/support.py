"""Which functions can run as native code here, and if not, why not."""

from __future__ import annotations

from collections import OrderedDict
from functools import cache
from typing import TYPE_CHECKING

from .operations import OPERATIONS, UNSUPPORTED
from .settings import MAX_NATIVE_INSTRUCTIONS
from .tape import operation_names

if TYPE_CHECKING:
    import casadi

__all__ = ["llvm_obstacle", "native_obstacle"]

_PLAIN = frozenset((*OPERATIONS, "sin", "cos", "input", "output", "const", "assign"))


@cache
def llvm_obstacle() -> str:
    """Say why this machine cannot make native code; empty if it can."""
    try:
        from .native import host_target

        host_target()
    except ImportError as error:
        return f"llvmlite cannot be imported ({error})"
    except (OSError, RuntimeError) as error:
        return f"llvmlite does not work here ({error})"
    return ""


_seen: OrderedDict[int, tuple[casadi.Function, casadi.Function, str]] = OrderedDict()


def native_obstacle(function: casadi.Function) -> tuple[casadi.Function, str]:
    """Give the function as SX instructions, and why they cannot be native code; empty if they can."""
    entry = _seen.get(id(function))
    if entry is None or entry[0] is not function:  # the function is kept with its answer: its id stays its own
        entry = _seen[id(function)] = (function, *_look(function))
        while len(_seen) > 32:
            _seen.popitem(last=False)
    return entry[1], entry[2] or llvm_obstacle()


def _look(function: casadi.Function) -> tuple[casadi.Function, str]:
    symbolic = function
    if not function.is_a("SXFunction"):
        try:
            symbolic = function.expand()
        except RuntimeError:
            return (
                function,
                f"it is a {function.class_name()} that CasADi cannot expand into scalar operations",
            )
    if symbolic.has_free():
        return symbolic, f"it has free symbols ({', '.join(map(str, symbolic.get_free()))})"
    count = symbolic.n_instructions()
    if count > MAX_NATIVE_INSTRUCTIONS:
        return (
            symbolic,
            f"it has {count} instructions, more than the {MAX_NATIVE_INSTRUCTIONS} that are compiled",
        )
    names = operation_names()
    for code in {symbolic.instruction_id(i) for i in range(count)}:
        name = names.get(code, f"number {code}")
        if name not in _PLAIN:
            return symbolic, f"it uses {UNSUPPORTED.get(name, name)}, which has no native form"
    return symbolic, ""
