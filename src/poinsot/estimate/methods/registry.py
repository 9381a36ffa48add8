"""Methods by name: a new one is one file and one line here."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from poinsot.errors import PoinsotError, number_of, one_line, one_or_more_names, unknown
from poinsot.estimate.methods.base import LinearMethod
from poinsot.estimate.methods.consistent import Consistent
from poinsot.estimate.methods.didim import DirectInverse
from poinsot.estimate.methods.instruments import Instruments
from poinsot.estimate.methods.likelihood import Likelihood
from poinsot.estimate.methods.ordinary import Ordinary
from poinsot.estimate.methods.robust import Robust
from poinsot.estimate.methods.total import Total
from poinsot.estimate.methods.weighted import Weighted
from poinsot.estimate.search.base import SearchMethod
from poinsot.estimate.search.collocation import Collocation
from poinsot.estimate.search.registry import SEARCHES

METHODS: dict[str, type[LinearMethod]] = {
    m.name: m for m in (Ordinary, Weighted, Robust, Total, Likelihood, Instruments, DirectInverse, Consistent)
}


EVERY: dict[str, type[LinearMethod] | type[SearchMethod]] = {**METHODS, **SEARCHES, Collocation.name: Collocation}


def search_of(given: Any) -> SearchMethod:
    """A method of search from its name, a table with its name and options, or itself."""
    found = method_of("trust-region" if given is None else given)
    if not isinstance(found, SearchMethod):
        raise PoinsotError(f"the method '{found.name}' is for forces; for others there are: {', '.join(SEARCHES)}")
    return found


def method_of(given: Any) -> LinearMethod | SearchMethod:
    """A method from its name, a table with its name and options, or itself."""
    if isinstance(given, LinearMethod | SearchMethod):
        return given
    options: dict[str, Any] = (
        dict(given) if isinstance(given, dict) else {"name": "weighted" if given is None else given}
    )
    name = options.pop("name", "weighted")
    if not isinstance(name, str) or name not in EVERY:
        raise PoinsotError(unknown("method", one_line(str(name), 40), EVERY))
    own = {f.name: f.type for f in fields(EVERY[name])}  # type: ignore[arg-type]
    for option, value in options.items():
        if option not in own:
            raise PoinsotError(f"method '{name}': {unknown('option', option, sorted(own))}")
        if own[option] in ("int", "float"):
            options[option] = (int if own[option] == "int" else float)(number_of(value, f"{option} of '{name}'"))
    if "base" in options:
        options["base"] = search_of(options["base"]) if name in SEARCHES else method_of(options["base"])
    if "constraints" in options:
        options["constraints"] = one_or_more_names(options["constraints"], "constraints")
    return EVERY[name](**options)
