"""What cannot be sent to other processes, compiled functions for instance: they make it again from data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from poinsot.parallel.content import content_of
from poinsot.store import Bounded

_MADE: Bounded = Bounded(4)  # in this process, by content


@dataclass(frozen=True, eq=False)
class Remade:
    """The result of a function of a module, made once in every process that needs it.

    >>> Remade(dict, ((("a", 1),),)).get(), Remade(here="what this process has").get()
    ({'a': 1}, 'what this process has')
    """

    make: Callable[..., Any] | None = None
    data: tuple[Any, ...] = ()  # its arguments, which can be sent
    here: Any = field(default=None, compare=False, repr=False)  # in the process that has it already

    def get(self) -> Any:
        """What is made."""
        if self.here is not None or self.make is None:
            return self.here
        make = partial(self.make, *self.data)
        return _MADE.get_or_make(self._key, make) if self._key else make()

    @cached_property
    def _key(self) -> str:
        return content_of(self)

    def __getstate__(self) -> dict[str, Any]:
        return {"make": self.make, "data": self.data, "here": None}
