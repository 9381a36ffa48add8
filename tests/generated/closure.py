"""Are all joints closed, and how may the bodies move: written from the table of theory/joints, in NumPy alone.

Twists are V = (v, ω) of a body's origin in world axes. In natural scales lengths are measured by the machine's size.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from scipy.spatial.transform import Rotation

from tests.generated.machine import GROUND, Coordinate, Joint, Machine, Poses

STEP = 1e-30  # of a derivative by a complex step: exact to round-off
RANK = 1e-9  # of the largest singular value, in natural scales
LENGTHS = {  # which rows of a joint are lengths; the others are sines of angles
    "revolute": (1, 1, 1, 0, 0),
    "prismatic": (1, 1, 0, 0, 0),
    "cylindrical": (1, 1, 0, 0),
    "universal": (1, 1, 1, 0),
    "spherical": (1, 1, 1),
    "planar": (1, 0, 0),
    "helical": (1, 1, 0, 0, 0),
    "fixed": (1, 1, 1, 0, 0, 0),
    "free": (),
    "point-on-line": (1, 1),
    "distance": (1,),
}


def skew(w: np.ndarray) -> np.ndarray:
    """[w]× (3, 3)."""
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def frames(joint: Joint, poses: Poses) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """R_WF, p_WF, R_WM, p_WM."""
    (R_A, p_A), (R_B, p_B) = poses[joint.a], poses[joint.b]
    return R_A @ joint.R_A, p_A + R_A @ joint.p_A, R_B @ joint.R_B, p_B + R_B @ joint.p_B


def across(joint: Joint, poses: Poses) -> tuple[np.ndarray, np.ndarray]:
    """R_FM and p_FM."""
    R_F, p_F, R_M, p_M = frames(joint, poses)
    return R_F.T @ R_M, R_F.T @ (p_M - p_F)


def rows(joint: Joint, R: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Φ of a joint at X_FM: lengths and sines, zero where it is closed."""
    tilt = (R[0, 2], R[1, 2])
    match joint.kind:
        case "revolute":
            return np.array([*p, *tilt])
        case "prismatic":
            return np.array([p[0], p[1], *tilt, R[1, 0]])
        case "cylindrical":
            return np.array([p[0], p[1], *tilt])
        case "universal":
            return np.array([*p, R[0, 1]])
        case "spherical":
            return np.array(p)
        case "planar":
            return np.array([p[2], *tilt])
        case "helical":
            turn = p[2] / joint.number
            return np.array([p[0], p[1], *tilt, R[1, 0] * np.cos(turn) - R[0, 0] * np.sin(turn)])
        case "fixed":
            return np.array([*p, (R[2, 1] - R[1, 2]) / 2, (R[0, 2] - R[2, 0]) / 2, (R[1, 0] - R[0, 1]) / 2])
        case "free":
            return np.zeros(0, p.dtype)
        case "point-on-line":
            return np.array([p[0], p[1]])
        case "distance":
            return np.array([(p @ p - joint.number**2) / (2 * joint.number)])
    raise ValueError(f"no such joint: {joint.kind}")


def wrong_way_round(joint: Joint, R: np.ndarray) -> bool:
    """Whether a joint closed half a turn away from where it should: its sines vanish there, too."""
    about_z = joint.kind in ("revolute", "cylindrical", "planar", "helical", "prismatic", "fixed")
    return (about_z and R[2, 2] < 0) or (joint.kind in ("prismatic", "fixed") and R[0, 0] < 0)


def opening(machine: Machine, poses: Poses) -> float:
    """Largest violation of any joint, lengths by the machine's size, angles in radians."""
    worst = 0.0
    for joint in machine.joints:
        R, p = across(joint, poses)
        values = rows(joint, R, p) / np.where(LENGTHS[joint.kind], machine.size, 1.0)
        worst = max(worst, np.max(np.abs(values), initial=0.0), float(wrong_way_round(joint, R)))
    return float(worst)


def openings(machine: Machine, result, every: int = 1) -> tuple[float, str]:
    """Largest violation along the motion of a result (position, rotation by body), and the joint that opens most."""
    count, found = len(result.t), (0.0, "")
    for k in range(0, count, every):
        poses = poses_of(machine, result, k)
        for joint in machine.joints:
            R, p = across(joint, poses)
            values = np.abs(rows(joint, R, p)) / np.where(LENGTHS[joint.kind], machine.size, 1.0)
            worst = max(np.max(values, initial=0.0), float(wrong_way_round(joint, R)))
            found = max(found, (float(worst) if np.isfinite(worst) else np.inf, joint.name))
    return found


