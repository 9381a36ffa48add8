"""What a search for a motion had reached when it was interrupted, on disk: the same study goes on from there.

It is written at an interrupt only, and no more than once used up: a search that ends leaves nothing that another one
would begin with.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from poinsot.errors import Interrupted, counted
from poinsot.store import keep_arrays, read_arrays

if TYPE_CHECKING:
    from poinsot.experiment.excitation.program import MotionSearch


@dataclass(eq=False)
class Reached:
    """Starts that are polished, and the one under way."""

    key: str = ""  # of the study; empty: nothing is kept
    done: list[tuple[np.ndarray | None, str]] = field(default_factory=list)  # numbers and what is wrong with the end
    stage: int = 0  # of the start under way
    z: np.ndarray | None = None  # its numbers, from where it goes on
    search: MotionSearch | None = None  # that is under way
    kept: bool = False  # whether it comes from disk

    @classmethod
    def of(cls, key: str) -> Reached:
        """What is kept of a study, or nothing."""
        facts, arrays = read_arrays(key) or ({}, {})
        messages = facts.get("messages", [])
        done = [(arrays.get(f"done {k}"), message) for k, message in enumerate(messages)]
        return cls(key, done, facts.get("stage", 0), arrays.get("z"), None, bool(facts.get("open")))

    def interrupted(self) -> Interrupted:
        """Keep what is reached, and say so."""
        best = self.search.best if self.search is not None else None
        if best is not None:
            self.z = best.z
        arrays = {f"done {k}": z for k, (z, _) in enumerate(self.done) if z is not None}
        arrays |= {} if self.z is None else {"z": self.z}
        facts = {"open": True, "stage": self.stage, "messages": [message for _, message in self.done]}
        kept = bool(arrays) and keep_arrays(self.key, facts, arrays)
        said = f"{counted(len(self.done), 'motion')} done"
        said += f", criterion {best.cost:.5g} in the next" if best else ""
        said += " and kept; the same call goes on from there" if kept else "" if self.key else ", which is not kept"
        found = [z for z in (*(z for z, _ in self.done), self.z) if z is not None]
        return Interrupted(f"excitation: {said}", partial=found)

    def ended(self) -> None:
        """Nothing is to go on with."""
        if self.kept:
            keep_arrays(self.key, {}, {})
