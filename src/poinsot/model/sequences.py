"""Sequences of rotations in a model file."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

from poinsot.spatial.rotation import SEQUENCES


def _rotation(value: str) -> str:
    if value not in SEQUENCES:
        raise ValueError("expected a rotation sequence of three axes such as 'ZXZ'")
    return value


def _moving(value: str) -> str:
    axes = len(value) == 3 and set(value) <= set("XYZ")
    if not axes or value[1] in (value[0], value[2]):
        raise ValueError("expected a sequence about moving axes")
    return value


RotationSequence = Annotated[str, AfterValidator(_rotation)]  # about moving axes (ZXZ) or fixed ones (zxz)
MovingSequence = Annotated[str, AfterValidator(_moving)]
