"""Controllers of drives, as a study names them.

e = s* − s ,    F = sat(g c)        c the controller's command, g the force of the drive for a unit of it
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any, ClassVar, final

import numpy as np

from poinsot.errors import PoinsotError, by_name, one_line, unknown
from poinsot.lazy import casadi
from poinsot.model.mechanism import Mechanism
from poinsot.model.quantities.parameters import as_value


@dataclass(frozen=True, kw_only=True)
class Controller(ABC):
    """What makes one drive follow its reference."""

    reference: str  # recorded channel with the reference s* of the drive's coordinate  [m or rad]
    gain: float = 1.0  # g: force of the drive for a unit of the command, such as N/V
    lower: float = -np.inf  # least and greatest force of the drive  [N or N·m]
    upper: float = np.inf
    differences: int = 0  # samples over which it takes speeds from positions; 0: it knows the speed
    ki: float = 0.0  # of the integral

    name: ClassVar[str]
    of_error: ClassVar[bool] = False  # whether the rate of its reference is taken by the same differences

    def __post_init__(self) -> None:
        if not self.lower < self.upper:
            raise PoinsotError(f"the limits of a drive are in the wrong order: {self.lower:g}, {self.upper:g}")

    @abstractmethod
    def law(self, e: Any, r_dot: Any, s_dot: Any, z: Any) -> tuple[Any, Any]:
        """Command, and the rate of the integral z, from the error e, rates of reference and drive, and z."""

    def force(self, e: Any, r_dot: Any, s_dot: Any, z: Any) -> tuple[Any, Any]:
        """Force of the drive, and the rate of the integral, which stands still in saturation."""
        c, z_dot = self.law(e, r_dot, s_dot, z)
        wanted = self.gain * c
        limited = casadi.fmin(casadi.fmax(wanted, self.lower), self.upper)
        return limited, casadi.if_else(limited == wanted, z_dot, 0.0)


@final
@dataclass(frozen=True, kw_only=True)
class PID(Controller):
    """Proportional, derivative and integral of the position error.

    c = k_p e + k_d ė + k_i ∫ e dt        (theory/estimation, eq. 21)

    By differences over n samples, ė = (e_k − e_{k−n})/(n T).
    """

    kp: float
    kd: float = 0.0

    name = "pid"
    of_error = True

    def law(self, e: Any, r_dot: Any, s_dot: Any, z: Any) -> tuple[Any, Any]:
        """Command and ė of the integral."""
        return self.kp * e + self.kd * (r_dot - s_dot) + self.ki * z, e


@final
@dataclass(frozen=True, kw_only=True)
class Cascade(Controller):
    """A proportional position loop around a proportional and integral velocity loop.

    w = k_p e + k_f ṡ* − ṡ ,   c = k_v w + k_i ∫ w dt        (theory/estimation, eq. 22)

    Differences are those of the drive's speed ṡ: ṡ* is told with the reference.
    """

    kp: float
    kv: float
    feedforward: float = 0.0  # k_f

    name = "cascade"

    def law(self, e: Any, r_dot: Any, s_dot: Any, z: Any) -> tuple[Any, Any]:
        """Command and rate of the integral."""
        w = self.kp * e + self.feedforward * r_dot - s_dot
        return self.kv * w + self.ki * z, w


CONTROLLERS: dict[str, type[Controller]] = {c.name: c for c in (PID, Cascade)}


@dataclass(frozen=True)
class Control:
    """Controllers of a machine's drives, and how often they act."""

    drives: tuple[tuple[str, Controller], ...]  # by actuator; drives without one give no force
    rate: float | None = None  # of sampling, the force being held in between; None: continuous  [Hz]

    def __post_init__(self) -> None:
        if not self.drives:
            raise PoinsotError("control names no drive: give a controller to an actuator, or leave control out")
        if self.rate is not None and not self.rate > 0:
            raise PoinsotError(f"the sampling rate of a controller must be positive, not {self.rate:g}")
        for drive, one in self.drives:
            if one.differences and self.rate is None:
                raise PoinsotError(f"the controller of '{drive}' takes differences of samples: give it a rate")

    @property
    def delay(self) -> int:
        """Samples that a controller looks back, at most."""
        return max((one.differences for _, one in self.drives), default=0)


@dataclass(frozen=True, eq=False)
class References:
    """What the d drives with a controller are told at n times, and what their encoders add to the truth."""

    t: np.ndarray  # (n,)  [s]
    s: np.ndarray  # (n, d)  [m or rad]
    s_dot: np.ndarray  # (n, d)
    noise: np.ndarray | None = None  # (n, d) of the positions that the controllers see


def control_of(given: Any, mechanism: Mechanism | None = None) -> Control | None:
    """Controllers from a record, or from tables by actuator beside a rate.

    Limits of the drives of a `mechanism` may be texts with a unit, such as "350 N".

    >>> control_of({"rate": 1000.0, "drive": {"type": "cascade", "reference": "qg", "kp": 160.0, "kv": 240.0}}).rate
    1000.0
    """
    if given is None or isinstance(given, Control):
        return given
    tables = dict(by_name(given, "control is", "{'A': {'type': 'pid', 'reference': 'A.wanted', 'kp': 100.0}}"))
    rate = tables.pop("rate", None)
    units = {name: one.unit for name, one in mechanism.actuators.items()} if mechanism is not None else {}
    drives = tuple((name, _controller(name, table, units.get(name, ""))) for name, table in tables.items())
    return Control(drives, None if rate is None else as_value(rate, "Hz", "the sampling rate of a controller"))


def _controller(drive: str, given: Any, unit: str) -> Controller:
    """The controller of a drive, whose force is in such a unit; "" where that is not known."""
    if isinstance(given, Controller):
        return given
    if not isinstance(given, Mapping):
        raise PoinsotError(f"the controller of '{drive}' needs a table, not {one_line(repr(given), 40)}")
    table = dict(given)
    name = table.pop("type", None)
    if not isinstance(name, str) or name not in CONTROLLERS:
        raise PoinsotError(f"the controller of '{drive}': {unknown('type', one_line(str(name), 40), CONTROLLERS)}")
    own = {f.name: f for f in fields(CONTROLLERS[name])}
    for key, value in table.items():
        if key not in own:
            raise PoinsotError(f"the controller of '{drive}': {unknown('entry', key, own)}")
        if key in ("lower", "upper") and isinstance(value, str) and unit:
            value = table[key] = as_value(value, unit, f"the controller of '{drive}': {key}")
        if key != "reference" and (not isinstance(value, Real) or value != value):
            raise PoinsotError(f"the controller of '{drive}': {key} is a number, not {one_line(repr(value), 40)}")
    for key in ("reference", *(["kp"] if name == "pid" else ["kp", "kv"])):
        if key not in table:
            raise PoinsotError(f"the controller of '{drive}' needs '{key}'")
    return CONTROLLERS[name](**table)
