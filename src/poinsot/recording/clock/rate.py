"""Rate: samples per second of a clock whose stamps may be rounded, and of which samples may be lost."""

from __future__ import annotations

import numpy as np

__all__ = ["GAP", "rate_of", "unrounded", "usual_step"]

GAP = 2.5  # of the median step of a clock, beyond which samples are missing
CHANCE = 2.0  # deviations of a count
FEWEST = 10  # long steps, from which on they tell whether they come evenly
GRID, NEAR = 0.01, 0.75  # of a unit: that steps are off its grid, and stamps off the clock that was rounded
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


def unrounded(t: np.ndarray) -> tuple[np.ndarray, float]:
    """Times (n,) of the even clock whose stamps were rounded, and to what; the same and 0 where they were not.

        |t_k − a − b k| ≤ ¾ u        steps of two sizes alone, u apart, the long ones evenly among the others

    >>> t, unit = unrounded(np.round(np.arange(1000) / 800, 3))
    >>> round(1 / (t[1] - t[0])), round(unit, 6)
    (800, 0.001)
    """
    steps = np.diff(t)
    least, most = (float(np.min(steps)), float(np.max(steps))) if len(steps) else (0.0, 0.0)
    unit = most - least
    if not (least > 0 and 1e-6 * most < unit <= 1.01 * most / 2):
        return t, 0.0
    decimal = 10 ** np.rint(np.log10(unit))  # stamps are rounded to so many digits: others are samples that are lost
    if abs(unit / decimal - 1) > GRID:
        return t, 0.0
    long = steps > least + unit / 2
    if np.max(np.abs(steps - np.where(long, most, least))) > GRID * unit or not _come_evenly(np.flatnonzero(long)):
        return t, 0.0
    k = np.arange(len(t))
    b, a = np.polyfit(k, t, 1)
    return (a + b * k, unit) if np.max(np.abs(t - a - b * k)) <= NEAR * unit else (t, 0.0)


def _come_evenly(at: np.ndarray) -> bool:
    """Whether long steps, by their numbers, come at distances that differ by about one."""
    if len(at) < FEWEST:
        return False
    low, usual, high = np.quantile(at[2:] - at[:-2], (0.25, 0.5, 0.75))
    return bool(high - low <= 1 + EVEN * usual)
