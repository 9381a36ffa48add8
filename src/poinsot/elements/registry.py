"""Registries: the laws of a family by kind, to which others may be added."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Iterable
from typing import Any, TypeVar

from poinsot.errors import PoinsotError, listing

Law = TypeVar("Law", bound=type[Any])


class Registry(UserDict[str, Law]):
    """Laws by kind. Poinsot's own stay what they are, since stored models and functions are made of them."""

    def __init__(self, family: str, laws: Iterable[Law], reserved: Iterable[str] = ()):
        self.family = family
        self.own: dict[str, Law | None] = {law.kind: law for law in laws} | dict.fromkeys(reserved)
        super().__init__({kind: law for kind, law in self.own.items() if law is not None})

    def __setitem__(self, kind: str, law: Law) -> None:
        if self.own.get(kind, law) is not law:
            raise PoinsotError(
                f"the {self.family} '{kind}' is one of Poinsot's own and cannot be replaced: register "
                f"{law.__name__} under another kind than {listing(self.own)}"
            )
        super().__setitem__(kind, law)
