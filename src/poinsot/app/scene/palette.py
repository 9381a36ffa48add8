"""Colours that colour-blind readers can tell apart (Okabe and Ito), for light and dark pages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from poinsot.app.scene.primitives import Colour

BODIES: tuple[Colour, ...] = (
    (0, 114, 178),  # blue
    (230, 159, 0),  # orange
    (0, 158, 115),  # bluish green
    (204, 121, 167),  # reddish purple
    (86, 180, 233),  # sky blue
    (240, 228, 66),  # yellow
)
DRIVEN: Colour = (213, 94, 0)  # vermilion: joints that an actuator moves, and loads
REACTION: Colour = (140, 80, 200)  # [0–255]


@dataclass(frozen=True)
class Palette:
    """Colours of one picture."""

    dark: bool = False

    @property
    def joint(self) -> Colour:
        """Joints that nothing drives."""
        return (185, 190, 196) if self.dark else (70, 75, 82)

    @property
    def ground(self) -> Colour:
        """What does not move."""
        return (110, 115, 122) if self.dark else (150, 154, 160)

    @property
    def page(self) -> Colour:
        """Behind everything."""
        return (27, 32, 38) if self.dark else (255, 255, 255)

    @property
    def grid(self) -> tuple[Colour, Colour]:
        """Fine and coarse lines of the grid."""
        return ((55, 58, 64), (75, 79, 86)) if self.dark else ((228, 230, 233), (200, 203, 208))


def family(name: str) -> str:
    """Bodies of one family have one colour: copies of a component differ in the number of the copy alone.

    >>> family("leg3.rod"), family("link3")
    ('leg.rod', 'link3')
    """
    first, dot, rest = name.partition(".")
    return f"{re.sub(r'[0-9]+', '', first)}.{re.sub(r'[0-9]+', '', rest)}" if dot else name


def body_colours(names: Iterable[str]) -> dict[str, Colour]:
    """A colour for every body, the same for copies of one component."""
    names = list(names)
    families = list(dict.fromkeys(family(name) for name in names))
    return {name: BODIES[families.index(family(name)) % len(BODIES)] for name in names}
