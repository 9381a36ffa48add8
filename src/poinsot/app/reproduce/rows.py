"""A published number beside ours, and what to say of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import numpy as np


class Agreement(StrEnum):
    """What a comparison says of a published number."""

    AGREES = "agrees"
    MISPRINT = "misprint"
    TEXT = "not determined by the text"
    DATA = "not determined by the data"
    DISAGREES = "disagrees"


@dataclass(frozen=True)
class PublishedNumber:
    """One published number or formula."""

    paper: str
    quantity: str
    published: float | str
    ours: float | str | None  # None: no number can be given for it
    unit: str
    verdict: Agreement
    reason: str = ""  # for every verdict but plain agreement
    printed: str = ""  # the published number with its digits

    def to_dict(self) -> dict[str, Any]:
        """As data for JSON; numbers that are not finite are null."""
        finite = self.ours is None or isinstance(self.ours, str) or np.isfinite(self.ours)
        return asdict(self) | {"verdict": str(self.verdict), "ours": self.ours if finite else None}


@dataclass(frozen=True)
class Paper:
    """Compares the numbers of one paper."""

    name: str

    def row(
        self,
        quantity: str,
        printed: str,
        ours: float | str | None,
        unit: str = "-",
        *,
        within: float = 0.0,
        meant: str = "",
        reason: str = "",
        otherwise: Agreement = Agreement.DISAGREES,
    ) -> PublishedNumber:
        """A number against what is printed, to half of its last digit or `within` what the text leaves open.

        Where it does not agree it is a misprint if it agrees with what is `meant`; else the verdict is `otherwise`.
        """
        published = _number(printed)
        if _agrees(printed, ours, within):
            verdict = Agreement.AGREES
        elif meant and _agrees(meant, ours, within):
            verdict, reason = Agreement.MISPRINT, f"{meant} is meant: {reason}"
        else:
            verdict = otherwise
        said = reason if verdict != Agreement.AGREES or within else ""
        return PublishedNumber(self.name, quantity, published, _plain(ours), unit, verdict, said, printed)


def _plain(ours: Any) -> float | str | None:
    """Ours as JSON can hold it."""
    return ours if ours is None or isinstance(ours, str) else float(ours)


def _number(printed: str) -> float | str:
    try:
        return float(printed)
    except ValueError:
        return printed


def _agrees(printed: str, ours: float | str | None, within: float) -> bool:
    published = _number(printed)
    if isinstance(published, str) or isinstance(ours, str) or ours is None:
        return published == ours
    return bool(abs(ours - published) <= max(within, 0.5 * last_digit(printed)) * (1 + 1e-9))


def last_digit(printed: str) -> float:
    """The unit of the last digit of a number: 0.01 of "44.10", 1e-10 of "2.3e-9"."""
    mantissa, _, exponent = printed.lower().partition("e")
    return 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
