"""Runs as rows: measured channels along a recorded motion as a linear function of parameters.

H y = H W θ + H y₀        H: one low-pass filter for all columns, then fewer samples        (theory/estimation, eq. 1)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from poinsot.errors import PoinsotError, counted, listing, suggestion
from poinsot.estimate.role import Role
from poinsot.estimate.rows.motion import RunMotion, leading, run_motion, shaken, uses_inertial_unit, with_cutoffs
from poinsot.estimate.rows.reversals import with_dry_reversals
from poinsot.estimate.study import Processing, Run, require_channels
from poinsot.estimate.unknowns import PAYLOAD, Unknowns
from poinsot.identifiability.channels import channels
from poinsot.identifiability.drive_forces import drive_shares, freedoms
from poinsot.identifiability.regressor import Regressor, evaluate_regressor
from poinsot.identifiability.states import States
from poinsot.model.mechanism import Mechanism
from poinsot.recording.filtering.in_time import in_time
from poinsot.recording.filtering.one_clock import on_one_clock
from poinsot.recording.filtering.resample import FEWEST, TooFewSamplesError, is_even, resampled
from poinsot.recording.finding import Severity
from poinsot.recording.motion import position_channels
from poinsot.recording.place import placed
from poinsot.recording.recording import RecordedChannel, Recording
from poinsot.recording.units import is_mechanical
from poinsot.system.system import system

FORCES = ("force", "moment", "torque", "")  # kinds of channels that may be the force of a drive
FINER = 4  # samples of the regressor for one row that is kept
PER_CUTOFF = 2.5  # samples kept, for each period of the motion's cut-off
CORNER = 0.4  # of the rate of the rows, of the filter before samples are left out
ORDER = 4  # of that filter, forwards and backwards
ENDS = 3.0  # periods of the motion's cut-off that are left out at either end, where two filters begin
LARGEST = 1e100  # of a sample, in SI: squares of larger ones are no numbers
REST, LASTS = 0.05, 5  # of its highest speed, below which every joint is at rest; rows: shorter, it only turns
FAR = 1.5  # steps of an uneven clock, from the next sample of which nothing is known
RARE = 3.0  # steps of a position's clock, beyond which it is missing
LEAST = 0.1  # share of the samples that must move, or a standstill is what was meant to be measured


@dataclass(frozen=True, eq=False)
class RunRows:
    """n samples of c channels as a linear function of K parameters; NaN where a channel is masked."""

    name: str
    role: Role
    t: np.ndarray  # (n,)  [s]
    y: np.ndarray  # (n, c) as measured
    W: np.ndarray  # (n, c, K)
    known: np.ndarray  # (n, c) what all other parameters contribute
    regressor: Regressor  # before the filter
    noise: np.ndarray | None  # (n, c, K + 1) by how much the noise of the motion changes W, and what is known
    motion: RunMotion
    recording: Recording  # on an even clock
    extra: np.ndarray | None = None  # (n, c, m) columns of what the measuring chain adds
    direction: np.ndarray | None = None  # (n, c) direction of the drives' motion, where load friction is looked for

    @property
    def target(self) -> np.ndarray:
        """What the unknowns have to explain (n, c)."""
        return self.y - self.known


def rows_of_run(
    run: Run,
    unknowns: Unknowns,
    wanted: Sequence[str],
    processing: Processing,
    rng: np.random.Generator | None = None,
) -> tuple[RunRows, tuple[str, ...]]:
    """Rows of a run, and what was done; with `rng`, how much the noise of its motion changes them."""
    mechanism = unknowns.mechanism
    recording = prepared(run, mechanism)
    read = force_channels(recording, mechanism, wanted, run.name)
    require_units(run, recording, (*read.values(), *position_channels(recording, mechanism)))
    _require_samples(run, recording, read.values())
    _require_length(recording, processing)
    processing = with_cutoffs(processing, recording, mechanism)
    rate, every = _rates(recording, processing)
    motion = run_motion(recording, mechanism, processing, every)
    names, y = _on_freedoms(motion.states, list(read), _at(recording, list(read.values()), motion.states.t))
    W = regressor_along(motion, unknowns, names, run.role)
    stacked = [y[:, :, None], W.matrix.reshape(*y.shape, -1), W.rhs.reshape(*y.shape, 1)]
    if rng is not None:
        again = run_motion(shaken(recording, mechanism, rng), mechanism, processing, every)
        shaken_W = regressor_along(again, unknowns, names, run.role)
        both = shaken_W.matrix.reshape(*y.shape, -1), shaken_W.rhs.reshape(*y.shape, 1)
        stacked.append(np.concatenate(both, axis=2) - np.concatenate(stacked[1:], axis=2))
    t, parts, step = _filtered(motion.states.t, stacked, rate, motion.edge, processing.force_cutoff)
    noise = parts[3] if rng is not None else None
    y, said = _moving(_followed(parts[0][..., 0], t, motion, recording, processing), t, motion)
    rows = RunRows(run.name, run.role, t, y, parts[1], parts[2][..., 0], W, noise, motion, recording)
    said += [] if names == list(read) else ["forces of drives act on fewer freedoms: however they share these"]
    done = recording.steps[len(run.recording.steps) :]  # until it was on an even clock, its turns counted
    return rows, (*done, *motion.steps, step, *said)


def _require_samples(run: Run, recording: Recording, used: Iterable[str]) -> None:
    """Measured forces with samples that can be squared."""
    for name in used:
        largest = np.max(np.abs(recording[name][recording.mask(name)]), initial=0.0)
        if not recording.mask(name).any():
            raise PoinsotError(f"run '{run.name}': '{name}' has no samples: nothing can be identified from it")
        if largest > LARGEST:
            raise PoinsotError(f"run '{run.name}': '{name}' has samples of {largest:.0e}: look at its unit")


def _require_length(recording: Recording, processing: Processing) -> None:
    """A recording that is longer than what cut-offs and a rate that are given leave out of it."""
    if (n := len(recording)) < FEWEST:
        raise TooFewSamplesError(f"{n} samples are too few to be filtered, which needs {FEWEST} or more")
    seconds = float(recording.t[-1] - recording.t[0])
    cutoff = processing.cutoff if processing.method == "filter" else None
    every = {f"of '{n}'": c for n, c in cutoff.items()} if isinstance(cutoff, Mapping) else {"of the motion": cutoff}
    for of, corner in {**every, "of the forces": processing.force_cutoff}.items():
        if corner and 0 < corner * seconds <= 2 * ENDS:
            raise TooFewSamplesError(
                f"it lasts {seconds:.4g} s, too short for the cut-off {of}, {corner:g} Hz: {ENDS:g} periods are left "
                f"out at either end; give more than {2 * ENDS / seconds:.3g} Hz"
            )
    if processing.rate and processing.rate * seconds < FEWEST / FINER:
        raise TooFewSamplesError(f"it lasts {seconds:.4g} s, too short for rows at a rate of {processing.rate:g} Hz")


def _on_freedoms(states: States, names: list[str], y: np.ndarray) -> tuple[list[str], np.ndarray]:
    """Channels (n, c) with forces on freedoms in place of drives, where these are more and all measured."""
    compiled = states.system
    drives = list(compiled.commands)
    if len(drives) <= compiled.outline.mobility or not set(drives) <= set(names):
        return names, y
    free, others = freedoms(compiled), [k for k, name in enumerate(names) if name not in drives]
    shares = drive_shares(compiled, tuple(c.index for c in free))(states.q, states.p)[0]
    u = y[:, [names.index(drive) for drive in drives]]
    Q = np.einsum("nfu,nu->nf", shares.reshape(len(y), len(free), len(drives)), u)
    return [*(names[k] for k in others), *(c.name for c in free)], np.concatenate([y[:, others], Q], axis=1)


def prepared(run: Run, mechanism: Mechanism, delays: bool = True) -> Recording:
    """The part of a recording that is used, placed and on an even clock, `delays` of sensors taken off."""
    recording = placed(run.part, mechanism)
    forces = [*measured_forces(recording, mechanism, run.name).values()]
    recording = _even(on_one_clock(recording, leading(recording, mechanism), forces))
    return in_time(recording, mechanism) if delays else recording


def require_units(run: Run, recording: Recording, used: Sequence[str]) -> None:
    """No channel is another quantity, a power for a force; other units that placing a recording finds wrong must have
    been said before, by reading it for the mechanism."""
    before = {(one.channel, one.code) for one in run.recording.findings}
    for finding in recording.findings:
        if finding.severity is Severity.ERROR and finding.channel in used:
            another = finding.code == "unit" and is_mechanical(recording.units[finding.channel])
            if another or (finding.channel, finding.code) not in before:
                raise PoinsotError(f"run '{run.name}': '{finding.channel}': {finding.message}; {finding.advice}")


def filtered_as(rows: RunRows, columns: np.ndarray, processing: Processing) -> np.ndarray:
    """Columns (N, c) at the times of a run's states as they are at its rows (n, c), behind the same filter."""
    processing = with_cutoffs(processing, rows.recording, rows.motion.mechanism)
    rate, _ = _rates(rows.recording, processing)
    motion = rows.motion
    found = _filtered(motion.states.t, [columns[:, :, None]], rate, motion.edge, processing.force_cutoff)
    return found[1][0][..., 0]


