"""What the best pose costs: limits, modes that come closer, and errors of the pose.

δp/p̂ = F⁻¹ Sᵀ R^(−1/2) ∂f/∂s δs                                                      (theory/design, eq. 15)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from poinsot.experiment.poses.record import RankedPose

if TYPE_CHECKING:
    from poinsot.experiment.poses.assessment import Assessor
    from poinsot.experiment.poses.sampling import Sampling

STEP = 1e-4  # of the width between limits, in differences over the pose
DEGREE, MILLIMETRE = np.pi / 180, 1e-3
EMPTY = 1e-10  # of the largest eigenvalue of F, below which a combination of unknowns takes nothing up


def pose_errors(sampling: Sampling, assess: Assessor, found: dict[str, np.ndarray], F: np.ndarray) -> np.ndarray:
    """Largest relative change of an unknown (N, d) per radian or metre by which coordinates of N poses are wrong.

    F (N, k, k) is the information of each pose, or of the set that they are in.
    """
    s = found["s"]
    n, d = s.shape
    h = STEP * (sampling.space.upper - sampling.space.lower)
    ends = [assess(np.repeat(s, d, axis=0) + sign * np.tile(np.diag(h), (n, 1)))[0].frequencies for sign in (1, -1)]
    slopes = ((ends[0] - ends[1]).reshape(n, d, -1) / (2 * h[:, None])).swapaxes(1, 2)  # (N, m, d)  [Hz per unit]
    f, seen = found["frequencies"], found["seen"]
    f = np.where(seen, f, 1.0)
    deviation = np.hypot(sampling.test.relative, sampling.test.absolute / f)
    rows = np.where(seen[:, :, None], slopes / (f * deviation)[:, :, None], 0.0)
    S = found["sensitivity"] / deviation[:, :, None]
    change = np.linalg.pinv(F, rcond=EMPTY, hermitian=True) @ (S.swapaxes(1, 2) @ rows)  # (N, k, d)
    return np.max(np.abs(change), axis=1)


def costs_of(
    sampling: Sampling, best: Sequence[RankedPose], drawn: dict[str, np.ndarray], good: np.ndarray
) -> tuple[str, ...]:
    """Sentences."""
    said = []
    closest = min(best, key=lambda one: one.spacing)
    middle = float(np.median(drawn["spacing"][good]))
    if closest.spacing < middle:
        said.append(
            f"its closest modes are {closest.spacing:.0%} apart, those of half the poses {middle:.0%} or more"
        )
    rest = [
        name for one in best for name, x, low, high, free in _sides(sampling, one) if not free and _near(x, low, high)
    ]
    if rest:
        said.append(f"it rests on the limits of {', '.join(dict.fromkeys(rest))}")
    units = dict(zip(sampling.space.names, sampling.space.units))
    error = {
        (one.name, name): x * (DEGREE if units[name] == "rad" else MILLIMETRE)
        for one in best
        for name, x in one.pose_error.items()
    }
    (_, name), worst = max(error.items(), key=lambda item: item[1])
    step = "1 deg" if units[name] == "rad" else "1 mm"
    said.append(f"an error of {step} in '{name}' moves an unknown by up to {worst:.2%}")
    return tuple(said)


def _sides(sampling: Sampling, one: RankedPose) -> Iterator[tuple[str, float, float, float, bool]]:
    """Coordinates of a pose by name, with their limits and whether they turn freely."""
    space = sampling.space
    return zip(space.names, one.pose.values(), space.lower, space.upper, space.free)


def _near(x: float, low: float, high: float) -> bool:
    return min(x - low, high - x) <= 1e-3 * (high - low)
