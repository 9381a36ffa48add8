"""Trajectories near enough to linearise about: the encoders alone, or a gyroscope that gravity leads."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from poinsot.errors import MotionError
from poinsot.motion.kinematics import solve_path
from poinsot.motion.signals import Samples
from poinsot.recording.fusion.equations import complementary
from poinsot.recording.fusion.navigation import SIZE, Navigation
from poinsot.recording.fusion.nodes import Nodes
from poinsot.recording.fusion.setting import Setting
from poinsot.recording.motion import with_encoders
from poinsot.system.functions import body_poses

__all__ = ["first_trajectory"]


def first_trajectory(s: Setting, nodes: Nodes) -> tuple[Navigation, np.ndarray] | None:
    """A trajectory near enough to linearise about; None where only the filter finds one."""
    return _gravity_start(s, nodes) if s.free else _encoders_alone(s, nodes)


def _encoders_alone(s: Setting, nodes: Nodes) -> tuple[Navigation, np.ndarray] | None:
    """The trajectory that the encoders tell without the unit; None if they do not tell it."""
    read = np.isfinite(nodes.encoders).all(axis=1)
    if len(s.seen.encoders) != s.seen.system.outline.mobility or read.sum() < 8:
        return None
    t = nodes.t[read]
    signals = {name: Samples(t, y) for name, y in zip(s.seen.encoders, nodes.encoders[read].T)}
    at = np.clip(nodes.t, t[0], t[-1])
    inside = np.unique(at)
    try:
        path = solve_path(with_encoders(s.mechanism, s.seen.encoders), signals, inside)
    except MotionError:
        return None
    q = path.q[np.searchsorted(inside, at)]
    places, turns = body_poses(s.seen.system, q, s.seen.p)
    R = turns[s.seen.body] @ s.X_BS[0]
    p = places[s.seen.body] + turns[s.seen.body] @ s.X_BS[1]
    return Navigation(R, p, np.gradient(p, nodes.t, axis=0), np.zeros((len(q), SIZE - 9))), q


def _gravity_start(s: Setting, nodes: Nodes) -> tuple[Navigation, np.ndarray]:
    """Attitudes from the gyroscope, led by gravity, of a unit that stays about its place."""
    n = len(nodes.t)
    f = nodes.force[: max(3, int(1 / nodes.period))].mean(axis=0)
    level = Rotation.align_vectors(-nodes.gravity[None], (s.x0.R[0] @ f)[None])[0].as_matrix() @ s.x0.R[0]
    steps = np.append(nodes.step, nodes.period)[:, None]
    first = [np.roll(Rotation.from_matrix(level).as_quat(), 1), np.zeros(3)]
    given = nodes.rate, nodes.force, steps, np.broadcast_to(nodes.gravity, (n, 3))
    q, b = complementary().scan(first, *given)
    c = np.zeros((n, SIZE - 9))
    c[:, 3:6] = b[-1]
    R = np.concatenate([level[None], Rotation.from_quat(np.roll(q[:-1], -1, axis=1)).as_matrix()])
    return Navigation(R, np.tile(s.x0.p, (n, 1)), np.zeros((n, 3)), c), np.zeros((n, s.seen.system.sizes[0]))
