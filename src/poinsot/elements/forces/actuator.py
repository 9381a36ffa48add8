"""Actuators: forces that the user or a motion commands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from poinsot.elements.forces.base import Force
from poinsot.spatial.algebra import Scalar

ROUND_OFF = 1e-9  # of a limit, within which it holds


@final
@dataclass(frozen=True)
class Actuator(Force):
    """A drive that pushes along or turns about a coordinate, with equal and opposite effect on the other body.

    F = u        commanded        (theory/forces, eq. 6)
    """

    lower: Scalar = float("-inf")  # least force that the drive can give  [N] or [N·m]
    upper: Scalar = float("inf")  # greatest  [N] or [N·m]

    kind = "actuator"
    parameters = {"lower": "f", "upper": "f"}

    @property
    def unit(self) -> str:
        """Of its force: that of a moment where it turns something."""
        return "N·m" if self.on.unit == "rad" else "N"

    def excess(self, force: Any) -> str:
        """What to say of forces, one or many [N or N·m], where some are beyond the limits; empty where none is."""
        lower, upper, far = float(self.lower), float(self.upper), np.asarray(force, float)
        beyond = np.any(far < lower - ROUND_OFF * abs(lower)) or np.any(far > upper + ROUND_OFF * abs(upper))
        return f"more than the drive can give, {lower:.6g} … {upper:.6g} {self.unit}" if beyond else ""
