"""What every force along a coordinate is: energies and forces as functions of s and its rate."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from poinsot.elements.coordinates import Coordinate
    from poinsot.spatial.algebra import Scalar

__all__ = ["Force"]


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
    linear: ClassVar[tuple[str, ...]] = ()  # parameters in which the force is linear, the others being known

    def potential(self, s: Scalar) -> Scalar:
        """V(s)  [J]."""
        return 0 * s

    def kinetic(self, s_dot: Scalar) -> Scalar:
        """T(ṡ)  [J]."""
        return 0 * s_dot

    def force(self, s: Scalar, s_dot: Scalar) -> Scalar:
        """F(s, ṡ), what has no potential  [N] or [N·m]."""
        return 0 * s
