"""Exact terms of MuJoCo's equations of motion, with its soft constraints replaced by hard ones.

M v̇ + Jᵀλ = f, J v̇ = −J̇ v        M, J and the forces are MuJoCo's own; J̇ v is a difference of J along the motion.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from poinsot.model.mechanism import Mechanism

__all__ = ["MujocoTerms"]

STEP = 1e-4  # of time, for differences of fourth order along the motion  [s]


class MujocoTerms:
    """A mechanism as MuJoCo reads it."""

    def __init__(self, mechanism: Mechanism, path: Path):
        mechanism_bodies = list(mechanism.bodies)
        self.model = mujoco.MjModel.from_xml_path(str(path))
        self.data = mujoco.MjData(self.model)
        self.bodies = [mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, n) for n in mechanism_bodies]
        self.names = mechanism_bodies

    def place(self, position: dict[str, np.ndarray], rotation: dict[str, np.ndarray]) -> float:
        """Find the coordinates that put the bodies where they are wanted; gives the error left  [m or rad]."""
        m, d = self.model, self.data
        d.qpos[:] = m.qpos0
        for _ in range(30):
            mujoco.mj_forward(m, d)
            gap = np.concatenate([self._gap(i, position[n], rotation[n]) for i, n in zip(self.bodies, self.names)])
            rest, J = self._constraints()
            A, b = np.vstack([self._jacobian(), J]), np.concatenate([gap, -rest])
            if np.max(np.abs(b)) < 1e-14:
                break
            mujoco.mj_integratePos(m, d.qpos, np.linalg.lstsq(A, b, rcond=1e-12)[0], 1.0)
        return float(np.max(np.abs(b)))

    def move(self, velocity: dict[str, np.ndarray], turning: dict[str, np.ndarray]) -> float:
        """Find the speeds that move the bodies as wanted; gives the error left  [m/s or rad/s]."""
        J = self._constraints()[1]
        A = np.vstack([self._jacobian(), J])
        b = np.concatenate([*(np.r_[velocity[n], turning[n]] for n in self.names), np.zeros(len(J))])
        self.data.qvel[:] = np.linalg.lstsq(A, b, rcond=1e-12)[0]
        return float(np.max(np.abs(A @ self.data.qvel - b)))

    def accelerations(self, forces: dict[str, float]) -> dict[str, np.ndarray]:
        """Accelerations of every body's origin and angular accelerations, world axes, with hard constraints (6,)."""
        m, d = self.model, self.data
        for name, force in forces.items():
            d.ctrl[mujoco.mj_name2id(m, mujoco.mjtObj.mjOBJ_ACTUATOR, name)] = force
        mujoco.mj_forward(m, d)
        M = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, M, d.qM) if hasattr(d, "qM") else mujoco.mj_fullM(m, d, M)
        f = d.qfrc_actuator + d.qfrc_passive - d.qfrc_bias
        J, rows = self._constraints()[1], self._jacobian()
        J_dot_v, rows_dot_v = self._along_the_motion()
        K = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
        scale = 1 / np.sqrt(np.maximum(np.abs(K).max(axis=0), 1e-12))  # aids of 1e-12 kg·m² are no rank deficiency
        solved = scale * np.linalg.lstsq(scale[:, None] * K * scale, scale * np.r_[f, -J_dot_v], rcond=1e-13)[0]
        found = rows @ solved[: m.nv] + rows_dot_v
        return dict(zip(self.names, found.reshape(-1, 6)))

    def _along_the_motion(self) -> tuple[np.ndarray, np.ndarray]:
        """J̇ v of the constraints and of the bodies, by differences of fourth order."""
        m, d = self.model, self.data
        home, v, total = d.qpos.copy(), d.qvel.copy(), 0.0
        for steps, weight in ((-2, 1), (-1, -8), (1, 8), (2, -1)):
            d.qpos[:] = home
            mujoco.mj_integratePos(m, d.qpos, v, steps * STEP)
            mujoco.mj_forward(m, d)
            total = total + weight / (12 * STEP) * np.concatenate([self._constraints()[1], self._jacobian()]) @ v
        d.qpos[:] = home
        mujoco.mj_forward(m, d)
        return np.split(total, [len(total) - 6 * len(self.bodies)])

    def _constraints(self) -> tuple[np.ndarray, np.ndarray]:
        """Residuals and Jacobian of the equality constraints."""
        m, d = self.model, self.data
        J = np.zeros((d.nefc, m.nv))
        if mujoco.mj_isSparse(m):
            mujoco.mju_sparse2dense(J, d.efc_J, d.efc_J_rownnz, d.efc_J_rowadr, d.efc_J_colind)
        else:
            J = d.efc_J.reshape(d.nefc, m.nv).copy()
        kept = d.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY.value
        return d.efc_pos[kept].copy(), J[kept]

    def _jacobian(self) -> np.ndarray:
        """Velocities of all bodies' origins and angular velocities by speeds (6 b, nv)."""
        parts = np.zeros((len(self.bodies), 6, self.model.nv))
        for part, i in zip(parts, self.bodies):
            mujoco.mj_jacBody(self.model, self.data, part[:3], part[3:], i)
        return parts.reshape(-1, self.model.nv)

    def _gap(self, body: int, p: Any, R: Any) -> np.ndarray:
        """What is missing to a wanted pose: displacement and rotation vector, world axes (6,)."""
        from scipy.spatial.transform import Rotation

        turn = Rotation.from_matrix(R @ self.data.xmat[body].reshape(3, 3).T).as_rotvec()
        return np.r_[p - self.data.xpos[body], turn]
