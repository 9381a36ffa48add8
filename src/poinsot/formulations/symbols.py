"""Parameters as symbols: which stay free in the equations, and which are folded in as numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from poinsot.formulations.tree import spanning_tree
from poinsot.lazy import casadi
from poinsot.model.assembly.assembly import Assembly, assemble
from poinsot.model.assembly.mobility import Redundancy, redundancy
from poinsot.model.mechanism import Mechanism
from poinsot.model.parts import Elements

FREE_ROLES = ("inertia", "force", "gravity")


@dataclass(frozen=True)
class Symbols:
    """A mechanism with symbols for its free parameters."""

    mechanism: Mechanism
    names: tuple[str, ...]  # of the free parameters
    p: Any  # SX (n, 1)
    elements: Elements  # with the symbols in it
    home: Assembly  # where springs that are clamped in their pose are relaxed

    @cached_property
    def redundancy(self) -> Redundancy:
        """Rows of the closing joints that share self-stresses."""
        elements = self.mechanism.elements
        closing = [joint.name for joint in spanning_tree(elements).closing]
        return redundancy(elements, self.home, [*closing, *(c.owner for c in elements.couplings.values())])

    def values(self, mechanism: Mechanism) -> np.ndarray:
        """Values (n,) of the free parameters of a mechanism of the same structure."""
        return np.array([mechanism.parameters[name].value for name in self.names])


def symbols(mechanism: Mechanism, free: tuple[str, ...] | None = None, home: Assembly | None = None) -> Symbols:
    """Choose the free parameters: those named, else every inertia, force constant and gravity that is not zero.

    A parameter that is zero by default costs operations when it is free; ask for it by name.
    """
    home = home or assemble(mechanism).require()
    free = default_free(mechanism) if free is None else free
    mechanism.parameters.require(free)
    p = casadi.SX.sym("p", len(free))
    elements = mechanism.resolved({name: p[i] for i, name in enumerate(free)})
    return Symbols(mechanism, free, p, _relaxed(elements, mechanism.elements, home), home)


def default_free(mechanism: Mechanism) -> tuple[str, ...]:
    """Parameters that stay symbols unless told otherwise."""
    return tuple(n for n, p in mechanism.parameters.items() if p.role in FREE_ROLES and p.value != 0)


def _relaxed(elements: Elements, numbers: Elements, home: Assembly) -> Elements:
    """Springs that are clamped in their pose get the rest position they have at home."""

    def rest(force: Any) -> Any:
        if not force.clamped:
            return force
        return force.relaxed_at(float(numbers.forces[force.name].on.value(home.poses, numbers.joints)))

    return replace(elements, forces={name: rest(force) for name, force in elements.forces.items()})
