"""Constant load on a body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from poinsot.elements.frame import Frame
from poinsot.spatial.algebra import Scalar

__all__ = ["Load"]


@final
@dataclass(frozen=True)
class Load:
    """A constant force and moment at a point of a body, in world axes or following the body.

    P = f·v_F + m·ω        (theory/forces, eq. 7)
    """

    name: str
    at: Frame
    force: tuple[Scalar, Scalar, Scalar] = (0.0, 0.0, 0.0)  # [N]
    moment: tuple[Scalar, Scalar, Scalar] = (0.0, 0.0, 0.0)  # [N·m]
    follows: bool = False  # expressed in the frame's axes instead of the world's

    kind = "load"
    linear = ("force", "moment")
