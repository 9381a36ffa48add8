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
from poinsot.estimate.rows.runs import RunRows, filtered_as
from poinsot.estimate.study import Processing, Study, Unknown
from poinsot.identifiability.linear import force_name
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
    found = []
    for run in runs:
        states, channels = run.motion.states, run.regressor.channels
        rates = drive_rates(states.system)(states.q, states.v, states.p)[0].reshape(len(states.t), -1)
        order = list(states.system.elements.actuators)
        sigma = np.zeros((len(states.t), len(channels)))
        for term in terms:
            law, drive = loads[term.name]
            sigma[:, term.channel] = direction(rates[:, order.index(drive)], float(getattr(law, "smooth", 0.0)))
        found.append(replace(run, direction=filtered_as(run, sigma, processing)))
    return tuple(found)
