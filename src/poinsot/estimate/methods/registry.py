"""Methods by name: a new one is one file and one line here."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from poinsot.errors import PoinsotError, one_line, unknown
from poinsot.estimate.methods.base import LinearMethod
from poinsot.estimate.methods.consistent import Consistent
from poinsot.estimate.methods.didim import DirectInverse
from poinsot.estimate.methods.instruments import Instruments
from poinsot.estimate.methods.likelihood import Likelihood
from poinsot.estimate.methods.ordinary import Ordinary
from poinsot.estimate.methods.robust import Robust
from poinsot.estimate.methods.total import Total
from poinsot.estimate.methods.weighted import Weighted

METHODS: dict[str, type[LinearMethod]] = {
    m.name: m for m in (Ordinary, Weighted, Robust, Total, Likelihood, Instruments, DirectInverse, Consistent)
}


def method_of(given: Any) -> LinearMethod:
    """A method from its name, a table with its name and options, or itself."""
    if isinstance(given, LinearMethod):
        return given
    options = dict(given) if isinstance(given, dict) else {"name": given}
    name = options.pop("name", "weighted")
    if not isinstance(name, str) or name not in METHODS:
        raise PoinsotError(unknown("method", one_line(str(name), 40), METHODS))
    own = {f.name for f in fields(METHODS[name])}  # type: ignore[arg-type]
    for option in options:
        if option not in own:
            raise PoinsotError(f"method '{name}': {unknown('option', option, sorted(own))}")
    if "base" in options:
        options["base"] = method_of(options["base"])
    return METHODS[name](**options)
