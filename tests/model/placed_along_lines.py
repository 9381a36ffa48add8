"""Closed spatial mechanisms whose bodies lie along lines, with the poses that are meant: NumPy alone, by seed.

Bodies are put at poses and joints at places in the world, so that every joint is closed; frames on the bodies follow.
What the model file tells of a body along a line is the line, not the turn about it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.transform import Rotation

GROUND = "ground"
Pose = tuple[np.ndarray, np.ndarray]  # R_WB (3, 3), p_WB (3,)  [m]
ROUGH = 0.05


def unit(v: np.ndarray) -> np.ndarray:
    return np.asarray(v, float) / np.linalg.norm(v)


def with_z(z: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The attitude with z along a direction and x as near as can be to another."""
    z = unit(z)
    x = unit(x - (x @ z) * z)
    return np.column_stack([x, np.cross(z, x), z])


def about(axis: int, angle: float) -> np.ndarray:
    return Rotation.from_rotvec(angle * np.eye(3)[axis]).as_matrix()


@dataclass
class Drawing:
    """A machine that is being drawn; whatever is random comes from `rng`."""

    rng: np.random.Generator
    tidy: bool = True
    rough: float = 0.0  # share of the size, and angle [rad], by which platforms are placed off
    poses: dict[str, Pose] = field(default_factory=lambda: {GROUND: (np.eye(3), np.zeros(3))})
    bodies: dict[str, dict] = field(default_factory=dict)
    joints: dict[str, dict] = field(default_factory=dict)
    frames: dict[str, dict] = field(default_factory=dict)
    spins: set[str] = field(default_factory=set)  # bodies that may turn idly about their line

    def __post_init__(self) -> None:
        rng = self.rng
        self.tilt = Rotation.random(random_state=int(rng.integers(2**31))).as_matrix()
        self.origin = rng.uniform(-1, 1, 3)

    def world(self, p: np.ndarray) -> np.ndarray:
        """A point of the drawing in the tilted and turned world."""
        return self.origin + self.tilt @ np.asarray(p, float)

    def point(self, name: str, at: np.ndarray, body: str = GROUND) -> str:
        """A named place on a body, at a point of the world."""
        R, p = self.poses[body]
        self.frames[name] = {"body": body, "position": list(map(float, R.T @ (at - p)))}
        return name

    def placed(self, name: str, R: np.ndarray, p: np.ndarray) -> None:
        """A body with position and rotation, off by what is rough."""
        self.poses[name] = (R, p)
        off = self.rng.normal(size=3)
        turn = Rotation.from_rotvec(self.rough * unit(off)).as_matrix() @ R
        at = p + self.rough * unit(self.rng.normal(size=3))
        x, y, z, w = Rotation.from_matrix(turn).as_quat()
        placement = {"position": list(map(float, at)), "rotation": {"quaternion": [float(v) for v in (w, x, y, z)]}}
        self.bodies[name] = self._mass() | {"placement": placement}

    def along(self, name: str, at: str, line: tuple[str, str], x: np.ndarray | None = None) -> None:
        """A body at a place with z along a line; x (tidy) near a direction of the world, else turned at random."""
        a, b, o = (self.where(frame) for frame in (*line, at))
        R = with_z(b - a, self.rng.normal(size=3) if x is None or not self.tidy else x)
        if x is not None and self.tidy and self.rng.random() < 0.5:
            R = R @ about(2, -np.pi / 2)  # y along the hinge
        self.poses[name] = (R, o)
        self.bodies[name] = self._mass() | {"placement": {"at": at, "along": list(line)}}

    def carried(self, name: str, R: np.ndarray, p: np.ndarray) -> None:
        """A body of which the file does not say where it is."""
        self.poses[name] = (R, p)
        self.bodies[name] = self._mass()

    def where(self, frame: str) -> np.ndarray:
        R, p = self.poses[self.frames[frame]["body"]]
        return p + R @ self.frames[frame]["position"]

    def _mass(self) -> dict:
        return {"mass": 1.0, "inertia": [0.01, 0.02, 0.025]}

    def _end(self, body: str, R: np.ndarray, p: np.ndarray) -> dict:
        R_B, p_B = self.poses[body]
        x, y, z, w = Rotation.from_matrix(R_B.T @ R).as_quat()
        position = list(map(float, R_B.T @ (p - p_B)))
        return {"body": body, "position": position, "rotation": {"quaternion": [float(v) for v in (w, x, y, z)]}}

    def joint(self, kind: str, a: str, b: str, at: np.ndarray, axis: np.ndarray | None = None) -> None:
        """A joint at a point of the world with its axis there, in a pose that is not its zero."""
        rng, name = self.rng, f"J{len(self.joints) + 1}"
        spec: dict = {"type": kind}
        R_M = Rotation.random(random_state=int(rng.integers(2**31))).as_matrix()
        p_F = at
        if kind == "spherical":
            R_F = Rotation.random(random_state=int(rng.integers(2**31))).as_matrix()
        elif kind == "universal":  # `axis` is the direction of z on body b, about which the frames are free
            R_M = with_z(axis, rng.normal(size=3))
            q = rng.uniform(-1.0, 1.0, 2)
            R_F = R_M @ (about(0, q[0]) @ about(1, q[1])).T
        else:
            k = int(rng.integers(3))
            spec["axis"] = np.eye(3)[k].tolist()
            R_M = with_z(axis, rng.normal(size=3))[:, [(2 - k + i) % 3 for i in range(3)]]
            R_F = R_M @ about(k, rng.uniform(-2.5, 2.5) if kind in ("revolute", "cylindrical") else 0.0).T
            if kind in ("prismatic", "cylindrical"):
                p_F = at - rng.uniform(0.1, 0.3) * unit(axis)
        self.joints[name] = spec | {"between": [self._end(a, R_F, p_F), self._end(b, R_M, at)]}

    def document(self, shuffled: bool = False) -> dict:
        """Tables of the model file; bodies in a random order where that is wanted."""
        bodies = list(self.bodies)
        if shuffled:
            self.rng.shuffle(bodies)
        return {
            "format": 1,
            "name": "drawn",
            "bodies": {name: self.bodies[name] for name in bodies},
            "frames": self.frames,
            "joints": self.joints,
        }


