"""How fine the steps of a simulation are, and how long a segment may be before initial states decide everything.

|λ(∂y_end/∂y₀)| ≤ e³        of the freedoms of a segment        (theory/search, eq. 25)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.estimate.closed_loop.simulation import fewest_steps
from poinsot.estimate.problems.output.elimination import normal
from poinsot.estimate.problems.output.records import OutputRun, Prepared
from poinsot.estimate.problems.output.reference import starts
from poinsot.estimate.problems.output.shooting import Shooting
from poinsot.estimate.study import Processing

MOST = 64  # steps from one sample to the next
ACCURATE = 0.1  # of a standard error, by which an error of the steps may move a parameter at most
ROUND_OFF = 1e-9  # of their spread, below which outputs are not asked to agree
GROWTH = np.exp(3.0)  # of a disturbance over a segment
SHORT = 25  # samples of segments on which steps are first tried
SHORTEST = 5  # samples of a segment


def shooting_of(prepared: Prepared, x: np.ndarray, processing: Processing) -> tuple[Shooting, tuple[str, ...]]:
    """Segments and steps for parameters near x (k,), and what was chosen."""
    if prepared.control is not None and processing.segment is not None:
        raise PoinsotError("processing: segments are for simulations without controllers, which hold the machine")
    whole = max(len(run.t) for run in prepared.runs)
    period = float(np.median(np.diff(prepared.runs[0].t)))
    lengths = _lengths(whole) if processing.segment is None else iter([round(processing.segment / period)])
    if prepared.control is not None:
        lengths = iter([whole])
    steps = _short(prepared, x).steps
    for length in lengths:
        found = _fine(_cut(prepared, max(length, SHORTEST), steps), x)
        if processing.segment is not None or prepared.control is not None or _growth(found, x) <= GROWTH:
            break
    _require_answer(found, x)
    if np.isfinite(processing.continuity) and len(found.segments) > len(prepared.runs):
        found = replace(found, weights=processing.continuity * _spread(found, x))
    return found, _said(found, period)


def steps_of(prepared: Prepared, x: np.ndarray) -> int:
    """Steps from one sample to the next that are fine enough for parameters near x (k,)."""
    found = _short(prepared, x)
    _require_answer(found, x)
    return found.steps


def _short(prepared: Prepared, x: np.ndarray) -> Shooting:
    """Short segments with steps that are fine enough; whole runs under control."""
    whole = max(len(run.t) for run in prepared.runs)
    length = min(SHORT, whole) if prepared.control is None else whole
    return _fine(_cut(prepared, length, _fewest(prepared)), x)


def _lengths(n: int) -> Iterator[int]:
    """Whole runs, halves of them, and so on."""
    while n > 2 * SHORTEST:
        yield n
        n = -(-n // 2)
    yield n


def _fewest(prepared: Prepared) -> int:
    run = prepared.runs[0]
    return 1 if prepared.control is None else fewest_steps(run.t, prepared.control)


def _cut(prepared: Prepared, length: int, steps: int) -> Shooting:
    """Runs in segments of so many samples; a rest that is too short belongs to the one before."""
    found: list[tuple[OutputRun, int, int]] = []
    for run in prepared.runs:
        edges = [k for k in range(0, len(run.t), length) if len(run.t) - k >= SHORTEST or not k]
        found += [(run, a, b) for a, b in zip(edges, [*edges[1:], len(run.t)])]
    return Shooting(prepared, tuple(found), starts(prepared, [(run, a) for run, a, _ in found]), steps)


def _rest(shooting: Shooting) -> np.ndarray:
    """Initial states (1, S, b) as the recorded motion has them."""
    return np.zeros((1, len(shooting.segments), shooting.starts.G.shape[2]))


def _fine(shooting: Shooting, x: np.ndarray) -> Shooting:
    """With steps that are halved until that changes outputs by far less than their noise."""
    joined = len(shooting.segments) / len(shooting.prepared.runs)  # segments over which errors add up
    noise, fine = shooting.prepared.sigma / (joined * np.sqrt(np.count_nonzero(shooting.own))), shooting
    before = shooting.outputs(x[None], _rest(shooting))[0][shooting.own]
    while fine.steps < MOST:
        fine = replace(fine, steps=2 * fine.steps)
        after = fine.outputs(x[None], _rest(shooting))[0][shooting.own]
        with np.errstate(invalid="ignore", over="ignore"):
            off = np.sqrt(np.mean((after - before) ** 2, axis=0))
            enough = ACCURATE * noise + ROUND_OFF * np.ptp(after, axis=0)
        if np.all(off <= enough):
            return replace(fine, steps=fine.steps // 2)
        before = after
    return fine


def _growth(shooting: Shooting, x: np.ndarray) -> float:
    """The largest factor by which a segment enlarges a disturbance of its initial state; infinite without answer."""
    ends = starts(shooting.prepared, [(run, min(b, len(run.t) - 1)) for run, _, b in shooting.segments])
    change = ends.L @ shooting.end_slopes(x, _rest(shooting))
    if not np.isfinite(change).all():
        return np.inf
    return float(np.max(np.abs(np.linalg.eigvals(change))))


def _require_answer(shooting: Shooting, x: np.ndarray) -> None:
    e = shooting.shot(x[None], _rest(shooting)).e[0]
    for bad, (run, first, stop) in zip(~np.isfinite(e).all(axis=(1, 2)), shooting.segments):
        if bad:
            advice = "check the controllers" if shooting.prepared.control else "give shorter segments"
            raise PoinsotError(
                f"run '{run.name}': the simulation from {run.t[first]:.4g} s on is unstable with the values at the "
                f"start and does not reach {run.t[stop - 1]:.4g} s: start from other values, or {advice}"
            )


def _spread(shooting: Shooting, x: np.ndarray) -> np.ndarray:
    """Standard errors (P, b) of initial states from their own segment, of all that follow another one."""
    b = shooting.starts.G.shape[2]
    H, _ = normal(shooting, shooting.shot(x[None], _rest(shooting)))
    blocks = np.array([H[0][s * b : s * b + b, s * b : s * b + b] for s in range(len(shooting.segments))])
    size = np.sqrt(np.diagonal(blocks, axis1=1, axis2=2))
    size = np.where(size > 0, size, 1.0)
    inverse = np.linalg.pinv(blocks / (size[:, :, None] * size[:, None]), rcond=1e-10, hermitian=True)
    error = np.sqrt(np.maximum(np.diagonal(inverse, axis1=1, axis2=2), 1e-12)) / size
    follows = [s + 1 for s, (a, c) in enumerate(zip(shooting.segments, shooting.segments[1:])) if a[0] is c[0]]
    return error[follows]


def _said(shooting: Shooting, period: float) -> tuple[str, ...]:
    steps = "one step" if shooting.steps == 1 else f"{shooting.steps} steps"
    found = [f"{steps} of the simulation from one sample to the next"]
    S, runs = len(shooting.segments), len(shooting.prepared.runs)
    unknown = S * shooting.starts.G.shape[2]
    if runs < S:
        length = (shooting.longest - 1) * period
        joined = "joined nearly exactly" if shooting.weights is not None else "not joined"
        found.append(f"multiple shooting: {S} segments of {length:.4g} s at most, {joined}")
    return (*found, f"{unknown} initial states are unknowns besides")
