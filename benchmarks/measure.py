"""Timing that is fair on a busy machine: candidates take turns, the best and the median are kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

__all__ = ["Table", "Timing", "interleave", "stopwatch"]


@dataclass(frozen=True)
class Timing:
    """Seconds that one call of a candidate took."""

    best: float
    median: float


@dataclass(frozen=True)
class Table:
    """What a benchmark found: rows of texts and numbers under headings, and verdicts on its goals."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    goals: tuple[tuple[str, bool], ...] = ()
    figures: dict[str, float] = field(default_factory=dict)


def interleave(candidates: Mapping[str, Callable[[], Any]], repeats: int = 9, turn: float = 0.0) -> dict[str, Timing]:
    """Call all candidates in turn, `repeats` times after some calls to warm up.

    A turn is one call, or as many as take so many seconds: then what is quick is not timed with the caches full of
    what is slow.
    """
    seconds: dict[str, list[float]] = {name: [] for name in candidates}
    for call in candidates.values():
        call()
    calls = {name: max(1, round(turn / stopwatch(call))) for name, call in candidates.items()}
    for _ in range(repeats):
        for name, call in candidates.items():
            seconds[name].append(stopwatch(call, calls[name]))
    return {name: Timing(min(values), median(values)) for name, values in seconds.items()}


def stopwatch(call: Callable[[], Any], times: int = 1) -> float:
    """Time of one call, the mean of several  [s]."""
    start = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - start) / times
