"""Fuse an inertial unit with encoders: iterated error-state smoother on SO(3) × Rⁿ for any mechanism.

The first trajectory is the causal filter's, or that of the encoders alone where they tell the whole pose. Then all
nodes are linearised at once about the last trajectory and smoothed until nothing moves: the posterior's maximum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import PoinsotError, unknown
from poinsot.model.mechanism import Mechanism, require_mechanism
from poinsot.recording.fusion.fusion import Fusion
from poinsot.recording.fusion.navigation import Navigation
from poinsot.recording.fusion.nodes import Nodes
from poinsot.recording.fusion.outcome import outcome
from poinsot.recording.fusion.passes import filter_pass, smoother_pass
from poinsot.recording.fusion.setting import Setting, setting_of
from poinsot.recording.fusion.start import first_trajectory
from poinsot.recording.place import placed
from poinsot.recording.recording import Recording

__all__ = ["fuse"]

ITERATIONS, MOVED = 30, 0.02  # at most; of a standard deviation
SLOWER, SHORTEST = 0.9, 0.1  # of the last move; of a whole one
WIDEST = 0.3  # turn in one pass: errors of attitude add up only while they are small  [rad]
SAME = 1e-7  # offset of clocks that is none  [s]
UNSETTLED = "The passes did not settle: see the noise of the sensors and the start."
LOST = 10.0  # mean NIS of a motion that the readings contradict
CONTRADICTED = (
    "The readings contradict each other far beyond their noise, and the motion may be lost: see signs, units and"
    " clocks of the inertial unit, and gravity; start at rest or near the pose of the model file, with encoders that"
    " tell the whole pose."
)


@one_blas_thread()
def fuse(
    mechanism: Mechanism,
    recording: Recording,
    *,
    imu: str | None = None,
    encoders: Sequence[str] | str | None = None,
    unknowns: Sequence[str] | str = (),
    at_rest: bool = False,
    prior: Mapping[str, float] | None = None,
    reach: float | None = None,
    method: str = "smoother",
) -> Fusion:
    """Motion of the body that carries an inertial unit, from its readings, encoders and the loops of the mechanism.

    `mechanism` has the sensors; `recording` their channels, under the sensors' names, with noise in the model file or
    in the recording. `imu` names the unit (default: the only one), `encoders` those to use (default: all recorded).
    `unknowns` beside the biases: "lever arm", "misalignment", "time offset" of the encoders. `at_rest`: the recording
    starts at rest. `prior` changes standard deviations of the start by name (`fusion.setting.PRIOR`). `reach` [m]:
    the body stays about its first place, for units without encoders. `method` is "smoother", which uses all samples,
    or "filter", which uses those up to then. Encoders that do not tell the whole pose need a start near the pose of
    the model file; a motion that is lost for want of it has a status that says so.
    """
    if not isinstance(method, str) or method not in ("smoother", "filter"):
        raise PoinsotError(unknown("method of fusion", str(method), ("smoother", "filter")))
    if not isinstance(recording, Recording):
        raise PoinsotError(f"a recording is fused, not {type(recording).__name__}")
    recording = placed(recording, require_mechanism(mechanism))
    given = setting_of(mechanism, recording, imu, encoders, unknowns, at_rest is True, prior, reach)
    found = _filtered(given) if method == "filter" else _smoothed(given)
    return replace(found, status=CONTRADICTED) if found.consistency[0] > LOST else found


def _filtered(s: Setting) -> Fusion:
    nodes = s.nodes()
    x, q, passed, P = filter_pass(s, nodes)
    return outcome(s, nodes, x, q, P, passed, 0, "")


def _smoothed(s: Setting) -> Fusion:
    """Passes until nothing moves; an offset of the clocks moves the nodes."""
    nodes = s.nodes()
    x, q = first_trajectory(s, nodes) or filter_pass(s, nodes)[:2]
    if s.free:  # gravity levels the start
        s = replace(s, x0=replace(x[:1], c=s.x0.c))
    shift, before, fraction, done = 0.0, np.inf, 1.0, 0
    while True:
        moved, q, passed, P, largest = smoother_pass(s, nodes, x, q)
        # passes that go to and fro meet half-way
        fraction = max(fraction / 2, SHORTEST) if largest > SLOWER * before else min(2 * fraction, 1.0)
        turn = float(np.max(np.linalg.norm(moved[:, :3], axis=1)))
        x, before, done = x.plus(min(fraction, WIDEST / max(turn, WIDEST)) * moved), largest, done + 1
        offset = float(x.c[0, 12])
        if done == ITERATIONS or (largest < MOVED and abs(offset) <= SAME):
            break
        if abs(offset) > SAME:
            shift, old = shift + offset, nodes
            nodes = s.nodes(shift)
            x, q = _at_nodes(x, q, old, nodes)
    found = outcome(s, nodes, x, q, P, passed, done, "" if largest < MOVED else UNSETTLED)
    return replace(found, time_offset=found.time_offset + shift)


def _at_nodes(x: Navigation, q: np.ndarray, before: Nodes, nodes: Nodes) -> tuple[Navigation, np.ndarray]:
    """States at other nodes, from the nearest of those before; the offset of the clocks is in the nodes now."""
    k = np.clip(np.searchsorted(before.t, nodes.t), 0, len(before.t) - 1)
    c = x.c[k].copy()
    c[:, 12] = 0.0
    return replace(x[k], c=c), q[k]
