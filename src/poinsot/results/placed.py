"""Results that tell where the bodies of a mechanism are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from poinsot.results.panels import Panel
from poinsot.results.pictures import place_panels
from poinsot.results.record import Result


class PlacedBodies(Result):
    """A result with poses of bodies, drawn as their origins."""

    poses: Mapping[str, Any]  # X_WB by body

    def panels(self) -> tuple[Panel, ...]:
        """Where the bodies are."""
        return place_panels(self.poses)
