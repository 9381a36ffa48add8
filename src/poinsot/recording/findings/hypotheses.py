"""What may be wrong with columns, each tried on the model: swapped, of the other sign, in another unit.

A hypothesis is believed if it leaves much less of the forces unexplained than the recording as it is, by free
parameters and by those of the model together, and neither objects.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from poinsot.recording.finding import Finding, Severity
from poinsot.recording.findings.explained import Needed, Nominal, by_model, needed, unexplained
from poinsot.recording.findings.plain_path import plain_path
from poinsot.recording.findings.trial import Trial

__all__ = ["believed"]

POOR = 0.05  # unexplained part of the forces below which nothing is asked
BETTER = 0.25  # of the product of both unexplained parts that may remain
LESS = 0.8  # of what the model's own values leave that may remain
WORSE = 1.2  # times one of them: it objects
CLEAR = 0.3  # part of the forces that may remain where a channel is dead, or no motion: these alone leave much
FAR = 3.0  # times what a delay leaves, and a thousandth, which is noise: the delay is it
ALIKE = 1.5  # times the best: cannot be told from it
FARTHEST = 20 * np.pi  # that a position may move which was recorded as a force  [rad, m]
OTHERS = (  # units of positions that are taken for those of the model
    ("rad", "degrees", "deg", np.pi / 180),
    ("rad", "turns", "rev", 2 * np.pi),
    ("m", "millimetres", "mm", 1e-3),
    ("m", "centimetres", "cm", 1e-2),
    ("m", "inches", "in", 0.0254),
)
SHORTLIST = 6  # hypotheses that are tried with free parameters
_progress = logging.getLogger("poinsot.progress")


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """A change of the columns."""

    code: str
    channels: tuple[str, ...]
    said: str
    advice: str
    states: np.ndarray | None = None  # (m, c, 3) if it changes the motion
    forces: np.ndarray | None = None  # (m, k) if it changes forces
    left: tuple[float, float] = (1.0, 1.0)  # unexplained by the model's values, and by free ones
    motion: Needed | None = None  # what it needs, once it was tried
    nominal: Nominal | None = None  # drive by drive, the same

    @property
    def score(self) -> float:
        """What is left by both; a thousandth is noise."""
        return (self.left[0] + 1e-3) * (self.left[1] + 1e-3)


def believed(trial: Trial, motion: Needed | None, late: Callable[[], float]) -> list[Finding]:
    """The hypothesis that explains most, if it is needed; those that cannot be told from it are named with it.

    `motion` is what the recorded one needs; None: the mechanism cannot make it. None is believed where a delay leaves
    far less, which is `late`.
    """
    nominal = by_model(motion, trial.forces)
    as_is = nominal.unexplained, unexplained(motion, trial.forces)
    if max(as_is) < POOR:
        return []
    units = _units(trial) if as_is[1] >= POOR else ()  # free parameters do not explain a motion in wrong units
    every = [h for h in (*_columns(trial), *units, *_kinds(trial)) if trial.silent.isdisjoint(h.channels)]
    tried = [_by_model(trial, motion, h) for h in _told(every)]
    short = sorted(tried, key=lambda h: h.left[0])[:SHORTLIST]
    short = [replace(h, left=(h.left[0], _free(trial, h))) for h in short]
    now = Hypothesis("", (), "", "", left=as_is, nominal=nominal)
    most = CLEAR if trial.dead or motion is None else 1.0
    good = [h for h in short if h.score < BETTER * now.score and h.left[0] <= most and _no_objection(h, now)]
    if not good:
        return []
    best = min(good, key=lambda h: h.score)
    if best.left[0] > FAR * (late() + 1e-3):
        return []
    others = [h for h in good if h is not best and h.score < ALIKE * best.score]
    said = "; or ".join(f"{_named(h, best.channels[0])} {h.said}" for h in (best, *others))
    message = (
        f"{said}: the model then leaves {100 * best.left[0]:.2g} % of the forces unexplained, "
        f"{100 * as_is[0]:.3g} % as it is"
    )
    amount = 1 - best.left[0] / as_is[0]
    return [Finding(best.code, best.channels[0], "", amount, message, best.advice, Severity.ERROR)]


def _named(h: Hypothesis, first: str) -> str:
    """Channels of a hypothesis, in a sentence about the first of the best."""
    return " and ".join("it" if name == first else f"'{name}'" for name in h.channels)


def _no_objection(h: Hypothesis, now: Hypothesis) -> bool:
    """Whether the model's own values explain more, free ones not less, and no drive by friction alone."""
    assert h.nominal is not None and now.nominal is not None
    hollow = h.nominal.hollow & (h.nominal.left < LESS * now.nominal.left)
    return h.left[0] < LESS * now.left[0] and h.left[1] <= WORSE * now.left[1] + 0.02 and not hollow.any()


