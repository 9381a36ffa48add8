"""The motion that a run went through, as states of the mechanism: from encoders, or fused with an inertial unit.

C v = 0,  T v = V;        C v̇ = γ,  T v̇ = A − Ṫ v        speeds and accelerations from twist V and rate A of a body
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from poinsot.errors import PoinsotError, require_known
from poinsot.estimate.study import Processing
from poinsot.identifiability.states import States
from poinsot.model.mechanism import Mechanism
from poinsot.motion.inverse_dynamics import with_kept_spins
from poinsot.motion.kinematics import followed_path
from poinsot.recording.filtering.differentiate import require_cutoff
from poinsot.recording.filtering.measured_noise import measured_noise
from poinsot.recording.filtering.motion_cutoff import motion_cutoff, rounding
from poinsot.recording.filtering.spectrum import sample_noise
from poinsot.recording.fusion.equations import body_motion
from poinsot.recording.fusion.fuse import fuse
from poinsot.recording.fusion.fusion import Fusion
from poinsot.recording.motion import position_channels, recorded_motion
from poinsot.recording.recording import Recording
from poinsot.system.system import start, system

DEPENDENT = 1e-9  # of the largest singular value: what a body's motion leaves open
MOTION = ("position", "specific force", "rate")  # kinds of channels that tell the motion


@dataclass(frozen=True, eq=False)
class RunMotion:
    """States of a mechanism at the times of a recording that can be used."""

    mechanism: Mechanism  # with names for all coordinates that were recorded
    states: States
    edge: float  # time at either end within which derivatives are poor  [s]
    steps: tuple[str, ...]
    begin: Mapping[str, float] | None = None  # pose from which it was followed; None: that of the model file
    every: int = 1  # samples of the recording from one state to the next


def uses_inertial_unit(recording: Recording, processing: Processing) -> bool:
    """Whether the motion is fused from an inertial unit and encoders."""
    recorded = any(channel.kind == "specific force" for channel in recording.channels.values())
    return recorded if processing.fuse is None else processing.fuse


def leading(recording: Recording, mechanism: Mechanism) -> list[str]:
    """Channels at whose times a motion is known: those of an inertial unit, beside which encoders may be slower, or
    positions."""
    inertial = [name for name, channel in recording.channels.items() if channel.kind in MOTION[1:]]
    return inertial or [*position_channels(recording, mechanism)]


def run_motion(recording: Recording, mechanism: Mechanism, processing: Processing, every: int = 1) -> RunMotion:
    """The motion of a run, at every so many of its samples."""
    if uses_inertial_unit(recording, processing):
        return _fused(fuse(mechanism, recording), every)
    smoothing = {"method": processing.method, "cutoff": processing.cutoff, "period": processing.period}
    recorded = recorded_motion(recording, mechanism, harmonics=processing.harmonics, **smoothing)
    good = np.all([np.isfinite(s.s) for s in recorded.motion.values()], axis=0)
    times = recorded.t[good][::every]
    kept = with_kept_spins(recorded.mechanism, recorded.motion, times)
    path = followed_path(*(kept[:2] if kept else (recorded.mechanism, recorded.motion)), times)
    size = path.system.equations.symbols.home.size
    states = States(path.system, path.t, path.q, path.v, path.a, path.p, size)
    new = (*recorded.recording.steps[len(recording.steps) :], *(kept[2:] if kept else ()))
    begin = {name: float(s.s[good][0]) for name, s in recorded.motion.items()}
    return RunMotion(recorded.mechanism, states, recorded.edge, new, begin, every)


def with_cutoffs(processing: Processing, recording: Recording, mechanism: Mechanism) -> Processing:
    """The same with a cut-off for every position, from its spectrum, where nobody gives one.

    Those that are given must be ones that the recording can be filtered at.
    """
    filtered = processing.method == "filter" and not uses_inertial_unit(recording, processing)
    read, given = position_channels(recording, mechanism), processing.cutoff
    if isinstance(given, Mapping):
        require_known("recorded position with a cut-off", given, read)
    for cutoff, of in ((processing.force_cutoff, "of the forces"), *_given(given)):
        require_cutoff(recording, cutoff, of)
    if not filtered or not (given is None or isinstance(given, Mapping)):
        return processing
    return replace(processing, cutoff={n: (given or {}).get(n) or motion_cutoff(recording, n) for n in read})


def _given(cutoff: float | Mapping[str, float] | None) -> list[tuple[float | None, str]]:
    """Cut-offs of the motion that are given, and of what."""
    if isinstance(cutoff, Mapping):
        return [(one, f"of '{name}'") for name, one in cutoff.items()]
    return [(cutoff, "of the motion")]


def shaken(recording: Recording, mechanism: Mechanism, rng: np.random.Generator) -> Recording:
    """The recording with the noise of its motion once more: what differs behind the same filters is noise."""
    read = position_channels(recording, mechanism)
    values = dict(recording.values)
    for name, channel in recording.channels.items():
        if name in read or channel.kind in MOTION[1:]:
            sigma = _noise(recording, name)
            values[name] = recording[name] + sigma * rng.standard_normal(len(recording))
    return replace(recording, values=values)


def _noise(recording: Recording, name: str) -> float:
    """Standard deviation of the noise of a channel's samples, at least that of their rounding."""
    noise = recording.channels[name].noise or sample_noise(recording.t, recording[name]) or 0.0
    return max(noise, rounding(recording[name]))


