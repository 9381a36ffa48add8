"""A symbolic function becomes a callable over batches: native code, or CasADi's virtual machine.

kernels, arguments    a CasADi function as NumPy in, NumPy out; what it takes and gives
call_memory, threads  the memory of a native call; threads around it
vm                    the virtual machine: oracle, and what runs where there is no native code
nonlinear_program     costs within constraints, by IPOPT
interrupts            Ctrl-C while native code runs
given_functions       functions that users give, as expressions
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
    ".store": "CacheReport cache_report clear_cache",
    "build.build": "KernelInfo",
    "build.diagnosis": "Diagnosis doctor",
    "build.stored_functions": "StoredFunctions stored_functions",
    "code.formula": "Formula",
    "integration.controller": "Status",
    "integration.cvodes": "Cvodes",
    "integration.integrator": "Integrator Trajectories integrator",
    "kernels": "Kernel kernel",
    "linear.augmentation": "rows_to_add",
    "linear.eigen": "eigh",
    "linear.elimination": "Block Link elimination_order",
    "linear.sparse_ldl": "Factor KKTSolution kkt ldl",
}

__getattr__ = door(__name__, _HOMES)
