"""The one exception base of Poinsot, and the words that every message shares."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["ConversionWarning", "MissingExtraError", "PoinsotError", "listing", "unknown"]


class PoinsotError(Exception):
    """Something that the user can mend; the text is one sentence that says what."""


class ConversionWarning(UserWarning):
    """Something in a file of another program that a mechanism cannot hold; the text is one sentence."""


class MissingExtraError(PoinsotError):
    """An optional dependency is needed and not installed."""

    def __init__(self, purpose: str, package: str, extra: str):
        super().__init__(
            f"{purpose} needs the package '{package}', which is not installed: pip install 'poinsot[{extra}]'"
        )


def listing(names: Iterable[str], limit: int = 12) -> str:
    """Write names as one readable list, shortened when it is long.

    >>> listing(["a", "b"])
    'a, b'
    """
    names = list(names)
    if not names:
        return "none"
    more = f", … ({len(names)} in all)" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


def unknown(kind: str, name: str, existing: Iterable[str]) -> str:
    """Say that a name does not exist, what was probably meant, and what exists.

    >>> unknown("body", "platfrom", ["ground", "platform"])
    "there is no body 'platfrom' (did you mean 'platform'?); there are: ground, platform"
    """
    existing = list(existing)
    near = get_close_matches(name, existing, 1)
    hint = f" (did you mean '{near[0]}'?)" if near else ""
    return f"there is no {kind} '{name}'{hint}; there are: {listing(existing)}"
