"""Equations of places: how far a point, a turn or a coordinate moves per displacement, and how that changes.

    ρ = wᵀ ∂s/∂x        s = position, w a direction;  s = columns of R, w = ½ e × R;  s = a coordinate, w = 1

A row changes along (δq, δp) of the pose at rest and the parameters, by automatic differentiation of ρ itself
(theory/vibration, eq. 14).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from poinsot.elements import GROUND
from poinsot.elements.frame import Frame
from poinsot.formulations.elastic.beam_elements import symbolic_mesh
from poinsot.formulations.elastic.increments import moved, pose_of
from poinsot.lazy import casadi
from poinsot.results import DISPLACEMENT
from poinsot.spatial.algebra import skew
from poinsot.spatial.pose import Pose
from poinsot.statics.residual import balance
from poinsot.store import Bounded
from poinsot.system.stored import stored

if TYPE_CHECKING:
    from poinsot.formulations.elastic import ElasticModel
    from poinsot.model.mechanism import Mechanism
    from poinsot.model.parts import Elements
    from poinsot.system.system import System

AXES = tuple(DISPLACEMENT.split())
_WRITTEN: Bounded = Bounded(16)


@stored
def place_changes(wide: System, places: tuple[str, ...]) -> casadi.Function:
    """(q, p, δq, δp) -> changes (o, nv) of the rows of places."""
    e = wide.equations
    moving = place_motions(wide.elements, places, e.kinematics.poses, lambda frame: frame)
    rows = casadi.vertcat(*(w.T @ casadi.jacobian(s, e.q) @ balance(wide).N for s, w in moving))
    return casadi.Function("places", *along(rows, [e.q, e.p]))


def elastic_place_changes(model: ElasticModel, mechanism: Mechanism, places: tuple[str, ...]) -> casadi.Function:
    """(X, p, δX, δp) -> changes (o, 6 nodes) of the rows of places on flexible links; written once."""
    return _WRITTEN.get_or_make((model.attached, places), lambda: _elastic(model, mechanism, places))


def _elastic(model: ElasticModel, mechanism: Mechanism, places: tuple[str, ...]) -> casadi.Function:
    p, mesh, *_ = symbolic_mesh(mechanism, model.plan, model.names)
    whole = mechanism.resolved({name: p[i] for i, name in enumerate(model.names)})
    whole = replace(whole, coordinates=mesh.elements.coordinates, joints=mesh.elements.joints)
    values = model.parameters(mechanism)

    def hang(frame: Frame) -> Frame:
        numbers = [float(casadi.evalf(casadi.substitute(casadi.SX(x), p, values))) for x in frame.position]
        node = model.mesh.hung(replace(frame, position=tuple(numbers))).body
        if node not in mesh.arms:
            return frame
        return replace(frame, body=node, position=tuple(x - a for x, a in zip(frame.position, mesh.arms[node][1])))

    X, xi = (casadi.SX.sym(name, size * len(model.nodes)) for name, size in (("X", 12), ("xi", 6)))
    parts = [(pose_of(X[12 * k : 12 * k + 12]), xi[6 * k : 6 * k + 6]) for k in range(len(model.nodes))]
    poses = {name: moved(*part) for name, part in zip(model.nodes, parts)}
    moving = place_motions(whole, places, poses, hang)
    rows = casadi.vertcat(*(w.T @ casadi.jacobian(s, xi) for s, w in moving))
    return casadi.Function("places", *along(casadi.substitute(rows, xi, casadi.SX.zeros(xi.shape)), [X, p]))


def along(rows: casadi.SX, inputs: list[casadi.SX]) -> tuple[list[casadi.SX], list[casadi.SX]]:
    """Inputs and their steps, and what the steps change in the rows."""
    steps = [casadi.SX.sym("d", x.shape) for x in inputs]
    change = casadi.jtimes(casadi.vec(casadi.densify(rows)), casadi.vertcat(*inputs), casadi.vertcat(*steps))
    return [*inputs, *steps], [casadi.densify(casadi.reshape(change, rows.shape))]


def place_motions(
    elements: Elements, places: tuple[str, ...], poses: Mapping[str, Pose], hang: Callable[[Frame], Frame]
) -> list[tuple[casadi.SX, casadi.SX]]:
    """s (k, 1) and w (k, 1) of every place; `hang` gives the frame, on what has a pose, that a frame moves with."""
    poses, found = {**poses, GROUND: Pose.identity()}, []
    for place in places:
        sensor = elements.sensors.get(place)
        if place in elements.coordinates:
            found.append((casadi.SX(elements.coordinates[place].value(poses, elements.joints)), casadi.SX(1.0)))
        elif sensor is not None and sensor.at is not None:  # its direction turns with the body
            R = poses[hang(Frame(sensor.at.body, "")).body].R @ sensor.at.pose().R
            direction: Any = getattr(sensor, "direction", None)
            found.append((_pose(poses, hang(sensor.at))[1], casadi.SX(R) @ casadi.vertcat(*direction)))
        else:
            found.append(_along_axis(*_pose(poses, hang(_frame(elements, place.strip().rpartition(" ")[0]))), place))
    return found


def _along_axis(R: casadi.SX, position: casadi.SX, place: str) -> tuple[casadi.SX, casadi.SX]:
    """Along or about an axis of the world."""
    k = AXES.index(place.strip().rpartition(" ")[2])
    axis = np.eye(3)[k % 3]
    return (position, casadi.SX(axis)) if k < 3 else (casadi.vec(R), casadi.vec(skew(axis) @ R) / 2)


def _pose(poses: Mapping[str, Pose], frame: Frame) -> tuple[casadi.SX, casadi.SX]:
    X = poses[frame.body] @ frame.pose()
    return casadi.SX(X.R), casadi.SX(X.p)


def _frame(elements: Elements, label: str) -> Frame:
    """A frame by its label, with symbols in it."""
    body, _, name = label.rpartition(".")
    if label in (*elements.bodies, GROUND):
        return Frame(label, "")
    bodies = {GROUND: elements.ground, **elements.bodies}
    return next(frame for frame in bodies[body].frames if frame.name == name)