def rows_along(rows: RunRows, motion: RunMotion, unknowns: Unknowns, processing: Processing) -> RunRows:
    """The rows of a run along another motion at the same times, behind the same filter."""
    W = regressor_along(motion, unknowns, list(rows.regressor.channels), rows.role)
    n, c = len(motion.states.t), len(W.channels)
    processing = with_cutoffs(processing, rows.recording, unknowns.mechanism)
    rate, _ = _rates(rows.recording, processing)
    columns = [W.matrix.reshape(n, c, -1), W.rhs.reshape(n, c, 1)]
    _, (new, known), _ = _filtered(motion.states.t, columns, rate, motion.edge, processing.force_cutoff)
    return replace(rows, W=new, known=known[..., 0], noise=None, motion=motion)


def force_channels(recording: Recording, mechanism: Mechanism, wanted: Sequence[str], run: str) -> dict[str, str]:
    """Measured channels by the names that `regressor` has for them, and the recorded channel of each."""
    found = measured_forces(recording, mechanism, run)
    if not wanted:
        if not found:
            raise PoinsotError(
                f"run '{run}' has no recorded force: no channel is placed at an actuator or force sensor of "
                f"{mechanism.name} ({listing([*mechanism.actuators, *mechanism.sensors])}); its channels: "
                f"{listing(recording.channels)}"
            )
        return found
    asked = [c.name for c in channels(system(mechanism), wanted)]
    require_channels([name for name in asked if name not in found], recording, run)
    return {name: found[name] for name in asked}


