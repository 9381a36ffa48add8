"""Joining recordings that were taken on one clock."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poinsot.errors import PoinsotError, listing
from poinsot.recording.recording import Clock, Recording

__all__ = ["joined"]


def joined(recordings: Sequence[Recording]) -> Recording:
    """One recording with the channels of all, over the union of their times; NaN where one has no sample.

    >>> a = Recording.of([0.0, 1.0], {"x": [1.0, 2.0]})
    >>> b = Recording.of([1.0, 2.0], {"y": [5.0, 6.0]})
    >>> joined([a, b])["y"].tolist()
    [nan, 5.0, 6.0]
    """
    names = [name for one in recordings for name in one.channels]
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise PoinsotError(f"two recordings have channels of one name: {listing(twice)}; name them by columns=")
    first = recordings[0]
    if {one.axis for one in recordings} != {first.axis}:
        raise PoinsotError("recordings over time and over frequency are not joined")
    clocks = {one.clock for one in recordings}
    if Clock.COUNTED in clocks and (len(clocks) > 1 or len({len(one) for one in recordings}) > 1):
        raise PoinsotError("recordings without a clock can be joined only if they have equally many samples")
    same = all(np.array_equal(one.abscissa, first.abscissa) for one in recordings)
    t = first.abscissa if same else np.unique(np.concatenate([one.abscissa for one in recordings]))
    values = {}
    for one in recordings:
        at = slice(None) if same else np.searchsorted(t, one.abscissa)
        for name, column in one.values.items():
            values[name] = np.full(len(t), np.nan, column.dtype)
            values[name][at] = column
    return Recording(
        t,
        values,
        {name: channel for one in recordings for name, channel in one.channels.items()},
        clock=first.clock if len(clocks) == 1 else Clock.RECORDED,
        axis=first.axis,
        sources=tuple(source for one in recordings for source in one.sources),
        steps=(*(step for one in recordings for step in one.steps), f"{len(recordings)} recordings were joined"),
        findings=tuple(finding for one in recordings for finding in one.findings),
        constants={key: value for one in recordings for key, value in one.constants.items()},
    )