def sure_of_noise(recording: Recording, mechanism: Mechanism) -> float:
    """Part, up to 1, of the noise of `shaken` that positions surely have: differences of a smooth motion are none."""
    found = [0.0]
    for name in position_channels(recording, mechanism):
        own, told = recording.channels[name].noise, _noise(recording, name)
        found.append(1.0 if own else measured_noise(recording.t, recording[name]) / told if told else 0.0)
    return min(1.0, max(found))


def _fused(fused: Fusion, every: int) -> RunMotion:
    """States from the fused motion of the body that carries the inertial unit."""
    rows = slice(None, None, every)
    begin = start(fused.mechanism, None)
    compiled = system(fused.mechanism, "joint", home=begin)
    p = compiled.parameters(fused.mechanism, begin.poses)
    V = np.concatenate([fused.velocity, fused.angular_velocity], axis=1)[rows]
    A = np.concatenate([fused.acceleration, fused.angular_acceleration], axis=1)[rows]
    q, (_, n, m, nu) = np.ascontiguousarray(fused.q[rows]), compiled.sizes
    write, u = body_motion(compiled, fused.body), np.zeros(nu)
    L, bias = _shaped(write(q, np.zeros((len(q), n)), u, p), m + 6, n)
    back = _inverse(L, fused.body)
    v = np.einsum("nij,nj->ni", back, np.concatenate([np.zeros((len(q), m)), V], axis=1))
    _, bias = _shaped(write(q, v, u, p), m + 6, n)
    a = np.einsum("nij,nj->ni", back, np.concatenate([np.zeros((len(q), m)), A], axis=1) - bias)
    states = States(compiled, fused.t[rows], q, v, a, p, begin.size)
    said = f"the motion of '{fused.body}' was fused with its inertial unit"
    return RunMotion(fused.mechanism, states, fused.edge, (said,), every=every)


def _shaped(found: tuple[np.ndarray, ...], rows: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    return found[0].reshape(-1, rows, n), found[1].reshape(-1, rows)


def _inverse(L: np.ndarray, body: str) -> np.ndarray:
    """Pseudo-inverses (N, nv, rows) of constraints and the body's twist, which must leave nothing open."""
    size = np.linalg.norm(L, axis=(0, 1)) / np.sqrt(len(L))
    s = np.linalg.svd(L[:: max(1, len(L) // 50)] / np.where(size > 0, size, 1.0), compute_uv=False)
    if np.any(s[:, -1] < DEPENDENT * s[:, 0]):
        raise PoinsotError(
            f"the motion of '{body}' does not determine that of the whole mechanism: record other coordinates too"
        )
    return np.linalg.pinv(L / size) / size[:, None]
