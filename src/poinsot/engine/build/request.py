"""What is to be compiled: functions, the program around them, and the key under which the code is kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poinsot import __version__
from poinsot.engine.code.formula import Formula
from poinsot.lazy import casadi
from poinsot.store import ENTRY_FORMAT

if TYPE_CHECKING:
    from poinsot.engine.code.batch import Program

_SOURCES = (
    *(f"code/{name}" for name in ("ir", "tape", "operations", "library", "body", "batch", "packing")),
    *("build/native", "build/request"),
)


@dataclass(frozen=True)
class Kind:
    """A kind of program; the module that runs such programs has it."""

    name: str
    emit: Callable[..., Program]  # writes one, from functions and options
    signature: tuple[Any, ...]  # ctypes of what it is called with
    sources: tuple[str, ...] = ()  # modules of the engine that write it, besides those of every program


@dataclass(frozen=True)
class Request:
    """A program to compile, in a form that can be sent to another process."""

    kind: Kind
    functions: dict[str, Formula]
    options: dict[str, Any] = field(default_factory=dict)

    def key(self, target: str) -> str:
        """Name the code of this request for a target: any change of content gives another name."""
        digest = hashlib.sha256()
        content = [self.kind.name, json.dumps(self.options, sort_keys=True), target, _written(self.kind.sources)]
        formulas = [part for name, formula in self.functions.items() for part in (name, formula.digest)]
        for text in [*content, __version__, ENTRY_FORMAT, *formulas]:
            digest.update(len(text).to_bytes(8, "little"))
            digest.update(text.encode())
        return digest.hexdigest()


@cache
def _written(sources: tuple[str, ...]) -> str:
    """Fingerprint the modules that write code, so that a change in them never meets old code."""
    digest = hashlib.sha256()
    for name in (*_SOURCES, *sources):
        digest.update((Path(__file__).parents[1] / f"{name}.py").read_bytes())
    return digest.hexdigest()


def emit_program(request: Request) -> Program:
    """Write the LLVM IR that a request asks for."""
    functions = {key: casadi.Function.deserialize(formula.text) for key, formula in request.functions.items()}
    return request.kind.emit(**functions, **request.options)


def write_request(request: Request, key: str) -> bytes:
    """Turn a request and its key into bytes for a child process."""
    functions = {name: [formula.facts(), formula.packed.hex()] for name, formula in request.functions.items()}
    return json.dumps([key, request.kind.name, functions, request.options]).encode()


def read_request(data: bytes, kinds: Iterable[Kind]) -> tuple[Request, str]:
    """Read what `write_request` wrote, of one of these kinds."""
    key, kind, functions, options = json.loads(data)
    read = {name: Formula.from_facts(facts, bytes.fromhex(text)) for name, (facts, text) in functions.items()}
    return Request({k.name: k for k in kinds}[kind], read, options), key
