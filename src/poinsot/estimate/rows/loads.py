"""Load friction as an unknown: products of its coefficient and of all that a drive has to move.

u = w + μ |w| σ ,   w = W θ + y₀        linear about the last w, σ behind the filter   (theory/estimation, eq. 35)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

import numpy as np

from poinsot.elements.forces import Force
from poinsot.elements.forces.dry import direction
from poinsot.errors import PoinsotError
from poinsot.estimate.rows.channel_terms import ChannelTerm, LoadTerm
from poinsot.estimate.rows.drive_rates import drive_rates
from poinsot.estimate.rows.reversals import with_reversals
from poinsot.estimate.rows.runs import RunRows, filtered_as
from poinsot.estimate.study import Processing, Study, Unknown
from poinsot.identifiability.linear import force_name
from poinsot.identifiability.states import States
from poinsot.model.mechanism import Mechanism

Loads = dict[str, tuple[Force, str]]  # by the name of the coefficient: the law, and the actuator on which it acts


def loads_of(mechanism: Mechanism) -> Loads:
    """Coefficients of all laws that count by the force of a drive."""
    drives = {actuator.on: name for name, actuator in mechanism.elements.actuators.items()}
    return {
        force_name(mechanism.template.forces[name], field): (law, drives[law.on])
        for name, law in mechanism.elements.forces.items()
        for field in law.loaded
        if law.on in drives
    }


def is_load(one: Unknown, loads: Loads) -> bool:
    """Whether an unknown is such a coefficient, or a pattern of nothing else."""
    return any(fnmatchcase(name, one.name) and one.name.endswith(name.rsplit(".", 1)[-1]) for name in loads)


def load_terms(study: Study, loads: Loads, channels: Sequence[str]) -> tuple[ChannelTerm, ...]:
    """Terms of all coefficients that are looked for; others must be zero, or nothing that they touch is linear."""
    found: dict[str, ChannelTerm] = {}
    for name, (law, drive) in loads.items():
        asked = next((one for one in study.unknowns if is_load(one, loads) and fnmatchcase(name, one.name)), None)
        if asked is not None and drive in channels:
            found[name] = LoadTerm(channels.index(drive), replace(asked, name=name), "-")
        elif law.unloaded() != law:
            raise PoinsotError(
                f"the {law.kind} '{law.name}' counts by the force of '{drive}': make '{name}' an unknown, with a "
                "prior if it is known, and measure that force"
            )
    if found and study.against:
        raise PoinsotError(f"the difference of two runs is not linear with load friction: {', '.join(found)}")
    return tuple(found.values())


def with_directions(
    runs: Sequence[RunRows], loads: Loads, terms: Sequence[ChannelTerm], processing: Processing
) -> tuple[RunRows, ...]:
    """Runs with the directions in which drives with load friction move."""
    if not terms:
        return tuple(runs)
    return tuple(replace(run, direction=_direction(run, loads, terms, processing)) for run in runs)


def _direction(run: RunRows, loads: Loads, terms: Sequence[ChannelTerm], processing: Processing) -> np.ndarray:
    """σ (n, c) behind the filter of a run."""
    states, c = run.motion.states, len(run.regressor.channels)
    order = list(states.system.elements.actuators)
    laws = [(term.channel, order.index(loads[term.name][1]), loads[term.name][0]) for term in terms]

    def rates(s: States) -> np.ndarray:
        return drive_rates(s.system)(s.q, s.v, s.p)[0].reshape(len(s.t), -1)

    def sigma(s: States) -> np.ndarray:
        found, s_dot = np.zeros((len(s.t), c)), rates(s)
        for channel, drive, law in laws:
            found[:, channel] = direction(s_dot[:, drive], float(getattr(law, "smooth", 0.0)))
        return found

    return filtered_as(run, with_reversals(sigma(states), states, run.motion.every, rates(states), sigma), processing)
