"""What is watched along a motion: events of the user, coordinates that become poor, end stops."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from poinsot import formulations
from poinsot.formulations.coordinates_of_poses import COMBINATIONS
from poinsot.lazy import casadi
from poinsot.motion.counted_turns import turned, turned_text, turning

if TYPE_CHECKING:
    from poinsot.system.system import System

Watched = tuple[tuple[str, str, float], ...]  # events of the user: name, coordinate, the value that it crosses
MUCH_BETTER = 300.0  # times the limit of combinations, 30 times what they were: others are chosen, with another limit
AMBIGUOUS = 0.955  # cos 0.3: so near to half a turn a spring about an angle read off a pose may jump by a turn


class Ending(StrEnum):
    """How the integration of one motion ended."""

    FINISHED = ""
    STOPPED = "an event ends the motion"
    POOR = "the coordinates are poor"
    COLLAPSED = "the step became too small"
    EXHAUSTED = "there were too many steps"
    INTERRUPTED = "it was interrupted"


@dataclass(frozen=True, eq=False)
class Event:
    """What is watched along a motion."""

    name: str
    ending: Ending  # FINISHED if it does not end the motion
    why: str  # in which case this says why


def watched_events(compiled: System, events: Watched, counts: casadi.SX) -> list[tuple[Event, casadi.SX]]:
    """Every event with the expression whose sign changes there; counts are those of turning angles."""
    found, angles = [], turning(compiled)
    for name, on, value in events:  # crossings of named coordinates, beyond a turn if they are angles
        s = compiled.coordinate(on)[0]
        s = turned(s, counts[angles.index(on)]) if on in angles else s
        found.append((Event(name, Ending.FINISHED, ""), s - value))
    return [*found, *_quality_events(compiled), *_force_events(compiled), *_coupling_events(compiled)]


def _quality_events(compiled: System) -> list[tuple[Event, casadi.SX]]:
    """Where coordinates become poor, or combinations of redundant constraints so good that their limit is too low."""
    found = [(Event("", Ending.POOR, name), q - 1) for name, q in compiled.dynamics.qualities.items()]
    if compiled.equations.kinematics.combined is not None:
        better = compiled.dynamics.system.check - MUCH_BETTER * compiled.equations.kinematics.limit
        found.append((Event("", Ending.POOR, COMBINATIONS), better))
    return found


def _force_events(compiled: System) -> list[tuple[Event, casadi.SX]]:
    """Rigid end stops, and springs about angles that are no longer unambiguous."""
    found = []
    for name, force in compiled.elements.forces.items():
        s, _ = compiled.along(force.on)
        read = formulations.angles_read(force.on, compiled.equations.kinematics.direct)
        wound = formulations.winds(force, compiled.equations.kinematics.direct)
        if (gap := force.clearance(force.centre + formulations.turn(s - force.centre) if wound else s)) is not None:
            why = f"the {force.kind.replace('-', ' ')} '{name}' was reached"
            found.append((Event(name, Ending.STOPPED, why), gap))
        for k, part in enumerate(read if force.positional else ()):
            why = turned_text(compiled, name)
            beyond = casadi.cos(compiled.along(part)[0] - (force.centre if wound else 0.0)) + AMBIGUOUS
            found.append((Event(f"{name} turned{k or ''}", Ending.STOPPED, why), beyond))
    return found


def _coupling_events(compiled: System) -> list[tuple[Event, casadi.SX]]:
    """Couplings that no teeth have: they jump by 2π w where an angle that is read off a pose does."""
    found = []
    for name, coupling in compiled.elements.couplings.items():
        on = coupling.on
        read = formulations.angles_read(on, compiled.equations.kinematics.direct)
        jumps = [casadi.pi * casadi.fabs(w) for part, w in zip(on.parts, on.factors) if part in read]
        if jumps and coupling.untold:
            near = casadi.mmin(casadi.vertcat(*jumps)) - casadi.fabs(coupling.residual(compiled.along(on)[0]))
            found.append((Event(f"{name} turned", Ending.STOPPED, turned_text(compiled, name)), near))
    return found
