"""Shapes that bodies are drawn with, as readers of other formats write them into a model file."""

from __future__ import annotations

from typing import Any

import numpy as np

from poinsot.model.interchange.cut_bodies import pose_entry, pose_of
from poinsot.spatial.pose import Pose


def visual_entry(shape: str, size: Any, X: Pose, colour: Any = None, scale: Any = None) -> dict[str, Any]:
    """A shape as a model file has it; `size` are its numbers, or the file of a mesh."""
    value = size if isinstance(size, str) else [float(x) for x in np.atleast_1d(size)]
    found: dict[str, Any] = {shape: value, **pose_entry(X)}
    if colour is not None:
        found["colour"] = [float(np.clip(part, 0.0, 1.0)) for part in colour]
    if scale is not None and tuple(scale) != (1.0, 1.0, 1.0):
        found["scale"] = [float(x) for x in scale]
    return found


def moved_visual(X_BL: Pose, entry: dict[str, Any]) -> dict[str, Any]:
    """A shape of a link, seen from the body that the link is a part of."""
    _, X_LV = pose_of({"bodies": {}}, {"body": "", **entry})
    rest = {key: value for key, value in entry.items() if key not in ("position", "rotation")}
    return {**rest, **pose_entry(X_BL @ X_LV)}
