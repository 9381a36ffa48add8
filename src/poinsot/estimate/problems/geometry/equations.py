"""Equations of geometric calibration: loops Φ(q, p) and readings h(q, p) of a configuration, with their derivatives.

ℓ = λᵀΦ − sᵀh ,    ∂²ℓ/∂δ² and ∂²ℓ/∂δ∂p along steps δ of the configuration        (theory/search, eq. 40)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from poinsot import formulations
from poinsot.lazy import casadi
from poinsot.recording.sense import sense_of
from poinsot.spatial.pose import Pose
from poinsot.system.stored import stored, stored_parts

if TYPE_CHECKING:
    from poinsot.system.system import System


@dataclass(frozen=True)
class PoseReadings:
    """c readings of a mechanism, and the K unknowns that they are to tell."""

    places: tuple[str, ...]  # c coordinates or encoders
    unknowns: tuple[str, ...]  # parameters of the model file
    offsets: tuple[int, ...] = ()  # readings whose offset is an unknown
    gains: tuple[int, ...] = ()  # readings whose gain is an unknown


@stored
def pose_function(compiled: System, readings: PoseReadings) -> casadi.Function:
    """(q, p, o) -> Φ, C, h, H; o are the offsets, then the gains."""
    e, o = compiled.equations, _terms(readings)
    phi, h = e.kinematics.phi, _readings(compiled, readings, o)
    outputs = [phi, casadi.jacobian(phi, e.q) @ e.N, h, casadi.jacobian(h, e.q) @ e.N]
    return casadi.Function("pose", [e.q, e.p, o], [casadi.densify(x) for x in outputs])


@stored
def slope_function(compiled: System, readings: PoseReadings) -> casadi.Function:
    """(q, λ, s, p, o) -> ∂Φ/∂p, ∂h/∂p (…, K), ∂²ℓ/∂δ² (nv, nv), ∂²ℓ/∂δ∂p (nv, K)."""
    e, o = compiled.equations, _terms(readings)
    phi, h = e.kinematics.phi, _readings(compiled, readings, o)
    lam, s, step = (casadi.SX.sym(n, k) for n, k in (("l", phi.size1()), ("s", h.size1()), ("d", e.v.size1())))
    moved = formulations.unit_quaternions(e, e.q + casadi.substitute(e.kinematics.q_dot, e.v, step))
    there = casadi.substitute(casadi.dot(lam, phi) - casadi.dot(s, h), e.q, moved)
    slope, none = casadi.gradient(there, step), casadi.SX.zeros(step.shape)
    outputs = [
        _by_unknowns(compiled, readings, phi, o),
        _by_unknowns(compiled, readings, h, o),
        casadi.substitute(casadi.jacobian(slope, step), step, none),
        casadi.substitute(_by_unknowns(compiled, readings, slope, o), step, none),
    ]
    return casadi.Function("slopes", [e.q, lam, s, e.p, o], [casadi.densify(x) for x in outputs])


@stored_parts
def read_directly(compiled: System, readings: PoseReadings) -> tuple[dict[str, casadi.Function], list[int]]:
    """In how many readings each parameter stands by itself, whatever the poses of the bodies: frames in many."""
    elements = compiled.elements
    poses = {n: Pose(casadi.SX.sym("R", 3, 3), casadi.SX.sym("p", 3)) for n in compiled.equations.kinematics.poses}
    laws = [_law(compiled, place) for place in readings.places]
    values = casadi.vertcat(*(casadi.SX(on.value(poses, elements.joints) + offset) for on, offset in laws))
    pattern = _by_unknowns(
        compiled, PoseReadings(readings.places, readings.unknowns), values, casadi.SX(0, 1)
    ).sparsity()
    columns = pattern.get_triplet()[1]
    return {}, [columns.count(k) for k in range(len(readings.unknowns))]


def _law(compiled: System, place: str) -> tuple[Any, Any]:
    """The coordinate that is read at a place, and the offset that the model file gives."""
    elements = compiled.elements
    if elements.is_coordinate(place):
        return elements.coordinates[place], 0.0
    return elements.sensors[place].on, getattr(elements.sensors[place], "offset", 0.0)


def _terms(readings: PoseReadings) -> casadi.SX:
    return casadi.SX.sym("o", len(readings.offsets) + len(readings.gains))


def _readings(compiled: System, readings: PoseReadings, o: casadi.SX) -> casadi.SX:
    """h (c, 1): coordinates and what encoders read of them, y = (1 + g) s + o."""
    e = compiled.equations
    sense = sense_of(compiled, casadi.SX.sym("a", e.v.size1()), casadi.SX.sym("F", 6 * len(compiled.elements.joints)))
    found = []
    for k, place in enumerate(readings.places):
        known = compiled.elements.is_coordinate(place)
        s = casadi.SX(compiled.coordinate(place)[0] if known else compiled.elements.sensors[place].readings(sense)[0])
        if k in readings.gains:
            s = s * (1 + o[len(readings.offsets) + readings.gains.index(k)])
        found.append(s + o[readings.offsets.index(k)] if k in readings.offsets else s)
    return casadi.vertcat(*found)


def _by_unknowns(compiled: System, readings: PoseReadings, x: casadi.SX, o: casadi.SX) -> casadi.SX:
    """∂x/∂p (…, K) by parameters of the model file, then by offsets and gains."""
    columns = [compiled.free.index(name) for name in readings.unknowns]
    return casadi.horzcat(casadi.jacobian(x, compiled.equations.p)[:, columns], casadi.jacobian(x, o))
