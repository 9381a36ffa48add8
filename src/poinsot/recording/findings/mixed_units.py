"""Units of forces and times that are mixed up: forces that are a thousand times the model's, times in ms.

A model may be rough, by a factor of three or so: what is compared with it is far from one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from poinsot.errors import listing
from poinsot.recording.finding import Finding, Severity
from poinsot.recording.findings.trial import Trial

__all__ = ["Scales", "force_unit_findings", "time_unit_findings"]

FITS = 0.2  # part of a force's variance that may be left, for its scale to count
ROUGH = 4.0  # times a factor, or less than it by that: the model is as rough
EXACT = 1.1  # the same for a factor that a model itself may be wrong by
ALIKE = 2.0  # times as far from a factor as from the nearest: cannot be told from it
THOUSAND, KILOGRAM = 1e3, 9.80665
TIMES = (("ms", "s", 1e3), ("s", "ms", 1e-3), ("s", "min", 60.0), ("min", "s", 1 / 60), ("µs", "s", 1e6))
FORCES = (
    (THOUSAND, ROUGH, "a thousand times too large: {small} read as {unit}"),
    (1 / THOUSAND, ROUGH, "a thousand times too small: {large} read as {unit}"),
    (KILOGRAM, EXACT, "9.81 times too large: {unit} read as {weight}"),
    (1 / KILOGRAM, EXACT, "9.81 times too small: {weight} read as {unit}"),
)
OTHERS = {  # units that are taken for one another
    "N·m": {"unit": "N·m", "small": "N·mm", "large": "kN·m", "weight": "kgf·m"},
    "N": {"unit": "N", "small": "mN", "large": "kN", "weight": "kgf"},
}


@dataclass(frozen=True, eq=False)
class Scales:
    """Measured over modelled, for k drives; NaN where the motion does not tell."""

    gravity: np.ndarray  # (k,) g
    inertia: np.ndarray  # (k,) h
    whole: np.ndarray  # (k,) of both together
    left: np.ndarray  # (k,) part of the variance that is not explained

    @property
    def each(self) -> np.ndarray:
        """g and h (k, 2), as far as they are known; where none is, that of both together."""
        found = np.stack([self.gravity, self.inertia], axis=1)
        return np.where(np.isfinite(found).any(axis=1, keepdims=True), found, self.whole[:, None])

    @property
    def gain(self) -> np.ndarray:
        """Of each force (k,): of gravity where that is known, else of inertia, else of both."""
        return np.where(np.isfinite(self.each[:, 0]), self.each[:, 0], self.each[:, 1])


def time_unit_findings(scales: Scales) -> Iterator[Finding]:
    """Times in another unit: by it, inertia is c² times that of the model on all drives, and gravity is not."""
    g, h = scales.gravity, scales.inertia
    weighed = bool(np.isfinite(g).any())
    ratio = h / np.where(np.isfinite(g), g, np.nanmedian(g) if weighed else 1.0)
    far, c, own, read = _nearest_time(ratio)
    as_force = np.inf if weighed else min(_distance(ratio, THOUSAND), _distance(ratio, 1 / THOUSAND))
    seldom = np.log(ALIKE) * (1 if "min" in (own, read) else -1)  # minutes are
    if not (scales.left < FITS).all() or far > np.log(ROUGH) or as_force < far + seldom:
        return
    other = "; or the forces are in another unit" if as_force < np.log(ROUGH) else ""
    message = (
        f"times look like {own} read as {read}{other}: inertia needs {np.nanmedian(ratio):.2g} times the forces of "
        f"the model, and {c**2:.2g} times by such a mistake"
    )
    advice = f'give the unit, time={{"column": …, "unit": "{own}"}}'
    yield Finding("time unit", "t", "", c, message, advice, Severity.ERROR)


def force_unit_findings(trial: Trial, scales: Scales) -> Iterator[Finding]:
    """Forces in another unit: by it, gravity and inertia are as many times those of the model."""
    known = (scales.left < FITS) & np.isfinite(scales.gain)
    for factor, rough, said in FORCES:
        of = known & np.array([_distance(one, factor) < np.log(rough) for one in scales.each])
        if not of.any() or (rough == EXACT and not of[known].all()):  # a single drive's may be wrong by so little
            continue
        names, gain = [name for name, one in zip(trial.names, of) if one], scales.gain[of]
        them = " and ".join(["it", *(f"'{name}'" for name in names[1:])]) + (" are" if len(names) > 1 else " is")
        units = OTHERS.get(trial.recorded.recording.units[names[0]], OTHERS["N"])
        by_time = np.isnan(scales.gravity[of]).all() and _nearest_time(gain)[0] < np.log(ROUGH)
        message = (
            f"{them} {listing([f'{one:.3g}' for one in gain], 6)} times the force of the model, and of the same "
            f"course: {said.format(**units)}{', or times in another unit' if by_time else ''}?"
        )
        yield Finding(
            "force unit", names[0], "", float(gain[0]), message, "give the unit in columns=", Severity.ERROR
        )


def _nearest_time(ratio: np.ndarray) -> tuple[float, float, str, str]:
    """How far ratios of inertia are from those by the nearest mistake of times, its factor c, and both units."""
    return min((_distance(ratio, c**2), c, own, read) for own, read, c in TIMES)


def _distance(scale: np.ndarray, factor: float) -> float:
    """How far scales are from a factor at most, as a logarithm; those unknown are not asked."""
    scale = scale[np.isfinite(scale)]
    return float(np.max(np.abs(np.log(scale / factor)))) if len(scale) and (scale > 0).all() else np.inf
