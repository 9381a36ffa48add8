"""Newton's and Euler's equations of every body, from public results: an account that no formulation takes part in.

    Σ f − m a_cm = 0,        Σ m_cm − J ω̇ − ω × J ω = 0        about the mass centre, world axes

Forces are the joint reactions (equal and opposite on the two bodies), gravity, and the laws of theory/forces, written
here again. Wrenches and twists are (f, m) and (v, ω) at a body's origin, all bodies stacked (6 n).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tests.generated.closure import freedoms, poses_of, rate_row, skew, turns, value
from tests.generated.machine import GROUND, Law, Machine, Poses

LIGHT = 1e-4  # of the largest forces on any body: on bodies with less, round-off of the largest ones is allowed for


@dataclass(frozen=True, eq=False)
class Account:
    """What is left over on every body when all forces and moments are added."""

    imbalance: dict[str, float]  # by body, relative to the sum of the moduli of all terms on it
    unknown: int  # components of reactions that were not given, and were found such that the bodies balance best

    @property
    def worst(self) -> float:
        """The largest imbalance."""
        return max(self.imbalance.values(), default=0.0)


def twists(machine: Machine, poses: Poses, rates: Mapping[str, float]) -> np.ndarray:
    """Twists (6 n) of all bodies from the rates of as many named coordinates as there are freedoms."""
    free = freedoms(machine, poses)
    S = np.array([rate_row(machine, machine.coordinates[name], poses) for name in rates]).reshape(len(rates), -1)
    units = np.array([1.0 if turns(machine, machine.coordinates[name]) else machine.size for name in rates])
    given = np.array(list(rates.values()), float) / units
    return free.motions @ np.linalg.lstsq(S @ free.motions / units[:, None], given, rcond=None)[0]


def law_force(law: Law, s: float, rate: float, second: float) -> float:
    """Force along a coordinate (theory/forces); `second` is s̈."""
    n = law.numbers
    match law.kind:
        case "spring":
            return -n["stiffness"] * (s - n["rest"])
        case "damper":
            return -n["damping"] * rate
        case "friction":
            dry = n["coulomb"] * np.tanh(rate / n["smooth"])
            return -(n["viscous"] * rate + dry + n.get("offset", 0.0))
        case "drive-inertia":
            return -n["inertia"] * second
    raise ValueError(f"no such law: {law.kind}")


def drift(machine: Machine, law: Law, poses: Poses, V: np.ndarray) -> float:
    """Part of s̈ that comes from velocities: the derivative of row(X) V while all twists stay (eighth order)."""
    fastest = np.max(np.abs(V) / np.where(np.arange(len(V)) % 6 < 3, machine.size, 1.0), initial=0.0)
    h = 0.02 / fastest if fastest else 1.0
    total = 0.0
    for k, c in enumerate((4 / 5, -1 / 5, 4 / 105, -1 / 280), 1):
        for sign in (1, -1):
            total += sign * c * (rate_row(machine, law.on, moved(machine, poses, sign * k * h * V)) @ V)
    return total / h


def moved(machine: Machine, poses: Poses, step: np.ndarray) -> Poses:
    """Poses after all bodies moved by a twist times a time (6 n)."""
    found = {GROUND: poses[GROUND]}
    for k, body in enumerate(machine.bodies):
        R, p = poses[body.name]
        v, w = step[6 * k : 6 * k + 3], step[6 * k + 3 : 6 * k + 6]
        found[body.name] = (turned(w) @ R, p + v)
    return found


def turned(w: np.ndarray) -> np.ndarray:
    """exp([w]×), by Rodrigues."""
    angle = np.linalg.norm(w)
    S = skew(w)
    half = np.sinc(angle / (2 * np.pi))  # sin(a/2) / (a/2)
    return np.eye(3) + np.sinc(angle / np.pi) * S + 0.5 * half**2 * S @ S


def applied(
    machine: Machine, poses: Poses, V: np.ndarray, A: np.ndarray, forces: Mapping[str, float]
) -> list[np.ndarray]:
    """Wrenches (6 n) of gravity, laws, loads and actuators, one for each."""
    found = []
    weight = np.zeros(6 * len(machine.bodies))
    for k, body in enumerate(machine.bodies):
        f = body.mass * machine.gravity
        weight[6 * k : 6 * k + 6] = np.concatenate([f, np.cross(poses[body.name][0] @ body.com, f)])
    found.append(weight)
    for law in machine.laws:
        row = rate_row(machine, law.on, poses)
        second = row @ A + drift(machine, law, poses, V) if law.kind == "drive-inertia" else 0.0
        found.append(law_force(law, near_rest(machine, law, poses), row @ V, second) * row)
    for load in machine.loads:
        R, wrench = poses[load.body][0], np.zeros(6 * len(machine.bodies))
        f, m = (R @ load.force, R @ load.moment) if load.follows else (load.force, load.moment)
        k = [body.name for body in machine.bodies].index(load.body)
        wrench[6 * k : 6 * k + 6] = np.concatenate([f, m + np.cross(R @ load.point, f)])
        found.append(wrench)
    for name, u in forces.items():
        found.append(u * rate_row(machine, machine.actuators[name], poses))
    return found


def near_rest(machine: Machine, law: Law, poses: Poses) -> float:
    """s of a law; an angle within half a turn of where its spring is relaxed."""
    s = value(machine, law.on, poses)
    if law.kind == "spring" and turns(machine, law.on) and machine.by_name[law.on.joint].kind != "helical":
        rest = law.numbers["rest"]
        return s - 2 * np.pi * np.round((s - rest) / (2 * np.pi))
    return s


def inertial(machine: Machine, poses: Poses, V: np.ndarray, A: np.ndarray) -> list[np.ndarray]:
    """Wrenches (6 n) of inertia: −m a_cm at the mass centre, −J ω̇, −ω × J ω."""
    found = np.zeros((3, 6 * len(machine.bodies)))
    for k, body in enumerate(machine.bodies):
        R, six = poses[body.name][0], slice(6 * k, 6 * k + 6)
        (_, w), (a, alpha) = V[six].reshape(2, 3), A[six].reshape(2, 3)
        c, J = R @ body.com, R @ body.J @ R.T
        f = -body.mass * (a + np.cross(alpha, c) + np.cross(w, np.cross(w, c)))
        found[0, six] = np.concatenate([f, np.cross(c, f)])
        found[1, 6 * k + 3 : 6 * k + 6] = -J @ alpha
        found[2, 6 * k + 3 : 6 * k + 6] = -np.cross(w, J @ w)
    return list(found)


def reaction_columns(machine: Machine, joint: str, poses: Poses) -> np.ndarray:
    """Wrenches (6 n, 6) of unit components of a joint's reaction, in the axes in which the library gives it."""
    law = machine.mechanism.joints[joint]
    X = law.frame_on_b()
    R_B, p_B = poses[law.b.body]
    R_M, p_M = R_B @ np.asarray(X.R, float), p_B + R_B @ np.asarray(X.p, float)
    found = np.zeros((6 * len(machine.bodies), 6))
    for k, body in enumerate(machine.bodies):
        for end, sign in ((law.a.body, -1.0), (law.b.body, 1.0)):
            if body.name == end:
                found[6 * k : 6 * k + 3, :3] += sign * R_M
                found[6 * k + 3 : 6 * k + 6, 3:] += sign * R_M
                found[6 * k + 3 : 6 * k + 6, :3] += sign * skew(p_M - poses[end][1]) @ R_M
    return found


