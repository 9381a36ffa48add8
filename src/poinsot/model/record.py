"""A mechanism as plain JSON, and back: what was read and checked once need not be checked again.

Tuples are lists, records are {number of their class: fields}, tables are {"": entries}. Only records of the packages
below are made when reading, so that a file can describe a mechanism and nothing else.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

from poinsot.model.mechanism import Mechanism
from poinsot.store import read_entry, write_entry

_HOMES = ("poinsot.spatial.", "poinsot.elements.", "poinsot.model.")
_KIND = "kept"


def to_record(mechanism: Mechanism) -> dict[str, Any]:
    """Write a mechanism; TypeError if something in it has no form in JSON."""
    classes: dict[type, str] = {}

    def write(value: Any) -> Any:
        if value is None or isinstance(value, bool | int | float | str):
            return value
        if isinstance(value, tuple):
            return [write(item) for item in value]
        if isinstance(value, dict):
            return {"": {key: write(item) for key, item in value.items()}}
        if not is_dataclass(value) or not f"{type(value).__module__}.".startswith(_HOMES):
            raise TypeError(f"{type(value).__name__} cannot be kept")
        number = classes.setdefault(type(value), str(len(classes)))
        return {number: [write(getattr(value, f.name)) for f in fields(value)]}

    parts = [write(getattr(mechanism, f.name)) for f in fields(Mechanism) if f.name != "nominal"]
    homes = [f"{c.__module__}:{c.__qualname__}" for c in classes]
    return {"classes": homes, "parts": parts, "document": dict(mechanism.nominal)}


def from_record(record: dict[str, Any]) -> Mechanism:
    """Read a mechanism; AttributeError, KeyError, TypeError or ValueError if it is not what was written."""
    classes = {str(number): _record_class(home) for number, home in enumerate(record["classes"])}

    def read(value: Any) -> Any:
        if type(value) is list:
            return tuple([read(item) for item in value])
        if type(value) is not dict:
            return value
        ((number, content),) = value.items()
        if number == "":
            return {key: read(item) for key, item in content.items()}
        return classes[number](*[read(item) for item in content])

    names = [f.name for f in fields(Mechanism) if f.name != "nominal"]
    if len(names) != len(record["parts"]):
        raise ValueError("a mechanism has other parts")
    return Mechanism(nominal=record["document"], **dict(zip(names, map(read, record["parts"]))))


def _record_class(home: str) -> type:
    module, name = home.split(":")
    found = getattr(import_module(module), name) if f"{module}.".startswith(_HOMES) else None
    if not (isinstance(found, type) and is_dataclass(found)):
        raise ValueError(f"{home} is not a part of a mechanism")
    return found


def kept_mechanism(key: str) -> Mechanism | None:
    """A mechanism from the cache; None if there is none, or none that can be read."""
    entry = read_entry(key, _KIND)
    if entry is None:
        return None
    try:
        return from_record(json.loads(zlib.decompress(entry[1])))
    except (AttributeError, ImportError, KeyError, RecursionError, TypeError, ValueError, zlib.error):
        return None  # it is built, and kept, anew


def keep_mechanism(key: str, mechanism: Mechanism) -> None:
    """Put a mechanism into the cache, if it has a form in JSON that gives the same again."""
    try:
        text = json.dumps(to_record(mechanism))
    except (TypeError, ValueError, RecursionError):
        return
    write_entry(key, {"mechanism": mechanism.name}, zlib.compress(text.encode(), 1), _KIND)
