"""Inverse dynamics: the forces that a prescribed motion needs, and what every joint has to bear.

M v̇ + Cᵀλ = Q₀ + B u          solved for u and λ; with more actuators than freedoms, uᵀ W u is least:
(B W⁻¹ Bᵀ) y − Cᵀλ = M v̇ − Q₀,    C y = 0,    u = W⁻¹ Bᵀ y        (theory/dynamics, eq. 13)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from poinsot.errors import MotionError, PoinsotError, by_name, counted, listing, one_or_more_names, unknown
from poinsot.model.assembly.degrees import ask_about_degrees
from poinsot.model.assembly.mobility import idle_spins, weightless_bodies
from poinsot.model.mechanism import Mechanism, require_mechanism
from poinsot.motion.counted_turns import first_turned, turned_error
from poinsot.motion.equations import SINGULAR, inverse_function
from poinsot.motion.kinematics import Kinematics, kinematics, spins_at_rest
from poinsot.motion.partial import completed, driven_along
from poinsot.motion.reactions import JointReactions, by_coupling, by_joint
from poinsot.motion.signals import GivenMotion, as_motion, own_times
from poinsot.motion.undetermined import undetermined, undetermined_couplings
from poinsot.spatial.algebra import Numbers
from poinsot.system.conditioning import conditioning, freest
from poinsot.system.functions import poses_at
from poinsot.system.open_spins import OpenSpins, open_spins
from poinsot.system.system import System, system
from poinsot.system.variants import solved_with_care

Kept = tuple[Mechanism, Mapping[str, Any], str]  # with drives of the spins, their motions too, and what is assumed
DRIVES = ("actuators", "motion")  # what gives the forces: the machine's, or ideal drives along the motion
UNEVEN = 1e-6  # moment about a body's own line, of those that act on it, from which it would begin to spin
SINGULAR_POSE = 1e-10  # the same of a pose that is passed: reactions grow without bound there


@dataclass(frozen=True, eq=False)
class InverseDynamics(JointReactions):
    """Forces along a motion: n times."""

    t: np.ndarray  # (n,)  [s]
    forces: dict[str, np.ndarray]  # by actuator (n,)  [N or N·m]
    power: dict[str, np.ndarray]  # by actuator (n,)  [W]
    reactions: dict[str, np.ndarray]  # by joint, (f, m) on its second body (n, 6), NaN where open  [N, N·m]
    coupling_forces: dict[str, np.ndarray]  # on each coordinate of a coupling, "gear.out" (n,)  [N or N·m]
    multipliers: np.ndarray  # (n, m)
    check: np.ndarray  # (n,) check value: 1 is perfect, 0 where the actuators lose hold of the mechanism
    kinematics: Kinematics
    mechanism: Mechanism = field(repr=False)

    _over, _plot = ("t", "t"), {"forces": "actuator forces", "power": "power"}

    @cached_property
    def body_forces(self) -> dict[str, np.ndarray]:
        """By body, Q_e − M q̈: gravity less what its motion needs (n, 6), computed when first asked for  [N, N·m].

        Forces in world axes, moments about the centre of mass in the body's.
        """
        found, moving = {}, self.kinematics
        gravity = np.asarray(self.mechanism.gravity, float)
        for name, body in self.mechanism.bodies.items():
            R, w, alpha = moving.rotation[name], moving.angular_velocity[name], moving.angular_acceleration[name]
            arm = R @ np.asarray(body.com, float)
            acceleration = moving.acceleration[name] + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
            J = np.asarray(body.inertia_about_centre(), float)
            w_B, alpha_B = (np.einsum("nji,nj->ni", R, x) for x in (w, alpha))
            moment = alpha_B @ J + np.cross(w_B, w_B @ J)
            found[name] = np.concatenate([body.mass * (gravity - acceleration), -moment], axis=1)
        return found

    def of(self, mechanism: Mechanism) -> InverseDynamics:
        """The same with the actuators of a mechanism alone: drives that were added and give nothing are left out."""
        own = mechanism.actuators
        forces, power = ({n: x for n, x in table.items() if n in own} for table in (self.forces, self.power))
        return replace(self, forces=forces, power=power, mechanism=mechanism)

    @property
    def position(self) -> dict[str, np.ndarray]:
        """By body, origin in the world (n, 3)  [m]."""
        return self.kinematics.position

    @property
    def rotation(self) -> dict[str, np.ndarray]:
        """By body, R_WB (n, 3, 3)."""
        return self.kinematics.rotation

    def __str__(self) -> str:
        lines = [f"{counted(len(self.t), 'sample')} from {self.t[0]:g} to {self.t[-1]:g} s"]
        for name, force in self.forces.items():
            power = np.abs(self.power[name]).max()
            drive = self.mechanism.actuators[name]
            said = f"  {name}  {force.min():.6g} … {force.max():.6g} {drive.unit}, at most {power:.4g} W"
            lines.append("; ".join(part for part in (said, drive.excess(force)) if part))
        return "\n".join([*lines, *(f"  {note}" for note in self.kinematics.notes)])


def inverse_dynamics(
    mechanism: Mechanism,
    motion: GivenMotion,
    t: Numbers | None = None,
    *,
    weights: Mapping[str, float] | None = None,
    drives: str = "actuators",
    free: Sequence[str] | str = (),
    pose: Mapping[str, float] | None = None,
    velocity: Mapping[str, float] | None = None,
    formulation: str = "joint",
) -> InverseDynamics:
    """Actuator forces, reactions of every joint, forces of couplings and powers along a prescribed motion.

    `mechanism`, `motion`, `t` (n,) [s] and `formulation` as for `kinematics`.

    With more actuators than freedoms the forces of least weighted square sum are taken; `weights` by actuator. With
    fewer, `drives="motion"` gives the forces that drives along the prescribed coordinates themselves would need,
    instead of the actuators'; or coordinates are left `free`: they follow from the equations of motion, starting at
    their values in `pose` [m or rad] (default: the file's) with rates `velocity` (default: at rest), while the
    actuators move the prescribed ones. Spins of bodies about lines of their own, such as rods between two balls, need
    no mention: there is none, or as it must be where the mass of a body is not symmetric; the result has a note.

    Reactions are those on the joint's second body, about its frame there and in the joint's own axes: those of
    that frame, turned so that z is the joint's axis (docs/theory/joints.md); `reaction` gives them otherwise. A
    reaction sensor reads the same with `side = "b"`; by default it reads them in the joint's frame on the first body.

    >>> import poinsot
    >>> d = poinsot.inverse_dynamics(poinsot.load("four_bar"), {"theta1": lambda t: 1 + 2 * t}, [0.0, 0.1])
    >>> sorted(d.forces)
    ['A']
    """
    motion = as_motion(motion, require_mechanism(mechanism), t)
    t = own_times(motion) if t is None else t
    weights, free = by_name(weights, "weights are", "{'A': 2.0}"), one_or_more_names(free, "free coordinates")
    if not isinstance(drives, str) or drives not in DRIVES:
        raise PoinsotError(unknown("choice of drives", str(drives), DRIVES))
    begin = by_name(pose, "a pose is", "{'x': 0.1}"), by_name(velocity, "rates are", "{'x': 0.1}")
    if free:
        ask_about_degrees(mechanism, begin[0])
        mechanism = mechanism.naming(*motion, *free)
        whole = completed(mechanism, motion, t, free, *begin, formulation)
        found = inverse_dynamics(driven_along(mechanism, free, keep=True), whole, t, formulation=formulation)
        return found.of(mechanism)
    if any(begin):
        raise PoinsotError("pose and velocity are those of free coordinates: name these as free")
    if drives == "motion":
        mechanism = driven_along(mechanism.naming(*motion), tuple(motion))
    spins = open_spins(mechanism.naming(*motion), motion)
    if spins and len(mechanism.actuators) >= len(motion):
        return _with_spins(mechanism, spins, motion, t, weights, formulation)
    require_actuators(system(mechanism, formulation))
    try:
        moving = kinematics(mechanism, motion, t, formulation=formulation)
    except MotionError as error:
        error.partial = None if error.partial is None else _forces(mechanism, error.partial, weights)
        raise
    return _forces(mechanism, moving, weights)


def _with_spins(
    mechanism: Mechanism, spins: OpenSpins, motion: Mapping[str, Any], t: Numbers, weights: Any, formulation: str
) -> InverseDynamics:
    """Forces along a motion that leaves bodies to spin about lines of their own, which nothing drives.

    They do not spin if that takes no moment about these lines; otherwise they spin as they must, from rest.
    """
    whole = driven_along(spins.mechanism, tuple(spins.names.values()), keep=True)
    still = spins_at_rest(spins, motion, t, formulation)
    found = inverse_dynamics(whole, {**motion, **still}, t, weights=weights, formulation=formulation)
    size = found.kinematics.path.system.home.size
    for body, name in spins.names.items():
        acting = np.linalg.norm(found.body_forces[body] * ([size] * 3 + [1.0] * 3), axis=1)
        if np.max(np.abs(found.forces[f"free {name}"])) > UNEVEN * np.max(acting):
            spins = replace(spins, free=True)
    if spins.free:
        begin = {name: float(signal.rate[0]) for name, signal in still.items()}
        moving = completed(spins.mechanism, motion, t, tuple(begin), spins.held, begin, formulation)
        found = inverse_dynamics(whole, moving, t, weights=weights, formulation=formulation)
    return replace(found.of(mechanism), kinematics=found.kinematics.of(mechanism, spins))


def with_kept_spins(mechanism: Mechanism, motion: Mapping[str, Any], t: Numbers) -> Kept | None:
    """The mechanism and the motion with spins of bodies about lines of their own kept from it, by ideal drives that
    take no moment; None where the motion leaves none, where more is open, or where a body would begin to spin.
    """
    spins = open_spins(mechanism.naming(*motion), motion)
    if spins is None or len(mechanism.actuators) < len(motion):
        return None
    if inverse_dynamics(mechanism, motion, t).kinematics.spins.free:  # type: ignore[union-attr]
        return None
    whole = driven_along(spins.mechanism, tuple(spins.names.values()), keep=True)
    return whole, {**motion, **spins_at_rest(spins, motion, t)}, spins.told


def forces_along(moving: Kinematics) -> InverseDynamics:
    """Actuator forces and reactions along a motion whose kinematics are known, as `inverse_dynamics` gives them."""
    require_actuators(moving.path.system)
    return _forces(moving.mechanism, moving, {})


def _forces(mechanism: Mechanism, moving: Kinematics, weights: Mapping[str, float]) -> InverseDynamics:
    """Forces along a motion; where the actuators lose hold of the mechanism, an error with those up to there."""
    path, weight = moving.path, actuator_weights(moving.path.system, weights)
    given = {name: float(s[0]) for name, s in moving.coordinates.items()}
    if turned := first_turned(path, moving.mechanism, given):
        before = _forces(mechanism, moving.first(turned[0]), weights) if turned[0] else None
        raise turned_error(path, *turned, before)
    states = path.q, path.v, path.a, weight, path.p
    found = solved_with_care(path.system, inverse_function, *states, check=2, least=SINGULAR)
    held = (found[2].ravel() > SINGULAR) & (path.check > SINGULAR_POSE)
    if held.all():
        return _result(mechanism, moving, len(path.t), *found)
    at = int(np.argmin(held))
    on = {name: actuator.on for name, actuator in mechanism.actuators.items()}
    weak = conditioning(path.system, poses_at(path.system, path.q[at], path.constants(at)), on)
    raise MotionError(
        f"at t = {path.t[at]:g} s the actuators ({', '.join(path.system.commands)}) do not hold the mechanism: "
        f"it is under-actuated, or in a singular pose ({weak})",
        t=float(path.t[at]),
        joint=weak.name,
        condition=weak.condition,
        partial=_result(mechanism, moving, at, *found) if at else None,
    )


def require_actuators(compiled: System) -> None:
    """There must be at least as many actuators as the mechanism has freedoms."""
    _, n, m, actuators = compiled.sizes
    if actuators < n - m:
        on = {name: actuator.on for name, actuator in compiled.mechanism.actuators.items()}
        loose, names = freest(compiled, compiled.home.poses, on)
        raise PoinsotError(
            f"{compiled.mechanism.name} has mobility {n - m} and {counted(actuators, 'actuator')} "
            f"({listing(compiled.commands)}): it is under-actuated, no forces of its own give a prescribed motion; "
            f"with the actuators locked {loose} can still move, condition number inf; {_instead(compiled, names)}"
        )


def _instead(compiled: System, names: Sequence[str]) -> str:
    """What can be asked of an under-actuated machine, in which coordinates of some names may be left free."""
    elements, home = compiled.mechanism.elements, compiled.home
    spins = idle_spins(elements, home)
    light = set(weightless_bodies(elements, home)) & set(spins)
    example = f", here {listing(names)}" if names and not light else ""
    said = [
        f"`poinsot inverse --free NAME`, in Python free=…, lets coordinates follow the equations of motion{example}",
        "`--drives motion`, in Python drives='motion', gives forces along the prescribed coordinates",
    ]
    if spins:
        idle = listing(f"'{body}' in {listing(joints)}" for body, joints in spins.items())
        said.insert(0, f"spins by itself and moves nothing else: {idle}; a universal joint at one end prevents it")
    if light:
        said.insert(1, f"left free it needs an inertia about its axis: {listing(light)}")
    return "; ".join(said)


def require_hold(compiled: System, t: np.ndarray, check: np.ndarray) -> None:
    """The actuators must hold the mechanism at every time: check values (n, 1) away from zero."""
    if np.any(~(check > SINGULAR)):
        at = int(np.argmin(np.where(np.isfinite(check), check, -1)))
        raise PoinsotError(
            f"at t = {t[at]:g} s the actuators ({', '.join(compiled.commands)}) do not hold the mechanism: "
            "it is under-actuated, or in a singular pose"
        )


def actuator_weights(compiled: System, weights: Mapping[str, float]) -> np.ndarray:
    """Weights (nu,) of the actuators' squared forces, 1 where none is given."""
    weights = by_name(weights, "weights are", "{'A': 2.0}")
    for name, weight in weights.items():
        if name not in compiled.commands:
            raise PoinsotError(unknown("actuator", name, compiled.commands))
        if not isinstance(weight, Real) or not weight > 0:
            raise PoinsotError(f"the weight of actuator '{name}' must be positive, not {weight}")
    return np.array([float(weights.get(name, 1.0)) for name in compiled.commands])


def _result(
    mechanism: Mechanism,
    moving: Kinematics,
    n: int,
    u: np.ndarray,
    lam: np.ndarray,
    check: np.ndarray,
    flat: np.ndarray,
) -> InverseDynamics:
    """The first n samples."""
    moving, compiled = moving.first(n), moving.path.system
    u, flat, names = u[:n], flat[:n], list(compiled.mechanism.template.joints)
    forces = 6 * len(names) + len(mechanism.elements.couplings)
    rates = flat[:, forces:]
    return InverseDynamics(
        t=moving.t,
        forces={name: u[:, k] for k, name in enumerate(compiled.commands)},
        power={name: u[:, k] * rates[:, k] for k, name in enumerate(compiled.commands)},
        reactions=by_joint(flat, names, undetermined(compiled)),
        coupling_forces=by_coupling(flat[:, 6 * len(names) : forces], mechanism, undetermined_couplings(compiled)),
        multipliers=lam[:n],
        check=check.ravel()[:n],
        kinematics=moving,
        mechanism=mechanism,
    )
