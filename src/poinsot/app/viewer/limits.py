"""How far sliders go and what stands on them: millimetres or metres, degrees for angles, limits of the model."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10

import numpy as np

from poinsot.elements.coordinates import Coordinate
from poinsot.elements.forces import limits_along
from poinsot.model.mechanism import Mechanism

REACH = 0.5  # of a slider without limits, over the machine's extent


@dataclass(frozen=True)
class SliderRange:
    """A slider in the units that stand on it."""

    unit: str
    factor: float  # shown over SI
    low: float  # SI
    high: float
    step: float

    def shown(self, value: float) -> float:
        """A value in SI as it stands on the slider, within its range."""
        shown = float(np.clip(value, self.low, self.high)) * self.factor
        digits = max(0, -floor(log10(self.step) + 1e-9))
        return round(round(shown / self.step) * self.step, digits)

    def taken(self, shown: float) -> float:
        """What stands on the slider, in SI."""
        return shown / self.factor


def slider_range(mechanism: Mechanism, coordinate: Coordinate, value: float, extent: float) -> SliderRange:
    """The range of a coordinate [m or rad] about its value: limits of the model where it has them."""
    angle = coordinate.unit == "rad"
    unit, factor = ("°", 180 / np.pi) if angle else ("mm", 1e3) if extent < 2.0 else ("m", 1.0)
    low, high = limits_along(mechanism.forces.values(), coordinate)
    reach = np.pi if angle else REACH * extent
    centre = 0.0 if angle and abs(value) <= np.pi else value
    low = low if np.isfinite(low) else min(centre - reach, high - 2 * reach if np.isfinite(high) else np.inf)
    high = high if np.isfinite(high) else max(centre + reach, low)
    low, high = min(low, value), max(high, value)
    fine = 0.1 if angle else 10.0 ** np.floor(np.log10(max(factor * (high - low), 1e-12) / 1000))
    return SliderRange(unit, factor, low, high, float(fine))
