"""Dormand and Prince's explicit Runge–Kutta pair of order 8(5, 3) with dense output of order 7.

Hairer, Nørsett, Wanner: Solving Ordinary Differential Equations I, II.5 and II.6. The numbers are SciPy's.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

Row = tuple[tuple[int, float], ...]  # (stage, coefficient), zeros left out


@dataclass(frozen=True)
class Tableau:
    """Coefficients by row; stages 0 … 11 make the step, 12 is the slope at its end, 13 … 15 dense output."""

    stages: tuple[tuple[float, Row], ...]  # (c, a) of stages 1 … 11
    step: Row  # b
    error5: Row
    error3: Row
    extra: tuple[tuple[float, Row], ...]  # (c, a) of stages 13 … 15
    dense: tuple[Row, ...]  # four rows


@cache
def tableau() -> Tableau:
    """Read the coefficients."""
    numbers = _coefficients()
    n = numbers.N_STAGES

    def row(entries) -> Row:
        return tuple((j, float(a)) for j, a in enumerate(entries) if a != 0)

    return Tableau(
        tuple((float(numbers.C[s]), row(numbers.A[s, :n])) for s in range(1, n)),
        row(numbers.B),
        row(numbers.E5),
        row(numbers.E3),
        tuple((float(c), row(a)) for c, a in zip(numbers.C[n + 1 :], numbers.A[n + 1 :])),
        tuple(row(d) for d in numbers.D),
    )


def _coefficients() -> Any:
    """SciPy's file of numbers, without the package around it, which takes longer to load than a motion to compile."""
    scipy = find_spec("scipy")
    folders = (scipy and scipy.submodule_search_locations) or [""]
    place = Path(folders[0]) / "integrate" / "_ivp" / "dop853_coefficients.py"
    spec = spec_from_file_location("dop853_coefficients", place)
    if not place.exists() or spec is None or spec.loader is None:
        return import_module("scipy.integrate._ivp.dop853_coefficients")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
