"""The rank of a regressor by another route: maximal coordinates in plain NumPy, no tree, no symbols, no kernels.

Every body has its twist in world axes about its origin. The joints' laws, written here by what they allow, hold
relative twists, J V = 0; virtual power of the motions N that are left gives the rows Nᵀ Y(V, V̇) of all freedoms.
Columns are measured in natural units, by the machine's length, so round-off is what is small beside the largest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poinsot.model.mechanism import Mechanism

GAP = 1e-8  # of the largest singular value
CLOSED = 1e-14  # of the machine's length


@dataclass
class Pair:
    """A joint: what it leaves free of the relative motion, in frames on both bodies."""

    bodies: tuple[int, int]  # −1 is the ground
    R: tuple[np.ndarray, np.ndarray]  # frames on the bodies
    p: tuple[np.ndarray, np.ndarray]
    kind: str


def cross_matrix(x):
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def turned(w):
    """Rotation by a vector  [rad]."""
    angle = np.linalg.norm(w)
    K = cross_matrix(w / angle) if angle > 0 else np.zeros((3, 3))
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


class Maximal:
    """A mechanism in maximal coordinates: all joints but helical, planar and those of points."""

    def __init__(self, mechanism: Mechanism, home, length: float):
        elements = mechanism.elements
        self.names, self.length = list(elements.bodies), length
        self.gravity = np.asarray(elements.gravity, float)
        self.home = [(np.asarray(home[n].R, float), np.asarray(home[n].p, float)) for n in self.names]
        number = {n: i for i, n in enumerate(self.names)} | {"ground": -1}
        self.pairs = []
        for joint in elements.joints.values():
            a, b = joint.frame_on_a(), joint.frame_on_b()
            R, p = ([np.asarray(x, float) for x in two] for two in ((a.R, b.R), (a.p, b.p)))
            self.pairs.append(Pair((number[joint.a.body], number[joint.b.body]), tuple(R), tuple(p), joint.kind))

    def held(self, pair, R_A, R_B):
        """Directions in the world along which points, and about which bodies, are held together."""
        z = R_A @ pair.R[0][:, 2]
        plane = np.linalg.svd(z[None])[2][1:]
        every, none = np.eye(3), np.zeros((0, 3))
        if pair.kind == "universal":
            arms = R_A @ pair.R[0][:, 0], R_B @ pair.R[1][:, 1]
            return every, np.cross(arms[1], arms[0])[None]
        return {
            "revolute": (every, plane),
            "spherical": (every, none),
            "fixed": (every, every),
            "prismatic": (plane, every),
            "cylindrical": (plane, plane),
            "free": (none, none),
        }[pair.kind]

    def rows(self, X, V=None):
        """J (m, 6n) and γ = −J̇ V (m,); for every joint its points first, in lengths of the machine."""
        J, bias = [], []
        rest = (np.eye(3), np.zeros(3))
        for pair in self.pairs:
            (R_A, p_A), (R_B, p_B) = (X[i] if i >= 0 else rest for i in pair.bodies)
            at = p_B + R_B @ pair.p[1]  # the joint's point on B; on A the same place
            points, turns = self.held(pair, R_A, R_B)
            for k, D in enumerate((points, turns)):
                block = np.zeros((len(D), 6 * len(X)))
                for i, sign, origin in zip(pair.bodies, (-1, 1), (p_A, p_B)):
                    if i >= 0:
                        block[:, 6 * i + 3 * k : 6 * i + 3 * k + 3] = sign * D
                        if k == 0:
                            block[:, 6 * i + 3 : 6 * i + 6] = -sign * D @ cross_matrix(at - origin)
                J.append(block / (self.length if k == 0 else 1))
            if V is not None:
                bias += self.bias(pair, X, V, at, points, turns)
        return np.vstack(J), np.concatenate(bias) if bias else None

    def bias(self, pair, X, V, at, points, turns):
        """−J̇ V of one joint: of points seen from A, with Coriolis; of turns by the axes' own rates."""
        twist = [V[6 * i : 6 * i + 6] if i >= 0 else np.zeros(6) for i in pair.bodies]
        p = [X[i][1] if i >= 0 else np.zeros(3) for i in pair.bodies]
        (v_A, w_A), (v_B, w_B) = ((t[:3], t[3:]) for t in twist)
        slide = v_B + np.cross(w_B, at - p[1]) - v_A - np.cross(w_A, at - p[0])
        centripetal = [np.cross(w, np.cross(w, at - q)) for w, q in zip((w_A, w_B), p)]
        of_points = points @ (2 * np.cross(w_A, slide) + centripetal[0] - centripetal[1]) / self.length
        if pair.kind == "universal":  # n·(w_B − w_A) = 0 with n = y × x, x fixed in A, y in B
            x = (X[pair.bodies[0]][0] if pair.bodies[0] >= 0 else np.eye(3)) @ pair.R[0][:, 0]
            y = (X[pair.bodies[1]][0] if pair.bodies[1] >= 0 else np.eye(3)) @ pair.R[1][:, 1]
            rate = np.cross(np.cross(w_B, y), x) + np.cross(y, np.cross(w_A, x))
            return [of_points, -np.array([rate @ (w_B - w_A)])]
        return [of_points, turns @ np.cross(w_A, w_B)]

    def gaps(self, X):
        """Φ (m,) in the order of the rows, to first order in the turns."""
        found, rest = [], (np.eye(3), np.zeros(3))
        for pair in self.pairs:
            (R_A, p_A), (R_B, p_B) = (X[i] if i >= 0 else rest for i in pair.bodies)
            points, turns = self.held(pair, R_A, R_B)
            found.append(points @ (p_B + R_B @ pair.p[1] - p_A - R_A @ pair.p[0]) / self.length)
            F, M = R_A @ pair.R[0], R_B @ pair.R[1]
            if pair.kind == "universal":
                found.append(np.array([F[:, 0] @ M[:, 1]]))
            elif pair.kind in ("fixed", "prismatic"):
                found.append(sum(np.cross(F[:, i], M[:, i]) for i in range(3)) / 2)
            else:
                found.append(turns @ np.cross(F[:, 2], M[:, 2]))
        return np.concatenate(found)

    def scales(self, n):
        return np.tile([self.length] * 3 + [1.0] * 3, n)

    def motions(self, X):
        """N (6n, f) in natural units."""
        J = self.rows(X)[0] * self.scales(len(X))
        _, s, Vt = np.linalg.svd(J)
        return self.scales(len(X))[:, None] * Vt[int(np.sum(s > GAP * s[0])) :].T

    def moved(self, X, V):
        return [(turned(V[6 * i + 3 : 6 * i + 6]) @ R, p + V[6 * i : 6 * i + 3]) for i, (R, p) in enumerate(X)]

    def walk(self, rng, steps=5, reach=0.1):
        """A pose some steps from home, closed by Newton's method."""
        X = self.home
        for _ in range(steps):
            N = self.motions(X)
            trial = self.moved(X, reach * N @ rng.normal(size=N.shape[1]))
            for _ in range(8):
                gap = self.gaps(trial)
                if np.max(np.abs(gap), initial=0) < CLOSED:
                    X = trial
                    break
                J = self.rows(trial)[0] * self.scales(len(X))
                step = np.linalg.lstsq(J, -gap, rcond=GAP)[0]
                trial = self.moved(trial, self.scales(len(X)) * step)
        return X

    def sample(self, rng):
        """Rows (f, 10 n) of all freedoms at a random state, speeds and accelerations of the order of gravity's."""
        X = self.walk(rng)
        N, scales = self.motions(X), self.scales(len(X))
        rate = np.sqrt((np.linalg.norm(self.gravity) or self.length) / self.length)
        V = rate * N @ rng.normal(size=N.shape[1])
        J, bias = self.rows(X, V)
        A = rate**2 * N @ rng.normal(size=N.shape[1]) + scales * (np.linalg.pinv(J * scales, rcond=GAP) @ bias)
        return N.T @ np.vstack([self.needed(X, V, A, i) for i in range(len(X))])

    def needed(self, X, V, A, i):
        """∂(f, m)/∂(m, h, I) (6, 10 n) of a body: force and moment about its origin, in world axes."""
        R, _ = X[i]
        w, alpha = (R.T @ x[6 * i + 3 : 6 * i + 6] for x in (V, A))
        a = R.T @ (A[6 * i : 6 * i + 3] - self.gravity)
        Y = np.zeros((6, 10))
        Y[:3, 0] = a
        Y[:3, 1:4] = cross_matrix(alpha) + cross_matrix(w) @ cross_matrix(w)
        Y[3:, 1:4] = -cross_matrix(a)
        for k, (r, c) in enumerate(((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))):
            unit = np.zeros((3, 3))
            unit[r, c] = unit[c, r] = 1
            Y[3:, 4 + k] = unit @ alpha + np.cross(w, unit @ w)
        found = np.zeros((6, 10 * len(X)))
        found[:, 10 * i : 10 * i + 10] = np.vstack([R @ Y[:3], R @ Y[3:]])
        return found


def independent_rank(mechanism: Mechanism, home, length: float, count: int = 40, seed: int = 0) -> tuple[int, float]:
    """The number of base parameters of bodies that forces of all freedoms determine, and the gap that shows it."""
    machine, rng = Maximal(mechanism, home, length), np.random.default_rng(seed)
    W = np.vstack([machine.sample(rng) for _ in range(count)])
    natural = np.tile(length ** -np.array([0.0, 1, 1, 1, 2, 2, 2, 2, 2, 2]), len(machine.names))
    s = np.linalg.svd(W * natural, compute_uv=False)
    rank = int(np.sum(s > GAP * s[0]))
    return rank, float(s[rank - 1] / max(s[rank], 1e-16 * s[0])) if rank < len(s) else np.inf
