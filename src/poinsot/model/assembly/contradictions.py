"""Couplings that a pose contradicts, in words.

Where equations contradict each other least squares leave a residual e with Jᵀ e = 0: those with a share in it are the
ones that cannot hold together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from poinsot.errors import listing

if TYPE_CHECKING:
    from poinsot.model.assembly.constraints import Constraints, Row
    from poinsot.model.parts import Elements

SHARE = 1e-3  # of the largest residual that counts as a share in it
SHOWN = 4  # couplings in a sentence


def coupled_in(elements: Elements, rows: Sequence[Row], error: np.ndarray) -> str:
    """Couplings with a share in a residual whose first rows are those given; empty: none."""
    open_rows = {row.joint for row, share in zip(rows, _shares(error)) if share}
    named = [
        f"'{name}' ({equation})"
        for name, equation in elements.equations.items()
        if elements.couplings[name].owner in open_rows
    ]
    return f"coupling{'s' * (len(named) > 1)} {listing(named, SHOWN)}" if named else ""


def not_kept(constraints: Constraints, error: np.ndarray) -> str:
    """That couplings cannot be kept where all rows (m,), in natural sizes, are as nearly closed as can be."""
    named = coupled_in(constraints.elements, constraints.rows, error)
    given = " with the given coordinates" * bool(_shares(error)[len(constraints.rows) :].any())
    return f"{named} cannot be kept{given}" if named else ""


def _shares(error: np.ndarray) -> np.ndarray:
    return np.abs(error) > SHARE * np.max(np.abs(error), initial=0.0)
