"""Data of plots: correlation bars, the cloud of the search, mode shapes and frequency responses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from poinsot.experiment.poses.record import RankedPose
from poinsot.experiment.record import Figure
from poinsot.vibration.modes import Modes, modes
from poinsot.vibration.response import frf

if TYPE_CHECKING:
    from poinsot.experiment.poses.sampling import Sampling

DAMPING = 0.01  # of all modes in frequency responses  [-]
POINTS = 400


def figures_of(
    sampling: Sampling, drawn: Mapping[str, np.ndarray], poses: Sequence[RankedPose], at: str
) -> dict[str, Figure]:
    """All figures; `at` is the place of the frequency responses, by default one that moves in all modes."""
    shown = {one.name: one for one in poses if np.isfinite(one.frequencies).all()}
    found = {n: modes(sampling.mechanism, dict(one.pose), locked=sampling.locked) for n, one in shown.items()}
    place = at or _moving(next(iter(found.values())), len(poses[0].frequencies))
    return {
        "correlations": _bars(sampling.prior.names, poses),
        "cloud": _cloud(sampling, drawn),
        "mode_shapes": _shapes(found, {n: len(one.frequencies) for n, one in shown.items()}),
        "frequency_responses": _responses(sampling, shown, place),
    }


def _table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> Figure:
    return {head: np.array(column) for head, column in zip(heads, zip(*rows))}


def _bars(names: Sequence[str], poses: Sequence[RankedPose]) -> Figure:
    rows = [
        (one.name, i + 1, name, float(one.correlations[i, j]), float(one.sensitivity[i, j]))
        for one in poses
        for i in range(len(one.frequencies))
        for j, name in enumerate(names)
    ]
    return _table(("pose", "mode", "unknown", "correlation [-]", "∂ln f/∂ln p [-]"), rows)


def _cloud(sampling: Sampling, drawn: Mapping[str, np.ndarray]) -> Figure:
    good = drawn["refused"] == 0
    space = sampling.space
    columns = {f"{n} [{u}]": drawn["s"][good, k] for k, (n, u) in enumerate(zip(space.names, space.units))}
    columns |= {f"f{k + 1} [Hz]": f for k, f in enumerate(drawn["frequencies"][good].T)}
    extra = {"interplay of correlations [-]": drawn["interplay"][good], "closest modes [-]": drawn["spacing"][good]}
    return columns | {sampling.test.criterion: drawn["value"][good]} | extra


def _shapes(found: Mapping[str, Modes], counts: Mapping[str, int]) -> Figure:
    rows = []
    for name, one in found.items():
        for k in range(min(counts[name], len(one.frequencies))):
            for body, shape in one.shape(k).items():
                place = np.asarray(one.linear.poses[body].p, float)
                rows.append((name, k + 1, body, *place.tolist(), *np.real(shape).tolist()))
    heads = ["pose", "mode", "body", *(f"{x} [m]" for x in "xyz"), *(f"d{x} [m]" for x in "xyz")]
    return _table([*heads, *(f"r{x} [rad]" for x in "xyz")], rows)


def _moving(found: Modes, m: int) -> str:
    """A body and a direction whose least motion in the first m modes is largest, relative to the bodies' largest."""
    shapes = [found.shape(k) for k in range(min(m, len(found.frequencies)))]
    size = [max(float(np.max(np.abs(x[:3]))) for x in shape.values()) or 1.0 for shape in shapes]
    least = {
        f"{body} {axis}": min(abs(float(np.real(shape[body][i]))) / s for shape, s in zip(shapes, size))
        for body in shapes[0]
        for i, axis in enumerate("xyz")
    }
    return max(least, key=lambda place: least[place])


def _responses(sampling: Sampling, poses: Mapping[str, RankedPose], place: str) -> Figure:
    seen = np.concatenate([one.frequencies[one.seen] for one in poses.values()])
    f = np.linspace(0.5 * seen.min(initial=1.0), 1.2 * seen.max(initial=1.0), POINTS)
    columns = {"f [Hz]": f}
    for name, one in poses.items():
        found = frf(sampling.mechanism, place, place, f, pose=dict(one.pose), damping=DAMPING, locked=sampling.locked)
        columns[f"|H| {place}, {name} [m/N]"] = np.abs(found.H[:, 0, 0])
    return columns
