"""Rows that repeat the one before: the logger was faster than what it asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from poinsot.errors import listing
from poinsot.recording.finding import Finding, spans
from poinsot.recording.recording import Recording

__all__ = ["repeat_finding", "repeats_of"]

LIVE = 0.2  # share of the steps in which a channel changes that is alive
LONGEST = 10  # rows: a longer run is a machine that stands still
WINDOW = 51  # rows about a repeat in which the channels are looked at
MORE = 3.0  # times as often as the channels by themselves would
TOGETHER = 0.92  # of the repeats of one channel in which another repeats that the same device sends
FEWEST, FEW = 3, 1e-3  # rows, share of the rows: less is chance


def repeats_of(recording: Recording) -> list[tuple[tuple[str, ...], np.ndarray]]:
    """Groups of channels that repeat together, and in which rows (n,) they repeat the row before.

    Near standstill, coarse channels repeat: all of them together with the product of their shares. A logger that asks
    too often repeats all that one device sends at once.
    """
    live = {name: same for name in recording if (same := _same(recording[name])) is not None}
    if len(recording) < 3 or any(np.iscomplexobj(x) for x in recording.values.values()):
        return []
    groups = []
    for group in _groups(live):
        columns = [recording[name] for name in group]
        if _distinct(columns) < 3:
            continue
        rows = np.concatenate([[False], _repeats([live[name] for name in group])])
        rows &= np.any([np.isfinite(x) for x in columns], axis=0)
        if np.count_nonzero(rows) >= max(FEWEST, FEW * len(rows)):
            groups.append((group, rows))
    return groups


def _same(x: np.ndarray) -> np.ndarray | None:
    """Which samples (n − 1,) are those before them, missing ones too; None for a channel that hardly changes."""
    same = x[1:] == x[:-1]
    missing = np.isnan(x)
    if missing.any():
        same |= missing[1:] & missing[:-1]
    alive = len(same) and np.count_nonzero(same) < (1 - LIVE) * len(same) and not missing.all()
    return same if alive else None


def _distinct(columns: Sequence[np.ndarray]) -> int:
    """Number of columns (n,) that differ: a channel that is written twice is one."""
    different: list[np.ndarray] = []
    for x in columns:
        if not any(np.array_equal(x, y, equal_nan=True) for y in different):
            different.append(x)
    return len(different)


def _groups(live: Mapping[str, np.ndarray]) -> list[tuple[str, ...]]:
    """Channels that repeat whenever one of them does, by flags (n,)."""
    counts = {name: np.count_nonzero(same) for name, same in live.items()}
    left, groups = [name for name in sorted(counts, key=lambda name: counts[name]) if counts[name]], []
    while left:
        at = np.flatnonzero(live[left[0]])
        with_it = [name for name in left if np.mean(live[name][at]) >= TOGETHER]
        groups.append(tuple(name for name in live if name in with_it))
        left = [name for name in left if name not in with_it]
    return groups


def _repeats(same: Sequence[np.ndarray]) -> np.ndarray:
    """Rows (n,) in which all channels repeat, more often than they would by themselves, and not for long."""
    repeats = np.all(same, axis=0)
    alone = np.ones(len(repeats))
    for flags in same:
        alone *= _share(flags)
    repeats &= _share(repeats) > MORE * alone
    edges = np.flatnonzero(np.diff(repeats, prepend=False, append=False))
    for first, end in zip(edges[::2], edges[1::2]):
        if end - first > LONGEST:
            repeats[first:end] = False
    return repeats


def _share(flags: np.ndarray) -> np.ndarray:
    """Share of true flags (n,) in a window about each, cut at the ends."""
    half, n = WINDOW // 2, len(flags)
    total = np.zeros(n + 2 * half + 1, np.int32)
    np.cumsum(flags, out=total[half + 1 : half + 1 + n])
    total[half + 1 + n :] = total[half + n]
    k = np.arange(n)
    width = np.minimum(k + half + 1, n) - np.maximum(k - half, 0)
    return (total[WINDOW:] - total[:n]) / width


def repeat_finding(recording: Recording, group: tuple[str, ...], rows: np.ndarray, mended: bool) -> Finding:
    """The finding that rows of a group of channels repeat."""
    n, whole = int(rows.sum()), len(group) == len(recording.channels)
    who = "" if whole else f" in {listing(group)}"
    message = f"{n} of {len(rows)} rows ({100 * n / len(rows):.3g} %) repeat the row before{who}"
    message += ", and are masked" if mended else ""
    advice = "they carry no information and spoil derivatives: log at the rate of the slowest device"
    where = spans(recording.abscissa, np.flatnonzero(rows))
    return Finding("rows repeat", "" if whole else group[0], where, n, message, advice, mended=mended)
