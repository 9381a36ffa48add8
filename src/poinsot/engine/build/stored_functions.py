"""Symbolic functions on disk, by what they depend on: the next process reads them instead of writing them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from poinsot.engine.code.formula import Formula, formula
from poinsot.lazy import casadi
from poinsot.store import read_entry, write_entry

_log = logging.getLogger("poinsot.engine")
_KIND = "kept"


@dataclass(frozen=True, eq=False)
class StoredFunctions:
    """Functions by name, and facts about them that JSON can hold."""

    functions: Mapping[str, Formula]
    facts: Any


def stored_functions(key: str, make: Callable[[], tuple[Mapping[str, casadi.Function], Any]]) -> StoredFunctions:
    """Get functions and facts from the cache, or make and keep them.

    The key must change with everything on which they depend (`poinsot.store.content_key`). An entry that is damaged,
    or is not what this version writes, is made again.
    """
    entry = read_entry(key, _KIND)
    if entry is not None:
        try:
            return _unpacked(*entry)
        except (KeyError, TypeError, ValueError) as error:
            _log.warning("the stored functions %s cannot be read (%r) and will be made again", key, error)
    functions, facts = make()
    made = StoredFunctions({name: formula(function) for name, function in functions.items()}, facts)
    about = {name: f.facts() for name, f in made.functions.items()}
    packed = b"".join(f.packed for f in made.functions.values())
    write_entry(key, {"functions": about, "facts": facts}, packed, _KIND)
    return made


def _unpacked(metadata: dict[str, Any], content: bytes) -> StoredFunctions:
    functions, start = {}, 0
    for name, about in metadata["functions"].items():
        functions[name] = Formula.from_facts(about, content[start : start + about["bytes"]])
        start += about["bytes"]
    if start != len(content):
        raise ValueError("functions and their texts do not belong together")
    return StoredFunctions(functions, metadata["facts"])
