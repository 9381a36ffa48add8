"""From states of the inertial unit to the motion of the body that carries it.

    v_B = v_S − ω × r,   a_B = a_S − ω̇ × r − ω × (ω × r),        r = R_WB p_BS

Velocities are those of the smoothed states; a_S, ω and ω̇ are the readings without bias and the noise that the
smoother found, through a zero-phase filter whose cut-off the spectrum tells.
"""

from __future__ import annotations

import numpy as np

from poinsot.recording.filtering.resample import evenly
from poinsot.recording.filtering.zero_phase import zero_phase
from poinsot.recording.fusion.fusion import Fusion
from poinsot.recording.fusion.kalman import Filtered
from poinsot.recording.fusion.navigation import SIZE, Navigation
from poinsot.recording.fusion.nodes import Nodes
from poinsot.recording.fusion.setting import Setting

__all__ = ["outcome"]

SHORTEST = 60  # samples that a filter needs


def outcome(
    s: Setting,
    nodes: Nodes,
    x: Navigation,
    q: np.ndarray,
    P: np.ndarray,
    passed: Filtered,
    iterations: int,
    status: str,
) -> Fusion:
    """What was fused, for the body that carries the unit."""
    R, p, slope = x.body(*s.X_BS)
    arm = np.einsum("nij,nj->ni", R, s.X_BS[1] + x.c[:, 6:9])
    felt, turning = nodes.force - x.c[:, :3] - x.c[:, 13:16], nodes.rate - x.c[:, 3:6] - x.c[:, 16:19]
    acceleration, _, first = _filtered(nodes.t, np.einsum("nij,nj->ni", x.R, felt) + nodes.gravity)
    w, alpha, second = _filtered(nodes.t, np.einsum("nij,nj->ni", x.R, turning))
    full = np.zeros((len(x), SIZE, SIZE))
    full[:, s.active[:, None], s.active] = P
    sigma = np.sqrt(np.maximum(np.diagonal(full, axis1=1, axis2=2), 0.0))
    slope[:, :3] = R @ slope[:, :3]  # of the position in the world's axes, as it is told
    pose = np.sqrt(np.maximum(np.einsum("nij,njk,nik->ni", slope, full, slope), 0.0))
    return Fusion(
        mechanism=s.mechanism,
        body=s.seen.body,
        t=nodes.t,
        rotation=R,
        position=p,
        velocity=x.v - np.cross(w, arm),
        acceleration=acceleration - np.cross(alpha, arm) - np.cross(w, np.cross(w, arm)),
        angular_velocity=w,
        angular_acceleration=alpha,
        accelerometer_bias=x.c[:, :3],
        gyroscope_bias=x.c[:, 3:6],
        lever_arm=x.c[-1, 6:9],
        misalignment=x.c[-1, 9:12],
        time_offset=float(x.c[-1, 12]),
        deviation={
            "rotation": pose[:, 3:],
            "position": pose[:, :3],
            "velocity": sigma[:, 6:9],
            "accelerometer_bias": sigma[:, 9:12],
            "gyroscope_bias": sigma[:, 12:15],
            "lever_arm": sigma[-1, 15:18],
            "misalignment": sigma[-1, 18:21],
            "time_offset": sigma[-1, 21:22],
        },
        covariance=full[:, :9, :9],
        state=x,
        q=q,
        nis=passed.nis,
        rows=passed.rows,
        iterations=iterations,
        status=status,
        edge=max(first, second),
    )


def _filtered(t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Columns of y (n, 3) at t (n,) without their noise, their rates, and how long their ends are poor [s]."""
    if len(t) < SHORTEST:
        return y, np.gradient(y, t, axis=0), 0.0
    value, rate, edge = np.empty_like(y), np.empty_like(y), 0.0
    for j in range(3):
        found = zero_phase(*evenly(t, y[:, j]))
        value[:, j], rate[:, j] = np.interp(t, found.t, found.value), np.interp(t, found.t, found.rate)
        edge = max(edge, found.edge)
    return value, rate, edge