def about_centres(machine: Machine, poses: Poses, wrenches: np.ndarray) -> np.ndarray:
    """Wrenches (6 n, …) with moments about the mass centres, divided by the machine's size."""
    found = np.array(wrenches, float)
    for k, body in enumerate(machine.bodies):
        f = found[6 * k : 6 * k + 3]
        found[6 * k + 3 : 6 * k + 6] -= skew(poses[body.name][0] @ body.com) @ f
        found[6 * k + 3 : 6 * k + 6] /= machine.size
    if machine.planar:
        found[[i for i in range(len(found)) if i % 6 not in (0, 1, 5)]] = 0.0
    return found


def balance(
    machine: Machine,
    poses: Poses,
    V: np.ndarray,
    A: np.ndarray,
    reactions: Mapping[str, np.ndarray],
    forces: Mapping[str, float] | None = None,
) -> Account:
    """Add up all forces and moments on every body; components of reactions that are NaN may be what they like."""
    terms = [*applied(machine, poses, V, A, forces or {}), *inertial(machine, poses, V, A)]
    open_columns = []
    for joint in machine.joints:
        columns, wrench = reaction_columns(machine, joint.name, poses), reactions[joint.name]
        missing = np.isnan(wrench)
        terms.append(columns @ np.where(missing, 0.0, wrench))
        open_columns.append(columns[:, missing])
    T = about_centres(machine, poses, np.array(terms).T)
    open_part = about_centres(machine, poses, np.hstack(open_columns))
    total, moduli = T.sum(axis=1), np.abs(T).reshape(len(machine.bodies), -1).sum(axis=1)
    if open_part.shape[1]:
        rows = np.repeat(1 / (moduli + LIGHT * moduli.max()), 6)  # a light body counts as much as a heavy one
        guess = np.linalg.lstsq(rows[:, None] * open_part, -rows * total, rcond=1e-12)[0]
        total = total + open_part @ guess
        moduli = moduli + np.abs(open_part * guess).reshape(len(machine.bodies), -1).sum(axis=1)
    left = np.abs(total).reshape(len(machine.bodies), 6).sum(axis=1)
    relative = left / (moduli + LIGHT * moduli.max()) if moduli.any() else left
    found = {body.name: float(x) for body, x in zip(machine.bodies, relative)}
    return Account(found, open_part.shape[1])


def of_state(machine: Machine, result, rates: Mapping[str, float], forces: Mapping[str, float]) -> Account:
    """Balance of `poinsot.accelerations` at the state that it was asked about."""
    poses = poses_of(machine, result)
    A = np.concatenate([result[body.name] for body in machine.bodies])
    return balance(machine, poses, twists(machine, poses, rates), A, result.reactions, forces)


def of_motion(machine: Machine, result, k: int) -> Account:
    """Balance of `poinsot.inverse_dynamics` at one sample."""
    moving = result.kinematics
    names = [body.name for body in machine.bodies]
    V = np.concatenate([np.concatenate([moving.velocity[b][k], moving.angular_velocity[b][k]]) for b in names])
    A = np.concatenate(
        [np.concatenate([moving.acceleration[b][k], moving.angular_acceleration[b][k]]) for b in names]
    )
    reactions = {name: w[k] for name, w in result.reactions.items()}
    forces = {name: f[k] for name, f in result.forces.items()}
    return balance(machine, poses_of(machine, result, k), V, A, reactions, forces)
