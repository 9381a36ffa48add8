"""A symbolic function becomes a callable over batches: native code, or CasADi's virtual machine.

    kernel                 a CasADi function as NumPy in, NumPy out
    ldl, kkt               sparse LDLᵀ and constrained systems as SX expressions
    elimination_order      an order for them from the graph of a mechanism
    rows_to_add            constraints that stand in for masses that are missing
    kkt_derivative         derivatives of their solutions from the same factor
    eigh                   symmetric eigenproblems in batch, and their derivatives
    kept                   functions on disk, so that the next process need not write them again
    integrator             initial value problems in batch, without a loop in Python
    doctor, cache_report   what runs and why; what the cache of compiled code holds

CasADi, llvmlite and SciPy are loaded when they are used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "Block": "elimination",
    "CacheReport": ".store",
    "Factor": "sparse_ldl",
    "Formula": "formula",
    "Kept": "keeping",
    "KKTSolution": "sparse_ldl",
    "Integrator": "integration",
    "Kernel": "kernels",
    "Link": "elimination",
    "Status": "controller",
    "Trajectories": "integration",
    "integrator": "integration",
    "Diagnosis": "diagnosis",
    "KernelInfo": "build",
    "doctor": "diagnosis",
    "cache_report": ".store",
    "clear_cache": ".store",
    "eigh": "eigen",
    "eigh_derivatives": "eigen_derivatives",
    "elimination_order": "elimination",
    "implicit_derivative": "implicit",
    "kept": "keeping",
    "kernel": "kernels",
    "kkt": "sparse_ldl",
    "kkt_derivative": "implicit",
    "ldl": "sparse_ldl",
    "rows_to_add": "augmentation",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
