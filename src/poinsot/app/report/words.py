"""Numbers and verdicts as text."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from poinsot.app.report.blocks import Badge, Tone
from poinsot.errors import PoinsotError
from poinsot.estimate.results.text import with_error
from poinsot.identifiability.determinable import POOR

DETERMINED, POORLY, UNDETERMINED = "determined", "poor", "undetermined"
TONES = {DETERMINED: Tone.GOOD, POORLY: Tone.DOUBT, UNDETERMINED: Tone.BAD}
NOTHING = "–"  # where there is no number


def number(x: Any, digits: int = 6) -> str:
    """A number, or a dash where there is none."""
    return f"{float(x):.{digits}g}" if isinstance(x, int | float) and math.isfinite(x) else NOTHING


def estimated_text(one: Mapping[str, Any]) -> str:
    """Value and standard error of an unknown or a combination; a dash where it is undetermined."""
    return NOTHING if one.get("value") is None else with_error(float(one["value"]), _float(one.get("deviation")))


def judged(one: Mapping[str, Any]) -> str:
    """What the data says of one unknown: determined, poor, undetermined.

    A standard error above a tenth of the value, or of the model's value where that is larger, is poor.
    """
    if one.get("value") is None:
        return UNDETERMINED
    deviation = _float(one.get("deviation"))
    size = max(abs(_float(one["value"])), abs(_float(one.get("nominal"))))
    return DETERMINED if deviation <= POOR * size else POORLY


def badge(one: Mapping[str, Any]) -> Badge:
    """The same as a badge."""
    word = judged(one)
    return Badge(word, TONES[word])


def between(lower: Any, upper: Any) -> str:
    """Bounds; a dash where there are none."""
    if lower is None and upper is None:
        return NOTHING
    low = "−∞" if lower is None else number(lower)
    return f"{low} … {'∞' if upper is None else number(upper)}"


def with_minus(text: Any) -> str:
    """Numbers with the sign of minus in place of hyphens.

    >>> with_minus("[-0.5, 1e-05]"), with_minus("2026-01-02")
    ('[−0.5, 1e−05]', '2026-01-02')
    """
    return re.sub(r"(?<![\w.])-(?=[\d.])|(?<=\de)-(?=\d)", "−", str(text))


def percent(share: Any) -> str:
    """A share in percent."""
    return NOTHING if share is None else f"{100 * float(share):.2f} %" if share < 1 else f"{100 * float(share):.4g} %"


def file_name(*parts: str) -> str:
    """A name for a CSV file, of signs that every system allows.

    >>> file_name("fit", "sensor leg1/cell <b>")
    'fit-sensor-leg1-cell-b'
    """
    plain = "".join(c if c.isalnum() or c in "._" else "-" for c in "-".join(parts))
    return "-".join(part for part in plain.split("-") if part)[:100] or "data"


def required(value: Any, what: str) -> Any:
    """What a folder must tell."""
    if value is None:
        raise PoinsotError(f"the result does not say {what}")
    return value


def _float(x: Any) -> float:
    return math.nan if x is None else float(x)
