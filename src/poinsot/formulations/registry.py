"""The formulations by name. Adding one is a line here, or, from outside:

    FORMULATIONS["euler XYZ"] = Formulation(lambda s: euler_equations(s, "XYZ"), lambda e: euler_reading(e, "XYZ"))

The modules that write equations are loaded when they are used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from poinsot import formulations
from poinsot.errors import PoinsotError, unknown

if TYPE_CHECKING:
    from poinsot.formulations.coordinates_of_poses import Reading
    from poinsot.formulations.equations import Equations
    from poinsot.formulations.symbols import Symbols
    from poinsot.model.parts import Elements


@dataclass(frozen=True)
class Formulation:
    """Coordinates in which any mechanism can be written."""

    equations: Callable[[Symbols], Equations]
    reading: Callable[[Elements], Reading]  # coordinates of given poses, in numbers

    @property
    def ours(self) -> bool:
        """Whether its code is Poinsot's own, which is part of the keys under which functions are kept on disk."""
        return getattr(self.equations, "__module__", "").startswith("poinsot.")


FORMULATIONS = {
    "joint": Formulation(lambda s: formulations.joint_equations(s), lambda e: formulations.tree_reading(e)),
    "euler": Formulation(lambda s: formulations.euler_equations(s), lambda e: formulations.euler_reading(e)),
    "rotation-matrix": Formulation(
        lambda s: formulations.matrix_equations(s), lambda e: formulations.matrix_reading(e)
    ),
    "embedded": Formulation(lambda s: formulations.joint_equations(s), lambda e: formulations.tree_reading(e)),
}


def formulation_of(name: str) -> Formulation:
    """The formulation of a name."""
    if not isinstance(name, str) or name not in FORMULATIONS:
        raise PoinsotError(unknown("formulation", name, FORMULATIONS))
    return FORMULATIONS[name]
