"""LLVM IR to object code, and object code into this process, with llvmlite."""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from poinsot.engine.build.settings import chosen_lanes

QUICK, OPTIMISED = 0, 1  # LLVM's levels; 2 takes half as long again and makes no faster code of this kind
_OBJECT_MAGIC = (b"\x7fELF", b"\xcf\xfa\xed\xfe")  # ELF (also on Windows), Mach-O


@dataclass(frozen=True)
class Target:
    """The processor that code is made for."""

    triple: str
    cpu: str
    features: str
    lanes: int  # doubles in one vector register
    llvm: str  # version of LLVM


@dataclass(frozen=True)
class LoadedCode:
    """Machine code in memory; it lives as long as this object."""

    entry: Any  # ctypes function
    engine: Any


@cache
def _llvm() -> Any:
    """Import llvmlite and set it up for this processor."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


@cache
def host_target() -> Target:
    """Describe the processor that this process runs on."""
    llvm = _llvm()
    features = llvm.get_host_cpu_features()
    lanes = 2
    if features.get("avx"):
        lanes = 4
    if features.get("avx512f"):
        lanes = 8
    version = ".".join(map(str, llvm.llvm_version_info))
    flat = features.flatten()
    return Target(llvm.get_process_triple(), llvm.get_host_cpu_name(), flat, lanes, version)


def vector_lanes() -> int:
    """Count the samples in one vector: POINSOT_LANES, else the doubles that a register holds.

    LLVM splits vectors that are wider than the registers; a sample's results have the same bits with any number.
    """
    return chosen_lanes() or host_target().lanes


def _machine(level: int) -> Any:
    llvm, target = _llvm(), host_target()
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=level, codemodel="jitdefault", jit=True
    )


def compile_object(text: str, level: int) -> bytes:
    """Compile LLVM IR to an object file; `level` is QUICK or OPTIMISED."""
    llvm = _llvm()
    with llvm.create_context() as context, llvm.parse_assembly(text, context) as module:
        module.verify()
        return _machine(level).emit_object(module)


def load_object(data: bytes, c_functions: Sequence[str], *signature: Any) -> LoadedCode:
    """Load an object file that calls these C functions; find its entry `run`, which has no result."""
    if not data.startswith(_OBJECT_MAGIC):  # LLVM would end the process
        raise RuntimeError("it is not an object file")
    llvm = _llvm()
    for name in c_functions:
        _provide(name)
    empty = llvm.parse_assembly("")
    engine = llvm.create_mcjit_compiler(empty, _machine(0))
    engine.add_object_file(llvm.ObjectFileRef.from_data(data))
    engine.finalize_object()
    return LoadedCode(ctypes.CFUNCTYPE(None, *signature)(engine.get_function_address("run")), engine)


def _provide(name: str) -> None:
    """Make sure that LLVM finds a C function: it ends the process if one is missing."""
    llvm = _llvm()
    if llvm.address_of_symbol(name):
        return
    for library in ("m", "ucrtbase", "msvcrt"):
        path = ctypes.util.find_library(library)
        function = getattr(ctypes.CDLL(path), name, None) if path else None
        if function is not None:
            llvm.add_symbol(name, ctypes.cast(function, ctypes.c_void_p).value)
            return
    raise RuntimeError(f"the C library of this machine has no function '{name}'")
