"""One unknown or six: parameters of copies made separate, parameters made one."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from poinsot.errors import PoinsotError, list_of_names, listing, unknown
from poinsot.model import build as builder

if TYPE_CHECKING:
    from poinsot.model.quantities.parameters import Parameter, Parameters


Changed = tuple[dict[str, Any], dict[str, float]]  # a document, and values of parameters that are new in it


def separate(document: Mapping[str, Any], parameters: Parameters, patterns: tuple[str, ...]) -> Changed:
    """Give every copy of a component its own parameter where the copies shared one; values stay."""
    patterns = list_of_names(patterns, "parameters")
    shared = {name: p for name, p in parameters.items() if p.copies}
    chosen = {name: p for name, p in shared.items() if any(fnmatchcase(name, pattern) for pattern in patterns)}
    if not chosen:
        raise PoinsotError(unknown("shared parameter", " ".join(patterns), shared))
    document = copy.deepcopy(dict(document))
    for name, parameter in chosen.items():
        group, local = _owner(document, name, parameter.copies[0])
        if group.get("separate") is not True:
            group["separate"] = [*group.get("separate", []), local]
    return document, {copy_: p.value for p in chosen.values() for copy_ in p.copies}


def _owner(document: dict, name: str, first_copy: str) -> tuple[dict, str]:
    """The table of instances that makes a copy, and the parameter's name inside the component."""
    for key, group in document.get("instances", {}).items():
        prefix = f"{key}1." if "number" in group else f"{key}."
        if first_copy.startswith(prefix):
            return group, first_copy.removeprefix(prefix)
    raise PoinsotError(f"parameter '{name}' belongs to a component inside a component: make it separate in the file")


def share(document: Mapping[str, Any], parameters: Parameters, name: str, patterns: tuple[str, ...]) -> Changed:
    """Make all parameters that match one, called `name`; they must have the same unit and value."""
    chosen = [parameters[n] for n in parameters.matching(*patterns)]
    if len(chosen) < 2:
        raise PoinsotError(f"'{' '.join(patterns)}' matches {listing(p.name for p in chosen)}: nothing to share")
    for parameter in chosen[1:]:
        if parameter.unit != chosen[0].unit:
            raise PoinsotError(
                f"'{name}' is to be one value: {parameter.name} [{parameter.unit}] and {chosen[0].name} "
                f"[{chosen[0].unit}] cannot be one"
            )
        if parameter.value != chosen[0].value:
            raise PoinsotError(
                f"'{name}' is to be one value: {chosen[0].name} = {chosen[0].value:g} and {parameter.name} = "
                f"{parameter.value:g} differ; give them one in the model file, or by with_parameters"
            )
    if all(p.source is None for p in chosen):
        return _together(document, name, chosen)
    if missing := [p.name for p in chosen if p.source is None]:
        raise PoinsotError(f"parameter '{missing[0]}' is that of one copy: it can be one with the other copies only")
    document = copy.deepcopy(dict(document))
    document.setdefault("parameters", {})[name] = {"value": chosen[0].value, "unit": chosen[0].unit}
    for source in [p.source for p in chosen if p.source is not None]:
        put_number(document, source, name)
    return document, {}


def _together(document: Mapping[str, Any], name: str, copies: list[Parameter]) -> Changed:
    """Undo `separate`: let all copies of a component share a parameter again."""
    document = copy.deepcopy(dict(document))
    group, local = _owner(document, name, copies[0].name)
    apart = group.get("separate")
    if not isinstance(apart, list) or local not in apart:
        raise PoinsotError(f"parameter '{copies[0].name}' is made separate by a pattern: change that in the file")
    group["separate"] = [other for other in apart if other != local]
    _, _, rebuilt, _ = builder.described(document)
    for shared, parameter in rebuilt.items():
        if set(parameter.copies) == {p.name for p in copies}:
            if shared != name:
                raise PoinsotError(f"these parameters are one under the name '{shared}', not '{name}'")
            return document, {name: copies[0].value}
    raise PoinsotError(f"'{copies[0].name}' and the others are not all the copies of one parameter")


def put_values(document: Any, original: Parameters, present: Parameters) -> None:
    """Set the numbers of a document, whose own values are the `original` ones, that have other values at present."""
    sources = {p.source: p.value for p in present.values() if p.source}
    for name, parameter in present.items():
        if parameter.value != original[name].value:
            bare = parameter.role != "named" or parameter.unit == "-"
            value = parameter.value if bare else f"{parameter.value!r} {parameter.unit}"
            path = parameter.source or ("parameters", name)
            whole = {s[-1]: x for s, x in sources.items() if s[:-1] == path[:-1]}  # of a list that leaves some out
            put_number(document, path, value, [whole[i] for i in range(len(whole)) if i in whole])


def put_number(
    document: Any, path: tuple[str | int, ...], value: float | str, whole: Sequence[float] = (0.0, 0.0, 0.0)
) -> None:
    """Set the number at a path, making tables and lists, with the numbers of the `whole`, where they are left out."""
    here = document
    for step, following in zip(path, (*path[1:], None)):
        bare = isinstance(here, list)
        if step == "position" and bare:
            continue  # a frame written as a bare list of coordinates
        if isinstance(step, int) and len(here) <= step:
            here.extend(whole[len(here) :])
        if following is None:
            here[step] = value
            return
        if isinstance(here, dict) and step not in here:
            here[step] = list(whole) if isinstance(following, int) else {}
        here = here[step]
