"""Native code that gets better with time: from the cache, or quick at once and optimised from a child.

| instructions              | first call runs                  | later calls run                  |
|---------------------------|----------------------------------|----------------------------------|
| in the cache              | optimised code                   | the same                         |
| ≤ DIRECT_INSTRUCTIONS     | optimised code, made at once     | the same                         |
| ≤ QUICK_INSTRUCTIONS      | quick code, made at once         | optimised code from a child      |
| ≤ MAX_NATIVE_INSTRUCTIONS | the VM                           | optimised code from a child      |
| more                      | the VM                           | the same                         |

Quick and optimised code give the same bits. The state changes between calls only, by one assignment.
"""

from __future__ import annotations

import logging
import os
import threading
import time
import weakref
from dataclasses import dataclass, replace
from typing import Any

from poinsot.engine import build as compiling
from poinsot.engine.build.native import OPTIMISED, QUICK, LoadedCode, compile_object, host_target, load_object
from poinsot.engine.build.request import Request, emit_program
from poinsot.engine.build.settings import DIRECT_INSTRUCTIONS, MAX_NATIVE_INSTRUCTIONS, QUICK_INSTRUCTIONS
from poinsot.errors import PoinsotError
from poinsot.store import read_entry, write_entry

_log = logging.getLogger("poinsot.engine")
_builds: weakref.WeakValueDictionary[str, Build] = weakref.WeakValueDictionary()


@dataclass(frozen=True)
class KernelInfo:
    """What runs when a kernel is called, and why."""

    name: str
    tier: str  # "vm", "quick" or "optimised"
    instructions: int
    lanes: int  # samples in one vector
    seconds: float  # time to compile or to load  [s]
    cached: bool  # the code came from the cache
    reason: str  # one clause
    pending: bool = False  # optimised code is being made

    def __str__(self) -> str:
        return f"{self.name}: {self.tier}, {self.instructions} instructions, {self.seconds:.2f} s; {self.reason}"


@dataclass(frozen=True)
class _State:
    code: LoadedCode | None
    workspace: int  # doubles
    info: KernelInfo


class Build:
    """The native code of one request; `state` is replaced when better code arrives."""

    def __init__(self, request: Request, key: str, name: str, instructions: int):
        self.request, self.key, self.name = request, key, name
        lanes = request.options["lanes"]
        info = KernelInfo(name, "vm", instructions, lanes, 0.0, False, "nothing is compiled yet")
        self.state = _State(None, 0, info)
        self._settled = threading.Event()
        self._process = os.getpid()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until no better code is to come; after a fork, the thread that would bring it is not here."""
        return os.getpid() != self._process or self._settled.wait(seconds)

    def from_cache(self) -> bool:
        """Load code that an earlier process made."""
        start = time.perf_counter()
        found = read_entry(self.key)
        return found is not None and self._install(*found, "optimised", start, "code from the cache")

    def compile_here(self, level: int) -> bool:
        """Compile in this process: QUICK or OPTIMISED."""
        start = time.perf_counter()
        try:
            program = emit_program(self.request)
            code = compile_object(program.text, level)
        except RuntimeError as error:
            self._give_up(f"LLVM refused the code ({error})")
            return False
        metadata = program.metadata
        if level == QUICK:
            return self._install(metadata, code, "quick", start, "quick code while a child process optimises")
        write_entry(self.key, metadata, code)
        return self._install(metadata, code, "optimised", start, "compiled at once, being small")

    def start(self, quick: bool) -> None:
        """Let a child process make optimised code; until then run quick code or the VM."""
        if quick:
            self.compile_here(level=QUICK)
        else:
            size = self.state.info.instructions
            _log.info("%s has %d instructions: a child process compiles it; the VM runs until then", self.name, size)
            self._update(reason="the VM while a child process compiles")
        self._update(pending=True)
        compiling.start_compilation(self.request, self.key, self._arrive, brief=quick)

    def settle(self) -> None:
        """Say that no better code is to come."""
        self._settled.set()

    def _arrive(self, result: Any) -> None:
        try:
            if isinstance(result, Exception):
                stays = "quick code" if self.state.code else "the VM"
                _log.warning("%s: %s; %s runs instead", self.name, result, stays)
                self._update(reason=f"{stays}, because {result}")
            else:
                metadata, code = result
                start = time.perf_counter() - metadata["seconds"]
                self._install(metadata, code, "optimised", start, "compiled by a child process")
        finally:
            self._update(pending=False)
            self.settle()

    def _install(self, metadata: dict[str, Any], code: bytes, tier: str, start: float, reason: str) -> bool:
        try:
            loaded = load_object(code, metadata["c_functions"], *self.request.kind.signature)
        except RuntimeError as error:
            self._give_up(f"the compiled code could not be loaded ({error})")
            return False
        seconds = time.perf_counter() - start
        cached = reason == "code from the cache"
        info = replace(self.state.info, tier=tier, seconds=seconds, cached=cached, reason=reason)
        self.state = _State(loaded, int(metadata["workspace"]), info)
        return True

    def _give_up(self, reason: str) -> None:
        _log.warning("%s: %s", self.name, reason)
        self._update(reason=reason)

    def _update(self, **changes: Any) -> None:
        self.state = replace(self.state, info=replace(self.state.info, **changes))


def start_build(request: Request, name: str, instructions: int) -> Build:
    """Get native code for a request by the quickest safe way."""
    if instructions > MAX_NATIVE_INSTRUCTIONS:
        raise PoinsotError(f"{name} has {instructions} instructions; at most {MAX_NATIVE_INSTRUCTIONS} are compiled")
    key = request.key(repr(host_target()))
    build = _builds.get(key)
    if build is not None and (build.state.code or build.state.info.pending):
        return build
    build = Build(request, key, name, instructions)
    if build.from_cache():
        build.settle()
    elif instructions <= DIRECT_INSTRUCTIONS:
        build.compile_here(level=OPTIMISED)
        build.settle()
    else:
        build.start(quick=instructions <= QUICK_INSTRUCTIONS)
    _builds[key] = build
    return build
