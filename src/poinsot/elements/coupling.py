"""Couplings: what gears, belts, racks and joints that follow others keep between coordinates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, isfinite, lcm
from typing import TYPE_CHECKING, final

from poinsot.elements.coordinates import AlongJoint
from poinsot.elements.joints.base import Joint, turn_angle
from poinsot.spatial.algebra import Scalar, function

if TYPE_CHECKING:
    from poinsot.elements.coordinates import Coordinate

TEETH, EQUAL = 200, 1e-12  # largest denominator of a ratio of gears, and how near to it a weight is


@final
@dataclass(frozen=True)
class JointCoupling:
    """Keep a coordinate, mostly a combination of joints', at a value.

        Φ = s − c = Σ w_k q_k − c = 0        one equation  [m] or [rad]        (theory/joints, eq. 12)

    Angles that are read off poses are known up to turns, but those of screws, whose advance tells them. Where weights
    of the others are whole multiples of some γ, as of gears by their teeth or where there is one such angle, Φ is
    taken within half a step 2πγ of zero, and holds over any number of turns.
    """

    name: str
    on: Coordinate  # s
    value: Scalar = 0.0  # c  [unit of s]
    unclear: tuple[int, ...] = ()  # parts of s that are angles whose turns poses do not tell
    share: Fraction = Fraction(0)  # γ over the modulus of the first weight among them; 0: there is no γ

    @property
    def owner(self) -> str:
        """Who its row belongs to; a joint may have its name."""
        return f"coupling {self.name}"

    @property
    def label(self) -> str:
        """What its row keeps: a length, or an angle."""
        return "distance" if self.on.unit == "m" else "angle"

    @property
    def angles(self) -> tuple[Coordinate, ...]:
        """Its coordinates that are angles."""
        return tuple(part for part in self.on.parts if part.unit == "rad")

    @property
    def untold(self) -> tuple[Coordinate, ...]:
        """Angles beyond half a turn of which a pose does not tell where the others are."""
        return () if self.share else tuple(self.on.parts[k] for k in self.unclear)

    def equation(self, named: Callable[[Coordinate], str]) -> str:
        """Σ w_k q_k = c as a person writes it, with names of the coordinates q_k."""
        terms = ""
        for part, weight in zip(self.on.parts, self.on.factors):
            w, unit = float(weight), "" if part.unit == self.on.unit else f" {self.on.unit}/{part.unit} ·"
            sign = ("−" if w < 0 else "") if not terms else " − " if w < 0 else " + "
            number = "" if abs(w) == 1.0 and not unit else f"{abs(w):.6g}{unit} "
            terms += f"{sign}{number}{named(part)}"
        value = float(self.value)
        return f"{terms} = {value:.6g} {self.on.unit}" if value else f"{terms} = 0"

    def settled(self, nominal: Callable[[Scalar], float], joints: Mapping[str, Joint]) -> JointCoupling:
        """The coupling with its turns decided by its joints and the nominal numbers of its weights."""
        winds = [isinstance(part, AlongJoint) and joints[part.joint].winds for part in self.on.parts]
        unclear = tuple(k for k, part in enumerate(self.on.parts) if part.unit == "rad" and not winds[k])
        return replace(self, unclear=unclear, share=_share([float(nominal(self.on.factors[k])) for k in unclear]))

    def residual(self, s: Scalar) -> Scalar:
        """Φ at a value of the coordinate."""
        gap = s - self.value
        if not self.share:
            return gap
        step = float(self.share) * function("abs", self.on.factors[self.unclear[0]])
        return step * turn_angle(function("sin", gap / step), function("cos", gap / step))


def _share(weights: list[float]) -> Fraction:
    """The largest number of which all weights over the first one's modulus are whole multiples; 0 if there is none.

    >>> [str(_share(weights)) for weights in ([0.04], [2.5, -1.0], [3.0, -1.0], [1.0, 2**0.5])]
    ['1', '1/5', '1/3', '0']
    """
    if not weights or not all(isfinite(w) and w for w in weights):
        return Fraction(0)
    ratios = [abs(w / weights[0]) for w in weights]
    near = [Fraction(ratio).limit_denominator(TEETH) for ratio in ratios]
    if any(abs(float(f) - ratio) > EQUAL * ratio for f, ratio in zip(near, ratios)):
        return Fraction(0)
    common = lcm(*(f.denominator for f in near))
    return Fraction(gcd(*(int(f * common) for f in near)), common)
