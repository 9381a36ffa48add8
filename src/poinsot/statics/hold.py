"""Forces that hold a mechanism at rest: inverse dynamics of a pose."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from poinsot.model.assembly.end_stops import passed_stops
from poinsot.model.mechanism import Mechanism, require_mechanism
from poinsot.model.state import GivenPose
from poinsot.motion.driven import require_count
from poinsot.motion.equations import SINGULAR, inverse_function
from poinsot.motion.inverse_dynamics import inverse_dynamics, require_actuators, require_hold
from poinsot.motion.signals import MotionTable
from poinsot.results import Result
from poinsot.results.words import quantities
from poinsot.statics.force_sizes import told_forces
from poinsot.system.given_state import given_pose
from poinsot.system.open_spins import open_spins
from poinsot.system.system import start, system
from poinsot.system.variants import solved_with_care


@dataclass(frozen=True, eq=False)
class Holding(Result, Mapping[str, float]):
    """Actuator forces that hold a pose, by name."""

    forces: dict[str, float]  # by actuator  [N or N·m]
    mechanism: Mechanism = field(repr=False)

    _plot = {"forces": "actuator forces"}

    def __str__(self) -> str:
        forces = told_forces(self.mechanism, self.forces)
        told = quantities(forces, lambda name: self.mechanism.actuators[name].unit)
        said = {name: self.mechanism.actuators[name].excess(force) for name, force in self.forces.items()}
        beyond = [f"'{name}': {text}" for name, text in said.items() if text]
        held = f"{self.mechanism.name} is held by {told if self.forces else 'nothing: it has no actuators'}"
        return "; ".join([held, *beyond])

    def __getitem__(self, actuator: str) -> float:
        return self.forces[actuator]

    def __iter__(self) -> Iterator[str]:
        return iter(self.forces)

    def __len__(self) -> int:
        return len(self.forces)


def hold(mechanism: Mechanism, pose: GivenPose = None) -> Holding:
    """Actuator forces [N or N·m] that hold a mechanism at rest in a pose of all its freedoms, in a state, or, where
    none is given, in its own pose.

    >>> import poinsot
    >>> round(poinsot.hold(poinsot.load("hexapod"))["leg1"], 6)
    8.510397
    """
    given = given_pose(mechanism, pose)
    compiled = system(require_mechanism(mechanism))
    if given is None and len(mechanism.elements.pose) < compiled.outline.mobility:
        given = start(mechanism, None)
        for said in passed_stops(mechanism, given, {}):
            warnings.warn(f"the pose of the model file is beyond {said}", stacklevel=2)
    if given is None or isinstance(given, Mapping):
        named = dict(mechanism.elements.pose) if given is None else dict(given)
        if open_spins(mechanism.naming(*named), named) is None:
            require_count(compiled, tuple(named))
        found = inverse_dynamics(mechanism, MotionTable(named), [0.0]).forces
        return Holding({name: float(force[0]) for name, force in found.items()}, mechanism)
    require_actuators(compiled)
    compiled = system(mechanism, home=given)
    p, still = compiled.parameters(mechanism, given.poses), np.zeros((1, compiled.sizes[1]))
    at = compiled.coordinates(given, p)[None], still, still, np.ones(len(compiled.commands)), p
    u, _, check, _ = solved_with_care(compiled, inverse_function, *at, check=2, least=SINGULAR)
    require_hold(compiled, np.zeros(1), check)
    return Holding(dict(zip(compiled.commands, u[0].tolist())), mechanism)
