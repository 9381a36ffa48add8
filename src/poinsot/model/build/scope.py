"""Scopes: what a name means inside a component, and what a parameter of a copy is called."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from poinsot.errors import PoinsotError, unknown

if TYPE_CHECKING:
    from poinsot.model.schema import GroupSpec, InstanceSpec, ModelSpec


SELF = "self"  # inside a component: the copy itself, so that an actuator of leg3 can be called "leg3"
MAX_NESTING, MAX_COPIES = 8, 5000
MAX_BODIES, MAX_ELEMENTS = 1000, 20_000  # matrices of all bodies are dense: 1000 take minutes and a gigabyte


class ModelError(PoinsotError):
    """A mistake in a model file, with the path in the file at which it stands."""

    def __init__(self, path: tuple[str | int, ...], message: str):
        super().__init__(f"{path_text(path)}: {message}" if path else message)
        self.path, self.message = path, message


@contextmanager
def errors_at(path: tuple[str | int, ...]) -> Iterator[None]:
    """Let errors name a path in the file."""
    try:
        yield
    except PoinsotError as error:
        raise ModelError(path, str(error)) from None


def path_text(path: tuple[str | int, ...]) -> str:
    """Write a path in a file: ("bodies", "link", "com", 0) is bodies.link.com[1]."""
    out = ""
    for part in path:
        out += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if out else str(part)
    return out


@dataclass(frozen=True)
class Scope:
    """The model itself, or one copy of a component in it."""

    group: GroupSpec
    path: tuple[str | int, ...] = ()  # of the group in the file
    prefix: str = ""  # "leg3." before the names of its elements
    shared: str = ""  # "leg." before the names of parameters that all copies share
    separate: bool | tuple[str, ...] = False
    arguments: dict[str, Any] = field(default_factory=dict)
    parent: Scope | None = None
    instance: tuple[str | int, ...] = ()  # path of the table that makes the copy

    def element(self, name: str) -> str:
        """Full name of one of the group's elements."""
        if self.prefix and (name == SELF or name.startswith(f"{SELF}.")):
            return self.prefix.removesuffix(".") + name.removeprefix(SELF)
        return self.prefix + name

    def parameter(self, path: str, shared_as: str | None = None) -> str:
        """Full name of a parameter: that of the copy where separate, that of all copies where shared."""
        apart = self.separate if isinstance(self.separate, bool) else any(fnmatchcase(path, p) for p in self.separate)
        if apart or not self.prefix:
            return self.prefix + path
        return f"{shared_as}.{path.split('.', 1)[1]}" if shared_as else self.shared + path

    def owns(self, path: str) -> bool:
        """Tell whether the number of a parameter stands in the file for this parameter alone."""
        return not self.prefix or not self.parameter(path).startswith(self.prefix)

    def outward(self):
        """This scope and those around it, innermost first."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def find(self, kind: str, name: str, existing: Collection[str], path: tuple[str | int, ...]) -> str:
        """Full name of an element by the name used here: the copy's own first, then those outside."""
        for scope in self.outward():
            if (full := scope.element(name)) in existing:
                return full
        raise ModelError(path, unknown(kind, name, existing))

    def fill(self, value: Any, path: tuple[str | int, ...]) -> Any:
        """Put the copy's arguments into a text: "{base}" becomes what the instance says."""
        if not isinstance(value, str) or "{" not in value:
            return value

        def put(match: re.Match) -> str:
            if match.group(1) not in self.arguments:
                raise ModelError(path, unknown("argument", match.group(1), self.arguments))
            argument = self.arguments[match.group(1)]
            within = match.group(0) != value.strip()
            return f"({argument!r})" if within and not isinstance(argument, str) and argument < 0 else str(argument)

        filled = re.sub(r"\{(\w*)\}", put, value)
        if len(filled) > 4000:
            raise ModelError(path, "a text longer than 4000 characters after its arguments are filled in")
        return filled


def scopes(model: ModelSpec) -> list[Scope]:
    """The model's own scope and one for every copy of every component, outermost first."""
    found = [Scope(model)]
    bodies = elements = 0

    def count(scope: Scope) -> None:
        nonlocal bodies, elements
        bodies, elements = bodies + len(scope.group.bodies), elements + scope.group.size
        if bodies > MAX_BODIES + 1:  # the ground may be among them
            raise ModelError(
                (), f"more than {MAX_BODIES} bodies, copies of components included: too large a mechanism"
            )
        if elements > MAX_ELEMENTS:
            raise ModelError((), f"more than {MAX_ELEMENTS} elements, copies of components included: too large")

    def open_copies(parent: Scope, trail: tuple[str, ...]) -> None:
        for name, instance in parent.group.instances.items():
            for scope in _copies(model, parent, name, instance, trail):
                found.append(scope)
                count(scope)
                if len(found) > MAX_COPIES:
                    raise ModelError(parent.path, f"more than {MAX_COPIES} copies of components")
                open_copies(scope, (*trail, instance.component))

    count(found[0])
    open_copies(found[0], ())
    return found


def _copies(model: ModelSpec, parent: Scope, name: str, instance: InstanceSpec, trail: tuple[str, ...]):
    path = (*parent.path, "instances", name)
    if instance.component not in model.components:
        raise ModelError((*path, "component"), unknown("component", instance.component, model.components))
    if instance.component in trail or len(trail) >= MAX_NESTING:
        raise ModelError(
            path, f"components contain each other in a circle: {' → '.join([*trail, instance.component])}"
        )
    component = model.components[instance.component]
    given = instance.model_extra or {}
    for key in given:
        if key not in component.arguments:
            raise ModelError((*path, key), unknown("argument", key, component.arguments))
    if missing := [key for key in component.arguments if key not in given]:
        raise ModelError(path, f"component '{instance.component}' needs the argument '{missing[0]}'")
    number = instance.number or 1
    for i in range(1, number + 1):
        copy = f"{name}{i}" if instance.number is not None else name
        yield Scope(
            group=component,
            path=("components", instance.component),
            prefix=f"{parent.prefix}{copy}.",
            shared=f"{parent.shared if not parent.separate else parent.prefix}{name}.",
            separate=instance.separate,
            arguments={"i": i, **{key: _argument(parent, path, key, given[key], i, number) for key in given}},
            parent=parent,
            instance=path,
        )


def _argument(parent: Scope, path: tuple, key: str, value: Any, i: int, number: int) -> Any:
    """Value of one argument for copy i: an item of a list, or the same text for all with {i} filled in."""
    where = (*path, key)
    if isinstance(value, list | tuple):
        if len(value) != number:
            raise ModelError(where, f"expected {number} values, one for each copy, got {len(value)}")
        value = value[i - 1]
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ModelError(where, f"expected a number or a text, got {type(value).__name__}")
    if isinstance(value, int | float):
        return value
    return Scope(parent.group, arguments={**parent.arguments, "i": i}).fill(value, where)
