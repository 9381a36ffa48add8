"""Numbers of a ROS 2 message in its serialised form (CDR), by name; no code is made of the message's definition.

CDR writes the fields one after the other, each aligned to its size, counted from the end of a header of four bytes;
sequences and texts after their length as a number of four bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from poinsot.errors import PoinsotError

__all__ = ["Definitions", "flattened", "numbers_of"]

Definitions = Mapping[str, Any]  # by type: constants, and fields (name, description)

FORMATS = {
    "bool": "?",
    "byte": "B",
    "char": "B",
    "int8": "b",
    "uint8": "B",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "uint64": "Q",
    "float32": "f",
    "float64": "d",
}
BASE, NAME, ARRAY, SEQUENCE = 1, 2, 3, 4  # what a field is
LONGEST = 64  # numbers of a sequence that become channels; longer ones are images and the like
DEEPEST = 12  # messages within messages


class _Bytes:
    """A position in the bytes of a message."""

    def __init__(self, data: bytes):
        if len(data) < 4:
            raise PoinsotError("a message is too short")
        self.data, self.at, self.order = memoryview(data)[4:], 0, "<" if data[1] & 1 else ">"

    def numbers(self, type_name: str, n: int) -> tuple:
        form = FORMATS[type_name]
        size = struct.calcsize(form)
        self.at += -self.at % size if n else 0
        end = self.at + n * size
        if end > len(self.data):
            raise PoinsotError("a message ends before its last field")
        values = struct.unpack_from(f"{self.order}{n}{form}", self.data, self.at) if n <= LONGEST else ()
        self.at = end
        return values

    def length(self) -> int:
        return self.numbers("uint32", 1)[0]

    def text(self) -> str:
        n = self.length()
        raw = bytes(self.data[self.at : self.at + n])
        if len(raw) < n:
            raise PoinsotError("a text of a message ends before its end")
        self.at += n
        return raw.rstrip(b"\0").decode("utf-8", "replace")


def numbers_of(data: bytes, type_name: str, definitions: Definitions) -> dict[str, Any]:
    """Fields of a serialised message as numbers, texts, lists and tables by name."""
    return _message(_Bytes(data), type_name, definitions, 0)


def _message(data: _Bytes, type_name: str, definitions: Definitions, depth: int) -> dict[str, Any]:
    if type_name not in definitions or depth > DEEPEST:
        raise PoinsotError(f"the type '{type_name}' of a message is not defined in the bag")
    fields = definitions[type_name][1]
    if not fields:
        data.numbers("uint8", 1)  # an empty message is one byte
    return {name: _field(data, description, definitions, depth) for name, description in fields}


def _field(data: _Bytes, description: Any, definitions: Definitions, depth: int) -> Any:
    what, detail = int(description[0]), description[1]
    if what == BASE:
        type_name = detail[0] if isinstance(detail, tuple) else detail
        return data.text() if type_name in ("string", "wstring") else data.numbers(type_name, 1)[0]
    if what == NAME:
        return _message(data, detail, definitions, depth + 1)
    inner, n = detail
    n = data.length() if what == SEQUENCE else n
    type_name = inner[1][0] if int(inner[0]) == BASE and isinstance(inner[1], tuple) else inner[1]
    if int(inner[0]) == BASE and type_name in FORMATS:
        return list(data.numbers(type_name, n))
    if n > len(data.data):
        raise PoinsotError("a sequence of a message is longer than the message")
    return [_field(data, inner, definitions, depth) for _ in range(n)]


def flattened(message: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    """Names and numbers of a message; lists that go with a list of names, such as joints, by those names."""
    names = message.get("name")
    named = names if isinstance(names, list) and all(isinstance(n, str) for n in names) else []
    for key, value in message.items():
        path = f"{prefix}.{key}" if prefix else key
        if isinstance(value, Mapping):
            yield from flattened(value, path)
        elif isinstance(value, bool | int | float):
            yield path, float(value)
        elif isinstance(value, list) and 0 < len(value) <= LONGEST:
            yield from _listed(value, key, path, prefix, named)


def _listed(value: Sequence, key: str, path: str, prefix: str, named: Sequence[str]) -> Iterator[tuple[str, float]]:
    if named and len(value) == len(named):
        labels = [".".join(part for part in (prefix, name, key) if part) for name in named]
    else:
        labels = [f"{path}{k + 1}" for k in range(len(value))]
    for label, one in zip(labels, value):
        if isinstance(one, Mapping):
            yield from flattened(one, label)
        elif isinstance(one, bool | int | float):
            yield label, float(one)
