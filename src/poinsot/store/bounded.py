"""A memory that forgets what was not used for longest."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

__all__ = ["Bounded"]


class Bounded(OrderedDict):
    """At most so many things by key; reading one makes it the latest used.

    >>> kept = Bounded(2)
    >>> kept["a"], kept["b"] = 1, 2
    >>> kept["a"], kept.get_or_make("c", lambda: 3), list(kept)
    (1, 3, ['a', 'c'])
    """

    def __init__(self, limit: int):
        super().__init__()
        self.limit = limit

    def __getitem__(self, key: Any) -> Any:
        self.move_to_end(key)
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        while len(self) > self.limit:
            del self[next(iter(self))]

    def get_or_make(self, key: Any, make: Callable[[], Any]) -> Any:
        """What is there under a key, made if nothing is."""
        try:
            return self[key]
        except KeyError:
            pass
        value = self[key] = make()
        return value
