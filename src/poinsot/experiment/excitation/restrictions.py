"""Limits along a motion as rows: linear in the numbers of the motion where they are of driven coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.experiment.excitation.equations import Limited
from poinsot.experiment.excitation.machine import DrivenMachine, DrivenStates
from poinsot.experiment.excitation.speeds import Speed, SpeedTarget, speed_targets
from poinsot.experiment.limits import Limit, LimitReached, Quantity

KEPT = 1e-7  # of a limit's width, within which it holds
HOLDING = "condition number"  # of constraints and actuators
ORDER = {Quantity.POSITION: 0, Quantity.RATE: 1, Quantity.ACCELERATION: 2}


@dataclass(frozen=True, eq=False)
class Restrictions:
    """All limits of a motion; r of them hold at every sample, in the order driven, limited, holding."""

    names: tuple[str, ...]  # k driven coordinates
    driven: tuple[tuple[Limit, int, int], ...]  # limits, the coordinate and the derivative that each is of
    others: tuple[Limit, ...]  # of what follows from the motion
    limited: tuple[Limited, ...]  # their owners and quantities
    condition: float  # largest condition number; infinite: none
    speeds: tuple[SpeedTarget, ...]
    tighter: np.ndarray  # (r,) by how much limits are narrowed, so that they hold between samples  [SI]

    @property
    def count(self) -> int:
        """Limits r at every sample."""
        return len(self.driven) + len(self.others) + int(np.isfinite(self.condition))

    @cached_property
    def every(self) -> tuple[Limit, ...]:
        """All r of them; that of the condition number κ is of 1/κ."""
        holding = [Limit(HOLDING, Quantity.POSITION, "-", 1 / self.condition)] if np.isfinite(self.condition) else []
        return (*(limit for limit, _, _ in self.driven), *self.others, *holding)

    @cached_property
    def width(self) -> np.ndarray:
        """Natural sizes (r,) of the limits  [SI]."""
        found = []
        for limit in self.every:
            sides = [abs(x) for x in (limit.lower, limit.upper) if np.isfinite(x)]
            width = limit.upper - limit.lower
            found.append(width if np.isfinite(width) else max(sides, default=0.0) or 1.0)
        return np.array(found)

    @cached_property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Least and greatest values (r,), narrowed, over their widths; a point is left of each."""
        low, high = (np.array([getattr(limit, side) for limit in self.every]) for side in ("lower", "upper"))
        room = np.where(np.isfinite(high - low), 0.49 * (high - low), np.inf)
        narrow = np.minimum(self.tighter, room)
        return (low + narrow) / self.width, (high - narrow) / self.width

    def narrowed(self, excess: np.ndarray) -> Restrictions:
        """The same, narrower by (r,)  [SI]."""
        return replace(self, tighter=self.tighter + excess)

    def values(self, machine: DrivenMachine, at: DrivenStates) -> np.ndarray:
        """Limited quantities (N, r) at samples."""
        parts = [at.s[d, :, j][:, None] for _, j, d in self.driven] + [machine.quantities(at)]
        if np.isfinite(self.condition):
            parts.append(machine.holding(at)[0][:, None])
        return np.concatenate(parts, axis=1)

    def slopes(self, machine: DrivenMachine, at: DrivenStates) -> tuple[np.ndarray, np.ndarray]:
        """The same, and their gradients (3, N, r, k) with respect to s, ṡ, s̈."""
        N, k, first = at.s.shape[1], len(self.names), len(self.driven)
        values, found = np.empty((N, self.count)), np.zeros((3, N, self.count, k))
        for i, (_, j, d) in enumerate(self.driven):
            values[:, i], found[d, :, i, j] = at.s[d, :, j], 1.0
        middle = slice(first, first + len(self.others))
        values[:, middle], found[:, :, middle] = machine.quantity_gradients(at)
        if np.isfinite(self.condition):
            values[:, -1], found[0, :, -1] = machine.holding(at, slopes=True)
        return values, found

    def excess(self, values: np.ndarray) -> np.ndarray:
        """By how much (r,) values (…, r) violate limits, over their widths; infinite where they are no numbers."""
        low, high = self.bounds
        x = values / self.width
        beyond = np.maximum(np.maximum(low - x, x - high), 0.0)
        return np.max(np.where(np.isfinite(x), beyond, np.inf), axis=-2, initial=0.0)

    def met(self, rate: np.ndarray) -> np.ndarray:
        """Targets of speed (…, t), 1 where they are just met, of the rates of driven coordinates (…, n, k)."""
        return np.stack([one.ratio(rate[..., one.j]) for one in self.speeds], axis=-1)

    def reached(self, values: np.ndarray, rate: np.ndarray, units: Mapping[str, str]) -> tuple[LimitReached, ...]:
        """How far values (N, r) go, and the speeds of rates (n, k) that are measured."""
        found = [limit.reached(values[:, i]) for i, limit in enumerate(self.every)]
        if np.isfinite(self.condition):
            worst = 1 / np.array([np.max(values[:, -1]), np.min(values[:, -1])])
            found[-1] = LimitReached(HOLDING, "-", -np.inf, self.condition, float(worst[0]), float(worst[1]))
        found += [one.reached(rate[:, one.j], units[one.name]) for one in self.speeds]
        return tuple(found)


def restrictions_of(
    limits: tuple[Limit, ...], machine: DrivenMachine, condition: float, speeds: Mapping[str, Speed]
) -> Restrictions:
    """Limits of a study along motions of a machine."""
    own = [limit for limit in limits if limit.owner in machine.names and limit.quantity in ORDER]
    driven = tuple((limit, machine.names.index(limit.owner), ORDER[limit.quantity]) for limit in own)
    others = tuple(limit for limit in limits if limit not in own)
    if not others:
        for name in machine.names:
            if not any(limit.owner == name and np.isfinite([limit.lower, limit.upper]).all() for limit in own):
                raise PoinsotError(
                    f"nothing limits the motion of '{name}': give limits of '{name}', '{name}.rate' or "
                    f"'{name}.acceleration', or of actuators"
                )
    count = len(driven) + len(others) + int(np.isfinite(condition))
    targets = tuple(speed_targets(speeds, machine.names))
    found = Restrictions(machine.names, driven, others, machine.limited, condition, targets, np.zeros(count))
    low, high = found.bounds
    if not (low < high).all():
        raise PoinsotError(f"the limits of '{found.every[int(np.argmin(high - low))].name}' leave no room")
    return found


def limited_of(limits: tuple[Limit, ...], names: tuple[str, ...]) -> tuple[Limited, ...]:
    """What is limited besides driven coordinates."""
    others = [limit for limit in limits if not (limit.owner in names and limit.quantity in ORDER)]
    return tuple((limit.owner, str(limit.quantity)) for limit in others)
