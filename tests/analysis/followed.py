"""Frequencies of closed linkages with one freedom, from energies along a motion that is followed by numbers alone.

Nothing of the library is used: bodies have positions and rotation vectors, hinges are points that coincide and axes
that agree, the motion is found by Newton steps of least change, and

    ω² = V'' / Σ (m |p'|² + w'ᵀ J w')        along any parameter of the motion, where V' = 0
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

_FIRST = np.array([4 / 5, -1 / 5, 4 / 105, -1 / 280])  # central differences of eighth order
_SECOND = np.array([8 / 5, -1 / 5, 8 / 315, -1 / 560])


@dataclass(frozen=True)
class Linkage:
    """A closed loop of hinges; body i between hinges i and i + 1, the ground between the last and the first.

    All bodies have the world's axes and origin in the pose in which points and axes are given.
    """

    points: np.ndarray  # (n, 3)
    axes: np.ndarray  # (n, 3)
    masses: np.ndarray  # (n - 1,)
    centres: np.ndarray  # (n - 1, 3)
    inertias: np.ndarray  # (n - 1, 3), about the centres
    gravity: np.ndarray  # (3,)
    stiffness: np.ndarray  # (n,) of the hinges
    rests: np.ndarray  # (n,)

    def document(self) -> dict:
        """The same as a model file."""
        names = ["ground", *(f"link{i}" for i in range(1, len(self.points)))]
        bodies = {
            name: {"mass": float(m), "com": c.tolist(), "inertia": J.tolist()}
            for name, m, c, J in zip(names[1:], self.masses, self.centres, self.inertias)
        }
        joints = {}
        for i, (point, axis) in enumerate(zip(self.points, self.axes)):
            between = [{"body": names[k % len(names)], "position": point.tolist()} for k in (i, i + 1)]
            joints[f"hinge{i}"] = {"type": "revolute", "between": between, "axis": axis.tolist()}
            if self.stiffness[i]:
                joints[f"hinge{i}"] |= {"stiffness": float(self.stiffness[i]), "rest": float(self.rests[i])}
        return {"format": 1, "gravity": self.gravity.tolist(), "bodies": bodies, "joints": joints}

    def _placed(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions and attitudes of ground and bodies from coordinates (6 (n - 1),)."""
        x = np.vstack([np.zeros(6), x.reshape(-1, 6)])
        return x[:, :3], Rotation.from_rotvec(x[:, 3:]).as_matrix()

    def gaps(self, x: np.ndarray) -> np.ndarray:
        p, R = self._placed(x)
        size, found = np.max(np.abs(self.points)), []
        for i, (point, axis) in enumerate(zip(self.points, self.axes)):
            a, b = i, (i + 1) % len(self.points)
            found += [(p[a] + R[a] @ point - p[b] - R[b] @ point) / size, np.cross(R[a] @ axis, R[b] @ axis)]
        return np.concatenate(found)

    def angles(self, x: np.ndarray) -> np.ndarray:
        _, R = self._placed(x)
        following = np.roll(R, -1, axis=0)
        return np.array([a @ Rotation.from_matrix(A.T @ B).as_rotvec() for a, A, B in zip(self.axes, R, following)])

    def potential(self, x: np.ndarray) -> float:
        p, R = self._placed(x)
        centres = p[1:] + np.einsum("kij,kj->ki", R[1:], self.centres)
        springs = self.stiffness @ (self.angles(x) - self.rests) ** 2 / 2
        return float(springs - self.masses @ (centres @ self.gravity))

    def path(self, h: float) -> list[np.ndarray]:
        """Coordinates at −4h … 4h along the motion, in multiples of its direction at home."""
        n = 6 * len(self.masses)
        scale = np.tile([np.max(np.abs(self.points))] * 3 + [1.0] * 3, len(self.masses))
        direction = np.linalg.svd(_slopes(self.gaps, np.zeros(n), scale))[2][-1]
        found = []
        for k in range(-4, 5):
            y = k * h * direction
            A = np.vstack([_slopes(self.gaps, scale * y, scale), direction])
            inverse = np.linalg.pinv(A, rcond=1e-6)
            for _ in range(40):  # stays in the plane across the direction
                b = np.append(self.gaps(scale * y), direction @ y - k * h)
                if np.max(np.abs(b)) < 1e-15:
                    break
                y = y - inverse @ b
            found.append(scale * y)
        return found

    def relaxed(self, h: float = 0.02) -> Linkage:
        """The same with the spring of the first hinge turned so that it balances the weights at home."""
        path = self.path(h)
        bare = Linkage(*(getattr(self, f) for f in self.__dataclass_fields__ if f != "rests"), rests=0 * self.rests)
        torque = _first([bare.potential(x) for x in path], h) / _first([self.angles(x)[0] for x in path], h)
        rests = np.zeros(len(self.points))
        rests[0] = torque / self.stiffness[0]
        return Linkage(*(getattr(self, f) for f in self.__dataclass_fields__ if f != "rests"), rests=rests)

    def frequency(self, h: float = 0.02) -> float:
        """√(V''/M)/2π with the sign of V''  [Hz]."""
        path = self.path(h)
        potential = [self.potential(x) for x in path]
        p, R = zip(*(self._placed(x) for x in path))
        centres = [a[1:] + np.einsum("kij,kj->ki", b[1:], self.centres) for a, b in zip(p, R)]
        speed, turn = _first(centres, h), _first(R, h)[1:]
        spin = np.stack([turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0], turn[:, 1, 0] - turn[:, 0, 1]])
        mass = np.sum(self.masses[:, None] * speed**2) + np.sum(self.inertias * (spin.T / 2) ** 2)
        stiffness = _second(potential, h)
        return float(np.sign(stiffness) * np.sqrt(abs(stiffness) / mass) / (2 * np.pi))


def _slopes(f, x: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """∂f/∂(x / scale) by central differences."""
    step = 1e-5
    ways = np.eye(len(x)) * scale * step
    return np.stack([(f(x + d) - f(x - d)) / (2 * step) for d in ways], axis=1)


def _first(values, h: float) -> np.ndarray:
    values = np.asarray(values)
    return sum(c * (values[4 + k] - values[4 - k]) for k, c in enumerate(_FIRST, 1)) / h


def _second(values, h: float) -> np.ndarray:
    values = np.asarray(values)
    pairs = sum(c * (values[4 + k] + values[4 - k]) for k, c in enumerate(_SECOND, 1))
    return (pairs - 205 / 72 * values[4]) / h**2
