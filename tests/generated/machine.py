"""A mechanism as plain numbers: what the generated tests know about it without asking the library.

A machine is bodies at given poses and joints between frames on them; it writes itself as a model file. Everything in
the other files of this folder is computed from these numbers with NumPy: nothing here stands on the formulations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.spatial.transform import Rotation

import poinsot

Poses = Mapping[str, tuple[np.ndarray, np.ndarray]]  # by body (R_WB, p_WB)
GROUND = "ground"


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body, and where it is in the pose of the file."""

    name: str
    mass: float  # [kg]
    com: np.ndarray  # in the body (3,)  [m]
    J: np.ndarray  # about the mass centre, in the body (3, 3)  [kg·m²]
    R: np.ndarray  # R_WB (3, 3)
    p: np.ndarray  # p_WB (3,)  [m]


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint between frames F on body a and M on body b; z is its axis, x_F and y_M those of a universal joint."""

    name: str
    kind: str
    a: str
    b: str
    R_A: np.ndarray  # R_AF (3, 3)
    p_A: np.ndarray  # p_AF (3,)  [m]
    R_B: np.ndarray  # R_BM (3, 3)
    p_B: np.ndarray  # p_BM (3,)  [m]
    number: float = 0.0  # lead [m/rad] or length [m]
    turn: np.ndarray = field(default_factory=lambda: np.eye(3))  # columns: x, y, z of F in the axes of the file
    closing: bool = False


@dataclass(frozen=True, eq=False)
class Coordinate:
    """What a law acts along or a user names: a joint's coordinate, a length, a position or an angle."""

    kind: str  # joint, length, position, angle
    joint: str = ""
    which: str = ""  # name of the joint's coordinate; axis of a position or an angle: x, y, z
    places: tuple[tuple[str, np.ndarray], ...] = ()  # of a length: two; of a position or an angle: one
    R: np.ndarray = field(default_factory=lambda: np.eye(3))  # attitude of the frame of an angle in its body


@dataclass(frozen=True, eq=False)
class Law:
    """A spring, damper, friction or drive inertia along a coordinate."""

    name: str
    kind: str
    on: Coordinate
    numbers: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Load:
    """A constant force and moment at a place of a body, in world axes or in those of the body."""

    name: str
    body: str
    point: np.ndarray  # in the body (3,)  [m]
    force: np.ndarray  # (3,)  [N]
    moment: np.ndarray  # (3,)  [N·m]
    follows: bool


@dataclass(frozen=True, eq=False)
class Machine:
    """A whole mechanism."""

    name: str
    planar: bool
    size: float  # [m]
    gravity: np.ndarray  # (3,)  [m/s²]
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    laws: tuple[Law, ...] = ()
    loads: tuple[Load, ...] = ()
    actuators: Mapping[str, Coordinate] = field(default_factory=dict)
    coordinates: Mapping[str, Coordinate] = field(default_factory=dict)
    made: poinsot.Mechanism | None = None  # where the library has it already

    @property
    def home(self) -> Poses:
        """Poses in the file, the ground included."""
        return {GROUND: (np.eye(3), np.zeros(3))} | {b.name: (b.R, b.p) for b in self.bodies}

    @cached_property
    def by_name(self) -> dict[str, Joint]:
        """Joints by name."""
        return {joint.name: joint for joint in self.joints}

    @cached_property
    def mechanism(self) -> poinsot.Mechanism:
        """The same for the library."""
        return self.made or poinsot.build(document(self), self.name)

    @property
    def toml(self) -> str:
        """The same as a model file that a person can read."""
        return poinsot.dumps(self.mechanism)


