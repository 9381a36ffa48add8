"""A symbolic function becomes a callable over batches: native code, or CasADi's virtual machine.

kernels, arguments    a CasADi function as NumPy in, NumPy out; what it takes and gives
call_memory, threads  the memory of a native call; threads around it
vm                    the virtual machine: oracle, and what runs where there is no native code
interrupts            Ctrl-C while native code runs
compile_worker        compilation in a process of its own
code/                 from a function to LLVM IR
build/                from LLVM IR to native code, and both on disk
linear/               LDLᵀ of sparse and constrained systems, eigenproblems
integration/          initial value problems in batch

CasADi, llvmlite and SciPy are loaded when they are used.
"""

from __future__ import annotations

from poinsot.lazy import door

_HOMES = {
    "Block": "linear.elimination",
    "CacheReport": ".store",
    "Factor": "linear.sparse_ldl",
    "Formula": "code.formula",
    "KKTSolution": "linear.sparse_ldl",
    "Integrator": "integration.integrator",
    "Kernel": "kernels",
    "Link": "linear.elimination",
    "Status": "integration.controller",
    "StoredFunctions": "build.stored_functions",
    "Trajectories": "integration.integrator",
    "integrator": "integration.integrator",
    "Diagnosis": "build.diagnosis",
    "KernelInfo": "build.build",
    "doctor": "build.diagnosis",
    "cache_report": ".store",
    "clear_cache": ".store",
    "eigh": "linear.eigen",
    "elimination_order": "linear.elimination",
    "kernel": "kernels",
    "kkt": "linear.sparse_ldl",
    "ldl": "linear.sparse_ldl",
    "stored_functions": "build.stored_functions",
    "rows_to_add": "linear.augmentation",
}

__all__ = sorted(_HOMES)


__getattr__ = door(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
