"""Functions of a system that are written once: found in memory, on disk, or written now.

    @stored
    def speeds(compiled: S, names: tuple[str, ...]) -> casadi.Function: …

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
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

from poinsot.engine import Formula, Kernel, StoredFunctions, kernel, stored_functions
from poinsot.engine.code.formula import formula
from poinsot.lazy import casadi
from poinsot.store import Bounded, content_key, writer_digest


class Writer(Protocol):
    """What functions are written from: a system."""

    memory: Bounded

    @property
    def key(self) -> str:
        """Under which functions are stored on disk; empty: they are not."""
        ...


A = ParamSpec("A")
S = TypeVar("S", bound=Writer)
T = TypeVar("T")


def remembered(make: Callable[Concatenate[S, A], T]) -> Callable[Concatenate[S, A], T]:
    """Decorate what makes something of a system and hashable arguments: it is made once."""

    @wraps(make)
    def found(compiled: S, *arguments: A.args, **named: A.kwargs) -> T:
        return compiled.memory.get_or_make(
            (make, *arguments, *named.items()), lambda: make(compiled, *arguments, **named)
        )

    return found


def stored_parts(
    write: Callable[Concatenate[S, A], tuple[Mapping[str, casadi.Function], Any]],
) -> Callable[Concatenate[S, A], StoredFunctions]:
    """Decorate what writes several functions, by name, and facts about them that JSON can hold."""

    @remembered
    @wraps(write)
    def found(compiled: S, *arguments: A.args, **named: A.kwargs) -> StoredFunctions:
        if compiled.key:
            name = f"{write.__module__}.{write.__qualname__}"
            about = json.dumps([name, arguments, named], default=_plain)
            key = content_key(compiled.key, writer_digest(write.__module__), about)
            return stored_functions(key, lambda: write(compiled, *arguments, **named))
        functions, facts = write(compiled, *arguments, **named)
        return StoredFunctions({name: formula(function) for name, function in functions.items()}, facts)

    return found


def _plain(argument: Any) -> Any:
    """A formula or a record as JSON holds it."""
    return argument.digest if isinstance(argument, Formula) else [type(argument).__qualname__, asdict(argument)]


class stored(Generic[S, A]):
    """Decorate what writes one function."""

    def __init__(self, write: Callable[Concatenate[S, A], casadi.Function]):
        @wraps(write)
        def only(compiled: S, *arguments: A.args, **named: A.kwargs) -> tuple[Mapping[str, casadi.Function], Any]:
            return {"it": write(compiled, *arguments, **named)}, None

        update_wrapper(self, write)
        self._parts = stored_parts(only)
        self._kernel = remembered(self._compiled)

    def __call__(self, compiled: S, *arguments: A.args, **named: A.kwargs) -> Kernel:
        """The function as a kernel over batches."""
        return self._kernel(compiled, *arguments, **named)

    def _compiled(self, compiled: S, *arguments: A.args, **named: A.kwargs) -> Kernel:
        return kernel(self.formula(compiled, *arguments, **named))

    def formula(self, compiled: S, *arguments: A.args, **named: A.kwargs) -> Formula:
        """The function, as text that can be compiled."""
        return self._parts(compiled, *arguments, **named).functions["it"]
