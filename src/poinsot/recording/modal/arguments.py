"""What users may give to a modal test, refused by one sentence where it cannot be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from poinsot.errors import LARGEST, PoinsotError, by_name, one_line, unknown
from poinsot.recording.recording import Recording

__all__ = ["band_of", "frequencies_of", "not_negative", "one_of", "places_of", "records_of"]


def records_of(given: Any) -> list[Recording]:
    """One recording or a list of them."""
    several = [given] if isinstance(given, Recording) else list(given) if isinstance(given, list | tuple) else []
    if several and all(isinstance(one, Recording) for one in several):
        return several
    raise PoinsotError(f"a recording or a list of recordings is needed, not {one_line(repr(given), 40)}")


def one_of(given: Any, existing: Iterable[str], what: str) -> str:
    """A name that exists."""
    if isinstance(given, str) and given in existing:
        return given
    raise PoinsotError(unknown(what, one_line(str(given), 40), existing))


def not_negative(given: Any, what: str, below: float = LARGEST) -> float:
    """A finite number from 0 to less than a limit."""
    if isinstance(given, Real) and 0 <= _capped(given) < below:
        return float(given)
    span = f"from 0 to less than {below:g}" if below < LARGEST else "finite and not negative"
    raise PoinsotError(f"{what} must be {span}, not {one_line(repr(given), 40)}")


def _capped(given: Any) -> float:
    """A number as a float; whole numbers may be too large for one."""
    return float(min(given, LARGEST))


def places_of(given: Any) -> Mapping[str, str]:
    """Places by name of a point."""
    places = by_name(given, "places are", "{'acc3': '-link3.tip y'}")
    for name, place in places.items():
        if not isinstance(place, str) or not place.strip("-− "):
            raise PoinsotError(
                f"the place of '{name}' is a text such as 'link3.tip y', not {one_line(repr(place), 40)}"
            )
    return places


def band_of(given: Any) -> tuple[float, float]:
    """Two frequencies [Hz], the lower one first."""
    if isinstance(given, Sequence) and len(given) == 2 and not isinstance(given, str | bytes):
        low, high = (not_negative(f, "a frequency of the band") for f in given)
        if low < high:
            return low, high
    raise PoinsotError(f"a band is two frequencies in Hz, the lower one first, not {one_line(repr(given), 40)}")


def frequencies_of(given: Any) -> list[float]:
    """Frequencies of modes  [Hz]."""
    if isinstance(given, Sequence | np.ndarray) and len(given) and not isinstance(given, str | bytes):
        return [not_negative(f, "a frequency") for f in given]
    raise PoinsotError(f"frequencies are a list of numbers in Hz, not {one_line(repr(given), 40)}")
