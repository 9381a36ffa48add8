"""Random mechanisms with springs, dampers and drives, in any units.

Every joint's frames coincide in the pose in which the bodies are placed, so that loops are closed there; attitudes
are random, or exact right angles.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import poinsot

RIGHT = Rotation.create_group("O").as_matrix()
MOTIONS = {
    "revolute": {"angle": "rad"},
    "prismatic": {"displacement": "m"},
    "universal": {"angle1": "rad", "angle2": "rad"},
    "cylindrical": {"displacement": "m", "angle": "rad"},
    "spherical": {},
}


class Placed:
    """Bodies at random places, and joints between them that are closed there; L [m], m [kg], T [s] are the units."""

    def __init__(self, seed: int, bodies: int, planar: bool, right: bool, units: tuple[float, float, float]):
        self.rng, self.planar, self.right, self.d = np.random.default_rng(seed), planar, right, 2 if planar else 3
        self.L, self.m, self.T = units
        self.R, self.p, self.bodies = {"ground": np.eye(self.d)}, {"ground": np.zeros(self.d)}, {}
        for i in range(bodies):
            self._add(f"b{i}")

    def _add(self, name: str) -> None:
        rng, d = self.rng, self.d
        self.R[name], self.p[name] = self.attitude(), rng.uniform(-1, 1, d)
        inertia = 0.1 * rng.uniform(0.5, 1.0, 1 if self.planar else 3) * self.m * self.L**2
        self.bodies[name] = {
            "mass": float(rng.uniform(0.5, 3)) * self.m,
            "com": (rng.uniform(-0.3, 0.3, d) * self.L).tolist(),
            "inertia": inertia.tolist() if len(inertia) > 1 else float(inertia[0]),
            "placement": {"position": (self.p[name] * self.L).tolist(), "rotation": self.turned(self.R[name])},
        }

    def attitude(self) -> np.ndarray:
        if not self.planar:
            return RIGHT[self.rng.integers(24)] if self.right else Rotation.random(random_state=self.rng).as_matrix()
        angle = self.rng.integers(4) * np.pi / 2 if self.right else self.rng.uniform(-3, 3)
        return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])

    def turned(self, R: np.ndarray) -> dict:
        if self.planar:
            return {"angle": float(np.arctan2(R[1, 0], R[0, 0]))}
        x, y, z, w = Rotation.from_matrix(R).as_quat().tolist()
        return {"quaternion": [w, x, y, z]}

    def place(self, body: str, point: np.ndarray, R: np.ndarray) -> dict:
        local = self.R[body].T @ (point - self.p[body])
        return {"body": body, "position": (local * self.L).tolist(), "rotation": self.turned(self.R[body].T @ R)}

    def joint(self, kind: str, a: str, b: str, **more) -> dict:
        point, R = self.p[b] + self.rng.uniform(-0.6, 0.6, self.d), self.attitude()
        found = {"type": kind, "between": [self.place(a, point, R), self.place(b, point, R)], **more}
        if kind in ("revolute", "prismatic", "cylindrical") and not self.planar:
            found["axis"] = [0, 0, 1]
        if kind == "prismatic" and self.planar:
            found["axis"] = [1, 0]
        return found | ({"axis": [1, 0, 0], "axis2": [0, 1, 0]} if kind == "universal" else {})

    def springs(self, kind: str) -> dict:
        """A spring and a damper along every coordinate, mostly relaxed where they are."""
        unit = {"m": self.m / self.T**2, "rad": self.m * self.L**2 / self.T**2}
        k = {c: float(self.rng.uniform(50, 200)) * unit[u] for c, u in MOTIONS[kind].items()}
        d = {c: float(self.rng.uniform(0.1, 1)) * unit[u] * self.T for c, u in MOTIONS[kind].items()}
        rest = {"rest": "pose"} if self.rng.random() < 0.7 else {}
        return {"stiffness": k, "damping": d, **rest} if k else {}


def sprung(
    seed: int,
    *,
    planar: bool,
    loops: int = 0,
    right: bool = False,
    gravity: bool = True,
    drives: bool = False,
    units: tuple[float, float, float] = (1.0, 1.0, 1.0),
) -> poinsot.Mechanism:
    """A random tree of three bodies, or three more for every loop; names of coordinates are those of the joints."""
    n = 3 * max(loops, 1)
    it = Placed(seed, n, planar, right, units)
    kinds = ["revolute"] * 3 + ["prismatic"] + ([] if planar else ["universal", "cylindrical", "spherical"])
    joints, coordinates = {}, {}
    for i in range(n):
        near = loops and i and it.rng.random() < 0.7
        a = f"b{i - 1}" if near else ["ground", *it.bodies][int(it.rng.integers(0, i + 1))]
        kind, name = str(it.rng.choice(kinds)), f"j{i}"
        joints[name] = it.joint(kind, a, f"b{i}") | (it.springs(kind) if not loops or it.rng.random() < 0.7 else {})
        coordinates |= {f"{name} {c}".replace(" ", "_"): {"joint": name, "coordinate": c} for c in MOTIONS[kind]}
        if drives and len(MOTIONS[kind]) == 1 and it.rng.random() < 0.5:
            joints[name]["actuated"] = True
    for k in range(loops):
        kind = "revolute" if planar else str(it.rng.choice(["spherical", "universal", "cylindrical"]))
        joints[f"c{k}"] = it.joint(kind, f"b{n - 1 - k}", "ground", closing=True)
    field = (it.rng.uniform(-9.81, 9.81, it.d) * gravity * it.L / it.T**2).tolist()
    parts = {"bodies": it.bodies, "joints": joints, "coordinates": coordinates}
    return poinsot.build({"format": 1, "planar": planar, "gravity": field, **parts}, f"sprung{seed}")


def independent(mechanism: poinsot.Mechanism) -> dict[str, float]:
    """Coordinates of the placed pose that prescribe all freedoms, with their values; none where there are no such."""
    from scipy.linalg import qr

    from poinsot.vibration.linear_model.model import linear_model

    small = linear_model(mechanism, None, locked="none")
    names = list(mechanism.coordinates)
    rows = np.array([small.row(name) for name in names]) @ small.free
    _, R, order = qr(rows.T, pivoting=True)
    k = small.free.shape[1]
    if not 0 < k <= len(names) or abs(R[k - 1, k - 1]) < 1e-6 * abs(R[0, 0]):
        return {}
    home = poinsot.assemble(mechanism).poses
    chosen = [names[i] for i in sorted(order[:k])]
    return {n: float(mechanism.coordinates[n].value(home, mechanism.elements.joints)) for n in chosen}
