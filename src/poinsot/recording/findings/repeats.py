"""Rows that repeat the one before: the logger was faster than what it asked."""

from __future__ import annotations

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
    x, names = recording.table(), tuple(recording)
    if len(x) < 3 or np.iscomplexobj(x):
        return []
    same = (x[1:] == x[:-1]) | (np.isnan(x[1:]) & np.isnan(x[:-1]))
    live = np.flatnonzero((np.mean(~same, axis=0) > LIVE) & np.isfinite(x).any(axis=0))
    groups = []
    for group in _groups(same[:, live]):
        rows = np.concatenate([[False], _repeats(same[:, live[group]])])
        rows &= np.isfinite(x[:, live[group]]).any(axis=1)
        if _distinct(x[:, live[group]]) > 2 and rows.sum() >= max(FEWEST, FEW * len(rows)):
            groups.append((tuple(names[live[j]] for j in group), rows))
    return groups


def _distinct(x: np.ndarray) -> int:
    """Number of columns (n, k) that differ: a channel that is written twice is one."""
    return len({column.tobytes() for column in x.T})


def _groups(same: np.ndarray) -> list[list[int]]:
    """Channels (n, k) that repeat whenever one of them does."""
    left, groups = list(np.argsort(same.mean(axis=0), kind="stable")), []
    while left:
        seed = next((j for j in left if same[:, j].any()), None)
        if seed is None:
            break
        with_it = [j for j in left if np.mean(same[same[:, seed], j]) >= TOGETHER]
        groups.append(sorted(int(j) for j in with_it))
        left = [j for j in left if j not in with_it]
    return groups


def _repeats(same: np.ndarray) -> np.ndarray:
    """Rows (n,) in which all channels (n, k) repeat, more often than they would by themselves, and not for long."""
    repeats: np.ndarray = np.asarray(same.all(axis=1))
    alone = np.prod([_share(column) for column in same.T], axis=0)
    repeats = repeats & (_share(repeats) > MORE * alone)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], repeats.astype(int), [0]])))
    for first, end in zip(edges[::2], edges[1::2]):
        if end - first > LONGEST:
            repeats[first:end] = False
    return repeats


def _share(flags: np.ndarray) -> np.ndarray:
    """Share of true flags (n,) in a window about each."""
    total = np.concatenate([[0], np.cumsum(flags)])
    k = np.arange(len(flags))
    first, end = np.maximum(k - WINDOW // 2, 0), np.minimum(k + WINDOW // 2 + 1, len(flags))
    return (total[end] - total[first]) / (end - first)


def repeat_finding(recording: Recording, group: tuple[str, ...], rows: np.ndarray, mended: bool) -> Finding:
    """The finding that rows of a group of channels repeat."""
    n, whole = int(rows.sum()), len(group) == len(recording.channels)
    who = "" if whole else f" in {listing(group)}"
    message = f"{n} of {len(rows)} rows ({100 * n / len(rows):.3g} %) repeat the row before{who}"
    message += ", and are masked" if mended else ""
    advice = "they carry no information and spoil derivatives: log at the rate of the slowest device"
    where = spans(recording.abscissa, np.flatnonzero(rows))
    return Finding("rows repeat", "" if whole else group[0], where, n, message, advice, mended=mended)