def poses_of(machine: Machine, result, k: int | None = None) -> Poses:
    """Poses of a public result, at sample k of a motion."""
    at = () if k is None else k
    moving = {b.name: (result.rotation[b.name][at], result.position[b.name][at]) for b in machine.bodies}
    return {GROUND: (np.eye(3), np.zeros(3))} | moving


def carried(joint: Joint, poses: Poses) -> tuple[np.ndarray, np.ndarray]:
    """Maps (6, 6) from the twists of A and of B to that of M seen from F, (d p_FM, ω of M against F), axes of F."""
    R_F, _, _, p_M = frames(joint, poses)
    T = np.zeros((2, 6, 6))
    for k, (body, sign) in enumerate(((joint.a, -1.0), (joint.b, 1.0))):
        T[k, :3, :3] = T[k, 3:, 3:] = sign * R_F.T
        T[k, :3, 3:] = -sign * R_F.T @ skew(p_M - poses[body][1])
    return T[0], T[1]


def local(joint: Joint, poses: Poses) -> np.ndarray:
    """∂Φ (rows, 6) with respect to (δp_FM, δθ), axes of F."""
    R, p = across(joint, poses)
    columns = []
    for i in range(6):
        d = np.zeros(6, complex)
        d[i] = 1j * STEP
        columns.append(rows(joint, R + skew(d[3:]) @ R, p + d[:3]).imag / STEP)
    return np.array(columns).T.reshape(-1, 6)


def free_columns(machine: Machine) -> np.ndarray:
    """Which twists (6 n) bodies can have at all: three of each in the plane."""
    one = [0, 1, 5] if machine.planar else range(6)
    return np.array([6 * k + i for k in range(len(machine.bodies)) for i in one], int)


def jacobian(machine: Machine, poses: Poses) -> np.ndarray:
    """Φ̇ = J V for the twists V (6 n) of all bodies."""
    index = {b.name: 6 * k for k, b in enumerate(machine.bodies)}
    blocks = []
    for joint in machine.joints:
        G = local(joint, poses)
        block = np.zeros((len(G), 6 * len(machine.bodies)))
        for body, T in zip((joint.a, joint.b), carried(joint, poses)):
            if body != GROUND:
                block[:, index[body] : index[body] + 6] += G @ T
        blocks.append(block)
    return np.vstack(blocks)


def natural(machine: Machine, J: np.ndarray) -> np.ndarray:
    """J with lengths measured by the machine's size, of the twists that bodies can have."""
    lengths = np.concatenate([LENGTHS[joint.kind] for joint in machine.joints] or [np.zeros(0)])
    columns = np.where(np.arange(J.shape[1]) % 6 < 3, machine.size, 1.0)
    scaled = J / np.where(lengths, machine.size, 1.0)[:, None] * columns
    return scaled[:, free_columns(machine)]


@dataclass(frozen=True, eq=False)
class Freedoms:
    """How a machine may move in a pose."""

    mobility: int
    condition: float  # of the constraints that count, in natural scales
    gap: float  # smallest singular value that counts over the largest one that does not (at least round-off)
    motions: np.ndarray  # possible twists (6 n, mobility)


def freedoms(machine: Machine, poses: Poses) -> Freedoms:
    """Mobility and motions from the singular values of the Jacobian in natural scales."""
    J = natural(machine, jacobian(machine, poses))
    n, U = J.shape[1], np.linalg.svd(J)
    s = U.S
    rank = int(np.sum(s > RANK * s[0])) if len(s) else 0
    columns = np.where(np.arange(6 * len(machine.bodies)) % 6 < 3, machine.size, 1.0)
    motions = np.zeros((6 * len(machine.bodies), n - rank))
    motions[free_columns(machine)] = U.Vh[rank:].T
    condition = float(s[0] / s[rank - 1]) if rank else 1.0
    clear = float(s[rank - 1] / max(s[rank:].max(initial=0.0), 1e-15)) if rank else np.inf
    return Freedoms(n - rank, condition, clear, motions * columns[:, None])


