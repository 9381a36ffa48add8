"""Long tests run all of their cases and repetitions, or the share of them that POINSOT_SHARE asks for."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeVar

import numpy as np

Case = TypeVar("Case")

FEWEST = 30  # repetitions of which a share is worth its name


def asked_for() -> float:
    return float(os.environ.get("POINSOT_SHARE") or 1)


def share(cases: Iterable[Case], at_least: int = 1) -> list[Case]:
    """Every so many of the cases, `at_least` so many: with POINSOT_SHARE=0.1 every tenth."""
    cases = list(cases)
    return cases[:: max(1, min(round(1 / asked_for()), len(cases) // at_least))]


def repetitions(whole: int) -> int:
    """So many of the repetitions of a statistic: with POINSOT_SHARE=0.1 a tenth, but not fewer than 30."""
    return min(whole, max(FEWEST, round(whole * asked_for())))


def limits(whole: int, lower: float = 0.92, upper: float = 0.97, nominal: float = 0.95) -> tuple[float, float]:
    """Limits of a coverage as they are for all repetitions, farther apart for a share: chance goes with 1/√n."""
    wider = np.sqrt(whole / repetitions(whole))
    return nominal + wider * (lower - nominal), nominal + wider * (upper - nominal)


def least(whole: int, parameters: int, nominal: float = 0.95, chance: float = 0.01) -> float:
    """Coverage below which no single one of some parameters falls, but for that chance, if all have the nominal one.

    With 500 repetitions and ten parameters it is 91.8 %.
    """
    from scipy.stats import binom

    times = repetitions(whole)
    return float(binom.ppf(chance / parameters, times, nominal)) / times
