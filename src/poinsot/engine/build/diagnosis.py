"""What the engine does on this machine, and why."""

from __future__ import annotations

import time
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from poinsot.engine.build.native import host_target, vector_lanes
from poinsot.engine.build.settings import MAX_NATIVE_INSTRUCTIONS, chosen_engine, default_threads
from poinsot.engine.build.support import llvm_obstacle
from poinsot.engine.kernels import kernel
from poinsot.errors import PoinsotError
from poinsot.lazy import casadi
from poinsot.store import CacheReport, cache_report


@dataclass(frozen=True)
class Diagnosis:
    """What runs on this machine; printable."""

    engine: str  # "auto", "native" or "vm", as asked for
    runs: str  # "native" or "vm"
    reason: str  # why
    versions: dict[str, str]
    processor: str
    lanes: int  # samples in one vector
    register_lanes: int  # doubles in one vector register
    threads: int
    max_instructions: int
    cache: CacheReport
    test: str  # what a trial compilation showed

    @property
    def healthy(self) -> bool:
        """Tell whether native code runs and gives the VM's results."""
        return self.runs == "native" and self.test.startswith("agrees")

    def __str__(self) -> str:
        packages = ", ".join(f"{name} {number}" for name, number in self.versions.items())
        other = self.lanes != self.register_lanes
        forced = f" (POINSOT_LANES asks for it, a register holds {self.register_lanes})" if other else ""
        return "\n".join(
            [
                f"engine     {self.runs} ({self.reason})",
                f"processor  {self.processor}: {self.lanes} samples in a vector{forced}, {self.threads} threads",
                f"packages   {packages}",
                f"limit      {self.max_instructions} instructions; larger functions run on the VM",
                f"cache      {self.cache}",
                f"trial      {self.test}",
            ]
        )


def doctor() -> Diagnosis:
    """Examine the engine: what runs, why, and whether a trial function gives the right numbers."""
    engine = chosen_engine()
    obstacle = llvm_obstacle()
    if engine == "vm":
        runs, reason = "vm", "POINSOT_ENGINE=vm asks for it"
    elif obstacle:
        runs, reason = "vm", obstacle
    else:
        runs, reason = "native", "llvmlite works on this processor"
    processor, lanes, register_lanes = "unknown", 1, 1
    if not obstacle:
        processor, lanes, register_lanes = host_target().cpu, vector_lanes(), host_target().lanes
    return Diagnosis(
        engine,
        runs,
        reason,
        {name: _version(name) for name in ("casadi", "llvmlite", "numpy", "scipy")},
        processor,
        lanes,
        register_lanes,
        default_threads(),
        MAX_NATIVE_INSTRUCTIONS,
        cache_report(),
        _trial() if runs == "native" else "not made",
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def _trial() -> str:
    """Compile a small function and compare it with the VM."""
    x = casadi.SX.sym("x", 3)
    function = casadi.Function("trial", [x], [casadi.sin(x) * casadi.exp(x[0]) / casadi.norm_2(x)])
    samples = np.random.default_rng(0).normal(size=(100, 3))
    start = time.perf_counter()
    try:
        native = kernel(function, engine="native")(samples)[0]
    except PoinsotError as error:
        return f"failed: {error}"
    seconds = time.perf_counter() - start
    vm = kernel(function, engine="vm")(samples)[0]
    error = float(np.max(np.abs(native - vm) / np.maximum(np.abs(vm), 1e-300)))
    verdict = "agrees" if error < 1e-13 else "DISAGREES"
    return f"{verdict} with the VM, largest relative difference {error:.1e}, made in {seconds * 1e3:.0f} ms"
