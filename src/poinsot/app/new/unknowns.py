"""What a first study asks for: masses and friction that the motion determines with the noise of the sensors.

Parameters are left out one after the other, the worst first, until each of the others has a relative standard error
below that from which `determinable` calls it poor; the last one stays, with its error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

import poinsot
from poinsot.app.new.machine import NewMachine
from poinsot.app.new.motions import NewMotions
from poinsot.errors import PoinsotError
from poinsot.identifiability.determinable import POOR, Determination, Verdict, judge
from poinsot.identifiability.model_parameters import in_model_parameters

ENDS = ("mass", "viscous", "coulomb")  # of the parameters that a first study asks for


@dataclass(frozen=True)
class FirstUnknowns:
    """Parameters that a study asks for, and those that it leaves out with the reason."""

    names: tuple[str, ...]
    left: Mapping[str, str] = field(default_factory=dict)  # reason by parameter
    poor: str = ""  # why even the best of them is told poorly, where it is

    @property
    def masses(self) -> tuple[str, ...]:
        """The masses among those that are asked for."""
        return tuple(name for name in self.names if name.rpartition(".")[2] == "mass")


def candidates_of(machine: NewMachine) -> tuple[str, ...]:
    """Masses and friction of the model file."""
    return tuple(name for name in machine.mechanism.parameters if name.rpartition(".")[2] in ENDS)


def asked_of(machine: NewMachine, motions: NewMotions) -> FirstUnknowns:
    """Masses and friction that forces along the first motion determine."""
    names, left = candidates_of(machine), {}
    noise = force_noise(machine)
    given = {name: (motions.t, s) for name, s in motions.first.items()}
    try:
        W = poinsot.regressor(machine.mechanism, given, motions.t)
        while names:
            found = judge(in_model_parameters(W, names), noise if all(noise.values()) else None)
            if not (worst := _worst(found)):
                return FirstUnknowns(names, left)
            if len(names) == 1:
                return FirstUnknowns(names, left, _reason(found, worst))
            left[worst] = _reason(found, worst)
            names = tuple(name for name in names if name != worst)
    except PoinsotError:  # a parameter that stands in the geometry too
        pass
    return FirstUnknowns(candidates_of(machine))


def force_noise(machine: NewMachine) -> dict[str, float]:
    """Standard deviation of a sample of every actuator's force  [N or N·m]."""
    sensors = machine.mechanism.sensors.values()
    return {s.actuator: float(s.spread("noise")[0]) for s in sensors if s.actuator}


def _worst(found: Determination) -> str:
    """The parameter that is told worst: of those that only combinations tell, the one of the least effect."""
    effects = np.linalg.norm(found.matrix, axis=0) * np.abs([f.value for f in found.findings])
    together = [k for k, f in enumerate(found.findings) if f.verdict is Verdict.UNDETERMINED]
    if together:
        return found.findings[min(together, key=lambda k: effects[k])].name
    poor = [f for f in found.findings if f.verdict is Verdict.POOR]
    return max(poor, key=lambda f: f.relative).name if poor else ""


def _reason(found: Determination, name: str) -> str:
    one = found[name]
    if one.verdict is Verdict.POOR and np.isfinite(one.relative):
        return f"± {100 * one.relative:.2g} % along motion.csv, more than {100 * POOR:.0f} %"
    if one.verdict is Verdict.POOR:
        return f"0 in the model, and ± {one.deviation:.2g} {one.unit} along motion.csv"
    return "told only together with others" if one.instead else "no effect on the forces along motion.csv"
