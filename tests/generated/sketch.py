"""Drawing machines: bodies are put at poses and joints at places in the world, so that every joint is closed.

Frames on the bodies follow from that, whichever joint closes a loop.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import permutations, product

import numpy as np
from scipy.spatial.transform import Rotation

from tests.generated.machine import GROUND, Body, Coordinate, Joint, Law, Load

FREEDOMS = {
    "revolute": 1,
    "prismatic": 1,
    "cylindrical": 2,
    "helical": 1,
    "universal": 2,
    "spherical": 3,
    "planar": 3,
    "free": 6,
    "fixed": 0,
    "point-on-line": 4,
    "distance": 5,
}
IN_PLANE = {"revolute": 1, "prismatic": 1, "point-on-line": 2, "distance": 2, "fixed": 0, "free": 3, "spherical": 1}
NAMED = {  # coordinates of a joint that a user would name
    "revolute": ("angle",),
    "prismatic": ("displacement",),
    "cylindrical": ("displacement", "angle"),
    "helical": ("angle",),
    "universal": ("angle1", "angle2"),
    "planar": ("angle",),
    "point-on-line": ("displacement",),
}
RIGHT_ANGLES = [  # the 24 attitudes that exchange axes, exact
    R
    for p in permutations(range(3))
    for signs in product((1.0, -1.0), repeat=3)
    for R in [np.eye(3)[:, list(p)] * np.array(signs)]
    if np.linalg.det(R) > 0
]
QUARTERS = {0.0: (1.0, 0.0), np.pi / 2: (0.0, 1.0), -np.pi / 2: (0.0, -1.0), np.pi: (-1.0, 0.0)}


def about(axis: str, angle: float) -> np.ndarray:
    """Rotation about a coordinate axis; quarters of a turn are exact."""
    c, s = QUARTERS.get(angle, (np.cos(angle), np.sin(angle)))
    i = "xyz".index(axis)
    R, j, k = np.eye(3), (i + 1) % 3, (i + 2) % 3
    R[j, j] = R[k, k] = c
    R[j, k], R[k, j] = -s, s
    return R


def with_z(direction: np.ndarray, spin: float = 0.0) -> np.ndarray:
    """An attitude whose z axis points along a direction."""
    z = np.asarray(direction, float) / np.linalg.norm(direction)
    x = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(np.cross(z, x), z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z]) @ about("z", spin)


def motion(kind: str, q: np.ndarray, number: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """R_FM and p_FM of a joint's own motion (theory/joints); q in radians and metres, as many as it needs."""
    z = np.array([0.0, 0.0, 1.0])
    match kind:
        case "revolute":
            return about("z", q[0]), np.zeros(3)
        case "prismatic":
            return np.eye(3), q[0] * z
        case "cylindrical":
            return about("z", q[1]), q[0] * z
        case "helical":
            return about("z", q[0]), number * q[0] * z
        case "universal":
            return about("x", q[0]) @ about("y", q[1]), np.zeros(3)
        case "planar":
            return about("z", q[2]), np.array([q[0], q[1], 0.0])
        case "spherical":
            return Rotation.from_rotvec(q[:3]).as_matrix(), np.zeros(3)
        case "point-on-line":
            return Rotation.from_rotvec(q[1:4]).as_matrix(), q[0] * z
        case "free" | "distance":
            return Rotation.from_rotvec(q[3:6]).as_matrix(), np.array(q[:3])
    return np.eye(3), np.zeros(3)


