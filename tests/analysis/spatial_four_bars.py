"""RSSR four-bars, and the torque at their cranks by an energy balance: NumPy alone.

Of the rod only its ends count: where its mass is symmetric about its line it does not spin, ω = e × ė.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

GRAVITY = np.array([0.0, 0.0, -9.81])  # [m/s²]


def unit(v) -> np.ndarray:
    return np.asarray(v, float) / np.linalg.norm(v)


def attitude(z, x) -> np.ndarray:
    """The attitude with z along a direction and x near another."""
    z, x = unit(z), np.asarray(x, float)
    x = unit(x - (x @ z) * z)
    return np.column_stack([x, np.cross(z, x), z])


def about(axis: np.ndarray, angle: float) -> np.ndarray:
    return Rotation.from_rotvec(axis * angle).as_matrix()


@dataclass(frozen=True)
class FourBar:
    """A crank A–B, a rod B–C and a rocker D–C, hinged at A and D."""

    thick: float = 1e-5  # inertia of the rod about its own line  [kg·m²]
    slender: float = 0.004  # about lines across it, through its mass centre  [kg·m²]
    tilt: tuple[float, float, float] = (0.0, 0.0, 0.0)  # of the whole machine  [rad]
    a = np.array([0.0, 0.0, 1.0])
    d = unit([0.0, 1.0, 0.2])
    A, B, D = np.zeros(3), np.array([0.1, 0.02, 0.0]), np.array([0.6, 0.1, 0.0])
    crank = (0.5, 0.05, (1e-4, 5e-4, 6e-4))  # mass [kg], com along x [m], inertia about it [kg·m²]
    rocker = (0.7, 0.17, (2e-4, 7e-3, 7e-3))
    rod_mass, rod_com = 0.8, 0.4  # [kg], share of the rod from B

    @property
    def C(self) -> np.ndarray:
        v = np.array([0.1, -0.2, 1.0])
        return self.D + 0.35 * unit(v - (v @ self.d) * self.d)

    @property
    def length(self) -> float:
        return float(np.linalg.norm(self.C - self.B))

    @property
    def gravity(self) -> np.ndarray:
        """In the axes of the drawing, which is tilted."""
        return Rotation.from_rotvec(self.tilt).as_matrix().T @ GRAVITY

    def document(self, placed: str = "along", spread: tuple[float, ...] | None = None, side: float = 0.0) -> dict:
        """The model file; `spread` of the rod's inertia, and `side`, its mass centre off the line [m]."""
        W, A, B, C, D = Rotation.from_rotvec(self.tilt).as_matrix(), self.A, self.B, self.C, self.D
        R = {"crank": W @ attitude(self.a, B - A), "rocker": W @ attitude(self.d, C - D)}
        R["rod"] = W @ attitude(C - B, [1, 0, 0])
        origins = {"crank": A, "rocker": D, "rod": B}

        def turned(name: str) -> dict:
            x, y, z, w = Rotation.from_matrix(R[name]).as_quat()
            return {"quaternion": [float(w), float(x), float(y), float(z)]}

        def there(p: np.ndarray) -> list[float]:
            return [float(v) for v in W @ p]

        def bar(given: tuple, pin: float) -> dict:
            mass, com, inertia = given
            return {"mass": mass, "com": [com, 0, 0], "inertia": list(inertia), "frames": {"pin": [pin, 0, 0]}}

        bodies = {"crank": bar(self.crank, float(np.linalg.norm(B - A))), "rocker": bar(self.rocker, 0.35)}
        bodies["rod"] = {
            "mass": self.rod_mass,
            "com": [side, 0, self.rod_com * self.length],
            "inertia": list(spread or (self.slender, self.slender, self.thick)),
            "frames": {"end": [0, 0, self.length]},
        }
        for name, body in bodies.items():
            body["placement"] = {"position": there(origins[name]), "rotation": turned(name)}
        frames = {"A": {"body": "ground", "position": there(A), "rotation": turned("crank")}}
        frames["D"] = {"body": "ground", "position": there(D), "rotation": turned("rocker")}
        if placed == "along":
            bodies["rod"]["placement"] = {"at": "crank.pin", "along": ["crank.pin", "rocker.pin"]}
        ball = {"type": "spherical"}
        return {
            "format": 1,
            "name": "rssr",
            "bodies": bodies,
            "frames": frames,
            "joints": {
                "A": {"type": "revolute", "between": ["A", "crank"], "actuated": True},
                "S1": ball | {"between": ["crank.pin", "rod"]},
                "S2": ball | {"between": ["rod.end", "rocker.pin"]},
                "D": {"type": "revolute", "between": ["D", "rocker"]},
            },
            "coordinates": {"theta": {"joint": "A"}},
            "sensors": {
                "encoder": {"type": "encoder", "on": {"joint": "D"}},
                "torque": {"type": "drive-force", "actuator": "A"},
                "gyro": {"type": "gyroscope", "at": "rod"},
            },
        }

    def rocked(self, theta: float, psi: float = 0.0) -> float:
        """The rocker's angle, near another, by Newton's method on |BC| [rad]."""
        B = about(self.a, theta) @ self.B
        for _ in range(30):
            r = about(self.d, psi) @ (self.C - self.D)
            e = self.D + r - B
            step = (e @ e - self.length**2) / (2 * e @ np.cross(self.d, r))
            psi -= step
            if abs(step) < 1e-15:
                break
        return psi

    def energy(self, theta: float, rate: float) -> float:
        """Kinetic and potential energy [J] at an angle [rad] and rate of the crank [rad/s]."""
        psi = self.rocked(theta)
        B, r = about(self.a, theta) @ self.B, about(self.d, psi) @ (self.C - self.D)
        C, vB = self.D + r, rate * np.cross(self.a, B)
        rock = ((C - B) @ vB) / ((C - B) @ np.cross(self.d, r))
        vC, e = rock * np.cross(self.d, r), (C - B) / self.length
        found = 0.0
        for (mass, com, inertia), speed, out, origin in (
            (self.crank, rate, unit(B), self.A),
            (self.rocker, rock, unit(r), self.D),
        ):
            about_hinge = mass * com**2 + inertia[2]
            found += 0.5 * about_hinge * speed**2 - mass * self.gravity @ (origin + com * out)
        v, w = vB + self.rod_com * (vC - vB), np.cross(e, (vC - vB) / self.length)
        found += 0.5 * self.rod_mass * v @ v + 0.5 * self.slender * w @ w
        return found - self.rod_mass * self.gravity @ (B + self.rod_com * (C - B))

    def torque(self, theta, t: np.ndarray, h: float = 2e-4) -> np.ndarray:
        """Of the crank (n,) [N·m]: the power that the energy takes, by its rate; theta(t) gives angle and rate."""
        weights = {-3: -1, -2: 9, -1: -45, 1: 45, 2: -9, 3: 1}
        rates = [sum(w * self.energy(*theta(x + k * h)) for k, w in weights.items()) / (60 * h) for x in t]
        return np.array(rates) / np.array([theta(x)[1] for x in t])
