"""What is attached to the nodes: lumps, joints, springs, dampers, loads, drives and weight, as one function.

Small motions ξ of every node about where it is, in its own axes:

    f(ξ, ξ̇, u) − C(ξ)ᵀ λ,        Φ(ξ) = 0,        K = −∂(f − Cᵀλ)/∂ξ,  D = −∂f/∂ξ̇        at ξ = ξ̇ = 0
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from poinsot.elements import GROUND
from poinsot.elements.frame import Frame
from poinsot.formulations.elastic.increments import moved, pose_of, twist_of
from poinsot.formulations.elastic.nodes import USERS
from poinsot.formulations.generalised_forces import applied, curvature, gravity_energy
from poinsot.lazy import casadi
from poinsot.model.assembly.constraints import Row
from poinsot.model.parts import Elements, substitute
from poinsot.spatial.motion import Twist, carry_twist
from poinsot.spatial.pose import Pose

OUTPUTS = ("f", "phi", "C", "M", "D", "K", "along", "drives", "motions", "springs", "stiffness")
RELAXED = ("M", "K", "f", "motions")
VALUES = ("left", "phi", "along", "clamped", "named")
MATRICES = ("M", "D", "K", "C", "drives")


@dataclass(frozen=True, eq=False)
class Attached:
    """The function and how its results are ordered; n nodes that carry something."""

    nodes: tuple[str, ...]
    rows: tuple[Row, ...]  # of Φ
    moving: tuple[tuple[str, int], ...]  # joints that can carry a chain, with their numbers of freedoms
    clamped: tuple[str, ...]  # springs that are relaxed where they are
    springs: tuple[tuple[str, str], ...]  # names and kinds of the forces with elastic energy
    inputs: tuple[Any, ...]  # X (12 n), u, λ, p, rests of the clamped springs
    outputs: dict[str, Any]  # by the names above

    @cached_property
    def relaxed(self) -> Any:
        """(X, p) -> M, K, f and motions while joints and drives carry nothing and clamped springs are relaxed.

        M and K are empty where nothing that is attached has mass or stiffness.
        """
        X, u, lam, p, rests = self.inputs
        idle = [casadi.SX.zeros(u.shape), casadi.SX.zeros(lam.shape), self.outputs["clamped"]]
        outputs = casadi.substitute([self.outputs[name] for name in RELAXED], [u, lam, rests], idle)
        kept = [x if x.nnz() else casadi.SX(0, 0) for x in map(casadi.sparsify, outputs[:2])]
        return casadi.Function("relaxed", [X, p], [*kept, *outputs[2:]])

    @cached_property
    def slopes(self) -> tuple[Any, Any]:
        """Functions of (X, u, λ, p, rests) and a direction of each: derivatives of VALUES, and of MATRICES."""
        ways = [casadi.SX.sym(f"d{i}", x.shape) for i, x in enumerate(self.inputs)]
        x, d = (casadi.vertcat(*map(casadi.vec, group)) for group in (self.inputs, ways))

        def along(names: tuple[str, ...]) -> Any:
            outputs = [casadi.densify(self.outputs[name]) for name in names]
            whole = casadi.jtimes(casadi.vertcat(*map(casadi.vec, outputs)), x, d)
            ends = np.cumsum([0, *(o.numel() for o in outputs)]).tolist()
            parts = [casadi.reshape(whole[a:b], o.shape) for a, b, o in zip(ends, ends[1:], outputs)]
            return casadi.Function("slopes", [*self.inputs, *ways], parts)

        return along(VALUES), along(MATRICES)

    @cached_property
    def naming(self) -> Any:
        """(X, u, λ, p, rests) -> Jacobian (c, 6n) of the coordinates that the model file names."""
        return casadi.Function("naming", list(self.inputs), [self.outputs["naming"]])

    @cached_property
    def constraints(self) -> Any:
        """(X, u, λ, p, rests) -> C (m, 6n)."""
        return casadi.Function("constraints", list(self.inputs), [self.outputs["C"]])

    @cached_property
    def function(self) -> Any:
        """(X, u, λ, p, rests) -> f (6n), Φ (m), C (m, 6n), M, D, K (6n, 6n), the actuators' coordinates (a) and their
        Jacobian (a, 6n), motions of joints (6, Σ freedoms), the springs' Jacobian (s, 6n) and their stiffness (s).
        """
        return casadi.Function("attached", list(self.inputs), [self.outputs[name] for name in OUTPUTS])


def attached(elements: Elements, p: Any) -> Attached:
    """Write the function of a mechanism whose bodies are nodes; p are the symbols in it."""
    names = _used(elements)
    elements, clamped, rests = _with_rests(elements)
    n = len(names)
    X, xi, rate = (casadi.SX.sym(name, size * n) for name, size in (("X", 12), ("xi", 6), ("rate", 6)))
    u = casadi.SX.sym("u", len(elements.actuators))
    poses, twists = {GROUND: Pose.identity()}, {GROUND: Twist(np.zeros(3), np.zeros(3))}
    for k, name in enumerate(names):
        own, speed = xi[6 * k : 6 * k + 6], rate[6 * k : 6 * k + 6]
        poses[name], twists[name] = moved(pose_of(X[12 * k : 12 * k + 12]), own), twist_of(own, speed)
    elements = replace(elements, bodies={name: elements.bodies[name] for name in names})
    acting = applied(elements, poses, twists, xi, rate, u, rate, lambda on: None)
    weight = casadi.SX(gravity_energy(elements, poses))
    f = acting.Q - casadi.gradient(weight, xi)
    residuals = {j: casadi.SX(c.residual(c.relative(poses[c.a.body], poses[c.b.body]))) for j, c in _tied(elements)}
    couplings = elements.couplings.values()
    coupled = [c.residual(casadi.SX(c.on.value(poses, elements.joints))) for c in couplings]
    phi = _column([*residuals.values(), *coupled])
    lam = casadi.SX.sym("lam", phi.size1())
    C = casadi.jacobian(phi, xi)
    laws, drives = acting.parts[: len(elements.forces)], acting.parts[len(elements.forces) :]
    springs = [(force, s) for force, s, _ in laws if force.elastic]
    along, stretched = (_column([s for _, s, *_ in group]) for group in (drives, springs))
    motions, moving = _motions(elements, poses)
    named = _column([casadi.SX(c.value(poses, elements.joints)) for c in elements.coordinates.values()])
    found = {
        "f": f,
        "phi": phi,
        "C": C,
        "M": casadi.diagcat(*(elements.bodies[name].spatial_inertia().matrix() for name in names)) + acting.M,
        "D": -casadi.jacobian(f, rate),
        "K": -casadi.jacobian(f - C.T @ lam, xi),
        "along": along,
        "drives": casadi.jacobian(along, xi),
        "motions": motions,
        "springs": casadi.jacobian(stretched, xi),
        "stiffness": _column([curvature(force, s) for force, s in springs]),
        "left": f - C.T @ lam,
        "clamped": _column([casadi.SX(elements.forces[c].on.value(poses, elements.joints)) for c in clamped]),
        "named": named,
        "naming": casadi.jacobian(named, xi),
    }
    zero = [casadi.SX.zeros(6 * n)] * 2
    outputs = dict(zip(found, casadi.substitute(list(found.values()), [xi, rate], zero)))
    rows = tuple(Row(name, label) for name, joint in _tied(elements) for label in joint.rows)
    rows += tuple(Row(c.owner, c.label) for c in couplings)
    inputs = (X, u, lam, p, rests)
    return Attached(tuple(names), rows, moving, clamped, tuple((f.name, f.kind) for f, _ in springs), inputs, outputs)


def _column(entries: list[Any]) -> Any:
    return casadi.vertcat(*entries) if entries else casadi.SX(0, 1)


def _tied(elements: Elements) -> list[tuple[str, Any]]:
    """Joints that take freedoms away."""
    return [(name, joint) for name, joint in elements.joints.items() if joint.rows]


def _used(elements: Elements) -> list[str]:
    """Nodes that carry something; the others are joined by beams alone."""
    found = {name for name, body in elements.bodies.items() if not (isinstance(body.mass, float) and body.mass == 0)}

    def note(frame: Frame) -> Frame:
        found.add(frame.body)
        return frame

    for table in USERS:
        substitute(getattr(elements, table), note, (Frame,))
    return [name for name in elements.bodies if name in found]


def _with_rests(elements: Elements) -> tuple[Elements, tuple[str, ...], Any]:
    """Springs that are relaxed where they are get a symbol for that place."""
    clamped = [n for n, force in elements.forces.items() if force.clamped]
    rests = casadi.SX.sym("rest", len(clamped))
    forces = dict(elements.forces)
    for k, name in enumerate(clamped):
        forces[name] = forces[name].relaxed_at(rests[k])
    return replace(elements, forces=forces), tuple(clamped), rests


def _motions(elements: Elements, poses: dict[str, Pose]) -> tuple[Any, tuple[tuple[str, int], ...]]:
    """Twists of body B, in its axes, for unit speeds of every joint that can carry a chain."""
    columns, moving = [], []
    for name, joint in elements.joints.items():
        if not joint.carries:
            continue
        X_FM, X_MB = joint.relative(poses[joint.a.body], poses[joint.b.body]), joint.frame_on_b().inverse()
        speeds = casadi.SX.sym("v", joint.freedom)
        across = Twist(*(casadi.SX(x) for x in joint.twist(casadi.SX(joint.measure(X_FM)), speeds)))
        V = carry_twist(X_MB, across)
        columns.append(casadi.jacobian(casadi.vertcat(casadi.SX(V.v), casadi.SX(V.w)), speeds))
        moving.append((name, joint.freedom))
    return (casadi.horzcat(*columns) if columns else casadi.SX(6, 0)), tuple(moving)
