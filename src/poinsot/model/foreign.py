"""Laws from outside Poinsot, which its fingerprint does not cover: what is written from them is not kept on disk."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["foreign"]

_NUMBERS: dict[type, int] = {}  # also keeps the classes, so that a number is never given twice


def foreign(laws: Iterable[Any]) -> tuple[str, ...]:
    """Classes of laws, and of the coordinates along which they act, that are not Poinsot's own.

    Each has a number of its own in this process: two classes of one name are two laws.
    """
    classes = {type(part) for law in laws for part in (law, getattr(law, "on", None))}
    outside = [c for c in classes - {type(None)} if not f"{c.__module__}.".startswith("poinsot.elements.")]
    return tuple(sorted(f"{c.__qualname__} {_NUMBERS.setdefault(c, len(_NUMBERS))}" for c in outside))
