"""The same equations solved in another way: other independent rates, or an order of elimination that never fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from poinsot import formulations
from poinsot.errors import PoinsotError, list_of_names
from poinsot.system.functions import independent_quality, independent_slopes
from poinsot.system.stored import remembered
from poinsot.system.system import System

if TYPE_CHECKING:
    from poinsot.engine import Kernel
    from poinsot.formulations.embedded import Machine, Rate

GOOD = 4.0  # times the quality at which independent rates are poor: with that they are taken for a start
UNSURE = 1e-4  # check value below which the equations are solved again with care


def embedded_with(compiled: System, rates: tuple[int | str, ...]) -> System:
    """The system with other independent rates."""
    return _variant(compiled, rates, compiled.about.careful)


def careful(compiled: System) -> System:
    """The system solved in an order that is safe in every pose; itself if there is nothing to order."""
    return _variant(compiled, compiled.about.independent, True) if compiled.sizes[2] else compiled


def solved_with_care(
    compiled: System,
    function: Callable[[System], Kernel],
    *states: np.ndarray,
    check: int = -1,
    least: float = UNSURE,
):
    """Outputs of a function of a system at N states; with care where the check value, one of them, is low."""
    found = function(compiled)(*states)
    unsure = ~(found[check].ravel() > least) | ~np.isfinite(found[0].reshape(len(found[0]), -1)).all(axis=1)
    if unsure.any() and careful(compiled) is not compiled:
        again = (x[unsure] if x.ndim == 2 else x for x in states)
        for whole, part in zip(found, function(careful(compiled))(*again)):
            whole[unsure] = part
    return found


def _variant(compiled: System, independent: tuple[int | str, ...], careful: bool) -> System:
    """A system with other choices, made once; all variants of a system share its equations."""
    if (independent, careful) == (compiled.about.independent, compiled.about.careful):
        return compiled
    root = compiled.root
    if (independent, careful) == (root.about.independent, root.about.careful):
        return root
    return _choosing(root, independent, careful)


@remembered
def _choosing(root: System, independent: tuple[int | str, ...], careful: bool) -> System:
    return System(root.about.choosing(independent, careful), root)


def embedded_in(compiled: System, q: np.ndarray, p: np.ndarray, wanted: Sequence[str] | None) -> System:
    """The system with independent rates for a pose: those wanted, else those chosen at home if they are good."""
    if compiled.formulation != "embedded":
        if wanted is not None:
            raise PoinsotError(
                f"independent coordinates are chosen in the formulation 'embedded', not in '{compiled.formulation}'"
            )
        return compiled
    wanted = () if wanted is None else list_of_names(wanted, "independent coordinates")
    if not wanted and _quality(compiled, q, p) > GOOD * formulations.POOR_CHOICE:
        return compiled
    return embedded_with(compiled, chosen_rates(compiled, q, p, wanted))


def _quality(compiled: System, q: np.ndarray, p: np.ndarray) -> float:
    """How good the independent rates are in a pose."""
    _, nv, _, nu = compiled.sizes
    return independent_quality(compiled)(q, np.zeros(nv), np.zeros(nu), p)[0].item()


def chosen_rates(compiled: System, q: np.ndarray, p: np.ndarray, wanted: tuple[str, ...] = ()) -> tuple[Rate, ...]:
    """Independent rates for a pose: those wanted, the others by pivoting."""
    written = independent_slopes(compiled.root, wanted)
    found = written.functions["slopes"].function(q, 0, 0, p)
    C, S, masses = (np.asarray(x).reshape(-1, compiled.sizes[1]) for x in found)
    scaled = S / np.array(written.facts)[:, None]
    return formulations.independent_rates(machine_of(compiled), C, wanted, scaled, masses=masses.ravel())


def machine_of(compiled: System) -> Machine:
    """What the rates of a system are chosen among."""
    return formulations.Machine.of(compiled.mechanism.elements, compiled.home.size)
