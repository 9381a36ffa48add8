"""Equilibrium: the pose in which a mechanism rests.

    r(q, λ) = Q(q, 0, u) − C(q)ᵀ λ = 0,        Φ(q) = 0        (theory/dynamics, eq. 19)

Newton on both, with the stiffness K = −∂r/∂q N of `balance`. A pose is stable when K is positive on the motions that
the constraints leave.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.elements.coordinates import Coordinate
from poinsot.errors import PoinsotError, by_name, count_of
from poinsot.model.assembly.assembly import Assembly
from poinsot.model.assembly.turns import continued, turned_value
from poinsot.model.mechanism import Mechanism
from poinsot.model.state import GivenPose
from poinsot.results import Panel, Result
from poinsot.results.pictures import place_panels
from poinsot.results.words import quantities, settled
from poinsot.spatial.pose import Pose
from poinsot.statics.force_sizes import force_sizes, told_forces
from poinsot.statics.locked import locked_actuators
from poinsot.statics.point import CLOSED, Given, Point
from poinsot.statics.residual import balance
from poinsot.system.end_stops import require_between_stops
from poinsot.system.functions import displaced, poses_at, rates_and_inertias
from poinsot.system.given_state import given_pose
from poinsot.system.initial_state import state
from poinsot.system.scaled_rank import least_squares
from poinsot.system.system import System, start, system

TOLERANCE = 1e-11  # of the terms that are summed up in each generalised force
STEP = 0.3  # largest change of a coordinate in one step  [machine's size or rad]
ZERO = 1e-12  # of what is summed up in xᵀKx, below which it is round-off


@dataclass(frozen=True, eq=False)
class Equilibrium(Result):
    """A pose in which a mechanism rests."""

    poses: dict[str, Pose]  # X_WB of every body
    coordinates: dict[str, float]  # coordinates that the model file names  [m or rad]
    forces: dict[str, float]  # by actuator, as given, or what a locked one bears  [N or N·m]
    multipliers: np.ndarray  # (m,)
    residual: float  # largest generalised force that is left  [N or N·m]
    stiffness: (
        np.ndarray
    )  # eigenvalues of K on free motions (mobility,), by rates of the tree's joints; smallest first
    energy: float  # potential  [J]
    mechanism: Mechanism = field(repr=False)

    _extra = {"stable": "stable", "stability": "stability"}
    _columns = {
        "residual": ("residual", lambda one: [one.kind[0]]),
        "stiffness": ("stiffness", lambda one: [one.kind[1]] * len(one.stiffness)),
    }

    def panels(self) -> tuple[Panel, ...]:
        """Where the bodies are, what holds them, and the stiffness of the free motions."""
        return (*place_panels(self.poses), *self.traces(stiffness="stiffness", forces="actuator forces"))

    @property
    def kind(self) -> tuple[str, str]:
        """Units of generalised forces and stiffness: of one kind where all joints turn, or all slide."""
        joints = self.mechanism.joints.values()
        units = {coordinate.unit for joint in joints for coordinate in joint.coordinates} - {"-"}
        kinds = {"rad": ("N·m", "N·m/rad"), "m": ("N", "N/m")}
        return kinds[units.pop()] if len(units) == 1 else ("N or N·m", "N/m or N·m/rad")

    @property
    def stable(self) -> bool:
        """Whether the pose is a minimum of the potential energy."""
        return bool(np.all(self.stiffness > 0))

    @property
    def stability(self) -> str:
        """ "stable"; "neutral" where some free motions meet no stiffness and none a negative one; or "unstable"."""
        return "stable" if self.stable else "unstable" if bool(np.any(self.stiffness < 0)) else "neutral"

    def __str__(self) -> str:
        known, drives = self.mechanism.coordinates, self.mechanism.actuators
        named = quantities(self.coordinates, lambda name: known[name].unit)
        told, size = told_forces(self.mechanism, self.forces), force_sizes(self.mechanism, self.forces)
        forces = f", forces {quantities(told, lambda name: drives[name].unit)}" if self.forces else ""
        left = settled(self.residual, size.get(self.kind[0], min(size.values())))
        where = named if self.coordinates else "the assembled pose"
        return f"{self.stability} equilibrium at {where}{forces}, residual {left:.2g} {self.kind[0]}"


@one_blas_thread()
def equilibrium(
    mechanism: Mechanism,
    *,
    pose: GivenPose = None,
    forces: Mapping[str, float] | None = None,
    locked: str | Sequence[str] | None = (),
    formulation: str = "joint",
    iterations: int = 200,
) -> Equilibrium:
    """The pose, near a given one, in which gravity, springs, loads and given actuator forces balance.

    `mechanism`; `pose` by coordinate [m or rad] to start from; `forces` by actuator [N or N·m]; `formulation`
    in which it is found, in at most so many `iterations`.

    Actuators that are `locked`, as for `modes` but none by default, hold their coordinate where it is in the given
    pose, with whatever force that takes. An equilibrium beyond a rigid end stop is an error that names the stop.

    >>> import poinsot
    >>> rest = poinsot.equilibrium(poinsot.load("pendulum"), pose={"phi": 0.8})
    >>> abs(rest.coordinates["phi"]) < 1e-9, rest.stable
    (True, True)
    """
    where = given_pose(mechanism, pose, formulation) or None
    mechanism = mechanism.naming(*(where if isinstance(where, Mapping) else ()))
    begin = start(mechanism, where)
    compiled = system(mechanism, formulation)
    iterations = count_of(iterations, "iterations")
    u = compiled.forces(by_name(forces, "forces are", "{'A': 2.0}"))
    held = locked_actuators(mechanism.elements, locked)
    p = compiled.parameters(mechanism, begin.poses)
    q, _ = state(compiled, begin, p, None)
    functions = balance(compiled)
    rho = functions.rests(q, p)
    at = np.asarray(functions.forces(q, u, rho, p)[5]).ravel()[list(held)]
    point, angles = settle(compiled, q, Given(u, held, held, at, rho, p), begin, iterations)
    require_reach(mechanism, compiled, point, angles)
    return _result(mechanism, compiled, point, angles)


def settle(
    compiled: System, q: np.ndarray, given: Given, begin: Assembly, iterations: int = 200
) -> tuple[Point, dict[Coordinate, float]]:
    """From coordinates q (nq,), of an assembly, to a point at rest near them, and all angles there  [rad].

    Poses do not show turns, so angles go on from step to step.
    """
    functions, elements = balance(compiled), compiled.mechanism.elements
    named = (*elements.coordinates.values(), *(law.on for law in elements.forces.values()))
    parts = {part for on in named for part in on.parts if part.unit == "rad"}
    angles = {part: begin.value(part, elements.joints) for part in parts}
    for _ in range(iterations):
        point = Point(functions, q, given)
        angles = continued(angles, elements, poses_at(compiled, q, given.p))
        if point.settles(TOLERANCE):
            return point, angles
        q = _step(compiled, point)
    opened = f", and joints are open by {point.gap:.1e} of the machine's size or rad" if point.gap >= CLOSED else ""
    raise PoinsotError(
        f"no equilibrium was found near the given pose in {iterations} steps: a force of {point.residual:.1e} is left"
        + opened
    )


def require_reach(mechanism: Mechanism, compiled: System, point: Point, angles: Mapping[Coordinate, float]) -> None:
    """That a point at rest lies between the rigid end stops, whose forces are not among those that balance."""
    what = "the equilibrium near the given pose"
    require_between_stops(mechanism, compiled, point.q, point.given.p, angles, what=what)


def _step(compiled: System, point: Point) -> np.ndarray:
    """Towards the minimum of the energy: Newton with the curvature made positive, and a line search.

    Every free motion is measured by the terms in its force, displacements by their natural sizes.
    """
    sizes, B = point.functions.sizes.speeds, point.motions
    scale = np.where(point.terms > 0, 1 / np.sqrt(np.where(point.terms > 0, point.terms, 1.0)), 0.0)
    K = (point.free.T @ point.K @ point.free) * scale * scale[:, None]
    values, vectors = np.linalg.eigh((K + K.T) / 2)
    largest = np.max(np.abs(values), initial=1e-300)
    curvature = np.maximum(np.abs(values), max(1e-9 * largest, 1e-3 * point.imbalance))
    move = B @ (scale * (vectors @ ((vectors.T @ (scale * point.force)) / curvature)))
    if len(point.phi):
        rows = point.rows * sizes / point.row_sizes[:, None]
        move -= least_squares(rows, point.phi / point.row_sizes)
    move *= min(1.0, STEP / max(np.max(np.abs(move), initial=0.0), 1e-300))
    for _ in range(12):
        moved = displaced(compiled, point.q, sizes * move, point.given.p)
        if Point(point.functions, moved, point.given).error < 2 * point.error:
            return moved
        move = move / 2
    return moved


def _result(mechanism: Mechanism, compiled: System, point: Point, angles: Mapping[Coordinate, float]) -> Equilibrium:
    poses = poses_at(compiled, point.q, point.given.p)
    elements = mechanism.elements
    named = elements.coordinates.items()
    return Equilibrium(
        poses={name: poses[name] for name in elements.bodies},
        coordinates={name: turned_value(c, angles, poses, elements.joints) for name, c in named},
        forces=dict(zip(compiled.commands, point.u.tolist())),
        multipliers=point.lam,
        residual=point.residual,
        stiffness=_stiffness(point, _joint_motions(mechanism, poses, point) if len(point.free.T) else point.free),
        energy=point.energy,
        mechanism=mechanism,
    )


def _stiffness(point: Point, Z: np.ndarray) -> np.ndarray:
    """Eigenvalues (k,) of K on free motions Z (nv, k), 0.0 where they are round-off."""
    K = Z.T @ point.K @ Z
    values, vectors = np.linalg.eigh((K + K.T) / 2)
    x = np.abs(Z @ vectors)
    noise = ZERO * np.einsum("ij,ij->j", x, point.stiffness_terms @ x)
    return np.where(np.abs(values) <= noise, 0.0, values)


def _joint_motions(mechanism: Mechanism, poses: Mapping[str, Pose], point: Point) -> np.ndarray:
    """The free motions (nv, k) whose rates in the joints of the spanning tree are orthonormal, in any coordinates.

    Motions are known by the twists T of all bodies:  T B X = T_J Z_J.
    """
    compiled, joints = point.functions.compiled, system(mechanism, "joint")
    if compiled is joints:
        return np.linalg.qr(point.free)[0]
    p = joints.parameters(mechanism, poses)
    q = joints.reading.coordinates(poses, p[len(joints.free) :])
    there = Point(balance(joints), q, replace(point.given, p=p))
    Z = np.linalg.qr(there.free)[0]
    return point.free @ np.linalg.lstsq(_twists(compiled, point) @ point.free, _twists(joints, there) @ Z)[0]


def _twists(compiled: System, point: Point) -> np.ndarray:
    """Twists of all bodies per speed (6 b, nv), lengths by the machine's size."""
    found = rates_and_inertias.formula(compiled, ()).function(point.q, 0, 0, point.given.p)[1]
    T = np.asarray(found).reshape(found.shape)
    return T / np.resize([point.functions.sizes.machine] * 3 + [1.0] * 3, len(T))[:, None]