def rate_row(machine: Machine, c: Coordinate, poses: Poses) -> np.ndarray:
    """ṡ = row V of a coordinate, for the twists V (6 n) of all bodies: also the wrenches of a unit force along it."""
    index = {b.name: 6 * k for k, b in enumerate(machine.bodies)}
    row = np.zeros(6 * len(machine.bodies))

    def add(body: str, point: np.ndarray, force: np.ndarray, moment: np.ndarray | float = 0.0) -> None:
        if body != GROUND:
            row[index[body] : index[body] + 3] += force
            row[index[body] + 3 : index[body] + 6] += moment + skew(point - poses[body][1]) @ force

    if c.kind == "joint":
        joint = machine.by_name[c.joint]
        R_F, _, R_M, p_M = frames(joint, poses)
        force, moment = _along(c.which, R_F, R_M)
        add(joint.a, p_M, -force, -moment)
        add(joint.b, p_M, force, moment)
        return row
    points = [poses[body][0] @ place + poses[body][1] for body, place in c.places]
    if c.kind == "length":
        e = (points[1] - points[0]) / np.linalg.norm(points[1] - points[0])
        add(c.places[0][0], points[0], -e)
        add(c.places[1][0], points[1], e)
    elif c.kind == "position":
        add(c.places[0][0], points[0], np.eye(3)["xyz".index(c.which)])
    else:
        add(c.places[0][0], points[0], np.zeros(3), _angle_axis(poses[c.places[0][0]][0] @ c.R, c.which))
    return row


def _along(which: str, R_F: np.ndarray, R_M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Direction of the force and of the moment on B that work along one coordinate of a joint."""
    none = np.zeros(3)
    match which:
        case "angle":
            return none, R_F[:, 2]
        case "displacement":
            return R_F[:, 2], none
        case "angle1":
            return none, R_F[:, 0]
        case "angle2":
            return none, R_M[:, 1]
        case "x" | "y":
            return R_F[:, "xy".index(which)], none
    raise ValueError(f"no such coordinate: {which}")


def _angle_axis(R: np.ndarray, which: str) -> np.ndarray:
    """θ̇_i = axis · ω for R = R_x(θ₁) R_y(θ₂) R_z(θ₃): the row of the inverse of ω = E θ̇."""
    one, two, _ = Rotation.from_matrix(R).as_euler("XYZ")
    X, Y = Rotation.from_euler("X", one).as_matrix(), Rotation.from_euler("XY", [one, two]).as_matrix()
    E = np.column_stack([[1.0, 0.0, 0.0], X[:, 1], Y[:, 2]])
    return np.linalg.inv(E)["xyz".index(which)]


def value(machine: Machine, c: Coordinate, poses: Poses) -> float:
    """s of a coordinate, angles between −π and π."""
    if c.kind != "joint":
        points = [poses[body][0] @ place + poses[body][1] for body, place in c.places]
        if c.kind == "length":
            return float(np.linalg.norm(points[1] - points[0]))
        if c.kind == "position":
            return float(points[0]["xyz".index(c.which)])
        R = poses[c.places[0][0]][0] @ c.R
        return float(Rotation.from_matrix(R).as_euler("XYZ")["xyz".index(c.which)])
    joint = machine.by_name[c.joint]
    R, p = across(joint, poses)
    if joint.kind == "helical":
        return float(p[2] / joint.number)
    pairs = {"angle": (R[1, 0], R[0, 0]), "angle1": (R[2, 1], R[1, 1]), "angle2": (R[0, 2], R[0, 0])}
    if c.which in pairs:
        return float(np.arctan2(*pairs[c.which]))
    return float(p[{"displacement": 2, "x": 0, "y": 1}[c.which]])


def independent(
    machine: Machine, poses: Poses, candidates: dict[str, Coordinate], free: Freedoms | None = None
) -> list[str]:
    """As many coordinates as there are freedoms, by pivoting in natural scales; fewer if they do not suffice."""
    free = free or freedoms(machine, poses)
    if not free.mobility or not candidates:
        return []
    units = {name: 1.0 if turns(machine, c) else machine.size for name, c in candidates.items()}
    S = np.array([rate_row(machine, c, poses) @ free.motions / units[name] for name, c in candidates.items()])
    _, r, order = scipy.linalg.qr(S.T, pivoting=True, mode="economic")
    sure = np.abs(np.diag(r)) > max(1e-2 * abs(r[0, 0]), 1e-6)  # a rate of round-off size is none
    return [list(candidates)[k] for k, good in zip(order, sure) if good][: free.mobility]


def turns(machine: Machine, c: Coordinate) -> bool:
    """Whether a coordinate is an angle."""
    return c.kind == "angle" or (c.kind == "joint" and c.which.startswith("angle"))