def _by_model(trial: Trial, motion: Needed | None, h: Hypothesis) -> Hypothesis:
    """With what the model's own values leave unexplained."""
    motion = motion if h.states is None else needed(trial, h.states, plain_path)
    forces = trial.forces if h.forces is None else h.forces
    nominal = by_model(motion, forces)
    return replace(h, left=(nominal.unexplained, 1.0), motion=motion, nominal=nominal)


def _free(trial: Trial, h: Hypothesis) -> float:
    return unexplained(h.motion, trial.forces if h.forces is None else h.forces)


def _told(every: Sequence[Hypothesis]) -> Iterator[Hypothesis]:
    """The same, with progress where they take long."""
    for k, h in enumerate(every, 1):
        _progress.info("hypothesis %d of %d: %s %s", k, len(every), " and ".join(h.channels), h.said)
        yield h


def _columns(trial: Trial) -> Iterator[Hypothesis]:
    """Forces and positions swapped, or of the other sign."""
    F, S, names, channels = trial.forces, trial.states, trial.names, trial.channels
    for i, j in combinations(range(len(names)), 2):
        both, advice = (names[i], names[j]), "exchange the columns"
        yield Hypothesis("swapped", both, "look swapped", advice, forces=_exchanged(F, i, j))
    for k, name in enumerate(names):
        flipped = np.where(np.arange(len(names)) == k, -F, F)
        yield Hypothesis("sign", (name,), "seems to have the other sign", "give it the gain −1", forces=flipped)
    if len(names) > 1:
        yield Hypothesis("sign", names, "seem to have the other sign", "give them the gain −1", forces=-F)
    for i, j in combinations(range(len(channels)), 2):
        both, advice = (channels[i], channels[j]), "exchange the columns"
        yield Hypothesis("swapped", both, "look swapped", advice, _exchanged(S, i, j))
    for k, name in enumerate(channels):
        flipped = _scaled(S, np.arange(len(channels)) == k, -1.0)
        yield Hypothesis("sign", (name,), "seems to have the other sign", "give it the gain −1", flipped)


def _units(trial: Trial) -> Iterator[Hypothesis]:
    """Angles in degrees or turns, lengths in millimetres or inches: one channel, or all."""
    units = np.array([trial.mechanism.coordinates[name].unit for name in trial.positions])
    for unit, code, written, factor in OTHERS:
        of = units == unit
        which = [np.arange(len(units)) == k for k in np.flatnonzero(of)]
        which += [of] if of.sum() > 1 else []
        for some in which:
            named = tuple(np.array(trial.channels)[some].tolist())
            said = f"seem{'s' if len(named) == 1 else ''} to be in {code}"
            yield Hypothesis(code, named, said, f'give the unit, "{written}"', _scaled(trial.states, some, factor))


def _kinds(trial: Trial) -> Iterator[Hypothesis]:
    """Position and force of a drive in each other's column, or all of them; not where positions would be large."""
    own = [(k, j) for j, k in enumerate(trial.own_positions) if k is not None]
    left = [k for k in range(len(trial.channels)) if k not in trial.own_positions]
    pairs = own + [(k, j) for j, k in enumerate(trial.own_positions) if k is None for k in left]
    for some in [[pair] for pair in pairs] + ([own] if len(own) > 1 else []):
        named = tuple(name for k, j in some for name in (trial.channels[k], trial.names[j]))
        states, forces = trial.with_kinds_exchanged(some)
        moved = np.ptp(states[:, [k for k, _ in some], 0], axis=0)
        if np.isfinite(states).all() and (moved < FARTHEST).all():
            yield Hypothesis("swapped", named, "look swapped", "exchange the columns", states, forces)


def _scaled(states: np.ndarray, which: np.ndarray, factor: float) -> np.ndarray:
    """States with some coordinates (c,) times a factor."""
    return np.where(which[None, :, None], factor * states, states)


def _exchanged(x: np.ndarray, i: int, j: int) -> np.ndarray:
    """The array with columns i and j exchanged."""
    order = np.arange(x.shape[1])
    order[[i, j]] = j, i
    return x[:, order]
