"""ModalRun: natural frequencies that were measured in one pose, with damping and shapes where these were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from poinsot.errors import PoinsotError, by_name, counted, number_of, one_line, one_or_more_names, unknown
from poinsot.estimate.role import Role
from poinsot.model.mechanism import Mechanism
from poinsot.model.quantities.parameters import as_value
from poinsot.model.state import GivenPose, State


@runtime_checkable
class FoundModes(Protocol):
    """What a modal test found (`recording.modal.record`): k modes at p points."""

    frequencies: Any  # (k,)  [Hz]
    damping: Any  # (k,) ratios  [-]
    deviations: Any  # (k, 2) standard errors of both
    resolved: Any  # (k,) whether the damping is told
    psi: Any  # (p, k)
    points: Any  # p


Deviation = float | str | Sequence[float | str] | np.ndarray | None
UNSEEN = ("-", "–", "nan")  # texts for modes that were not seen


@dataclass(frozen=True, eq=False)
class ModalRun:
    """k measured modes of a mechanism at rest in one pose; NaN for what was not seen.

    Deviations are numbers, one for all modes or one each, or a text ("0.5 %" of each value, "0.2 Hz"). Those of
    shapes are of real and imaginary parts, of every point (p, k) or alike; "2 %" is of a mode's largest motion.

    Frequencies are natural ones, |s|/2π of a pole s, as modal tests give them. A damped frequency
    |Im s|/2π, as read off a decay or printed by `modes(damped=True)`, is divided by √(1 − ζ²) first.

    >>> ModalRun([22.7, 58.5], {"phi1": 0.1}, deviation="0.5 %").deviation
    array([0.1135, 0.2925])
    """

    frequencies: Any  # (k,) |s|/2π  [Hz]
    pose: GivenPose = None  # coordinates by name, or a state; None: the model's pose or the equilibrium near it
    name: str = ""
    deviation: Any = None  # (k,) standard deviations of the frequencies; None: unknown  [Hz]
    damping: Any = None  # (k,) ratios; None: not measured  [-]
    damping_deviation: Any = None  # (k,) standard deviations of the ratios  [-]
    shapes: Any = None  # (p, k) motions of the points, real or complex, of any scale; None: not measured
    points: tuple[Any, ...] = ()  # p places, such as "link3.tip y", or points of a modal test
    shape_deviation: Any = None  # (p, k) of the shapes, in their own scale; None: they tell which mode is which only
    role: Role = Role.IDENTIFY
    locked: str | tuple[str, ...] | None = None  # actuators that hold their coordinate, as for `modes`

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise PoinsotError(f"the name of a modal run is a text, not {one_line(repr(self.name), 40)}")
        f = _numbers(self.frequencies, "frequencies", self.name, "Hz")
        if np.isnan(f).all():
            raise PoinsotError(f"{self._called}: no frequency is given, all are NaN")
        if not np.isfinite(f).any() or np.any(f <= 0):
            raise PoinsotError(f"{self._called}: frequencies are positive numbers in Hz, NaN for modes not seen")
        set_ = object.__setattr__
        set_(self, "frequencies", f)
        set_(self, "deviation", self._spread(self.deviation, f, "Hz", "deviation"))
        set_(self, "role", Role.of(self.role, self.name))
        if not isinstance(self.pose, State | None):
            set_(self, "pose", dict(by_name(self.pose, "a pose is", "{'x': 0.1}")))
        if not isinstance(self.locked, str | None):
            set_(self, "locked", one_or_more_names(self.locked, "locked actuators"))
        if self.damping is not None:
            ratios = self._as_long(_numbers(self.damping, "damping", self.name), "damping")
            set_(self, "damping", ratios)
            set_(self, "damping_deviation", self._spread(self.damping_deviation, ratios, "-", "damping_deviation"))
            if self.damping_deviation is None:
                raise PoinsotError(f"{self._called}: give damping_deviation, the standard deviations of its ratios")
        if self.shapes is not None:
            self._set_shapes()
        if self.shape_deviation is not None:
            set_(self, "shape_deviation", self._shape_spread(self.shape_deviation))

    @property
    def _called(self) -> str:
        return f"modal run '{self.name}'" if self.name else "a modal run"

    @property
    def seen(self) -> np.ndarray:
        """Numbers of the modes whose frequency was measured."""
        return np.flatnonzero(np.isfinite(self.frequencies))

    @property
    def count(self) -> int:
        """Measured numbers: frequencies, damping ratios, and shapes that count, as one each."""
        ratios = 0 if self.damping is None else np.isfinite(self.damping[self.seen]).sum()
        return len(self.seen) + int(ratios) + len(self.weighed)

    @property
    def weighed(self) -> np.ndarray:
        """Numbers of the seen modes whose shapes count."""
        if self.shape_deviation is None:
            return np.zeros(0, int)
        return self.seen[np.isfinite(self.shape_deviation[:, self.seen]).all(axis=0)]

    def without_shapes(self, modes: Sequence[int] | np.ndarray) -> ModalRun:
        """The same with shapes of some modes that tell which mode is which only."""
        deviation = np.array(self.shape_deviation)
        deviation[:, np.asarray(modes, int)] = np.inf
        return replace(self, shape_deviation=deviation)

    def without(self, modes: Sequence[int] | np.ndarray) -> ModalRun:
        """The same with some modes as not seen."""
        f = self.frequencies.copy()
        f[np.asarray(modes, int)] = np.nan
        if not np.isfinite(f).any():
            raise PoinsotError(f"none of the modes of {self._called} fits the model")
        return replace(self, frequencies=f)

    def _as_long(self, x: np.ndarray, what: str) -> np.ndarray:
        if x.shape != self.frequencies.shape:
            wanted = counted(len(self.frequencies), "frequency")
            raise PoinsotError(f"{self._called}: {counted(len(x), 'value')} of {what} for {wanted}")
        return x

    def _spread(self, given: Deviation, of: np.ndarray, unit: str, what: str) -> np.ndarray | None:
        """Standard deviations (k,) from numbers, or from a text that may be relative."""
        if given is None:
            return None
        if isinstance(given, list | tuple) and any(isinstance(one, str) for one in given):
            self._as_long(np.zeros(len(given)), what)
            given = [self._one(one, f, unit, what) for one, f in zip(given, np.abs(of))]
        if not isinstance(given, list | tuple | np.ndarray):
            return np.array([self._one(given, f, unit, what) for f in np.abs(of)])
        found = self._as_long(_numbers(given, what, self.name), what)
        if not np.all(found[np.isfinite(of)] > 0):
            raise PoinsotError(f"{self._called}: {what} holds finite positive numbers")
        return found

    def _one(self, given: Any, of: float, unit: str, what: str) -> float:
        """A standard deviation from a number, or from a text, which may be relative to the value it is of."""
        name = f"{self._called}: {what}"
        if not isinstance(given, str):
            return number_of(given, name)
        text = given.strip()
        if text.lower() in UNSEEN:
            return np.nan
        if text.endswith("%"):
            return as_value(text[:-1].strip(), "-", name) / 100 * of
        return as_value(text, unit, name)

    def _set_shapes(self) -> None:
        try:
            shapes = np.asarray(self.shapes, complex)
        except (TypeError, ValueError, OverflowError):
            shapes = np.zeros(0)
        if shapes.shape != (len(self.points), len(self.frequencies)) or not np.isfinite(shapes[:, self.seen]).all():
            raise PoinsotError(
                f"{self._called}: shapes are numbers (p, k) for p points and k frequencies, with the points' names"
            )
        object.__setattr__(self, "shapes", shapes)
        object.__setattr__(self, "points", tuple(self.points))

    def _shape_spread(self, given: Any) -> np.ndarray:
        """Standard deviations (p, k) of shapes; infinite for those that do not count."""
        if self.shapes is None:
            raise PoinsotError(f"{self._called}: shape_deviation is for shapes, and none were given")
        if isinstance(given, list | tuple | np.ndarray) and np.ndim(given) == 2:
            found = np.asarray(given)
        else:
            found = self._spread(given, np.max(np.abs(self.shapes), axis=0), "-", "shape_deviation")
        try:
            found = np.broadcast_to(np.asarray(found, float), self.shapes.shape)
        except (TypeError, ValueError):
            found = np.zeros(self.shapes.shape)
        if not np.all(found[:, self.seen] > 0):
            raise PoinsotError(f"{self._called}: shape_deviation holds positive numbers, one, k or (p, k) of them")
        return found

    @classmethod
    def of(cls, test: FoundModes, pose: GivenPose = None, **more: Any) -> ModalRun:
        """What a modal test found, in the pose in which it was made; `more` are other fields of a run."""
        own = {
            "deviation": test.deviations[:, 0],
            "damping": np.where(test.resolved, test.damping, np.nan),
            "damping_deviation": test.deviations[:, 1],
        }
        if len(test.points) > 1:
            own |= {"shapes": test.psi, "points": test.points}
        return cls(test.frequencies, pose, **{**own, **more})


def _no_text(given: Any) -> Any:
    """What was given, if it is not one text, whose letters are no numbers."""
    if isinstance(given, str):
        raise TypeError("a text")
    return given


def _numbers(given: Any, what: str, name: str, unit: str = "") -> np.ndarray:
    """Numbers (k,), NaN for None and "-"; texts may have a unit where the numbers have one."""

    def read(x: Any) -> float:
        if x is None or (isinstance(x, str) and x.strip().lower() in UNSEEN):
            return np.nan
        return as_value(x, unit, f"modal run '{name}': {what}") if unit and isinstance(x, str) else float(x)

    try:
        plain = [read(x) for x in _no_text(given)]
    except (TypeError, ValueError):
        raise PoinsotError(
            f"modal run '{name}': {what} are a list of numbers, not {one_line(repr(given), 40)}"
        ) from None
    if not plain:
        raise PoinsotError(f"modal run '{name}': {what} are a list of numbers, and this one is empty")
    return np.array(plain)


def modal_run_of(name: str, given: Any, mechanism: Mechanism) -> ModalRun:
    """A modal run from a record, a modal test, or a table as in study files; names of coordinates are checked."""
    if isinstance(given, Mapping):
        own = [key for key in ModalRun.__dataclass_fields__ if key != "name"]
        for key in given:
            if key not in own:
                raise PoinsotError(f"modal run '{name}': {unknown('entry', key, own)}")
        if "frequencies" not in given:
            raise PoinsotError(f"modal run '{name}': frequencies are missing")
        given = ModalRun(**{**given, "name": name})
    run = given if isinstance(given, ModalRun) else ModalRun.of(given)
    pose = run.pose
    if isinstance(pose, Mapping):
        coordinate = mechanism.elements.coordinate
        pose = {key: as_value(x, coordinate(key).unit, f"'{key}' of modal run '{name}'") for key, x in pose.items()}
    return replace(run, name=run.name or name, pose=pose)


def is_modal(given: Any) -> bool:
    """Whether measured modes were given: a run, a modal test, or several or a mapping of these."""
    if isinstance(given, Mapping):
        return bool(given) and all(isinstance(x, ModalRun | FoundModes | Mapping) for x in given.values())
    if isinstance(given, list | tuple):
        return bool(given) and all(isinstance(x, ModalRun | FoundModes) for x in given)
    return isinstance(given, ModalRun | FoundModes)


def modal_runs(given: Any, label: str, mechanism: Mechanism, role: Role | None = None) -> tuple[ModalRun, ...]:
    """Modal runs from what one call gives; those without a name are numbered."""
    many = given if isinstance(given, Mapping | list | tuple) else [given]
    named = many.items() if isinstance(many, Mapping) else ((f"{label}{k + 1}", one) for k, one in enumerate(many))
    found = tuple(modal_run_of(str(name), one, mechanism) for name, one in named)
    if isinstance(many, Mapping):
        found = tuple(replace(run, name=str(name)) for name, run in zip(many, found))
    return found if role is None else tuple(replace(run, role=role) for run in found)
