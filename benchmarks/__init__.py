"""Speed, measured as ratios in one run: `python -m benchmarks [name ...]`.

One file a benchmark, with a function `run() -> Table`; add its name to REGISTRY.
"""

from __future__ import annotations

REGISTRY = (
    "engine_kkt",
    "engine_eigen",
    "engine_math",
    "engine_integrator",
    "engine_compile",
    "dynamics",
    "inertias",
    "simulation",
    "inverse",
    "regressor",
    "chain",
    "states",
    "flexible",
    "first_run",
    "vibration",
    "designing",
    "symbols",
    "reading",
    "fusion",
    "modal",
    "searching",
    "identification",
    "output_error",
)
