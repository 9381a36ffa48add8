"""What work depends on, as text: two things with the same text give the same numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import FunctionType
from typing import Any

import numpy as np

from poinsot.model.mechanism import Mechanism
from poinsot.store import arrays_digest


def content_of(x: Any) -> str:
    """Data as text, arrays as their digests; empty where something has none, a law of the user's own for instance.

    Fields of records that are not compared do not count.
    """
    try:
        return json.dumps(_plain(x))
    except TypeError:
        return ""


def _plain(x: Any) -> Any:
    if x is None or isinstance(x, str | int | float | complex):
        return repr(x)
    if isinstance(x, np.ndarray | np.generic):
        return arrays_digest(np.asarray(x))
    if isinstance(x, Mechanism):
        return _mechanism(x)
    if isinstance(x, FunctionType) and "<" not in x.__qualname__:  # of a module
        return f"{x.__module__}.{x.__qualname__}"
    if is_dataclass(x) and not isinstance(x, type):
        return [type(x).__qualname__, *(_plain(getattr(x, f.name)) for f in fields(x) if f.compare)]
    if isinstance(x, Mapping):
        return {repr(name): _plain(value) for name, value in x.items()}
    if isinstance(x, list | tuple):
        return [_plain(value) for value in x]
    raise TypeError(f"{type(x).__name__} has no content")


def _mechanism(x: Mechanism) -> list[Any]:
    """Its file, the coordinates that have been named since, and all values."""
    if x.template.foreign:
        raise TypeError("laws of the user's own have no content")
    values = {name: float(p.value) for name, p in x.parameters.items()}
    return [
        json.dumps(dict(x.nominal), sort_keys=True, default=str),
        repr((x.template.coordinates, x.template.actuators)),
        values,
    ]