def measured_forces(recording: Recording, mechanism: Mechanism, run: str) -> dict[str, str]:
    """All measured forces by the names that `regressor` has for them, and the recorded channel of each."""
    found: dict[str, str] = {}
    for name, channel in recording.channels.items():
        key = _measures(name, channel, mechanism)
        if key in found:
            raise PoinsotError(
                f"run '{run}': '{found[key]}' and '{name}' both measure '{key}': leave one of them out"
            )
        found |= {key: name} if key else {}
    return found


def late_channels(recording: Recording, mechanism: Mechanism, delays: Mapping[str, float]) -> dict[str, float]:
    """Delays [s] by recorded channel, from those by what channels measure: forces before positions of that name."""
    if not delays:
        return {}
    forces = {of.removeprefix("sensor "): name for of, name in measured_forces(recording, mechanism, "").items()}
    measured = {name: channel.place or name for name, channel in recording.channels.items()}
    return {name: delays[of] for name, of in measured.items() if of in delays and forces.get(of, name) == name}


def _measures(name: str, channel: RecordedChannel, mechanism: Mechanism) -> str:
    """What a recorded channel measures, by the name that `regressor` has for it; empty: no force."""
    where, sensors = channel.place or name, mechanism.sensors
    drive = where if where in mechanism.actuators else where.removesuffix(".force")
    if drive in mechanism.actuators:
        return drive if channel.kind in FORCES else ""
    if where in sensors and sensors[where].measures_force:
        return f"sensor {name}" if len(sensors[where].channels) > 1 else f"sensor {where}"
    if any(where == c.name for sensor in sensors.values() if sensor.measures_force for c in sensor.channels):
        return f"sensor {where}"
    return where if where.split(" ")[0] in ("wrench", "reaction", "freedom", "power") else ""


