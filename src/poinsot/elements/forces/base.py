"""What every force along a coordinate is: energies and forces as functions of s and its rate.

A law says all that others ask of it; what it leaves out has the default below. A new law is one file with its energy
or force, its parameters, and the answers in which it differs.
"""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, ClassVar, Self

from poinsot.lazy import casadi

if TYPE_CHECKING:
    from poinsot.elements.coordinates import Coordinate
    from poinsot.spatial.algebra import Scalar


@dataclass(frozen=True)
class Simple:
    """A law as other programs know it: spring, damper, dry friction, inertia and limits, in SI units of s."""

    stiffness: float = 0.0
    rest: float = 0.0
    damping: float = 0.0
    coulomb: float = 0.0
    inertia: float = 0.0
    lower: float = float("-inf")
    upper: float = float("inf")
    remark: str = ""  # what of the law is left out


@dataclass(frozen=True)
class Force(ABC):
    """A law along one coordinate s; what it does not say is zero.

    The generalised force on s is −∂V/∂s + F(s, ṡ) + u, and T adds to the kinetic energy.
    """

    name: str
    on: Coordinate

    kind: ClassVar[str]
    parameters: ClassVar[dict[str, str]]  # field -> SI unit with "u" for the unit of s and "f" for force or moment
    nonnegative: ClassVar[tuple[str, ...]] = ()  # parameters that cannot be negative
    nonnegative_unless_bounded: ClassVar[tuple[str, ...]] = ()  # those that can, if the model file's bounds say so
    nonzero: ClassVar[tuple[str, ...]] = ()  # parameters that cannot be zero
    linear: ClassVar[tuple[str, ...]] = ()  # parameters in which the force is linear, the others being known
    loaded: ClassVar[tuple[str, ...]] = ()  # parameters that count by the force of a drive along the same coordinate
    dry: ClassVar[bool] = False  # whether it changes its sign with ṡ, at once or over a small speed
    shorthand: ClassVar[dict[str, str]] = {}  # key of a joint in the model file -> the parameter that it gives
    posed: ClassVar[tuple[str, ...]] = ()  # parameters that the model file may give as "pose": None in the law

    def potential(self, s: Scalar) -> Scalar:
        """V(s)  [J]."""
        return 0 * s

    def kinetic(self, s_dot: Scalar) -> Scalar:
        """T(ṡ)  [J]."""
        return 0 * s_dot

    def force(self, s: Scalar, s_dot: Scalar) -> Scalar:
        """F(s, ṡ), what has no potential  [N] or [N·m]."""
        return 0 * s

    def transmitted(self, u: Scalar, s_dot: Scalar) -> Scalar:
        """What arrives of the force u of a drive along the same coordinate: all of it  [N] or [N·m]."""
        return u

    def commanded(self, w: Scalar, s_dot: Scalar) -> Scalar:
        """Force of a drive along the same coordinate of which w arrives, the inverse of `transmitted`."""
        return w

    def unloaded(self) -> Self:
        """The law without what depends on the force of a drive."""
        return self

    @property
    def elastic(self) -> bool:
        """Whether it stores energy along s, with the stiffness ∂²V/∂s²."""
        return type(self).potential is not Force.potential

    @property
    def inertias(self) -> tuple[str, ...]:
        """Linear parameters I_a that add ½ I_a ṡ² to the kinetic energy."""
        units = {name: replace(self, **dict.fromkeys(self.linear, 0.0) | {name: 1.0}) for name in self.linear}
        return tuple(name for name, law in units.items() if float(law.kinetic(2.0)) == 2.0)

    @property
    def holds(self) -> bool:
        """Whether it is a spring wherever s is: an actuator beside it is not locked unless asked for."""
        return self.elastic

    @property
    def positional(self) -> bool:
        """Whether it depends on s and not on its rate alone: an angle must then be known to the turn."""
        s, s_dot = casadi.SX.sym("s"), casadi.SX.sym("s_dot")
        return self.elastic or casadi.depends_on(casadi.SX(self.force(s, s_dot)), s)

    @property
    def centre(self) -> Scalar:
        """Where an angle that is read off a pose is taken to be, up to half a turn to either side  [rad]."""
        return 0.0

    @property
    def clamped(self) -> bool:
        """Whether it is relaxed in the pose that is asked about."""
        return False

    def relaxed_at(self, s: Scalar) -> Self:
        """A clamped law with its rest at s."""
        return self

    def dry_slope(self) -> Scalar:
        """−∂F/∂ṡ at rest of smoothed dry friction, which is no damping  [N·s/m] or [N·m·s/rad]."""
        return 0.0

    def smoothed(self, speed: Scalar) -> Self:
        """The law with a jump at rest spread over a speed, for integration; itself if it has none."""
        return self

    @property
    def limits(self) -> tuple[float, float]:
        """Between which s is meant to stay; infinite: anywhere  [m] or [rad]."""
        return -inf, inf

    def clearance(self, s: Scalar) -> Scalar | None:
        """Positive between rigid limits, zero where one is reached; None: there are none."""
        return None

    def simple(self, s: float) -> Simple | None:
        """The law at s in the words of other programs; None: they have none for it."""
        return None
