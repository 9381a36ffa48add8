"""States and poses as a user gives them, in the coordinates of a system."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from poinsot.elements import GROUND
from poinsot.errors import PoinsotError
from poinsot.model.assembly.assembly import Assembly
from poinsot.model.assembly.constraints import row_lengths
from poinsot.model.assembly.degrees import ask_about_degrees
from poinsot.model.mechanism import Mechanism, require_mechanism
from poinsot.model.state import GivenPose, State, in_si, named_pose
from poinsot.spatial.pose import Pose
from poinsot.system.conditioning import rechart
from poinsot.system.functions import all_rows, body_poses
from poinsot.system.system import System, system

OPEN = 1e-6  # of the machine's size, or in radians: what given coordinates may leave open


def given_pose(
    mechanism: Mechanism, pose: GivenPose, formulation: str = "joint"
) -> Mapping[str, float] | Assembly | None:
    """A pose at rest: coordinates by name  [m or rad], or put together from those of a formulation; None: that of the
    file."""
    require_mechanism(mechanism)
    if not isinstance(pose, State) or (pose.q is None and pose.v is None):
        named = named_pose(pose)
        ask_about_degrees(mechanism, named)
        return None if named is None else in_si(mechanism, named)
    begin, _, v = assembled(system(mechanism, formulation), mechanism, pose)
    pose.require_rest(v)
    return begin


def assembled(compiled: System, mechanism: Mechanism, given: State) -> tuple[Assembly, np.ndarray, np.ndarray]:
    """One state by coordinates: the bodies in their poses, q (nq,) and v (nv,)."""
    q, v, p = coordinates_of(compiled, mechanism, given)
    if np.asarray(given.q).ndim != 1:
        raise PoinsotError(f"one state is asked for, not a batch of {len(q)}: poinsot.accelerations takes many")
    position, rotation = body_poses(compiled, q, p)
    poses = {GROUND: Pose.identity()} | {name: Pose(rotation[name][0], x[0]) for name, x in position.items()}
    return Assembly(poses, 0.0, None, compiled.home.size, converged=True), q[0], v[0]


def coordinates_of(compiled: System, mechanism: Mechanism, given: State) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q (N, nq), v (N, nv) and parameters of states that are poses of the mechanism."""
    q, v = _arrays(compiled, given)
    p = _charts(compiled, mechanism, q)
    _require_closed(compiled, q, p)
    return q, v, p


def _arrays(compiled: System, given: State) -> tuple[np.ndarray, np.ndarray]:
    """q (N, nq) and v (N, nv) from what a user gives."""
    nq, nv, _, _ = compiled.sizes
    try:
        q = np.atleast_2d(np.asarray(given.q, float))
        v = np.zeros((len(q), nv)) if given.v is None else np.atleast_2d(np.asarray(given.v, float))
    except (TypeError, ValueError):
        q = v = np.zeros((0, 0))
    if q.shape != (len(q), nq) or v.shape != (len(q), nv) or not len(q):
        raise PoinsotError(
            f"{compiled.mechanism.name} has {nq} coordinates and {nv} speeds in '{compiled.formulation}': give q as "
            f"(N, {nq}) and v as (N, {nv}), or one of each"
        )
    if not (np.isfinite(q).all() and np.isfinite(v).all()):
        raise PoinsotError("coordinates and speeds must be finite numbers")
    return np.ascontiguousarray(q), np.ascontiguousarray(v)


def _charts(compiled: System, mechanism: Mechanism, q: np.ndarray) -> np.ndarray:
    """Parameters (m,), or (N, m) with combinations of redundant constraints for every state."""
    p, redundant = compiled.parameters(mechanism), compiled.outline.redundancy.chart_numbers
    if len(p) - len(compiled.free) > redundant:
        raise PoinsotError(
            f"coordinates in '{compiled.formulation}' have a meaning only with the attitudes they are centred at: "
            "give q in 'joint' or 'rotation-matrix', or a pose"
        )
    return p if not redundant else np.stack([rechart(compiled, state, p)[1] for state in q])


def _require_closed(compiled: System, q: np.ndarray, p: np.ndarray) -> None:
    """States must be poses of the mechanism."""
    rows, size = compiled.outline.all_rows, compiled.home.size
    if not rows:
        return
    _, nv, _, nu = compiled.sizes
    (phi,) = all_rows(compiled)(q, np.zeros(nv), np.zeros(nu), p)
    gaps = np.abs(phi) / row_lengths(rows, size)
    if not np.max(gaps) < OPEN:
        n, k = np.unravel_index(int(np.argmax(np.nan_to_num(gaps, nan=np.inf))), gaps.shape)
        raise PoinsotError(
            f"state {n} is no pose of {compiled.mechanism.name}: {rows[k]} is open by {gaps[n, k]:.1e}"
        )
