"""Rows that repeat the one before: the logger was faster than what it asked."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poinsot.recording.finding import Finding, spans
from poinsot.recording.recording import Recording

__all__ = ["repeat_findings", "repeated_rows"]

LIVE = 0.2  # share of the steps in which a channel changes that is alive
LONGEST = 10  # rows: a longer run is a machine that stands still


def repeated_rows(recording: Recording) -> np.ndarray:
    """Which rows (n,) repeat all samples of the row before, while the machine moves."""
    x = recording.table()
    n = len(x)
    if n < 3 or np.iscomplexobj(x):
        return np.zeros(n, bool)
    same = (x[1:] == x[:-1]) | (np.isnan(x[1:]) & np.isnan(x[:-1]))
    live = (np.mean(~same, axis=0) > LIVE) & np.isfinite(x).any(axis=0)
    if live.sum() < 2:
        return np.zeros(n, bool)
    repeats = np.concatenate([[False], same[:, live].all(axis=1) & np.isfinite(x[1:, live]).any(axis=1)])
    edges = np.flatnonzero(np.diff(np.concatenate([[0], repeats.astype(int), [0]])))
    for first, end in zip(edges[::2], edges[1::2]):
        if end - first > LONGEST:
            repeats[first:end] = False
    return repeats


def repeat_findings(recording: Recording, mended: bool = False) -> Iterator[Finding]:
    """A finding if rows repeat."""
    rows = repeated_rows(recording)
    if not (n := int(rows.sum())):
        return
    share = n / len(rows)
    message = f"{n} of {len(rows)} rows ({100 * share:.3g} %) repeat the row before"
    message += ", and are masked" if mended else ""
    advice = "they carry no information and spoil derivatives: log at the rate of the slowest device"
    yield Finding(
        "rows repeat", "", spans(recording.abscissa, np.flatnonzero(rows)), n, message, advice, mended=mended
    )
