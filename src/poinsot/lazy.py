"""CasADi, loaded at its first use: a process that finds all its functions compiled never needs it (36 ms of 300)."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

__all__ = ["casadi"]


class _Lazy(ModuleType):
    """A module that is imported when something in it is asked for."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self.__name__), name)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return dir(import_module(self.__name__))


if TYPE_CHECKING:
    import casadi
else:
    casadi = _Lazy("casadi")
