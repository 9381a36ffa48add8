"""The same equations solved in another way: other independent rates, or an order of elimination that never fails."""

from __future__ import annotations

from poinsot.analysis.system import System

__all__ = ["UNSURE", "careful", "embedded_with"]

UNSURE = 1e-4  # check value below which the equations are solved again with care


def embedded_with(compiled: System, rates: tuple[int | str, ...]) -> System:
    """The system with other independent rates."""
    return _variant(compiled, rates, compiled.about.careful)


def careful(compiled: System) -> System:
    """The system solved in an order that is safe in every pose; itself if there is nothing to order."""
    return _variant(compiled, compiled.about.independent, True) if compiled.sizes[2] else compiled


def _variant(compiled: System, independent: tuple[int | str, ...], careful: bool) -> System:
    """A system with other choices, made once; all variants of a system share its equations."""
    if (independent, careful) == (compiled.about.independent, compiled.about.careful):
        return compiled
    root = compiled.root
    if (independent, careful) == (root.about.independent, root.about.careful):
        return root
    about = root.about.choosing(independent, careful)
    return root.made(("variant", independent, careful), lambda: System(about, root))