def across(line: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A direction perpendicular to a line."""
    return unit(np.cross(line, rng.normal(size=3)))


def platform(d: Drawing, legs: int) -> tuple[list[str], list[str]]:
    """A platform above feet on the ground: names of feet and heads."""
    rng = d.rng
    lean = Rotation.from_rotvec(0.3 * rng.uniform(-1, 1, 3)).as_matrix()
    d.placed("platform", d.tilt @ lean, d.world([*0.1 * rng.uniform(-1, 1, 2), rng.uniform(0.5, 0.8)]))
    turns = rng.uniform(0, 2 * np.pi) + 2 * np.pi * (np.arange(legs) + 0.3 * rng.uniform(-1, 1, legs)) / legs
    R, p = d.poses["platform"]
    feet, heads = [], []
    for i, turn in enumerate(turns):
        round_ = np.array([np.cos(turn), np.sin(turn), 0])
        feet.append(d.point(f"foot{i}", d.world(0.5 * round_ + [0, 0, 0.1 * rng.uniform(-1, 1)])))
        heads.append(d.point(f"head{i}", p + R @ (0.25 * (about(2, 0.2 * rng.uniform(-1, 1)) @ round_)), "platform"))
    return feet, heads


def telescopes(d: Drawing, foot_kind: str, head_kind: str, legs: int, unplaced_rods: bool = False) -> None:
    """A platform on legs of two parts that slide: 3-RPS, 3-SPR, 3-UPU, 6-UPS, …"""
    for i, (foot, head) in enumerate(zip(*platform(d, legs))):
        F, H = d.where(foot), d.where(head)
        line = (foot, head) if d.rng.random() < 0.7 else (head, foot)
        hinge = across(H - F, d.rng)
        d.along(f"cylinder{i}", foot, line, hinge)
        if unplaced_rods:
            d.carried(f"rod{i}", with_z(H - F, d.rng.normal(size=3)), H)
        else:
            d.along(f"rod{i}", head, line, hinge)
        d.joint(foot_kind, GROUND, f"cylinder{i}", F, H - F if foot_kind == "universal" else hinge)
        d.joint("prismatic", f"cylinder{i}", f"rod{i}", (F + H) / 2, H - F)
        d.joint(
            head_kind, *_sided(d, f"rod{i}", "platform", head_kind), H, H - F if head_kind == "universal" else hinge
        )
        if {foot_kind, head_kind} == {"spherical"}:
            d.spins |= {f"cylinder{i}", f"rod{i}"}


def _sided(d: Drawing, a: str, b: str, kind: str) -> tuple[str, str]:
    """Two bodies in the order in which a joint has them; a universal joint has the body along the line second."""
    return (b, a) if kind == "universal" or d.rng.random() < 0.3 else (a, b)


def cranks(d: Drawing, elbow_kind: str, head_kind: str, legs: int) -> None:
    """A platform on cranks and rods: 6-RSS, 6-RUS, 3-RRS, …"""
    for i, (foot, head) in enumerate(zip(*platform(d, legs))):
        F, H = d.where(foot), d.where(head)
        hinge = across(H - F, d.rng)
        E = F + 0.25 * unit(unit(np.cross(hinge, H - F)) + d.rng.uniform(-0.5, 1.0) * unit(H - F))
        elbow = d.point(f"elbow{i}", E)
        axis = hinge if elbow_kind == "revolute" else across(H - E, d.rng)
        d.along(f"crank{i}", foot, (foot, elbow), hinge)
        d.along(f"rod{i}", elbow, (elbow, head), axis)
        d.joint("revolute", GROUND, f"crank{i}", F, hinge)
        d.joint(elbow_kind, f"crank{i}", f"rod{i}", E, H - E if elbow_kind == "universal" else axis)
        d.joint(head_kind, *_sided(d, f"rod{i}", "platform", head_kind), H, H - E)
        if elbow_kind == head_kind == "spherical":
            d.spins.add(f"rod{i}")


def sliders(d: Drawing, head_kind: str) -> None:
    """A platform on rods that are hinged to sliders: 3-PRS."""
    for i, (foot, head) in enumerate(zip(*platform(d, 3))):
        F, H = d.where(foot), d.where(head)
        hinge = across(H - F, d.rng)
        d.placed(f"slider{i}", Rotation.random(random_state=int(d.rng.integers(2**31))).as_matrix(), F)
        d.along(f"rod{i}", foot, (foot, head), hinge)
        d.joint("prismatic", GROUND, f"slider{i}", F, unit(np.cross(hinge, H - F)))
        d.joint("revolute", f"slider{i}", f"rod{i}", F, hinge)
        d.joint(head_kind, f"rod{i}", "platform", H, H - F)


def chain(d: Drawing, points: list[np.ndarray], kinds: list[str], axes: list[np.ndarray]) -> None:
    """A loop of links along lines from joint to joint, the last back on the ground."""
    names = [d.point(f"P{i}", p) for i, p in enumerate(points)]
    links = [GROUND, *(f"link{i}" for i in range(1, len(points))), GROUND]
    for i in range(1, len(points)):
        ends = (names[i - 1], names[i]) if d.rng.random() < 0.7 else (names[i], names[i - 1])
        hinged = i - 1 if kinds[i - 1] in ("revolute", "cylindrical") else i
        d.along(links[i], names[i - 1] if d.rng.random() < 0.7 else names[i], ends, axes[hinged])
        if kinds[i - 1] == kinds[i] == "spherical":
            d.spins.add(links[i])
    for i, kind in enumerate(kinds):
        d.joint(kind, links[i], links[i + 1], points[i], axes[i])


def four_bar(d: Drawing, kinds: str) -> None:
    """RSSR, RSRC, RCCC, …: four joints in general position; hinges at the ends stand across their cranks."""
    points = [d.world(x) for x in ([0, 0, 0], [0.1, 0.3, 0.15], [0.9, 0.5, 0.3], [0.8, 0, 0])]
    points = [p + 0.08 * d.rng.uniform(-1, 1, 3) for p in points]
    axes = [d.rng.normal(size=3) for _ in points]
    axes[0], axes[3] = across(points[1] - points[0], d.rng), across(points[2] - points[3], d.rng)
    letters = {"R": "revolute", "S": "spherical", "C": "cylindrical", "U": "universal"}
    for i, kind in enumerate(kinds):
        if kind == "U":
            axes[i] = points[i] - points[i - 1] if i == 3 else points[i + 1] - points[i]
    chain(d, points, [letters[k] for k in kinds], axes)


def bennett(d: Drawing) -> None:
    """Bennett's linkage: opposite links alike, and

        sin α / a = sin β / b,  tan(θ₁/2) tan(θ₂/2) = sin(½(β + α)) / sin(½(β − α))

    Each link is along the common normal of its two hinges.
    """
    rng = d.rng
    alpha, beta = rng.uniform(0.4, 0.8), rng.uniform(1.1, 1.6)
    a = 0.3
    b = a * np.sin(beta) / np.sin(alpha)
    first = rng.uniform(0.8, 2.2)
    second = 2 * np.arctan(np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2) / np.tan(first / 2))
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = d.tilt, d.origin
    points, axes = [], []
    for length, twist, theta in [(a, alpha, second), (b, beta, -first), (a, alpha, -second), (b, beta, first)]:
        points.append(T[:3, 3].copy())
        axes.append(T[:3, 2].copy())
        step = np.eye(4)  # along x by the length and about x by the twist, then about the next hinge
        step[:3, :3], step[0, 3] = about(0, twist) @ about(2, theta), length
        T = T @ step
    assert np.allclose(T[:3, 3], points[0]) and np.allclose(T[:3, 2], axes[0]), "not closed"
    chain(d, points, ["revolute"] * 4, axes)


def spherical(d: Drawing) -> None:
    """Four hinges whose axes meet in a point, links along chords."""
    axes = [d.tilt @ unit(x) for x in ([0, 0, 1], [0.5, 0.1, 1], [0.6, 0.9, 0.8], [-0.2, 0.9, 0.9])]
    points = [d.origin + d.rng.uniform(0.4, 0.6) * x for x in axes]
    chain(d, points, ["revolute"] * 4, axes)


FAMILIES = {
    "3-RPS": lambda d: telescopes(d, "revolute", "spherical", 3),
    "3-SPR": lambda d: telescopes(d, "spherical", "revolute", 3),
    "3-UPU": lambda d: telescopes(d, "universal", "universal", 3),
    "6-UPS": lambda d: telescopes(d, "universal", "spherical", 6),
    "6-SPS": lambda d: telescopes(d, "spherical", "spherical", 6),
    "3-RPS, rods not placed": lambda d: telescopes(d, "revolute", "spherical", 3, unplaced_rods=True),
    "6-RSS": lambda d: cranks(d, "spherical", "spherical", 6),
    "6-RUS": lambda d: cranks(d, "universal", "spherical", 6),
    "3-RRS": lambda d: cranks(d, "revolute", "spherical", 3),
    "3-RUU": lambda d: cranks(d, "universal", "universal", 3),
    "3-PRS": lambda d: sliders(d, "spherical"),
    "RSSR": lambda d: four_bar(d, "RSSR"),
    "RUSR": lambda d: four_bar(d, "RUSR"),
    "RSCR": lambda d: four_bar(d, "RSCR"),
    "RCCC": lambda d: four_bar(d, "RCCC"),
    "CSSR": lambda d: four_bar(d, "CSSR"),
    "Bennett": bennett,
    "spherical four-bar": spherical,
}


def drawn(family: str, seed: int) -> Drawing:
    """The machine of a family and seed; half of the seeds are tidy, half have platforms placed roughly."""
    rng = np.random.default_rng([seed, list(FAMILIES).index(family)])
    d = Drawing(rng, tidy=seed % 2 == 0, rough=0.0 if seed % 4 < 2 else ROUGH)
    FAMILIES[family](d)
    return d


def misplaced(d: Drawing, poses, near: tuple[float, float] = (0.5, 0.2)) -> list[str]:
    """Bodies that are not where they are meant to be: turned [rad] or off [m] by more than `near`.

    Of a body that may turn idly about its line, the line alone counts.
    """
    found = []
    for name, (R, p) in d.poses.items():
        X = poses[name]
        turn = Rotation.from_matrix(R.T @ np.asarray(X.R)).magnitude()
        if name in d.spins:
            turn = np.arccos(np.clip(R[:, 2] @ np.asarray(X.R)[:, 2], -1, 1))
        if turn > near[0] or np.linalg.norm(np.asarray(X.p) - p) > near[1]:
            found.append(name)
    return found
