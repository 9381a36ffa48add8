"""What is to be compiled: functions, the program around them, and the key under which the code is kept."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poinsot import __version__
from poinsot.engine.code.formula import Formula
from poinsot.lazy import casadi
from poinsot.store import ENTRY_FORMAT

if TYPE_CHECKING:
    from poinsot.engine.code.batch import Program

__all__ = ["Request", "emit_program", "read_request", "write_request"]

# kind of program -> module and function that writes it
_PROGRAMS = {
    "batch": ("poinsot.engine.code.batch", "emit_batch"),
    "integrator": ("poinsot.engine.integration.integrator_code", "emit_integrator"),
}
_SOURCES = (
    *(f"code/{name}" for name in ("ir", "tape", "operations", "library", "body", "batch")),
    *("build/native", "build/request"),
    *(f"integration/{name}" for name in ("controller", "dop853", "layout")),
    *(f"integration/{name}_code" for name in ("integrator", "dense", "rk4")),
)


@dataclass(frozen=True)
class Request:
    """A program to compile, in a form that can be sent to another process."""

    kind: str  # "batch" or "integrator"
    functions: dict[str, Formula]
    options: dict[str, Any] = field(default_factory=dict)

    def key(self, target: str) -> str:
        """Name the code of this request for a target: any change of content gives another name."""
        digest = hashlib.sha256()
        content = [self.kind, json.dumps(self.options, sort_keys=True), target, _emitter(), __version__, ENTRY_FORMAT]
        formulas = [part for name, formula in self.functions.items() for part in (name, formula.digest)]
        for text in [*content, *formulas]:
            digest.update(len(text).to_bytes(8, "little"))
            digest.update(text.encode())
        return digest.hexdigest()


@cache
def _emitter() -> str:
    """Fingerprint the modules that write code, so that a change in them never meets old code."""
    digest = hashlib.sha256()
    for name in _SOURCES:
        digest.update((Path(__file__).parents[1] / f"{name}.py").read_bytes())
    return digest.hexdigest()


def emit_program(request: Request) -> Program:
    """Write the LLVM IR that a request asks for."""
    module, name = _PROGRAMS[request.kind]
    emit = getattr(import_module(module), name)
    functions = {key: casadi.Function.deserialize(formula.text) for key, formula in request.functions.items()}
    return emit(**functions, **request.options)


def write_request(request: Request, key: str) -> bytes:
    """Turn a request and its key into bytes for a child process."""
    functions = {name: [formula.facts(), formula.packed.hex()] for name, formula in request.functions.items()}
    return json.dumps([key, request.kind, functions, request.options]).encode()


def read_request(data: bytes) -> tuple[Request, str]:
    """Read what `write_request` wrote."""
    key, kind, functions, options = json.loads(data)
    read = {name: Formula.from_facts(facts, bytes.fromhex(text)) for name, (facts, text) in functions.items()}
    return Request(kind, read, options), key
