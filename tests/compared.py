"""What agrees with what, written down by the tests that compare: `make validation` makes docs/validation.md of it.

Without POINSOT_AGREEMENT, the file to write to, nothing happens.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike


def difference(ours: ArrayLike, theirs: ArrayLike) -> float:
    """Largest difference relative to the largest magnitude; entries that are not known count where one side has them.

    >>> float(difference([1.0, 2.0], [1.0, 2.002]))  # doctest: +ELLIPSIS
    0.000999...
    """
    a, b = np.asarray(ours, float), np.asarray(theirs, float)
    if a.shape != b.shape or not np.array_equal(np.isnan(a), np.isnan(b)):
        return float("inf")
    return float(np.nanmax(np.abs(a - b), initial=0.0) / max(np.nanmax(np.abs(b), initial=0.0), 1e-300))


def compared(quantity: str, peer: str, ours: ArrayLike, theirs: ArrayLike) -> None:
    """Write down how well a quantity agrees with that of another program, derivation or paper."""
    compared_by(quantity, peer, difference(ours, theirs))


def compared_all(quantity: str, peer: str, ours: Mapping[str, ArrayLike], theirs: Mapping[str, ArrayLike]) -> None:
    """The same for arrays by name, relative to the largest of all."""
    names = list(theirs)
    pairs = [np.concatenate([np.ravel(side[name]) for name in names]) for side in (ours, theirs)]
    compared(quantity, peer, *pairs)


def compared_by(quantity: str, peer: str, error: float) -> None:
    """The same for a relative error that is known."""
    if file := os.environ.get("POINSOT_AGREEMENT"):
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        case = os.environ.get("PYTEST_CURRENT_TEST", "").partition(" ")[0]
        line = {"quantity": quantity, "peer": peer, "error": float(error), "case": case}
        with open(file, "a", encoding="utf-8") as log:  # lines are short: appended whole, by any number of workers
            log.write(json.dumps(line, ensure_ascii=False) + "\n")