def common_channels(runs: Sequence[Run], mechanism: Mechanism) -> tuple[str, ...]:
    """Measured channels of runs, which must all have recorded the same, in whatever order: that of the first."""
    every = [force_channels(placed(run.recording, mechanism), mechanism, (), run.name) for run in runs]
    known = list(dict.fromkeys(name for names in every for name in names))
    for run, names in zip(runs, every):
        if missing := [name for name in known if name not in names]:
            have = next(other.name for other, others in zip(runs, every) if missing[0] in others)
            recorded = run.recording.channels
            near = suggestion(missing[0].removeprefix("sensor "), [c for c in recorded if c not in names.values()])
            raise PoinsotError(
                f"all runs of a study must have recorded the same channels: run '{run.name}' has no "
                f"{listing([repr(name) for name in missing])}{near}, run '{have}' has; columns of '{run.name}': "
                f"{listing(recorded)}; or name the channels that all have"
            )
    return tuple(every[0])


def regressor_along(motion: RunMotion, unknowns: Unknowns, names: list[str], role: Role) -> Regressor:
    """Columns of all unknowns (n·c, K); what a payload adds acts in its own runs, beside the model's values."""
    source = [p.name.removeprefix(PAYLOAD) for p in unknowns.linear]
    added = np.array([p.name.startswith(PAYLOAD) for p in unknowns.linear], bool)
    W = evaluate_regressor(motion.mechanism, motion.states, names, source)
    W = with_dry_reversals(W, motion.states, motion.every)
    if not added.any():
        return W
    pick = [W.columns.index(name) for name in source]
    own = {name for name, payload in zip(source, added) if not payload}
    beside = [j for j, name in enumerate(W.columns) if name not in own]
    acting = np.where(added & (role is not Role.PAYLOAD), 0.0, 1.0)
    natural = W.natural
    return replace(
        W,
        columns=unknowns.names,
        units=unknowns.units,
        matrix=W.matrix[:, pick] * acting,
        rhs=W.rhs + W.matrix[:, beside] @ W.parameters[beside],
        parameters=unknowns.model,
        linear=unknowns.linear,
        natural=lambda weights: natural(weights)[pick] * acting,
    )


def _rates(recording: Recording, processing: Processing) -> tuple[float, int]:
    """Rate at which rows are kept [Hz], and every how many samples the regressor is evaluated."""
    own, cutoff = recording.rate, processing.cutoff
    highest = max(cutoff.values(), default=np.inf) if isinstance(cutoff, Mapping) else cutoff or np.inf
    rate = min(processing.rate or PER_CUTOFF * highest, own, recording.constants.get("slowest rate", own))
    return rate, max(1, int(own / (FINER * rate)))


def _at(recording: Recording, names: list[str], t: np.ndarray) -> np.ndarray:
    """Recorded samples (n, c) at some of the recorded times, behind a filter where most of them are left out."""
    at, y = np.clip(np.searchsorted(recording.t, t - 1e-9), 0, len(recording) - 1), recording.table(names)
    rate = (len(t) - 1) / (t[-1] - t[0])
    if recording.rate < 1.5 * rate or not is_even(recording.t):
        return y[at]
    return low_pass([y], recording.rate, CORNER * rate)[0][at]


def _filtered(
    t: np.ndarray, parts: list[np.ndarray], rate: float, edge: float, wanted: float | None
) -> tuple[np.ndarray, list[np.ndarray], str]:
    """All columns (n, c, k) behind one filter, at a lower rate, without the ends."""
    own = (len(t) - 1) / (t[-1] - t[0])
    own_corner = 1 / edge if edge else np.inf  # what the motion's filter took away explains nothing
    corner = min(CORNER * rate, own_corner if wanted is None else wanted)
    edge = max(edge, 1 / corner) if wanted is not None else edge
    inside = (t >= t[0] + ENDS * edge) & (t <= t[-1] - ENDS * edge)
    if own < 2.5 * corner or not is_even(t):
        return t[inside], [x[inside] for x in parts], f"{int(inside.sum())} samples at {own:.4g} Hz are used"
    smooth = low_pass(parts, own, corner)
    step = max(1, int(own / min(rate, corner / CORNER)))  # as many as are left independent
    kept = np.flatnonzero(inside)[::step]
    said = f"channels and regressor behind one filter at {corner:.4g} Hz"
    return t[kept], [x[kept] for x in smooth], f"{said}, {len(kept)} samples at {own / step:.4g} Hz are used"


