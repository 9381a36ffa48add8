"""What is asked of a reader: which columns, how many rows a mean, which part of the file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from poinsot.errors import PoinsotError

__all__ = ["Request"]


@dataclass(frozen=True)
class Request:
    """What a reader is asked for; by default everything."""

    wanted: Callable[[str], bool] = lambda name: True  # whether a column of this name is kept
    every: int = 1  # rows that are averaged into one
    part: int | None = None  # of a file that holds several tables, from 1

    def chosen(self, parts: int, what: str) -> int:
        """Index of the part that is read, of so many; the first by default."""
        k = 1 if self.part is None else self.part
        if k > parts:
            raise PoinsotError(f"there is no part {k}: the file has {parts} {what}")
        return k - 1
