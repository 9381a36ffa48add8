"""Functions of a system that are written once: found in memory, on disk, or written now.

    @stored
    def speeds(compiled: System, names: tuple[str, ...]) -> casadi.Function: …

    speeds(compiled, names)            the function as a kernel over batches
    speeds.formula(compiled, names)    the function itself

On disk the key is the qualified name of the writer, its arguments, and all that the equations depend on. Arguments
are texts, numbers, formulas, frozen records and tuples of these.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import update_wrapper, wraps
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar

from poinsot.engine import Formula, Kernel, StoredFunctions, kernel, stored_functions
from poinsot.engine.code.formula import formula
from poinsot.lazy import casadi
from poinsot.store import content_key

if TYPE_CHECKING:
    from poinsot.system.system import System

__all__ = ["remembered", "stored", "stored_parts"]

A = ParamSpec("A")
T = TypeVar("T")


def remembered(make: Callable[Concatenate[System, A], T]) -> Callable[Concatenate[System, A], T]:
    """Decorate what makes something of a system and hashable arguments: it is made once."""

    @wraps(make)
    def found(compiled: System, *arguments: A.args, **_: A.kwargs) -> T:
        return compiled.memory.get_or_make((make, *arguments), lambda: make(compiled, *arguments))

    return found


def stored_parts(
    write: Callable[Concatenate[System, A], tuple[Mapping[str, casadi.Function], Any]],
) -> Callable[Concatenate[System, A], StoredFunctions]:
    """Decorate what writes several functions, by name, and facts about them that JSON can hold."""

    @remembered
    @wraps(write)
    def found(compiled: System, *arguments: A.args, **_: A.kwargs) -> StoredFunctions:
        if compiled.about.key:
            name = f"{write.__module__}.{write.__qualname__}"
            key = content_key(compiled.about.key, json.dumps([name, *arguments], default=_plain))
            return stored_functions(key, lambda: write(compiled, *arguments))
        functions, facts = write(compiled, *arguments)
        return StoredFunctions({name: formula(function) for name, function in functions.items()}, facts)

    return found


def _plain(argument: Any) -> Any:
    """A formula or a record as JSON holds it."""
    return argument.digest if isinstance(argument, Formula) else [type(argument).__qualname__, asdict(argument)]


class stored(Generic[A]):
    """Decorate what writes one function."""

    def __init__(self, write: Callable[Concatenate[System, A], casadi.Function]):
        @wraps(write)
        def only(compiled: System, *arguments: A.args, **_: A.kwargs) -> tuple[Mapping[str, casadi.Function], Any]:
            return {"it": write(compiled, *arguments)}, None

        update_wrapper(self, write)
        self._parts = stored_parts(only)
        self._kernel = remembered(lambda compiled, *arguments: kernel(self.formula(compiled, *arguments)))

    def __call__(self, compiled: System, *arguments: A.args, **_: A.kwargs) -> Kernel:
        """The function as a kernel over batches."""
        return self._kernel(compiled, *arguments)

    def formula(self, compiled: System, *arguments: A.args, **_: A.kwargs) -> Formula:
        """The function, as text that can be compiled."""
        return self._parts(compiled, *arguments).functions["it"]
