"""A symbolic function becomes a callable over batches: native code, or CasADi's virtual machine.

    kernel                 a CasADi function as NumPy in, NumPy out
    ldl, kkt               sparse LDLᵀ and constrained systems as SX expressions
    elimination_order      an order for them from the graph of a mechanism
    rows_to_add            constraints that stand in for masses that are missing
    kkt_derivative         derivatives of their solutions from the same factor
    eigh                   symmetric eigenproblems in batch, and their derivatives
    stored_functions       functions on disk, so that the next process need not write them again
    integrator             initial value problems in batch, without a loop in Python
    doctor, cache_report   what runs and why; what the cache of compiled code holds

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
    "eigh_derivatives": "linear.eigen_derivatives",
    "elimination_order": "linear.elimination",
    "implicit_derivative": "linear.implicit",
    "kernel": "kernels",
    "kkt": "linear.sparse_ldl",
    "kkt_derivative": "linear.implicit",
    "ldl": "linear.sparse_ldl",
    "stored_functions": "build.stored_functions",
    "rows_to_add": "linear.augmentation",
}

__all__ = sorted(_HOMES)


__getattr__ = door(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
