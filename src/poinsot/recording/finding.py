"""Finding: something about a recording that a user should know before it is used."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

__all__ = ["Finding", "Severity", "places", "spans"]


class Severity(StrEnum):
    """How much a finding matters."""

    ERROR = "error"  # what follows from the recording would be wrong
    WARNING = "warning"  # look at it before the recording is used
    NOTE = "note"  # good to know; or mended, and how


@dataclass(frozen=True)
class Finding:
    """One thing found in a recording: which channel, where, how much, and what to do."""

    code: str  # short name of the fault, such as "clipped" or "swapped"
    channel: str  # name of the channel, "" for the whole recording, "t" for the clock
    where: str  # times or samples, in words
    amount: float  # how much, in the unit that the message says
    message: str  # one sentence
    advice: str  # what to do next
    severity: Severity = Severity.WARNING
    mended: bool = False  # whether the recording was changed because of it

    def __str__(self) -> str:
        name = f"'{self.channel}': " if self.channel else ""
        return f"{self.severity}: {name}{self.message}{f' ({self.where})' if self.where else ''}; {self.advice}"


def places(where: str) -> tuple[tuple[float, float], ...]:
    """The spans that such words tell, from and to; none where they tell something else.

    >>> places("at 2 … 4, 7 s and 3 more places")
    ((2.0, 4.0), (7.0, 7.0))
    """
    told = re.match(r"at ([-+\d.e …,]+) \S+", where)
    try:
        ends = [[float(x) for x in one.split("…")] for one in told[1].split(",")] if told else []
    except ValueError:
        return ()
    return tuple((one[0], one[-1]) for one in ends)


def spans(t: np.ndarray, at: Iterable[int] | np.ndarray, unit: str = "s", limit: int = 3) -> str:
    """Where samples lie, as a few spans of the abscissa t (n,).

    >>> spans(np.arange(10.0), [2, 3, 4, 7])
    'at 2 … 4, 7 s'
    """
    at = np.asarray(sorted(at), int)
    if not at.size:
        return ""
    runs = np.split(at, np.flatnonzero(np.diff(at) > 1) + 1)
    texts = [f"{t[r[0]]:.6g}" if len(r) == 1 else f"{t[r[0]]:.6g} … {t[r[-1]]:.6g}" for r in runs[:limit]]
    more = f" and {len(runs) - limit} more places" if len(runs) > limit else ""
    return f"at {', '.join(texts)} {unit}{more}"
