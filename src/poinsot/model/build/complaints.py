"""Complaints of the schema in plain words: where in the file, what was expected, what came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from poinsot.model.build.scope import ModelError

_EXPECTED = {
    "dict": "a table",
    "model": "a table",
    "bool": "true or false",
    "string": "a text",
    "int": "a whole number",
    "float": "a number",
    "finite": "a finite number",
    "list": "a list",
    "tuple": "a list",
}


def complaint(error: ValidationError, document: Any, path: tuple[str | int, ...] = ()) -> ModelError:
    """The first complaint of the schema about a table that stands at a path of the file."""
    errors = error.errors(include_url=False)
    first = errors[0]
    more = f" (and {len(errors) - 1} more in this file)" if len(errors) > 1 else ""
    return ModelError((*path, *_place(document, first)), _words(first) + more)


def told(error: ValidationError, document: Any) -> tuple[list[str | int], str]:
    """Place in a file, and words, of the first complaint: where several things could stand there, of all of them.

    Of complaints about parts of what stands there, such as one number of a list, the deepest counts.
    """
    errors = error.errors(include_url=False)
    first = _place(document, errors[0])
    there = [(place, one) for one in errors if (place := _place(document, one))[: len(first)] == first]
    deepest = max((place for place, _ in there), key=len)
    alike = [one for place, one in there if place == deepest]
    kinds = list(dict.fromkeys(_EXPECTED.get(one["type"].split("_")[0], "") for one in alike))
    if len(kinds) > 1 and all(kinds):
        said = f"{', '.join(kinds[:-1])} or {kinds[-1]}"
        return deepest, f"expected {said}, got {_short(alike[0].get('input'))}"
    return deepest, _words(alike[0])


def _place(document: Any, error: Mapping[str, Any]) -> list[str | int]:
    """The parts of a complaint's location that are keys or items of the file; pydantic names its own steps too."""
    here, place = document, []
    for part in error["loc"]:
        inside = part in here if isinstance(here, dict) else isinstance(here, list) and isinstance(part, int)
        if inside:
            here = here[part]
            place.append(part)
    if error["type"] == "missing":
        place.append(error["loc"][-1])
    if error["type"] == "unknown_key":
        place.append(error["ctx"]["key"])
    return place


def _words(error: Mapping[str, Any]) -> str:
    fault, message, got = error["type"], error["msg"].removeprefix("Value error, "), error.get("input")
    if fault == "missing":
        return "this key is missing"
    if fault in ("unknown_key", "unknown_type"):
        return message
    if fault == "value_error":
        return message if "is not a name" in message else f"{message}, got {_short(got)}"
    expected = _EXPECTED.get(fault.split("_")[0]) or message.removeprefix("Input should be ").replace("valid ", "")
    such = ' such as { joint = "A" }' if expected == "a table" and error["loc"][-1] == "on" else ""
    return f"expected {expected}{such}, got {_short(got)}"


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list | tuple) and len(value) > 8:
        return f"a list of {len(value)}"
    shown = repr(value[:60] if isinstance(value, str) else value)
    return shown if len(shown) <= 60 else shown[:57] + "…"
