"""A KKT system of Stewart size: forward dynamics with 78 accelerations and 72 multipliers."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor

import casadi as ca
import numpy as np

from poinsot.engine import kernel

from . import stewart
from .measure import Table, interleave

SAMPLES, VM_SAMPLES = 8000, 10  # short rounds: on a busy machine some run undisturbed
BLOCK = bytes(20_000_000)


def run() -> Table:
    """Compare the VM with native code on one and two threads, in batch and for single samples."""
    function = stewart.forward_dynamics()
    native, vm, scalar = kernel(function), kernel(function, engine="vm"), kernel(function, lanes=1)
    native.wait()
    scalar.wait()
    batch = stewart.states(SAMPLES, np.random.default_rng(1))
    few = [a[:VM_SAMPLES] if a.ndim == 2 else a for a in batch]
    one = [a[0].copy() if a.ndim == 2 else a for a in batch]
    packing = _packing(batch)
    hashing = ThreadPoolExecutor(2)
    times = interleave(
        {
            "VM": lambda: vm(*few),
            "native, 1 thread": lambda: native(*batch, threads=1),
            "native, 2 threads": lambda: native(*batch, threads=2),
            "packing alone, 1 thread": lambda: packing(*batch, threads=1),
            "one sample, vector code": lambda: [native(*one) for _ in range(50)],
            "one sample, scalar code": lambda: [scalar(*one) for _ in range(50)],
            "hash twice": lambda: [hashlib.sha256(BLOCK), hashlib.sha256(BLOCK)],
            "hash in two threads": lambda: list(hashing.map(hashlib.sha256, [BLOCK, BLOCK])),
        },
        repeats=40,
    )
    capacity = times.pop("hash twice").best / times.pop("hash in two threads").best
    samples = {"VM": VM_SAMPLES, "one sample, vector code": 50, "one sample, scalar code": 50}
    micro = {name: 1e6 * t.best / samples.get(name, SAMPLES) for name, t in times.items()}
    against_vm = micro["VM"] / micro["native, 1 thread"]
    from_threads = micro["native, 1 thread"] / micro["native, 2 threads"]
    share = micro["packing alone, 1 thread"] / micro["native, 1 thread"]
    return Table(
        "Stewart platform in maximal coordinates: 78 accelerations, 72 multipliers",
        ("what", "µs a sample", "VM / this"),
        (
            *((name, value, micro["VM"] / value) for name, value in micro.items()),
            ("two threads that hash, to compare: what the machine had to give", f"{capacity:.2f} ×", ""),
            ("instructions: solution", function.n_instructions(), ""),
        ),
        (
            (f"at least 60 × the VM on one thread: {against_vm:.0f}", against_vm >= 60),
            (
                f"at least 1.7 × from two threads: {from_threads:.2f}; hashing had {capacity:.2f}",
                from_threads >= 1.7,
            ),
            (f"packing below 10 % of the time: {100 * share:.1f} %", share < 0.1),
        ),
        {
            **{f"{name} [us]": value for name, value in micro.items()},
            "ratio to VM": against_vm,
            "threads": from_threads,
            "threads, hashing": capacity,
        },
    )


def _packing(batch):
    """Make a kernel that reads all inputs and writes outputs of the same sizes, but computes nothing."""
    q, V, u, p = (ca.SX.sym(s, a.shape[-1]) for s, a in zip("qVup", batch))
    outputs = [V, ca.vertcat(q[:66], u), p[0]]
    return kernel(ca.Function("packing", [q, V, u, p], outputs))