def document(machine: Machine) -> dict:
    """Tables of the model file."""
    flat = machine.planar
    bodies = {b.name: _body(b, flat) for b in machine.bodies}
    found = {
        "format": 1,
        "name": machine.name,
        "planar": flat,
        "gravity": _numbers(machine.gravity, flat),
        "bodies": bodies,
        "joints": {j.name: _joint(j, flat) for j in machine.joints},
        "coordinates": {name: _coordinate(c, machine) for name, c in machine.coordinates.items()},
        "actuators": {name: {"on": _coordinate(c, machine)} for name, c in machine.actuators.items()},
    }
    forces = {w.name: {"type": w.kind, "on": _coordinate(w.on, machine), **_floats(w.numbers)} for w in machine.laws}
    return found | {"forces": forces | {w.name: _load(w, flat) for w in machine.loads}}


def _floats(numbers: Mapping[str, float]) -> dict[str, float]:
    return {name: float(x) for name, x in numbers.items()}


def _numbers(x: np.ndarray, flat: bool) -> list[float]:
    return [float(v) for v in x[: 2 if flat else 3]]


def _body(b: Body, flat: bool) -> dict:
    J = b.J
    inertia = float(J[2, 2]) if flat else [float(J[i]) for i in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    placement = {"position": _numbers(b.p, flat), "rotation": _rotation(b.R, flat)}
    return {"mass": float(b.mass), "com": _numbers(b.com, flat), "inertia": inertia, "placement": placement}


def _rotation(R: np.ndarray, flat: bool) -> dict:
    """An attitude: right angles in degrees, others as a quaternion."""
    if flat:
        return {"angle": float(np.arctan2(R[1, 0], R[0, 0]))}
    if np.array_equal(R, np.round(R)):
        angles = np.round(Rotation.from_matrix(R).as_euler("ZYX" if abs(R[2, 0]) < 0.5 else "ZYZ", degrees=True))
        return {"sequence": "ZYX" if abs(R[2, 0]) < 0.5 else "ZYZ", "angles": [f"{x:g} deg" for x in angles]}
    x, y, z, w = Rotation.from_matrix(R).as_quat()
    return {"quaternion": [float(v) for v in (w, x, y, z)]}


def _place(body: str, R: np.ndarray, p: np.ndarray, flat: bool) -> dict:
    return {"body": body, "position": _numbers(p, flat), "rotation": _rotation(R, flat)}


def _joint(j: Joint, flat: bool) -> dict:
    """A joint whose frames are turned against the axes of the file by `turn`, on both bodies alike."""
    ends = [_place(j.a, j.R_A @ j.turn.T, j.p_A, flat), _place(j.b, j.R_B @ j.turn.T, j.p_B, flat)]
    found = {"type": j.kind, "between": ends} | ({"closing": True} if j.closing else {})
    if j.kind == "universal":
        found |= {"axis": _numbers(j.turn[:, 0], False), "axis2": _numbers(j.turn[:, 1], False)}
    elif j.kind in ("revolute", "prismatic", "cylindrical", "helical", "planar", "point-on-line"):
        found |= {} if flat and j.kind == "revolute" else {"axis": _numbers(j.turn[:, 2], flat)}
    found |= {"lead": j.number} if j.kind == "helical" else {}
    return found | ({"length": j.number} if j.kind == "distance" else {})


def _coordinate(c: Coordinate, machine: Machine) -> dict:
    flat = machine.planar
    if c.kind == "joint":
        several = machine.by_name[c.joint].kind in ("cylindrical", "universal", "planar", "point-on-line", "free")
        return {"joint": c.joint} | ({"coordinate": c.which} if several else {})
    places = [{"body": body, "position": _numbers(p, flat)} for body, p in c.places]
    if c.kind == "length":
        return {"length": places}
    if c.kind == "position":
        return {"position": places[0], "axis": c.which}
    turned = places[0] | {"rotation": _rotation(c.R, flat)}
    return {"angle": turned} | ({} if flat else {"sequence": "XYZ", "index": "xyz".index(c.which) + 1})


def _load(w: Load, flat: bool) -> dict:
    at = {"body": w.body, "position": _numbers(w.point, flat)}
    moment = [float(w.moment[2])] if flat else _numbers(w.moment, False)
    return {"type": "load", "at": at, "force": _numbers(w.force, flat), "moment": moment, "follows": w.follows}
