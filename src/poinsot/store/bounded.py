"""A memory that forgets what was not used for longest."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any


class Bounded(OrderedDict):
    """At most so many things by key; reading one makes it the latest used. Several threads may use it at once.

    >>> kept = Bounded(2)
    >>> kept["a"], kept["b"] = 1, 2
    >>> kept["a"], kept.get_or_make("c", lambda: 3), list(kept)
    (1, 3, ['a', 'c'])
    """

    def __init__(self, limit: int):
        super().__init__()
        self.limit = limit
        self._lock = threading.RLock()

    def __getitem__(self, key: Any) -> Any:
        with self._lock:
            value = super().__getitem__(key)
            self.move_to_end(key)
            return value

    def __setitem__(self, key: Any, value: Any) -> None:
        with self._lock:
            super().__setitem__(key, value)
            self.move_to_end(key)
            while len(self) > self.limit:
                del self[next(iter(self))]

    def __delitem__(self, key: Any) -> None:
        with self._lock:
            super().__delitem__(key)

    def get_or_make(self, key: Any, make: Callable[[], Any]) -> Any:
        """What is there under a key, made if nothing is; of two that were made at once, the first stays."""
        try:
            return self[key]
        except KeyError:
            pass
        value = make()  # without the lock: it may take long, and ask for other things in here
        with self._lock:
            if key in self:
                return self[key]
            self[key] = value
            return value
