"""MJCF in: the home pose is that of qpos0, with joints that follow others where equalities keep them.

    q − q₀ = c₀ + c₁ d + c₂ d² + c₃ d³ + c₄ d⁴,   d = q' − q'₀        d = 0 where there is no second joint

The first joint of an equality follows the second, which stays, as all others do; a chain is followed from its end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poinsot.model.interchange.cut_bodies import listed
from poinsot.model.interchange.mjcf.model import MjcfModel


def home_coordinates(model: MjcfModel) -> np.ndarray:
    """Coordinates qpos (nq,) of the home pose; of several equalities for one joint the first counts."""
    m, q = model.compiled, model.compiled.qpos0.copy()
    laws: dict[int, int] = {}  # equality by the joint that follows
    for i in range(m.neq):
        if int(m.eq_type[i]) == model.number("mjtEq", "JOINT") and m.eq_active0[i]:
            laws.setdefault(int(m.eq_obj1id[i]), i)
    placed: set[int] = set()
    for joint in laws:
        way: list[int] = []
        while joint in laws and joint not in placed and joint not in way:
            way.append(joint)
            joint = int(m.eq_obj2id[laws[joint]])
        for follower in reversed(way):
            leader, at = int(m.eq_obj2id[laws[follower]]), m.jnt_qposadr[follower]
            beyond = q[m.jnt_qposadr[leader]] - m.qpos0[m.jnt_qposadr[leader]] if leader >= 0 else 0.0
            q[at] = m.qpos0[at] + np.polynomial.polynomial.polyval(beyond, m.eq_data[laws[follower]][:5])
            placed.add(follower)
    return q


def placements(model: MjcfModel) -> list[dict[str, Any]]:
    """Where every body is in the home pose, by number, as model files have it."""
    data = _moved(model, home_coordinates(model))
    return [_placement(data, i) for i in range(model.compiled.nbody)]


def part_placement(model: MjcfModel, body: int, count: int) -> dict[str, Any]:
    """Where a body is in the home pose if the first `count` of its joints alone are moved from qpos0."""
    m, q = model.compiled, home_coordinates(model)
    first = int(m.body_jntadr[body])
    for at in m.jnt_qposadr[first + count : first + int(m.body_jntnum[body])]:
        q[at] = m.qpos0[at]  # of a ball one of four numbers, which no equality moves
    return _placement(_moved(model, q), body)


def _moved(model: MjcfModel, q: np.ndarray) -> Any:
    data = model.mujoco.MjData(model.compiled)
    data.qpos[:] = q
    model.mujoco.mj_kinematics(model.compiled, data)
    return data


def _placement(data: Any, body: int) -> dict[str, Any]:
    return {"position": listed(data.xpos[body]), "rotation": {"quaternion": listed(data.xquat[body])}}
