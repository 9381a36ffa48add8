"""Rate: samples per second of a clock whose stamps may be rounded, and of which samples may be lost."""

from __future__ import annotations

import numpy as np

__all__ = ["GAP", "rate_of", "usual_step"]

GAP = 2.5  # of the median step of a clock, beyond which samples are missing
CHANCE = 2.0  # deviations of a count
FEWEST = 10  # long steps, from which on they tell whether they come evenly
EVEN = 0.125  # of the usual distance from a long step to the second next, by which others may differ, beside one


def rate_of(t: np.ndarray) -> float:
    """Samples per second at times (n,)  [Hz].

    >>> round(rate_of(np.round(np.arange(1000) / 800, 3)))
    800
    """
    step = usual_step(t)
    return 1 / step if step > 0 else float("inf")


def usual_step(t: np.ndarray) -> float:
    """Mean step of times (n,), a step over a lost sample being two  [s].

    Rounded stamps have steps of one and two units: the median is one of these, the mean lies between. Their long
    steps come evenly, those over lost samples do not. Where stamps jitter, as many steps are too short as too long,
    and none is two.
    """
    steps = np.diff(t)
    step = float(np.median(steps))
    if not step > 0:
        return step
    steps = steps[steps <= GAP * step]
    for _ in range(2):
        usual = float(np.mean(steps[steps < 2.5 * step]))
        count = np.round(steps / usual)
        long, short = np.count_nonzero(count > 1), np.count_nonzero(count < 1)
        if _come_evenly(np.flatnonzero(count > 1)):
            return usual
        jitters = short > 0 and long - short <= CHANCE * np.sqrt(long + short)
        step = float(np.sum(steps) / (len(steps) if jitters else np.sum(count)))
    return step


def _come_evenly(at: np.ndarray) -> bool:
    """Whether long steps, by their numbers, come at distances that differ by about one."""
    if len(at) < FEWEST:
        return False
    low, usual, high = np.quantile(at[2:] - at[:-2], (0.25, 0.5, 0.75))
    return bool(high - low <= 1 + EVEN * usual)
