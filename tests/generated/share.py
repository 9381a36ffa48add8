"""Long tests run all of their cases, or the share of them that POINSOT_SHARE asks for."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeVar

Case = TypeVar("Case")


def share(cases: Iterable[Case]) -> list[Case]:
    """Every so many of the cases: with POINSOT_SHARE=0.1 every tenth."""
    every = max(1, round(1 / float(os.environ.get("POINSOT_SHARE") or 1)))
    return list(cases)[::every]
