"""Functions that users give, such as motions and laws of drives, as expressions, and their derivatives."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from poinsot.errors import PoinsotError, one_line
from poinsot.lazy import casadi


def written_out(what: str, function: Callable[..., Any], *symbols: casadi.SX) -> casadi.SX:
    """A function of a user for symbols, as one expression; one that cannot be written out is an error."""
    rule = f"{what} must be made of arithmetic and casadi or NumPy functions"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # CasADi's notice about NumPy functions of symbols
            result = casadi.SX(function(*symbols))
    except (TypeError, NotImplementedError, RuntimeError) as error:
        raise PoinsotError(f"{rule}: {one_line(str(error).split(chr(10))[0], 120)}") from None
    if result.shape != (1, 1) or (result.is_constant() and not result.is_regular()):
        raise PoinsotError(f"{rule} and give one finite number")
    return result


def differentiated(what: str, function: Callable[[Any], Any]) -> casadi.Function:
    """t -> s, ṡ, s̈ (3,) of a function s(t)."""
    t = casadi.SX.sym("t")
    s = written_out(what, function, t)
    d = casadi.jacobian(s, t)
    return casadi.Function("s", [t], [casadi.vertcat(s, d, casadi.jacobian(d, t))])