def _followed(
    y: np.ndarray, t: np.ndarray, motion: RunMotion, recording: Recording, processing: Processing
) -> np.ndarray:
    """Channels (n, c) masked where positions are missing for longer than their filter remembers."""
    if processing.method == "fourier" or uses_inertial_unit(recording, processing) or not motion.edge:
        return y
    read = position_channels(recording, motion.mechanism)
    lost = np.zeros(len(t), bool)
    for name in read:
        seen = recording.t[recording.mask(name)]
        step = np.diff(seen)
        for k in np.flatnonzero(step > max(motion.edge, RARE * float(np.median(step)))):
            lost |= (t > seen[k] - ENDS * motion.edge) & (t < seen[k + 1] + ENDS * motion.edge)
    return np.where(lost[:, None], np.nan, y)


def _moving(y: np.ndarray, t: np.ndarray, motion: RunMotion) -> tuple[np.ndarray, list[str]]:
    """Channels (n, c) masked where the machine is at rest and dry friction holds it with an unknown force."""
    laws = [law.smoothed(1.0) for law in motion.mechanism.forces.values()]  # at rest a jump holds as well
    dry = any(float(law.dry_slope()) or law.loaded for law in laws)
    speed = np.abs(motion.states.v) / np.maximum(np.max(np.abs(motion.states.v), axis=0), 1e-300)
    resting = _lasting(np.interp(t, motion.states.t, np.max(speed, axis=1, initial=0.0)) < REST)
    if not dry or not resting.any() or resting.mean() > 1 - LEAST:
        return y, []
    said = f"left out: {counted(int(resting.sum()), 'sample')} at rest, where dry friction holds with any force"
    return np.where(resting[:, None], np.nan, y), [said]


def _lasting(slow: np.ndarray) -> np.ndarray:
    """Those of some rows (n,) that follow each other, at least so many."""
    from scipy.ndimage import binary_opening

    return binary_opening(slow, np.ones(LASTS, bool))


def _even(recording: Recording) -> Recording:
    """The recording on an even clock, which filters need; what was masked stays masked."""
    t = recording.require_times()
    if is_even(t):
        return recording
    found = resampled(recording, recording.rate)
    near = np.clip(np.searchsorted(t, found.t - 0.5 / recording.rate), 0, len(t) - 1)
    after = np.clip(np.searchsorted(t, found.t), 1, len(t) - 1)
    there = np.minimum(np.abs(found.t - t[after - 1]), np.abs(t[after] - found.t)) * recording.rate < FAR
    values = {name: np.where(recording.mask(name)[near] & there, x, np.nan) for name, x in found.values.items()}
    return replace(found, values=values)


def low_pass(parts: list[np.ndarray], rate: float, corner: float) -> list[np.ndarray]:
    """Columns (n, …) behind a zero-phase filter; of the first, NaN where too many samples are missing."""
    from scipy.signal import butter, sosfiltfilt

    if len(parts[0]) < FEWEST:
        raise TooFewSamplesError(
            f"{len(parts[0])} samples at {rate:.4g} Hz are too few for a filter at {corner:.4g} Hz: {FEWEST} do"
        )
    sections = butter(ORDER, corner, fs=rate, output="sos")
    missing = ~np.isfinite(parts[0])
    whole = [bridged(parts[0]) if missing.any() else parts[0], *parts[1:]]
    smooth = [np.empty_like(x) for x in whole]
    for found, x in zip(smooth, whole):
        for c in range(x.shape[1]):  # between channels Ctrl-C is heard
            found[:, c] = sosfiltfilt(sections, x[:, c], axis=0)
    if missing.any():
        smooth[0] = np.where(_spread(missing, rate / corner), np.nan, smooth[0])
    return smooth


def bridged(y: np.ndarray) -> np.ndarray:
    """Columns (n, …) with straight lines across samples that are missing."""
    found, at = y.reshape(len(y), -1).copy(), np.arange(len(y))
    for column in found.T:
        good = np.isfinite(column)
        column[:] = np.interp(at, at[good], column[good]) if good.any() else 0.0
    return found.reshape(y.shape)


def _spread(missing: np.ndarray, samples: float) -> np.ndarray:
    """Rows (n, …) that the filter makes of gaps longer than its own memory."""
    width = max(1, int(samples))
    window = np.ones(width) / width
    share = np.apply_along_axis(lambda x: np.convolve(x, window, "same"), 0, missing.astype(float))
    return share > 0.5