@dataclass
class Sketch:
    """A machine that is being drawn: whatever is random comes from `rng`."""

    rng: np.random.Generator
    size: float = 1.0  # [m]
    exact: bool = False  # frames turned by right angles only
    planar: bool = False
    small: bool = False  # as few bodies as the family allows
    poses: dict[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    joints: list[Joint] = field(default_factory=list)
    laws: list[Law] = field(default_factory=list)
    loads: list[Load] = field(default_factory=list)
    actuators: dict[str, Coordinate] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.poses[GROUND] = (np.eye(3), np.zeros(3))

    def attitude(self) -> np.ndarray:
        """A random attitude."""
        if self.planar:
            return about("z", self.angle())
        if self.exact:
            return RIGHT_ANGLES[self.rng.integers(24)]
        return Rotation.random(random_state=self.rng.integers(2**31)).as_matrix()

    def angle(self) -> float:
        """A random angle [rad]."""
        if self.exact:
            return list(QUARTERS)[self.rng.integers(4)]
        return float(self.rng.uniform(-np.pi, np.pi))

    def point(self, around: np.ndarray | None = None, reach: float = 1.0) -> np.ndarray:
        """A random point within reach (of the size) of another; on a grid where frames are exact."""
        d = self.rng.uniform(-reach, reach, 3)
        d = np.round(d * 8) / 8 if self.exact else d
        d[2] = 0.0 if self.planar else d[2]
        return (np.zeros(3) if around is None else around) + self.size * d

    def body(self, name: str | None = None, at: np.ndarray | None = None, R: np.ndarray | None = None) -> str:
        """Put a body somewhere."""
        name = name or f"b{len(self.poses)}"
        self.poses[name] = (self.attitude() if R is None else R, self.point() if at is None else np.array(at, float))
        return name

    def join(
        self,
        kind: str,
        a: str,
        b: str,
        at: np.ndarray,
        R: np.ndarray | None = None,
        q: np.ndarray | None = None,
        lead: float = 0.0,
        name: str = "",
        closing: bool = False,
    ) -> str:
        """A joint with F at a place and an attitude in the world, and M where the coordinates q put it.

        The two ends of a distance are `at` and q[:3]. In the plane R is the attitude of the user's frame.
        """
        turn = self.user_axes(kind)
        R_F = self.attitude() if R is None else R
        R_F = R_F @ turn if self.planar else R_F
        q = np.zeros(6) if q is None else np.asarray(q, float)
        name = name or f"j{len(self.joints) + 1}"
        if kind == "distance":
            p_M, R_M = np.asarray(q[:3], float), R_F
            number = float(np.linalg.norm(p_M - at))
        else:
            R_FM, p_FM = motion(kind, q, lead)
            R_M, p_M, number = R_F @ R_FM, at + R_F @ p_FM, lead
        (R_A, p_A), (R_B, p_B) = self.poses[a], self.poses[b]
        ends = (R_A.T @ R_F, R_A.T @ (at - p_A), R_B.T @ R_M, R_B.T @ (p_M - p_B))
        self.joints.append(Joint(name, kind, a, b, *ends, number, turn, closing))
        return name

    def user_axes(self, kind: str) -> np.ndarray:
        """How the joint's axes are written in the file: along a coordinate axis, or any."""
        if self.planar and kind in ("prismatic", "point-on-line"):
            turn = self.angle()
            return np.column_stack([[0, 0, 1], [np.sin(turn), -np.cos(turn), 0], [np.cos(turn), np.sin(turn), 0]])
        if self.planar or kind == "planar" or self.rng.random() < 0.3:
            return np.eye(3)
        if self.exact or self.rng.random() < 0.5:
            return RIGHT_ANGLES[self.rng.integers(24)]
        return Rotation.random(random_state=self.rng.integers(2**31)).as_matrix()

    def named(self) -> dict[str, Coordinate]:
        """All coordinates of joints that a user would name, by joint and coordinate."""
        found = {}
        for joint in self.joints:
            for which in NAMED.get(joint.kind, ()):
                found[f"{joint.name}_{which}"] = Coordinate("joint", joint.name, which)
        return found

    def of_body(self, name: str) -> dict[str, Coordinate]:
        """Position and angles of a body; the angles are zero in the pose of the file."""
        R, _ = self.poses[name]
        place = ((name, np.zeros(3)),)
        axes, turns = ("xy", "z") if self.planar else ("xyz", "xyz")
        found = {f"{name}_{axis}": Coordinate("position", which=axis, places=place) for axis in axes}
        return found | {f"{name}_r{axis}": Coordinate("angle", which=axis, places=place, R=R.T) for axis in turns}

    def inertia(self, name: str, mass: float) -> Body:
        """A body with random mass centre and inertia."""
        R, p = self.poses[name]
        com = self.point(reach=0.3)
        K = np.diag(self.rng.uniform(0.01, 0.05, 3)) * mass * self.size**2
        axes = np.eye(3) if self.exact or self.planar else self.attitude()
        K = axes @ K @ axes.T
        J = np.trace(K) * np.eye(3) - K
        return Body(name, mass, com, (J + J.T) / 2, R, p)
