"""A mechanism as Pinocchio's own tree with closed loops, built from geometry and inertias alone.

Every joint is a chain of Pinocchio's elementary joints. A ball that closes a loop is a contact of three rows
(CONTACT_3D), which is exact. Pinocchio has no rows for other closures, such as a universal joint, so there the body
beyond the joint is split: the joint carries a piece of it with an equal share of mass and inertia, and all pieces are
welded together (CONTACT_6D). The welded pieces are the body, so nothing is approximated and no mass is invented.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pinocchio as pin

from poinsot.model.mechanism import Mechanism

__all__ = ["PinocchioModel", "pinocchio_model"]

CHAINS = {"revolute": ("RZ",), "prismatic": ("PZ",), "universal": ("RX", "RY"), "cylindrical": ("PZ", "RZ")}
PROXIMAL = {"accuracy": 1e-13, "mu": 1e-10, "max_iter": 100}  # redundant rows of planar loops need some damping


@dataclass
class PinocchioModel:
    """A Pinocchio model with names: bodies are frames, joints know where their coordinates are."""

    mechanism: Mechanism
    model: Any = field(default_factory=pin.Model)
    place: dict[str, tuple[int, Any]] = field(default_factory=dict)  # by body or piece: its joint, its pose on it
    body_of: dict[str, str] = field(default_factory=dict)  # by body or piece: the body that it belongs to
    chains: list[tuple[Any, bool, list[int]]] = field(default_factory=list)  # joint, backwards, its joints
    loops: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.data = self.loop_data = None

    def finish(self) -> PinocchioModel:
        """Prepare the data of computations."""
        for name, (joint, X) in self.place.items():
            if name != "ground":
                self.model.addFrame(pin.Frame(name, joint, X, pin.FrameType.OP_FRAME))
        self.model.gravity.linear = np.array(self.mechanism.gravity, float)
        self.data, given = self.model.createData(), self.loops
        self.loops, self.loop_data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for loop in given:
            self.loops.append(loop)
            self.loop_data.append(loop.createData())
        self.proximal = pin.ProximalSettings(PROXIMAL["accuracy"], PROXIMAL["mu"], PROXIMAL["max_iter"])
        pin.initConstraintDynamics(self.model, self.data, self.loops, self.loop_data)
        return self

    def solve_once(self) -> None:
        """Drop the refinements that redundant rows need: the fastest setting where there are none."""
        self.proximal = pin.ProximalSettings(PROXIMAL["accuracy"], 0.0, 1)

    def coordinates(self, poses: dict[str, Any]) -> np.ndarray:
        """q (nq,) at given poses of the bodies."""
        q = pin.neutral(self.model)
        for joint, backwards, ids in self.chains:
            values = np.asarray(joint.measure(joint.relative(poses[joint.a.body], poses[joint.b.body])), float)
            if joint.kind == "spherical":
                start = self.model.joints[ids[0]].idx_q
                sign = -1 if backwards else 1
                q[start : start + 4] = [*(sign * values[1:]), values[0]]
                continue
            for i, value in zip(ids, -values[::-1] if backwards else values):
                q[self.model.joints[i].idx_q] = value
        return q

    def speed_index(self, joint: str, index: int) -> int:
        """Place among the speeds of a joint's coordinate; only of joints that are carried forwards."""
        ids = next(ids for j, backwards, ids in self.chains if j.name == joint and not backwards)
        return self.model.joints[ids[index]].idx_v

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """Twists of all bodies and pieces about their origins, world axes, by speeds (6 b, nv)."""
        pin.computeJointJacobians(self.model, self.data, q)
        pin.updateFramePlacements(self.model, self.data)
        frames = [self.model.getFrameId(name) for name in self.body_of]
        axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        return np.vstack([pin.getFrameJacobian(self.model, self.data, i, axes) for i in frames])

    def acceleration(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """v̇ (nv,) with the loops closed."""
        return pin.constraintDynamics(self.model, self.data, q, v, tau, self.loops, self.loop_data, self.proximal)

    def body_accelerations(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> dict[str, np.ndarray]:
        """Of every body's origin and angular, world axes, (6,)  [m/s², rad/s²]."""
        pin.forwardKinematics(self.model, self.data, q, v, a)
        axes, found = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED, {}
        for name in self.mechanism.bodies:
            i = self.model.getFrameId(name)
            found[name] = pin.getFrameClassicalAcceleration(self.model, self.data, i, axes).vector.copy()
        return found

    def torques(self, v: np.ndarray, forces: dict[str, float]) -> np.ndarray:
        """Of actuators and viscous friction (nv,)."""
        tau = np.zeros(self.model.nv)
        for name, actuator in self.mechanism.actuators.items():
            tau[self.speed_index(actuator.on.joint, actuator.on.index)] += forces.get(name, 0.0)
        for force in self.mechanism.forces.values():
            if force.kind == "friction":
                i = self.speed_index(force.on.joint, force.on.index)
                tau[i] -= force.viscous * v[i]
        return tau


def pinocchio_model(mechanism: Mechanism, drives: bool = True) -> PinocchioModel:
    """Choose a tree, add it branch by branch (Pinocchio wants every subtree in one piece), then close the loops.

    Without `drives` inertias of motors are left out, which Pinocchio has for single joints only.
    """
    edges, closing = _plan(mechanism)
    split = Counter(_far(joint) for joint in closing if joint.kind != "spherical")
    built = PinocchioModel(mechanism)
    built.place["ground"] = (0, pin.SE3.Identity())

    def grow(body: str) -> None:
        for joint, backwards, child, of in (e for e in edges if (e[0].b if e[1] else e[0].a).body == body):
            built.place[child], built.body_of[child] = _carry(built, joint, backwards), of
            built.model.appendBodyToJoint(built.place[child][0], _share(mechanism, of, split), built.place[child][1])
            grow(child)

    edges += [(j, j.a.body == _far(j), f"{j.name} piece", _far(j)) for j in closing if j.kind != "spherical"]
    grow("ground")
    for joint in closing:
        built.loops.append(_close(built, joint))
    if drives:
        _drives(built)
    return built.finish()


def _plan(mechanism: Mechanism) -> tuple[list[tuple[Any, bool, str, str]], list[Any]]:
    """Joints that carry (joint, backwards, place, body), and those that close."""
    reached, waiting, edges, closing = {"ground"}, dict(mechanism.joints), [], []
    while waiting:
        ready = [n for n, j in waiting.items() if {j.a.body, j.b.body} & reached]
        joint = waiting.pop(min(ready, key=lambda n: n in mechanism.template.closing))
        if {joint.a.body, joint.b.body} <= reached:
            closing.append(joint)
            continue
        backwards = joint.b.body in reached
        child = joint.a.body if backwards else joint.b.body
        edges.append((joint, backwards, child, child))
        reached.add(child)
    return edges, closing


def _far(joint: Any) -> str:
    """The body of a closing joint that is split: never the ground."""
    return joint.a.body if joint.a.body != "ground" else joint.b.body


def _share(mechanism: Mechanism, name: str, split: Counter) -> Any:
    body, parts = mechanism.bodies[name], 1 + split[name]
    centre = np.array(body.com, float)
    return pin.Inertia(float(body.mass) / parts, centre, np.asarray(body.inertia_about_centre(), float) / parts)


def _se3(X: Any) -> Any:
    return pin.SE3(np.asarray(X.R, float), np.asarray(X.p, float))


def _carry(built: PinocchioModel, joint: Any, backwards: bool) -> tuple[int, Any]:
    """Add a joint; gives the joint and pose on it of the body beyond."""
    X_near, X_far = joint.frame_on_a(), joint.frame_on_b()
    X_near, X_far = (X_far, X_near) if backwards else (X_near, X_far)
    parent, X = built.place[(joint.b if backwards else joint.a).body]
    X, ids = X * _se3(X_near), []
    kinds = ("Spherical",) if joint.kind == "spherical" else CHAINS[joint.kind]
    for kind in reversed(kinds) if backwards else kinds:
        label = f"{joint.name}.{kind}"
        parent = built.model.addJoint(parent, getattr(pin, f"JointModel{kind}")(), X, label)
        X = pin.SE3.Identity()
        ids.append(parent)
    built.chains.append((joint, backwards, ids))
    return parent, _se3(X_far).inverse()


def _close(built: PinocchioModel, joint: Any) -> Any:
    """A contact for a closing joint."""
    if joint.kind == "spherical":
        (i, X_A), (k, X_B) = built.place[joint.a.body], built.place[joint.b.body]
        kind, first, second = (
            pin.ContactType.CONTACT_3D,
            X_A * _se3(joint.frame_on_a()),
            X_B * _se3(joint.frame_on_b()),
        )
    else:
        (i, first), (k, second) = built.place[f"{joint.name} piece"], built.place[_far(joint)]
        kind = pin.ContactType.CONTACT_6D
    return pin.RigidConstraintModel(kind, built.model, i, first, k, second, pin.ReferenceFrame.LOCAL)


def _drives(built: PinocchioModel) -> None:
    """Inertias of drives, felt along the joints' coordinates."""
    armature = np.zeros(built.model.nv)
    for force in built.mechanism.forces.values():
        if force.kind == "drive-inertia":
            armature[built.speed_index(force.on.joint, force.on.index)] += float(force.inertia)
    built.model.armature = armature
