"""Reactions that redundant constraints leave undetermined.

A state of self-stress is a set of joint forces that balance by themselves: Gᵀ λ₀ = 0 on every body. Components of a
joint's wrench that such a state changes cannot be known from the motion.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poinsot import formulations
from poinsot.blas import one_blas_thread
from poinsot.model.assembly.constraints import Constraints
from poinsot.model.assembly.mobility import coupled_size, generic_assembly, self_stresses
from poinsot.system.stored import stored_parts
from poinsot.system.system import System

TOLERANCE = 1e-7  # of the largest component of a self-stress, forces times the machine's size


@one_blas_thread()
def undetermined(compiled: System) -> dict[str, np.ndarray]:
    """Components (6,) of the wrench of every joint that are not determined; empty without redundant constraints."""
    if not compiled.outline.redundancy.groups:
        return {}
    joints = compiled.mechanism.template.joints
    return {name: np.array(parts, bool) for name, parts in _components(compiled).facts.items() if name in joints}


@one_blas_thread()
def undetermined_couplings(compiled: System) -> tuple[str, ...]:
    """Couplings whose forces redundant constraints leave undetermined."""
    if not compiled.outline.redundancy.groups:
        return ()
    facts = _components(compiled).facts
    return tuple(name for name, c in compiled.mechanism.template.couplings.items() if c.owner in facts)


@stored_parts
def _components(compiled: System) -> tuple[dict[str, Any], dict[str, list[bool]]]:
    symbols = compiled.equations.symbols
    elements = symbols.mechanism.elements
    constraints = Constraints(elements)
    away = generic_assembly(constraints, symbols.home)
    stresses = self_stresses(constraints, away)  # (m, r)
    found = {}
    for name, joint in elements.joints.items():
        rows = [i for i, row in enumerate(constraints.rows) if row.joint == name]
        if rows:
            X_FM = joint.relative(away.poses[joint.a.body], away.poses[joint.b.body])
            G = np.asarray(formulations.constraint_map_at(joint, X_FM, constraints.kept(name)))
            wrench = np.abs(G.T @ stresses[rows]) * np.repeat([away.size, 1.0], 3)[:, None]
            found[name] = np.max(wrench, axis=1, initial=0.0)
    for coupling in elements.couplings.values():
        own = [i for i, row in enumerate(constraints.rows) if row.joint == coupling.owner]
        found[coupling.owner] = np.max(np.abs(stresses[own]) * coupled_size(coupling, away.size), axis=1, initial=0.0)
    largest = max((x.max() for x in found.values()), default=0.0)
    hit = {name: size > TOLERANCE * largest for name, size in found.items()}
    return {}, {name: parts.tolist() for name, parts in hit.items() if np.any(parts)}
