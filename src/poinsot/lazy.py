"""What is loaded at its first use: CasADi, names behind the doors of packages, and who does a task for lower ones.

A process that finds all its functions compiled never needs CasADi (36 ms of 300).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any


class _Lazy(ModuleType):
    """A module that is imported when something in it is asked for."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self.__name__), name)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return dir(import_module(self.__name__))


def door(package: str, offered: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package that offers names of its modules: by module, with blanks between them."""
    homes = {name: module for module, names in offered.items() for name in names.split()}

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module '{package}' has no attribute '{name}'; it has: {', '.join(homes)}")
        value = getattr(import_module(f".{homes[name]}", package), name)
        setattr(import_module(package), name, value)
        return value

    return find


_PROVIDED: dict[str, str] = {}


def provide(task: str, home: str) -> None:
    """Say who does a task that a lower package asks for: "package.module:function". The door of Poinsot does."""
    _PROVIDED[task] = home


def provided(task: str) -> Callable[..., Any]:
    """Who does a task, loaded now."""
    module, name = _PROVIDED[task].split(":")
    return getattr(import_module(module), name)


if TYPE_CHECKING:
    import casadi
else:
    casadi = _Lazy("casadi")
